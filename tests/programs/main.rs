//! Evaluations that are made up, and their twins.

#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and says how much it compared"
)]

mod built;
mod mutated;
mod program;
mod random;
mod shapes;
