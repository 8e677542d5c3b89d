//! Games: `selfplay`, `match`, and `loop` of both with `fit`.

mod args;
mod external;
mod fast;
mod matches;
mod page;
mod rounds;
mod scoreboard;
mod selfplay;
mod weights;

pub(super) use args::{ExternalMatchArgs, MatchArgs, SelfPlayArgs};
pub(super) use external::run as external_match;
pub(super) use fast::{FastGames, GAMES as FAST_GAMES, run as fast_games};
pub(super) use matches::run as internal_match;
pub(super) use page::{is_match, read as read_match};
pub(super) use rounds::{LoopArgs, run as rounds};
pub(super) use selfplay::run as selfplay;
pub(super) use weights::NamedSet;
