//! Fits with a scale, targets or a prior that are chosen.

#![allow(clippy::unwrap_used)] // a failing test may end with a panic
#![allow(clippy::float_cmp)] // what must not move must not move at all
#![allow(clippy::print_stdout)] // tables, where a test fails

mod data;
mod scale;
mod strength;
