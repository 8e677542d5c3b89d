//! Games between engines: self-play that makes data, matches that measure.
//!
//! Start with [`Player`], what can be asked for a move; [`play_game`] plays one
//! game of two of them by the [`Rules`](tuner_data::rules::Rules). [`selfplay`] and
//! [`contest`] play many, on several threads, and hand the games over in their
//! order: what comes out depends on the seed and never on the threads. Each
//! game has random numbers of its own.
//!
//! [`GameTable`] is the file that self-play writes, [`Journal`] that of a match;
//! both can be resumed after an interruption. [`External`] is a player in
//! another process (UCI, USI), [`AlphaBeta`] one that searches with any evaluation.
//!
//! Not here: arguments, words for the user.

mod adjudication;
mod alpha_beta;
mod book;
mod clock;
mod contest;
mod elo;
mod external;
mod game;
mod journal;
mod opening;
mod parallel;
mod pgn;
mod player;
mod record_error;
mod sampling;
mod selfplay;
mod spsa;
mod table;
mod wire;

pub use adjudication::{Adjudication, DrawRule, WinRule};
pub use alpha_beta::AlphaBeta;
pub use book::{Book, BookError};
pub use clock::{Clock, TimeControl, TimeControlError};
pub use contest::{Contest, GameOfPair, Pair, Seats, Tally, Thinking, contest};
pub use elo::{
    EloUnit, Estimate, Frequencies, NELO_PER_T, Pentanomial, Sprt, SprtError, Trinomial, Verdict,
};
pub use external::{External, Program, Protocol, ProtocolError};
pub use game::{GameEnd, Played, Ply, play_game};
pub use journal::{Journal, JournalPair, JournalRecord};
pub use opening::{Opening, OpeningError, Openings, generator};
pub use parallel::{Batch, Wire, in_order, in_order_among};
pub use pgn::{PgnTags, game_file, pgn};
pub use player::{Limit, Look, MoveChoice, Player, PlayerFault, Score, guarded};
pub use record_error::RecordError;
pub use sampling::{Left, SampledPosition, Sampling};
pub use selfplay::{GameRecord, PlayError, SelfPlay, Spent, selfplay};
pub use spsa::SpsaSettings;
pub use table::GameTable;

#[cfg(test)]
mod tests;
