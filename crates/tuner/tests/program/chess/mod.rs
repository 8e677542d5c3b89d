//! The program about the engine of `examples/chess`, from outside.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that says what is wrong by failing"
)]

mod choices;
#[path = "../examples/circle.rs"]
mod circle;
mod cli;
mod diagnose;
mod events;
mod faults;
mod folder;
mod from_rust;
mod games;
mod resume;
mod rounds;
mod source;
mod support;
mod terms;
mod trace;
