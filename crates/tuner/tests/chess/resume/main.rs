//! Fits that are interrupted in any way, and resumed.

#![cfg(unix)] // signals
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that says what is wrong by failing"
)]

mod killed;
mod names;
#[path = "../support/mod.rs"]
mod program;
mod refused;
mod support;
