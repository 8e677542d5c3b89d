//! Shogi: data and programs that speak USI, and the engine of `examples/shogi`, from outside.

#![allow(
    clippy::unwrap_used,
    reason = "a test that says what is wrong by failing"
)]

#[path = "../examples/circle.rs"]
mod circle;
mod data;
mod diagnose;
mod games;
#[cfg(unix)]
mod programs;
mod support;
