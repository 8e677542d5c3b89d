//! A fit that is interrupted, by whatever, and resumes.

#![cfg(unix)] // signals
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that says what is wrong by failing"
)]

mod killed;
mod names;
mod refused;
mod support;
