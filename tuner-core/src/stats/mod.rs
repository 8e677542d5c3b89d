//! What is done with weights after the fit.
//!
//! [`round()`] turns them into integers. The held-out error is watched by the
//! solver itself (see [`Problem::held_out`](crate::solve::Problem)).

mod grid;
mod round;

pub use grid::{Grid, GridError};
pub use round::{Rounding, round};
