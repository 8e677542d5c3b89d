//! Games: `selfplay` and `match`.

mod args;
mod external;
mod matches;
mod page;
mod scoreboard;
mod selfplay;
mod weights;

pub(super) use args::{ExternalMatchArgs, MatchArgs, SelfPlayArgs};
pub(super) use external::run as external_match;
pub(super) use matches::run as internal_match;
pub(super) use page::{is_match, read as read_match};
pub(super) use selfplay::run as selfplay;
pub(super) use weights::NamedSet;
