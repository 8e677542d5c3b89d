//! Chess for Tuner: reads positions and games, and plays by the rules.
//!
//! ```
//! use tuner_chess::Fen;
//! use tuner_data::{Input, ReadOptions, any_game, read};
//!
//! let games = Input::Embedded {
//!     name: "games.pgn",
//!     bytes: b"[Result \"1-0\"]\n\n1. e4 {+0.30/12} e5 {+0.10/11} 2. Nf3 1-0\n",
//! };
//! let options = ReadOptions::default();
//! let map = |sample: tuner_data::Sample| Ok(sample.labelled.search_score);
//! let (scores, report) = read(&[games], &options, any_game(Fen), map)?;
//!
//! // One position for each move. Scores are White's.
//! assert_eq!(scores, [Some(30), Some(-10), None]);
//! assert_eq!(report.files[0].units, 1);
//! # Ok::<(), tuner_data::ReadError>(())
//! ```
//!
//! [`Fen`] is the only item beside [`shakmaty`]: a notation of positions, with the rules that
//! games are played by and, with feature `data`, on by default, the formats below. An evaluator
//! takes the crate without.
//!
//! | format | what | results and scores |
//! |---|---|---|
//! | `pgn` | games | White's; scores in comments of cutechess, fastchess, WinBoard (mover's), TCEC, lichess (White's) |
//! | `lichess-evals` | lichess' evaluations in JSON, without results | White's |
//! | `plain` | Stockfish's text records | side to move's |
//! | `binpack` | Stockfish's chains of positions | side to move's |
//! | `viriformat` | games of viridithas | White's |
//! | `marlinformat` | positions in 32 bytes | White's |
//! | `bin` | Stockfish's positions in 40 bytes | side to move's |
//! | `bulletformat` | positions in 32 bytes, without colour, castling or counters | side to move's, which becomes White |
//!
//! The source of each format states what it accepts, rejects and ignores. All
//! values are White's after reading.

#[cfg(feature = "data")]
mod binary;
#[cfg(feature = "data")]
mod evals;
#[cfg(feature = "data")]
mod features;
mod fen;
mod moves;
mod notation;
#[cfg(feature = "data")]
mod pgn;
#[cfg(feature = "data")]
mod plain;
mod rules;

pub use notation::Fen;
/// The crate whose positions [`Fen`] reads: an engine that depends on this one by
/// name has the same types.
pub use shakmaty;
