//! Traces in a file: the same rows, the same fits, and what is refused.

#![allow(clippy::unwrap_used)] // a failing test may end with a panic

mod data;
mod fits;
mod format;
mod ranks;
mod refused;
mod rows;
