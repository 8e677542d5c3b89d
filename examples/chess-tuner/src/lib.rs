//! The example chess engine for the tuner: evaluation, search as a player, and
//! positions of its own games.
//!
//! ```
//! use chess_tuner::ChessEngine;
//! use shakmaty::Chess;
//! use tuner_core::engine::Engine;
//!
//! let start = Chess::default();
//! let score = ChessEngine.evaluate(&start);
//! assert_eq!(score, chess_engine::eval::evaluate(&start));
//! ```
//!
//! [`ChessEngine`] is what an author writes to tune an engine of his own; `main`
//! passes it to the command line of the tuner.

mod engine;

pub use engine::ChessEngine;

/// The positions that come with the example: see `data/README.md`.
pub const DATA: &[u8] = include_bytes!("../data/selfplay.tsv.zst");
