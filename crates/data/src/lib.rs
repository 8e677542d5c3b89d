//! Reads labelled positions: lines, games and records to positions with
//! results.
//!
//! Start with [`read()`], which takes several inputs at once, and [`Format`], which says precisely
//! what is accepted in lines. The game supplies [`PositionNotation`] and, for games and binary
//! records, [`Records`]; nothing here knows chess; both are of `tuner-game`, as are the rules.
//! `docs/data.md` has the table of all formats.
//!
//! A result is one of `1-0`, `0-1`, `1/2-1/2`, `1.0`, `0.5`, `0.0`, `1`, `0`, or
//! a probability with a point, and is taken from its own field, never searched
//! for in the line. Whatever else stands there is a [`BadLine`], which is
//! counted and shown, and never becomes a draw or a loss. Blank lines, `\r\n`, a
//! byte order mark and a missing final newline are fine (but see `truncated`); lines
//! that are not UTF-8 are bad lines. Inputs may be plain text, gzip, zstd or xz, told apart
//! by their first bytes.
//!
//! One thread opens, decompresses and cuts (`produce`), all parse (`parse`),
//! and what they made is put together in order (`read`). Not here: filters,
//! which are `data_tools`.

mod any_game;
mod bad_line;
pub mod bits;
mod blocks;
mod compression;
mod error;
mod evidence;
mod field;
pub mod fixed;
mod format;
mod input;
pub mod lines;
mod observer;
mod parse;
mod produce;
mod read;
mod recognise;
mod report;
mod sample;
pub mod tools;
mod truncated;
mod unchanged;
pub mod units;

pub use any_game::{AnyGame, AnyMove, AnyPosition, any_game, any_notation, game_of_texts};
pub use bad_line::BadLine;
pub use compression::{LineBlock, LineBlocks, open_text, text_of};
pub use error::{InputError, LittleMemory, ReadError};
pub use field::signed;
pub use format::Format;
pub use input::{Input, InputOptions};
pub use observer::{Observer, ReadProgress};
pub use read::{
    OnBadLine, RankShare, ReadOptions, SampleResults, read, read_batches_among, read_blocks,
    read_numbered,
};
pub use report::{FileReport, ReadReport};
pub use sample::{Sample, SampleLocation};
pub use tuner_game::rules;
pub use tuner_game::{
    Around, EventSink, Expected, Fault, FeatureCode, FeatureLanguage, GameDate, GameKey, GameTags,
    LEFT_OUT, LabelledPosition, MATE, Outcome, Perspective, PositionNotation, QuietPosition,
    RecordEvent, RecordPlace, RecordUnit, RecordWriter, RecordedGame, RecordedPly, Records,
    ScoreUnit, StatedScores, in_bytes, in_games, quiescence, quiescence_within,
};
pub use unchanged::FirstReading;

#[cfg(test)]
mod tests;
