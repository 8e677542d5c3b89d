//! What is read in the sources of a crate.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod crate_model;
mod leaves;
