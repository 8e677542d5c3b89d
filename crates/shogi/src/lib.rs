//! Shogi for Tuner.
//!
//! [`Position`] is the board that engines search on: legal moves, attacks,
//! SFEN. Without default features there is nothing else, and no dependency but
//! rsshogi, whose attack tables it uses and whose types stay inside.
//!
//! With feature `tuner`, [`Sfen`] lets `tuner_data::read` read shogi
//! positions and games, and has the rules that games are played by.
//!
//! | format | what | results and scores |
//! |---|---|---|
//! | `usi` | games, one a line | sente's |
//! | `csa` | games | by the statement that ends them; scores in comments `'** 30`, sente's |
//! | `jkf` | a game in JSON | by `special` |
//! | `kif`, `ki2` | a game in Japanese, in UTF-8 or Shift_JIS | by the word that ends it |
//! | `hcpe` | positions in 38 bytes | sente's; the score the side to move's |
//! | `psv` | positions in 40 bytes | side to move's |
//!
//! Each states on its own what it accepts, rejects and ignores. Values are
//! sente's, the first player's, once they are read, in handicap games too.

pub mod board;
#[cfg(feature = "tuner")]
mod notation;
#[cfg(feature = "tuner")]
mod records;
#[cfg(feature = "tuner")]
mod rules;

pub use board::{
    Color, Hand, IllegalSetup, Move, MoveList, Piece, PieceType, Position, Setup, SfenError,
    Square, Squares, attacks,
};
#[cfg(feature = "tuner")]
pub use notation::Sfen;
