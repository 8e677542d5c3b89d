//! Many games: self-play that makes data, matches that measure.
//!
//! [`games_in_order`] and [`pairs_in_order`] play on several threads and ranks, and hand
//! the games over in their order: what comes out depends on the seed and never on the
//! threads. How one game is played is in `tuner-play`.
//!
//! [`GameTable`] is the file that self-play writes, [`Journal`] that of a match;
//! both can be resumed after an interruption. [`External`] is a player in
//! another process (UCI, USI).
//!
//! Not here: arguments, words for the user.

mod elo;
mod external;
mod games;
mod journal;
mod parallel;
mod record_error;
mod spsa;
mod table;
mod tally;

pub use elo::{
    EloUnit, Estimate, Frequencies, NELO_PER_T, Pentanomial, Sprt, SprtError, Trinomial, Verdict,
};
pub use external::{External, Guard, Program, Protocol, ProtocolError};
pub use games::{games_in_order, pairs_in_order};
pub use journal::{Journal, JournalPair, JournalRecord};
pub use parallel::{Batch, Wire, in_order, in_order_among};
pub use record_error::RecordError;
pub use spsa::SpsaSettings;
pub use table::GameTable;
pub use tally::Tally;

#[cfg(test)]
mod tests;
