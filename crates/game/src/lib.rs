//! A two-player game, as Tuner sees it.
//!
//! A game implements [`PositionNotation`], how its positions are written, and
//! [`rules::Rules`], how pieces move; nothing here knows chess. Formats of games and
//! binary records are [`Records`]; what a position is labelled with is a
//! [`LabelledPosition`]. [`quiescence()`] searches captures in any such game.
//!
//! Not here: files, which `tuner-data` reads, and games between players, which
//! `tuner-play` plays. Engines link this crate, so its dependencies are few.

mod fault;
mod feature;
mod game_key;
mod game_tags;
mod labelled;
mod notation;
mod outcome;
mod quiescence;
mod recorded;
mod records;
pub mod rules;

pub use fault::{ErrorOfDebug, ErrorOfNoWords, Fault, ParserError, ReadBoard, in_bytes, in_games};
pub use feature::{FeatureCode, FeatureLanguage};
pub use game_key::GameKey;
pub use game_tags::{GameDate, GameTags};
pub use labelled::{Around, LEFT_OUT, LabelledPosition, MATE};
pub use notation::{PositionNotation, RecordWriter, of_other_player};
pub use outcome::{Expected, Outcome, Perspective};
pub use quiescence::{QuietPosition, quiescence, quiescence_within};
pub use recorded::{RecordedGame, RecordedPly};
pub use records::{
    EventSink, ParseUnits, RecordEvent, RecordPlace, RecordUnit, Records, ScoreUnit, StatedScores,
};
