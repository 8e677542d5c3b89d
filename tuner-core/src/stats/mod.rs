//! What is done with weights after the fit.
//!
//! [`round()`] turns them into integers, [`round_by_diagonal`] where there are
//! too many for a matrix. The held-out error is watched by the
//! solver itself (see [`Problem::held_out`](crate::solve::Problem)).

mod grid;
mod round;
mod round_by_diagonal;

pub use grid::{Grid, GridError};
pub use round::{RoundedBy, Rounding, round};
pub use round_by_diagonal::round_by_diagonal;
