//! Where an input is wrong: the place that every data error carries.

use std::path::PathBuf;

/// A place in an input: file, line and column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The file as the user named it.
    pub file: PathBuf,
    /// Line, counted from 1.
    pub line: u64,
    /// Column in characters, counted from 1.
    pub column: u64,
}

crate::impl_fmt! { Display for Location, |self, f| write!(
    f, "{}:{}:{}", self.file.display(), self.line, self.column
) }
