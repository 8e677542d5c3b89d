//! The formats of lines, one file each.

mod bracketed;
mod epd;
mod piped;
mod result_first;
mod semicolon;
mod spaced;
mod table;

use super::field::{Fields, RESULTS, described};
use super::{AnyGame, Fault};

pub(super) use table::{Columns, TABLE_COLUMNS};

/// A notation of labelled positions.
///
/// All accept the same results: `1-0`, `1.0`, `1` (the side that the results
/// belong to won), `1/2-1/2`, `0.5` (draw), `0-1`, `0.0`, `0` (lost), and
/// probabilities with a point, `0.73`. `*` is refused as unfinished. Spaces
/// around fields are ignored. A score is in whole centipawns, or as `--score-unit` says, or a mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// `POSITION [0.5]`, or with a score `POSITION [0.5] -154`: exactly one
    /// pair of brackets, nothing but the result in it.
    Bracketed,
    /// `[0.5] POSITION`.
    ResultFirst,
    /// `POSITION;w`: `w`, `b` or `d` say who won, whatever the perspective;
    /// other results are read, too.
    Semicolon,
    /// `POSITION c9 "1-0";`: the position, then operations of the EPD standard. The result is the
    /// operand of `c9` or `c2`, in quotation marks; exactly one of them must be there, or a result
    /// of a game in another comment. `ce` is the score, the side to move's. `hmvc` and `fmvn` are
    /// the clocks of a position without them, other operations are ignored. The last semicolon may
    /// be missing.
    C9,
    /// `POSITION | 63 | 0.5`: three fields; the second is a search score and
    /// may not be empty.
    Piped,
    /// `POSITION 1-0`: the last word of the line; `1` and `0` are refused, as
    /// they end many a position.
    Spaced,
    /// Columns under a header, in any order, separated by tabs, commas or semicolons,
    /// the first of these in the header: `fen` (the name of the game's notation) and
    /// `result` (or `score_cp`) are needed; `game` (may not be empty in a line), `score_cp`,
    /// `ply`, `plies_left` (numbers), `last_tactical`, `next_tactical`,
    /// `forfeit` (`1` or `0`; all these may) are read if present; other columns
    /// are ignored and named in the report. Every line has as many fields as the header;
    /// quotation marks have no meaning.
    Table,
    /// A format of one game, that is not one position a line, by its name:
    /// [`Records`](super::Records).
    Records(&'static str),
}

tuner_base::impl_fmt! { Display for Format, |self, f| f.write_str(self.name()) }

impl Format {
    /// The formats of every game, in the order in which they are documented.
    pub const ALL: [Self; 7] = [
        Self::Bracketed,
        Self::ResultFirst,
        Self::Semicolon,
        Self::C9,
        Self::Piped,
        Self::Spaced,
        Self::Table,
    ];

    /// Returns the name by which `--format` states the format.
    pub const fn name(self) -> &'static str {
        self.texts().0
    }

    /// Tells whether a line has EPD operations, such as `bm e4`.
    pub(super) fn has_operations(line: &str) -> bool {
        epd::has_operations(line)
    }

    /// Returns what a line looks like.
    pub const fn pattern(self) -> &'static str {
        self.texts().1
    }

    /// The name, and what a line looks like.
    const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Bracketed => ("bracketed", "POSITION [0.5]"),
            Self::ResultFirst => ("result-first", "[0.5] POSITION"),
            Self::Semicolon => ("semicolon", "POSITION;w"),
            Self::C9 => ("c9", "POSITION c9 \"1-0\";"),
            Self::Piped => ("piped", "POSITION | 63 | 0.5"),
            Self::Spaced => ("spaced", "POSITION 1-0"),
            Self::Table => ("table", "columns under a header"),
            Self::Records(name) => (name, "a format of its own"),
        }
    }

    /// Returns the format with this name, one of lines or a game's format of records.
    ///
    /// # Errors
    /// If there is none, with the names of all.
    pub fn named(game: &AnyGame, name: &str) -> Result<Self, String> {
        let records = (game.records().iter()).map(|records| Self::Records(records.name));
        let all: Vec<_> = Self::ALL.into_iter().chain(records).collect();
        let found = all.iter().find(|format| format.name() == name);
        found.copied().ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|format| format.name()).collect();
            let (found, names) = (Fault::quote(name), names.join(", "));
            format!("found {found}, expected one of {names}")
        })
    }
}

/// Cuts a line into its fields, or says what is wrong with it.
type CutLine = for<'a> fn(&'a str) -> Result<Fields<'a>, Fault>;

/// How to cut the lines of one input: its format, with the columns if it has
/// a header.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cut {
    Line(Format, CutLine),
    Table(Columns),
}

impl Cut {
    /// All that need no header; of those that fit a line equally well the first
    /// is taken.
    pub(super) const WITHOUT_HEADER: [Self; 6] = [
        Self::Line(Format::Bracketed, bracketed::fields),
        Self::Line(Format::ResultFirst, result_first::fields),
        Self::Line(Format::C9, epd::fields),
        Self::Line(Format::Piped, piped::fields),
        Self::Line(Format::Semicolon, semicolon::fields),
        Self::Line(Format::Spaced, spaced::fields),
    ];

    /// Cuts a line that is not blank into its fields, by its format; the fault says what is wrong.
    pub(super) fn fields(self, line: &str) -> Result<Fields<'_>, Fault> {
        match self {
            Self::Line(_, fields) => fields(line),
            Self::Table(columns) => columns.fields(line),
        }
    }

    /// The format of the lines.
    pub(super) const fn format(self) -> Format {
        match self {
            Self::Line(format, _) => format,
            Self::Table(_) => Format::Table,
        }
    }
}

/// Makes the fault that the bracket in front of `part`, a slice of `line`, is not closed.
fn unclosed(line: &str, part: &str) -> Fault {
    described(line, part, "a bracket that is not closed", RESULTS)
}

/// Fails if there is a bracket in `part`, the piece of `line` outside of the brackets that hold the
/// result.
fn no_brackets(line: &str, part: &str) -> Result<(), Fault> {
    let Some(at) = part.find(['[', ']']) else {
        return Ok(());
    };
    let found = "a second pair of brackets";
    Err(described(line, &part[at..], found, "one result"))
}
