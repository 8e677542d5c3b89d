//! Games: `selfplay`, `match`, `loop` of both with `fit`, and `spsa`.

mod arena;
mod args;
mod builds;
mod external;
mod fast;
mod matches;
mod page;
mod paste;
mod results;
mod rounds;
mod scoreboard;
mod selfplay;
mod spsa;
mod strength;

pub(super) use arena::{Arena, silent, with_rules};
pub(super) use args::{
    MatchArgs, RuleArgs, SELFPLAY, SPSA, SelfPlayArgs, ThinkingArgs, Treatment, limit_words,
    parse_pair, with_defaults,
};
pub(super) use external::program;
pub(super) use fast::{GAMES as FAST_GAMES, run as fast_games};
pub(super) use matches::run as run_match;
pub(super) use page::{is_match, read as read_match};
pub(super) use rounds::{LoopArgs, parsed, run as rounds};
pub(super) use selfplay::run as selfplay;
pub(super) use spsa::{SpsaArgs, run as spsa};
pub(super) use strength::{ResultArgs, SprtArgs, elo, sprt};
