//! What is done with weights after the fit.
//!
//! [`round()`] turns them into integers, and a local search looks whether
//! others near by are better. The held-out error is watched by the
//! solver itself (see [`Problem::held_out`](crate::solve::Problem)).

mod grid;
mod local_search;
mod round;
mod scored;

pub use grid::{Grid, GridError};
pub(crate) use local_search::LocalSearch;
pub use local_search::{Limits, Round, SearchEnd, SearchSaved, Searched, Steps};
pub use round::{Rounding, round};
pub(crate) use scored::Rows;
