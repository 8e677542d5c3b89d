//! Problems of a file of traces, all of them at once.

use std::fmt;
use std::path::{Path, PathBuf};

use tuner_base::quote;

/// Most problems that are listed; further ones are only counted.
const LISTED: usize = 10;

/// The place of a problem in a file of traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TracePlace {
    /// A row of an Arrow file, counted from 0.
    #[cfg(feature = "arrow")]
    Row(u64),
    /// A line of a text, counted from 1.
    Line(u64),
}

tuner_base::impl_fmt! { Display for TracePlace, |self, f| match self {
    #[cfg(feature = "arrow")]
    Self::Row(row) => write!(f, "row {row}: "),
    Self::Line(line) => write!(f, "line {line}: "),
} }

/// Why a file of traces was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// The file as the user named it.
    pub file: PathBuf,
    /// The first problems, at most ten: the row or line and the column, if it is about one;
    /// what was found, what was expected, what to do.
    pub problems: Vec<String>,
    /// Number of all problems.
    pub count: usize,
}

tuner_base::impl_fmt! { Display for ImportError, |self, f| {
    for (number, problem) in self.problems.iter().enumerate() {
        let separator = if number == 0 { "" } else { "\n" };
        write!(f, "{separator}{}: {problem}", self.file.display())?;
    }
    match self.count.saturating_sub(self.problems.len()) {
        0 => Ok(()),
        more => write!(f, "\n{}: and {more} more problems", self.file.display()),
    }
} }

impl std::error::Error for ImportError {}

impl ImportError {
    /// Begins to collect the problems of a file.
    pub(super) fn new(file: &Path) -> Self {
        Self {
            file: file.to_owned(),
            problems: Vec::new(),
            count: 0,
        }
    }

    /// Adds a problem of the whole file, in words that follow its name.
    pub(super) fn file(&mut self, what: impl fmt::Display) {
        self.count += 1;
        if self.problems.len() < LISTED {
            self.problems.push(what.to_string());
        }
    }

    /// Adds the problems of a later part of the file. All are counted; those that are listed are
    /// ten at most.
    pub(super) fn append(&mut self, other: Self) {
        self.count += other.count;
        let room = LISTED.saturating_sub(self.problems.len());
        self.problems.extend(other.problems.into_iter().take(room));
    }

    /// Adds a sentence, if there is one, that explains the problems; it is listed however many
    /// there are, and not counted.
    pub(super) fn last(&mut self, words: Option<String>) {
        self.problems.extend(words);
    }

    /// Adds a problem of a column, in words that follow its name.
    #[cfg(feature = "arrow")]
    pub(super) fn column(&mut self, column: &str, what: impl fmt::Display) {
        // `quote` escapes the name and puts it between quotation marks, which are cut off.
        let name = quote(column);
        self.file(format_args!("column `{}` {what}", &name[1..name.len() - 1]));
    }

    /// Adds a problem of a row or line, in words that follow its number in the message.
    pub(super) fn at(&mut self, place: TracePlace, what: impl fmt::Display) {
        self.file(format_args!("{place}{what}"));
    }

    /// Adds a problem of a column in a row or line, in words that follow the number of the row and
    /// the name of the column.
    pub(super) fn cell(&mut self, place: TracePlace, column: &str, what: impl fmt::Display) {
        // `quote` escapes the name and puts it between quotation marks, which are cut off.
        let name = quote(column);
        let name = &name[1..name.len() - 1];
        self.at(place, format_args!("column `{name}` {what}"));
    }

    /// Fails with all problems that were added so far, if there are any.
    pub(super) fn check(&mut self) -> Result<(), Self> {
        let none = self.count == 0;
        none.then_some(()).ok_or_else(|| self.clone())
    }
}
