//! Chess for Tuner.
//!
//! Start with [`Fen`], which lets `tuner_data::read` read chess
//! positions and games, and has the rules that games are played by.
//!
//! | format | what | results and scores |
//! |---|---|---|
//! | `pgn` | games | White's; scores in comments of cutechess, fastchess, WinBoard (mover's), TCEC, lichess (White's) |
//! | `plain` | Stockfish's records of text | side to move's |
//! | `binpack` | Stockfish's chains of positions | side to move's |
//! | `viriformat` | games of viridithas | White's |
//! | `bulletformat` | positions in 32 bytes, without colour, castling or counters | side to move's, which becomes White |
//!
//! Each states on its own what it accepts, rejects and ignores. Values are
//! White's once they are read, whatever they were.

mod binary;
mod fen;
mod pgn;
mod plain;
mod rules;

pub use fen::Fen;
