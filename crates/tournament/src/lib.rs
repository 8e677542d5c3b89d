//! Many games: self-play that makes data, matches that measure.
//!
//! [`games_in_order`] plays on several threads and ranks, and hands
//! the games over in their order: what comes out depends on the seed and never on the
//! threads. How one game is played is in `tuner-play`.
//!
//! [`GameTable`] is the file that self-play writes, [`Journal`] that of a match;
//! both can be resumed after an interruption, as what else is made of [`LineFormat`] or
//! [`read_state`]. [`External`] is a player in
//! another process (UCI, USI).
//!
//! Not here: arguments, words for the user.

mod elo;
mod external;
mod journal;
mod parallel;
mod record_error;
mod resumable;
mod spsa;
mod table;
mod tally;

pub use elo::{
    EloUnit, Estimate, Frequencies, NELO_PER_T, Pentanomial, Sprt, SprtError, Verdict, is_even,
};
pub use external::{EngineOption, External, GuardedChild, OptionKind, Program, Protocol, offered};
pub use journal::{Journal, JournalPair};
pub use parallel::{Batch, games_in_order, in_order};
pub use record_error::{RecordError, RecordResult};
pub use resumable::{
    LineFile, LineFormat, Lines, check_settings, is_begun, lock, read_state, write_state,
};
pub use spsa::{SpsaSettings, usual_rate};
pub use table::GameTable;
pub use tally::Tally;

#[cfg(test)]
mod tests;
