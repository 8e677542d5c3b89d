//! The formats of lines, one file each.

mod bracketed;
mod c9;
mod piped;
mod table;

use std::fmt;
use std::str::FromStr;

use super::Fault;
use super::field::Fields;

pub(super) use table::Columns;

/// A notation of labelled positions.
///
/// All accept the same results: `1-0`, `1.0`, `1` (the side that the results
/// belong to won), `1/2-1/2`, `0.5` (draw), `0-1`, `0.0`, `0` (lost). `*` is
/// refused as unfinished. Spaces around fields are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// `POSITION [0.5]`: exactly one pair of brackets, at the end of the line,
    /// nothing but the result in it.
    Bracketed,
    /// `POSITION c9 "1-0";`: the position, then exactly one operation `c9`
    /// whose operand is in quotation marks; the semicolon may be missing, other
    /// operations are refused.
    C9,
    /// `POSITION | 63 | 0.5`: three fields; the second is a search score in
    /// whole centipawns and may not be empty.
    Piped,
    /// Tab-separated columns under a header, in any order: `fen` (the name of
    /// the game's notation) and `result` are needed; `score_cp` (may be empty
    /// in a line), `game` (may not) and `ply` (may) are read if present; other
    /// columns are ignored and named in the report. Every line has as many
    /// fields as the header.
    Table,
}

impl Format {
    /// All formats, in the order in which they are documented.
    pub const ALL: [Self; 4] = [Self::Bracketed, Self::C9, Self::Piped, Self::Table];

    /// Returns the name by which `--format` states the format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bracketed => "bracketed",
            Self::C9 => "c9",
            Self::Piped => "piped",
            Self::Table => "table",
        }
    }

    /// Returns what a line looks like.
    pub const fn pattern(self) -> &'static str {
        match self {
            Self::Bracketed => "POSITION [0.5]",
            Self::C9 => "POSITION c9 \"1-0\";",
            Self::Piped => "POSITION | 63 | 0.5",
            Self::Table => "tab-separated columns under a header",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| {
                let names = Self::ALL.map(Self::name).join(", ");
                format!("found {}, expected one of {names}", Fault::quote(name))
            })
    }
}

/// How to cut the lines of one input: its format, with the columns if it has
/// a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    Bracketed,
    C9,
    Piped,
    Table(Columns),
}

impl Cut {
    /// Cuts a line that is not blank.
    pub(super) fn fields(self, line: &str) -> Result<Fields<'_>, Fault> {
        match self {
            Self::Bracketed => bracketed::fields(line),
            Self::C9 => c9::fields(line),
            Self::Piped => piped::fields(line),
            Self::Table(columns) => columns.fields(line),
        }
    }

    pub(super) const fn format(self) -> Format {
        match self {
            Self::Bracketed => Format::Bracketed,
            Self::C9 => Format::C9,
            Self::Piped => Format::Piped,
            Self::Table(_) => Format::Table,
        }
    }

    /// Tells whether the first line of the input is a header.
    pub(super) const fn has_header(self) -> bool {
        matches!(self, Self::Table(_))
    }
}

/// What a position that is missing would have been.
const POSITION: &str = "a position";
