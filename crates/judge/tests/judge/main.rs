//! What is said of a fit, where data say little and where their weights are known.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bad_input;
mod coverage;
mod features;
mod simulation;
