//! One labelled position, and what the reader must be told about the game.

use std::sync::Arc;

use super::{Fault, GameKey, GameTags, Records};
use crate::Expected;

/// How a game's positions are written as text.
pub trait PositionNotation: Sync {
    /// A state of the game.
    type Position;

    /// The notation's name in messages, and in lower case the table column
    /// that holds positions: "FEN", "SFEN".
    const NAME: &'static str;

    /// Reads a position.
    ///
    /// # Errors
    /// If the text is no legal position; the fault says which field is wrong.
    fn parse(&self, text: &str) -> Result<Self::Position, Fault>;

    /// Adds to a position without them the half-moves without progress and the
    /// number of the move, as the EPD operations `hmvc` and `fmvn` give them;
    /// `None` if it has them, or in a game that writes them otherwise.
    fn with_clocks(&self, _text: &str, _idle: &str, _number: &str) -> Option<String> {
        None
    }

    /// Writes a position so that [`parse`](Self::parse) reads it again.
    fn describe(&self, position: &Self::Position) -> String;

    /// Tells whether it is the first player's turn.
    fn first_player_to_move(&self, position: &Self::Position) -> bool;

    /// What the first player has more on the board, in hundredths of the least
    /// piece; `None` in a game that does not say. With it the reader notices
    /// results that look flipped.
    fn balance(&self, _position: &Self::Position) -> Option<i32> {
        None
    }

    /// What both players have on the board, in the same unit; `None` in a game
    /// that does not say.
    fn material(&self, _position: &Self::Position) -> Option<i32> {
        None
    }

    /// How many pieces are on the board, kings among them; `None` in a game that
    /// does not say.
    fn pieces(&self, _position: &Self::Position) -> Option<u32> {
        None
    }

    /// Formats of this game that are not one position a line: games, binary
    /// records. The first that [recognises](Records::recognises) an input
    /// reads it.
    fn records(&self) -> &[&Records<Self::Position>] {
        &[]
    }
}

/// A position, and what its input tells of it; values are the first player's.
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
    /// What the record tells of the game; lists of positions tell nothing.
    pub tags: Option<Arc<GameTags>>,
}

impl<P> LabelledPosition<P> {
    /// Makes one of which only the result is known.
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

    /// Puts another form of the position in the place of this one.
    pub fn with_position<Q>(self, position: Q) -> LabelledPosition<Q> {
        LabelledPosition {
            position,
            outcome: self.outcome,
            search_score: self.search_score,
            game: self.game,
            ply: self.ply,
            around: self.around,
            tags: self.tags,
        }
    }
}

/// A labelled position as the reader hands it over.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample<P> {
    /// The position and its labels.
    pub labelled: LabelledPosition<P>,
    /// How often the position counts: the weight of its input.
    pub weight: f64,
    /// Where it was read.
    pub location: SampleLocation,
    /// The id of its game, where the data give one in words.
    pub game_id: Option<Box<str>>,
}

/// The score of a side that has mated, in centipawns, as Stockfish counts; a
/// mate in `n` plies is `MATE − n`.
pub const MATE: i32 = 32_000;

/// What inputs with games tell of the moves around a position; a list of
/// positions tells nothing.
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

/// The line that a sample was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SampleLocation {
    /// Which of the inputs, counted from 0.
    pub input: u32,
    /// Line, counted from 1; of binary data the number of the record or game.
    pub line: u64,
}
