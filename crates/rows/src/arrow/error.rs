//! What is wrong with a file of traces, all of it at once.

use std::fmt;
use std::path::{Path, PathBuf};

/// Problems that are listed; the rest is counted.
const LISTED: usize = 10;

/// One problem of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceProblem {
    /// The row, counted from 0, if it is about one.
    pub row: Option<u64>,
    /// The column, if it is about one.
    pub column: Option<&'static str>,
    /// What was found, what was expected, what to do.
    pub what: String,
}

/// Why a file of traces was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrowTraceError {
    /// The file as the user named it.
    pub file: PathBuf,
    /// The first problems, at most ten.
    pub problems: Vec<TraceProblem>,
    /// How many there are in all.
    pub count: usize,
}

impl fmt::Display for TraceProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(row) = self.row {
            write!(f, "row {row}: ")?;
        }
        if let Some(column) = self.column {
            write!(f, "column `{column}` ")?;
        }
        f.write_str(&self.what)
    }
}

impl fmt::Display for ArrowTraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, problem) in self.problems.iter().enumerate() {
            let separator = if number == 0 { "" } else { "\n" };
            write!(f, "{separator}{}: {problem}", self.file.display())?;
        }
        match self.count - self.problems.len() {
            0 => Ok(()),
            more => write!(f, "\n{}: and {more} more problems", self.file.display()),
        }
    }
}

impl std::error::Error for ArrowTraceError {}

/// Collects problems.
impl ArrowTraceError {
    pub(super) fn new(file: &Path) -> Self {
        Self {
            file: file.to_owned(),
            problems: Vec::new(),
            count: 0,
        }
    }

    /// Adds a problem of the file, of a column, or of one row.
    pub(super) fn add(&mut self, row: Option<u64>, column: Option<&'static str>, what: String) {
        self.count += 1;
        if self.problems.len() < LISTED {
            self.problems.push(TraceProblem { row, column, what });
        }
    }
}
