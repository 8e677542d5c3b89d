#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ops::ControlFlow;

use tuner_base::{Ranks, Topic, Transport};
use tuner_play as play;
use tuner_play::PlayerFault;

mod matches;
#[path = "../../../play/src/tests/nim.rs"]
mod nim;
mod selfplay;
#[path = "../../../base/src/tests/thread_ranks.rs"]
mod thread_ranks;

pub(crate) use thread_ranks::thread_ranks;

#[allow(clippy::unnecessary_wraps, reason = "what `games_in_order` asks for")]
fn go_on() -> Result<ControlFlow<()>, PlayerFault> {
    Ok(ControlFlow::Continue(()))
}
