//! What is wrong with a line, and where.

use std::borrow::Cow;
use std::fmt;

use tuner_base::Location;

/// What is wrong with one line or with the position in it.
///
/// A [`PositionNotation`](super::PositionNotation) returns it with the offset
/// counted within the position's text; the reader makes a [`BadLine`] of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where the offending field begins, in bytes.
    pub offset: usize,
    /// What stands there, in words or as [`Fault::quote`] gives it.
    pub found: String,
    /// What should stand there.
    pub expected: Cow<'static, str>,
    /// What a person can do about it.
    pub cure: Cow<'static, str>,
}

impl Fault {
    /// Returns a text in quotation marks, control characters escaped, cut
    /// after 40 characters.
    pub fn quote(text: &str) -> String {
        tuner_base::quote(text)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "found {}, expected {}; {}",
            self.found, self.expected, self.cure
        )
    }
}

/// A line that did not become a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// File, line and column of the offending field.
    pub location: Location,
    /// Found what, expected what, do what.
    pub message: String,
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.message)
    }
}
