//! Games: `selfplay`, `match`, and `loop` of both with `fit`.

mod args;
mod external;
mod matches;
mod rounds;
mod scoreboard;
mod selfplay;
mod weights;

pub(super) use args::{ExternalMatchArgs, MatchArgs, SelfPlayArgs};
pub(super) use external::run as external_match;
pub(super) use matches::run as internal_match;
pub(super) use rounds::{LoopArgs, run as rounds};
pub(super) use selfplay::run as selfplay;
pub(super) use weights::NamedSet;
