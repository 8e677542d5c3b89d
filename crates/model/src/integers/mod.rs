//! Weights as integers.
//!
//! [`round()`] turns them into integers, [`round_by_diagonal`] where there are
//! too many for a matrix, and a local search looks whether others near by are
//! better. The held-out error is watched by the
//! solver itself (see [`Problem::held_out`](tuner_solve::Problem)).

mod grid;
mod local_search;
mod round;
mod round_by_diagonal;
mod scored;

pub use grid::{Grid, GridError};
pub use local_search::{LocalSearch, Round, Search, SearchEnd, Searched};
pub use round::{KnownPoint, RoundedBy, Rounding, round};
pub use round_by_diagonal::round_by_diagonal;
pub use scored::SearchRows;
