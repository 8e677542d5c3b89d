//! Chess for Tuner.
//!
//! Start with [`Fen`], which lets `tuner_core::data::read` read chess
//! positions. Not here yet: games (PGN), binary positions, quiescence.

mod fen;

pub use fen::Fen;
