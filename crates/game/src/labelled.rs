//! A position with what its input tells of it.

use std::sync::Arc;

use super::{Expected, GameKey, GameTags};

/// A position, and what its input tells of it: scores and results are the first player's, and
/// `None` is what the input does not tell.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelledPosition<P> {
    /// The position, as a state of the game or as text.
    pub position: P,
    /// The result of the game, or its probability.
    pub outcome: Expected,
    /// The score of a search in the unit of the input (centipawns); a mate in
    /// `n` plies is [`MATE`] − n.
    pub search_score: Option<i32>,
    /// The game that the position comes from.
    pub game: Option<GameKey>,
    /// Half-moves played before the position.
    pub ply: Option<u32>,
    /// The moves around the position.
    pub around: Around,
    /// The tags of the game's record; lists of positions have none.
    pub tags: Option<Arc<GameTags>>,
}

impl<P> LabelledPosition<P> {
    /// Makes a labelled position of which only the result is known.
    pub fn new(position: P, outcome: Expected) -> Self {
        Self {
            position,
            outcome,
            search_score: None,
            game: None,
            ply: None,
            around: Around::default(),
            tags: None,
        }
    }

    /// Replaces the position by what `form` makes of it, such as its text, and keeps all labels.
    pub fn with_position<Q>(self, form: impl FnOnce(P) -> Q) -> LabelledPosition<Q> {
        LabelledPosition {
            position: form(self.position),
            outcome: self.outcome,
            search_score: self.search_score,
            game: self.game,
            ply: self.ply,
            around: self.around,
            tags: self.tags,
        }
    }
}

/// The score of a side that has mated, in centipawns, as Stockfish counts; a
/// mate in `n` plies is `MATE − n`.
pub const MATE: i32 = 32_000;

/// The score, of either sign, by which makers of data say that a position is left out:
/// `VALUE_NONE` of Stockfish and of the shogi engines made after it.
pub const LEFT_OUT: i32 = 32_002;

/// The moves around a position, as inputs with games tell of them; `None` is not told, as in all
/// lists of positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Around {
    /// Whether the move that led here captured or promoted.
    pub last_tactical: Option<bool>,
    /// Whether the move played here, or the best one, captures or promotes.
    pub next_tactical: Option<bool>,
    /// Half-moves from here to the end of the game.
    pub plies_left: Option<u32>,
    /// Whether the game ended otherwise than by the moves: on time, by an
    /// illegal move, a lost connection.
    pub forfeit: Option<bool>,
    /// Whether the move played here came from an opening book.
    pub book: Option<bool>,
}
