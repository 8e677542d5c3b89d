//! Shogi for Tuner.
//!
//! Start with [`Position`], the board that engines search on. With the feature
//! `tuner`, [`Sfen`] lets `tuner_core::data::read` read shogi positions and
//! games, and has the rules that games are played by.

pub mod board;
#[cfg(feature = "tuner")]
mod notation;
#[cfg(feature = "tuner")]
mod records;
#[cfg(feature = "tuner")]
mod rules;

pub use board::{
    Color, Hand, IllegalSetup, Move, MoveList, Piece, PieceType, Position, Setup, SfenError,
    Square, Squares, attacks,
};
#[cfg(feature = "tuner")]
pub use notation::Sfen;
