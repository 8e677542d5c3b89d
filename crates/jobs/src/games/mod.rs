//! Games: self-play, matches, and tuning by them.

mod arena;
mod builds;
mod fast;
mod matches;
mod node_time;
mod page;
mod paste;
mod pgn_results;
mod polyglot;
mod programs;
mod selfplay;
mod settings;
mod spsa;
mod standing;

pub use arena::engine_at;
pub use matches::{MatchConfig, MatchResult, MatchSide, is_weights, run_match};
pub use page::{is_match, opponents, read_match};
pub use paste::{MatchConditions, ResultFormat};
pub use pgn_results::PgnResults;
pub use programs::Treatment;
pub use selfplay::{SelfPlayConfig, SelfPlaySummary, selfplay};
pub use settings::{BOOK_PLIES, GamesConfig, OpeningSource, RANDOM_PLIES};
pub use spsa::{MovedOption, Perturbation, SpsaConfig, SpsaSummary, spsa};
pub use standing::GamesStanding;

pub(crate) use arena::{Arena, Games, no_games, silent, with_rules};
pub(crate) use builds::Builds;
pub(crate) use fast::{FAST_GAMES, fast_games};
pub(crate) use node_time::node_time;
pub(crate) use settings::{identity, limit_words};
pub(crate) use standing::GamesProgress;
