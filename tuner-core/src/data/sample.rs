//! One labelled position, and what the reader must be told about the game.

use super::{Fault, GameKey};
use crate::outcome::Outcome;

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

    /// Writes a position so that [`parse`](Self::parse) reads it again.
    fn describe(&self, position: &Self::Position) -> String;

    /// Tells whether it is the first player's turn.
    fn first_player_to_move(&self, position: &Self::Position) -> bool;
}

/// A labelled position as an input gave it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample<P> {
    /// The position.
    pub position: P,
    /// The result of the game, for the first player.
    pub outcome: Outcome,
    /// The score of a search, for the first player, in the unit of the input
    /// (centipawns).
    pub search_score: Option<i32>,
    /// The game that the position comes from, where the input tells.
    pub game: Option<GameKey>,
    /// Half-moves played before the position, where the input tells.
    pub ply: Option<u32>,
    /// Where it was read.
    pub location: SampleLocation,
}

/// The line that a sample was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SampleLocation {
    /// Which of the inputs, counted from 0.
    pub input: u32,
    /// Line, counted from 1.
    pub line: u64,
}
