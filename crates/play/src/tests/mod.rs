#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod alpha_beta;
mod book;
mod matches;
mod nim;
mod quiescence;
mod selfplay;
