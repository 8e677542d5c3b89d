//! Reads labelled positions: lines, games and records to positions with
//! results.
//!
//! Start with [`read()`], which takes several inputs at once, and [`Format`],
//! which says precisely what is accepted in lines. The game supplies
//! [`PositionNotation`] and, for games and binary records, [`Records`]; nothing
//! here knows chess. `docs/data.md` has the table of all formats.
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

mod blocks;
mod compression;
mod error;
mod evidence;
mod fault;
mod field;
pub mod fixed;
mod format;
mod game_key;
mod game_tags;
mod input;
pub mod lines;
mod observer;
mod outcome;
mod parse;
mod produce;
mod quiescence;
mod read;
mod recognise;
mod records;
mod report;
pub mod rules;
mod sample;
pub mod tools;
mod truncated;
mod unchanged;

pub use compression::{open_text, text_of};
pub use error::{InputError, LittleMemory, ReadError};
pub use fault::{BadLine, Fault, in_bytes, in_games};
pub use format::Format;
pub use game_key::GameKey;
pub use game_tags::{GameDate, GameTags};
pub use input::{Input, InputOptions};
pub use observer::{Observer, ReadProgress};
pub use outcome::{Expected, Outcome, Perspective};
pub use quiescence::{QuietPosition, quiescence, quiescence_within};
pub use read::{
    OnBadLine, ReadOptions, read, read_batches_among, read_blocks, read_blocks_among, read_numbered,
};
pub use records::{EventSink, RecordEvent, RecordPlace, RecordUnit, Records};
pub use report::{FileReport, ReadReport};
pub use sample::{Around, LabelledPosition, MATE, PositionNotation, Sample, SampleLocation};
pub use unchanged::FirstReading;

#[cfg(test)]
mod tests;
