//! Shogi for Tuner: a board for engines, readers of positions and games, and
//! the rules.
//!
//! ```
//! use tuner_shogi::{Position, Square};
//!
//! let mut position = Position::start();
//! assert_eq!(position.legal_moves().len(), 30);
//! let Some(m) = position.read_usi("7g7f") else {
//!     panic!("7g7f is legal");
//! };
//! position.play(m);
//! assert!(Square::from_usi("7f").is_some_and(|square| position.piece_at(square).is_some()));
//! assert!(Position::from_sfen(&position.to_sfen()).is_ok());
//! ```
//!
//! [`Position`] is a plain value of half a kilobyte without heap: an engine
//! copies it and [plays](Position::play) on the copy. It uses the attack tables
//! of rsshogi, whose types do not appear here.
//!
//! | feature | what it adds |
//! |---|---|
//! | none | the board: what an engine links |
//! | `rules` | `Sfen`, the notation of positions, with the rules that games are played by: what its evaluator links |
//! | `data` (default) | `rules`, and the formats below, for the tuner |
//!
//! With feature `data`, `Sfen` reads positions in SFEN, and these formats:
//!
//! | format | what | results and scores |
//! |---|---|---|
//! | `usi` | games, one a line | sente's |
//! | `csa` | games | by the statement that ends them; scores in comments `'** 30`, sente's |
//! | `jkf` | a game in JSON | by `special` |
//! | `kif`, `ki2` | a game in Japanese, in UTF-8 or Shift_JIS | by the word that ends it |
//! | `hcpe` | positions in 38 bytes | sente's; the score the side to move's |
//! | `hcpe3` | games of dlshogi | result: sente's; score: side to move's |
//! | `psv` | positions in 40 bytes | side to move's |
//!
//! The source of each format states what it accepts, rejects and ignores. All
//! values are sente's, the first player's, after reading, in handicap games too.

mod board;
#[cfg(feature = "rules")]
mod handicaps;
#[cfg(feature = "rules")]
mod kif_text;
#[cfg(feature = "rules")]
mod notation;
#[cfg(feature = "data")]
mod records;
#[cfg(feature = "rules")]
mod rules;
#[cfg(feature = "rules")]
mod signs;

pub use board::{
    Color, Hand, IllegalSetup, Move, MoveList, Piece, PieceType, Position, Setup, SfenError,
    Square, Squares, SquaresIter, attacks,
};
#[cfg(feature = "rules")]
pub use notation::Sfen;
