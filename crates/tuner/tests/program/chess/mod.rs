//! The program about the engine of `examples/chess`, from outside.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that says what is wrong by failing"
)]

mod choices;
mod cli;
mod diagnose;
mod faults;
mod folder;
mod from_rust;
mod games;
mod late_kills;
mod resume;
mod rounds;
mod source;
mod spsa;
mod suggest;
mod support;
mod terms;
mod trace;

pub(crate) use support::EXAMPLE;

#[test]
fn what_is_fitted_comes_back_and_a_second_fit_changes_nothing() {
    let positions = support::table(1999);
    crate::examples::circle::goes_round(&support::EXAMPLE, support::engine(), &positions);
}
