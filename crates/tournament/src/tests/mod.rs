#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ops::ControlFlow;

use tuner_play as play;

mod matches;
#[path = "../../../play/src/tests/nim.rs"]
mod nim;
mod selfplay;

fn go_on() -> ControlFlow<()> {
    ControlFlow::Continue(())
}
