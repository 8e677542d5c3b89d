//! Reports and records of runs, as they are written, read and shown.

#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a test says what it skips, and fails by panicking; `support` serves all of them"
)]

mod browser;
mod changes;
mod lines;
mod pages;
mod records;
mod support;
