//! Scores given only as closures: rows by difference quotients, and fits.

#![allow(clippy::unwrap_used, reason = "a failing test may end with a panic")]

mod fits;
mod mistakes;
mod nonlinear;
mod rows;
mod support;
