//! The engine as the library and the tuner see it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod library_search;
mod pipe;
mod rows;
