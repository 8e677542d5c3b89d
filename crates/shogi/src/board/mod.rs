//! The board, for engines and readers: what stands where, who attacks what,
//! legal moves.
//!
//! [`Position`] is a plain value of half a kilobyte without heap: an engine
//! copies it and [plays](Position::play) on the copy.

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
pub use squares::{Iter as SquaresIter, Squares};

#[cfg(test)]
mod tests;
