//! A small chess engine: rules by shakmaty, a hand-written evaluation, an
//! alpha-beta search.
//!
//! Start reading at [`eval::evaluate`] for what a position is worth, at
//! [`search::Searcher`] for how the tree is walked, at [`uci::run`] for the
//! conversation with a user interface. The numbers of the evaluation are in
//! [`tuned_weights`], generated from `specs/chess.toml`.
//!
//! ```
//! use chess_engine::search::{Limits, Searcher};
//! use shakmaty::Chess;
//!
//! let mut searcher = Searcher::new(1);
//! let result = searcher.search(&Chess::default(), &[], Limits::nodes(2_000));
//! assert!(result.best_move.is_some());
//! ```

pub mod bench;
pub mod eval;
#[cfg(feature = "tune")]
pub mod evaluator;
pub mod search;
pub mod tuned_weights;
pub mod uci;

/// Returns the registry of this crate's weights.
#[cfg(feature = "tune")]
pub fn registry() -> &'static tuner_core::trace::Registry {
    tuner_core::registry!()
}
