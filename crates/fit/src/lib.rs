//! The fit of weights to traces: objective, scaling constant, integers.
//!
//! Start with [`run`], which does all that a fit of an engine needs; [`fit()`] is
//! one fit of rows that do not change.

mod fit;
pub mod run;

pub use fit::*;
pub use tuner_model as model;
pub use tuner_model::integers;
