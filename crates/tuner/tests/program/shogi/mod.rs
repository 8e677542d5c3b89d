//! Shogi: data and programs that speak USI, and the engine of `examples/shogi`, from outside.

#![allow(
    clippy::unwrap_used,
    reason = "a test that says what is wrong by failing"
)]

mod damaged;
mod data;
mod diagnose;
mod games;
#[cfg(unix)]
mod programs;
mod support;

pub(crate) use support::EXAMPLE;

#[test]
fn what_is_fitted_comes_back_and_a_second_fit_changes_nothing() {
    let positions = support::table(1999);
    crate::examples::circle::goes_round(&support::EXAMPLE, support::engine(), &positions);
}
