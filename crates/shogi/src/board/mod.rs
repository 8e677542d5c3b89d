//! The board, for engines and readers: pieces, attacks, legal moves.
//!
//! Not a board of another library: rsshogi's keeps its history on the heap, for which each copy
//! pays, and haitaka's leaves a mate by a dropped pawn to its caller.

mod attacks;
mod generate;
mod hand;
mod impasse;
mod moves;
mod piece;
mod position;
mod setup;
mod sfen;
mod square;
mod squares;
mod zobrist;

pub use attacks::attacks;
pub use generate::MoveList;
pub use hand::Hand;
pub use moves::Move;
pub use piece::{Color, Piece, PieceType};
pub use position::Position;
pub use setup::{IllegalSetup, Setup};
pub use sfen::SfenError;
pub use square::Square;
pub use squares::{Squares, SquaresIter};

/// Debugs a type as it is displayed.
macro_rules! debug_as_displayed {
    ($($type:ty),*) => {
        $(impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        })*
    };
}
debug_as_displayed!(Move, Position, Square);

#[cfg(test)]
mod tests;
