//! A small shogi engine: board by tuner-shogi, a hand-written evaluation, an
//! alpha-beta search.
//!
//! Start reading at [`eval::evaluate`] for what a position is worth, at
//! [`search::Searcher`] for how the tree is walked, at [`usi::run`] for the
//! conversation with a user interface. The numbers of the evaluation are in
//! [`tuned_weights`], generated from `specs/shogi.toml`.
//!
//! ```
//! use shogi_engine::search::{Limits, Searcher};
//! use tuner_shogi::Position;
//!
//! let mut searcher = Searcher::new(1);
//! let result = searcher.search(&Position::start(), &[], Limits::nodes(2_000));
//! assert!(result.best_move.is_some());
//! ```

pub mod bench;
pub mod eval;
#[cfg(feature = "tune")]
pub mod evaluator;
pub mod search;
pub mod tuned_weights;
pub mod usi;

/// Returns the registry of this crate's weights.
#[cfg(feature = "tune")]
pub fn registry() -> &'static tuner_core::trace::Registry {
    tuner_core::registry!()
}
