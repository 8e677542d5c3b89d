#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

/// What `nim` calls this crate, as the tests of `tuner-tournament` share it.
use crate as play;

mod alpha_beta;
mod book;
mod matches;
mod nim;
mod quiescence;
mod records;
mod selfplay;
mod settings;
