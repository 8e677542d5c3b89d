//! The example shogi engine for the tuner: evaluation, search as a player, and
//! positions of its own games.
//!
//! ```
//! use shogi_tuner::ShogiEngine;
//! use tuner_core::engine::Engine;
//! use tuner_shogi::Position;
//!
//! let start = Position::start();
//! let score = ShogiEngine.evaluate(&start);
//! assert_eq!(score, shogi_engine::eval::evaluate(&start));
//! ```
//!
//! [`ShogiEngine`] is what an author writes to tune an engine of his own; `main`
//! passes it to the command line of the tuner.

mod engine;

pub use engine::ShogiEngine;

/// The positions that come with the example: see `data/README.md`.
pub const DATA: &[u8] = include_bytes!("../data/selfplay.tsv.zst");
