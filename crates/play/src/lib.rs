//! Games between players, one by one.
//!
//! Start with [`Player`], what can be asked for a move; [`play_game`] plays one
//! game of two of them by the [`Rules`](tuner_game::rules::Rules). [`selfplay_game`]
//! plays one game that makes data, [`play_pair`] two from one opening, which measure. Each
//! game has random numbers of its own: it depends on seed and number, and never on those
//! before it. [`AlphaBeta`] is a player that searches with any evaluation.
//!
//! Settings ([`ContestSettings`], [`SelfPlaySettings`]) and games that are over
//! ([`PairRecord`], [`GameRecord`]) are plain values that do not name the rules, each with a
//! text form: so one process can ask another one to play.
//!
//! Not here: many games, their files, Elo, programs by UCI and USI, all of which are in
//! `tuner-tournament`. Engines link this crate, so its dependencies are few.

mod adjudication;
mod alpha_beta;
mod book;
mod clock;
mod contest;
mod game;
mod label;
mod opening;
mod pgn;
mod player;
mod record;
mod sampling;
mod selfplay;
mod settings;
mod words;

pub use adjudication::{Adjudication, DrawRule, WinRule};
pub use alpha_beta::AlphaBeta;
pub use book::Book;
pub use clock::{Clock, TimeControl};
pub use contest::{Seats, Thinking, play_pair};
pub use game::{GameEnd, Played, play_game};
pub use label::{playout, search_score};
pub use opening::{Opening, Openings, generator};
pub use pgn::pgn_tag;
pub use player::{
    ChosenMove, Limit, Look, MoveChoice, Player, PlayerFault, PlayerResult, Score, guarded, seeing,
};
pub use record::{FinishedGame, GameText, PairRecord};
pub use sampling::{Left, SampledPosition, Sampling};
pub use selfplay::{GameRecord, Spent, selfplay_game};
pub use settings::{
    ContestSettings, MatchTexts, OpeningChoice, PlayoutSettings, SelfPlaySettings, SettingsText,
};
pub use words::Word;

#[cfg(test)]
mod tests;
