//! The result of a game, seen from the first player.

use std::fmt;

/// The result of a game for the first player (White in chess, sente in shogi).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The first player lost: R = 0.
    Loss,
    /// Nobody won: R = ½.
    Draw,
    /// The first player won: R = 1.
    Win,
}

impl Outcome {
    /// Returns R, the value that the fit regresses on: 0, ½ or 1.
    pub const fn value(self) -> f64 {
        match self {
            Self::Loss => 0.0,
            Self::Draw => 0.5,
            Self::Win => 1.0,
        }
    }

    /// Returns the same result seen by the other player.
    #[must_use]
    pub const fn flipped(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Loss => "0-1",
            Self::Draw => "1/2-1/2",
            Self::Win => "1-0",
        })
    }
}

/// Whose view an input's result or score has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Perspective {
    /// White in chess, sente in shogi.
    FirstPlayer,
    /// The player whose turn it is.
    SideToMove,
}
