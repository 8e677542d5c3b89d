//! Formats that are not one position a line: games, binary records.

use std::fmt;
use std::num::NonZeroU32;

use super::{Fault, LabelledPosition, Perspective};

/// A format whose units are games, records or chunks of bytes.
///
/// A game offers it by
/// [`PositionNotation::records`](super::PositionNotation::records). Inputs are
/// read as other formats are: one thread decompresses and
/// [cuts](Self::cut), all threads [parse](Self::parse), order is kept. The
/// format says whose view results have, so `--perspective side-to-move` is an error.
#[derive(Clone, Copy)]
pub struct Records<P: 'static> {
    /// The name by which `--format` states the format.
    pub name: &'static str,
    /// The look of an input, for messages.
    pub pattern: &'static str,
    /// The unit that is counted.
    pub unit: RecordUnit,
    /// Tells whether an input that begins so is of this format; the second argument
    /// whether there is no more. There are 128 KiB at least, or all.
    pub recognises: fn(&[u8], bool) -> bool,
    /// Finds where the last whole unit ends; `None` if there is not one whole unit
    /// yet. Never asked at the end of an input.
    ///
    /// Units that are cut one by one must be those that are cut together.
    pub cut: fn(&[u8]) -> Option<usize>,
    /// Counts in some bytes what [`RecordPlace::line`] numbers: the lines, or in a binary format
    /// the units.
    pub count: fn(&[u8]) -> u64,
    /// Reads whole units; at the end of an input the last may be truncated, which
    /// is a fault like others.
    pub parse: &'static ParseUnits<P>,
    /// Whether [`parse`](Self::parse) reads scores as they are stated to be; if not, the format
    /// leaves no choice.
    pub takes_stated: bool,
}

/// Reads whole units, with what is said of their scores.
pub type ParseUnits<P> = dyn Fn(&[u8], StatedScores, EventSink<'_, P>) + Sync;

/// What is said of the scores of an input; where nothing is, its format decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StatedScores {
    /// Whose view they have.
    pub perspective: Option<Perspective>,
    /// What they count.
    pub unit: Option<ScoreUnit>,
    /// Where they stand for results: the score, in centipawns, of ten points to one.
    pub as_results: Option<NonZeroU32>,
}

/// The unit of scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreUnit {
    /// Hundredths of a pawn.
    Centipawns,
    /// Pawns, perhaps with a point.
    Pawns,
}

impl ScoreUnit {
    /// Finds a unit of scores by its word, `centipawns` or `pawns`; `None` of other words.
    pub fn named(word: &str) -> Option<Self> {
        match word {
            "centipawns" => Some(Self::Centipawns),
            "pawns" => Some(Self::Pawns),
            _ => None,
        }
    }
}

impl<P: 'static> fmt::Debug for Records<P> {
    /// Shows name, pattern and unit of the format, without its functions.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records")
            .field("name", &self.name)
            .field("pattern", &self.pattern)
            .field("unit", &self.unit)
            .finish_non_exhaustive()
    }
}

/// The receiver of the events of [`Records::parse`].
pub type EventSink<'a, P> = &'a mut dyn FnMut(RecordEvent<P>);

/// The unit that a format counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordUnit {
    /// Positions one by one.
    Records,
    /// Games, with positions in each.
    Games,
    /// Runs of positions of one game.
    Chains,
}

/// Where something was found in the bytes handed to [`Records::parse`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordPlace {
    /// Line, or unit, counted from 0.
    pub line: u64,
    /// Column in characters, or place within the unit, counted from 1.
    pub column: u64,
}

impl RecordPlace {
    /// Makes a place from the number of a line or unit, counted from 0, and a column, counted from
    /// 1.
    pub const fn new(line: u64, column: u64) -> Self {
        Self { line, column }
    }
}

/// An event of [`Records::parse`].
#[derive(Clone, Debug)]
pub enum RecordEvent<P> {
    /// A labelled position. The unit that it is of follows, as
    /// [`Unit`](Self::Unit).
    Position(RecordPlace, LabelledPosition<P>),
    /// All positions of a unit have been told.
    Unit,
    /// A game without result, none of whose positions is told.
    Unfinished,
    /// Text before or between games.
    Text,
    /// Scores of a unit that are not read: where the first is, how many they are, and in words
    /// that follow this number what they are and what to do.
    Unread(RecordPlace, u64, Box<str>),
    /// A unit that cannot be read, none of whose further positions is told.
    Rejected(RecordPlace, Fault),
}
