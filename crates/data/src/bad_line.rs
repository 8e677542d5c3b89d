//! A line that cannot be read, and where it is.

use tuner_base::Location;

/// A line that did not become a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{location}: {message}")]
pub struct BadLine {
    /// File, line and column of the offending field.
    pub location: Location,
    /// Found what, expected what, do what.
    pub message: String,
}
