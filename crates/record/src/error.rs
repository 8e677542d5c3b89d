//! Reading a record, and why that may fail.

use std::path::{Path, PathBuf};

use crate::run::RunRecord;
use tuner_base::Location;

/// Why a record cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunRecordError {
    /// The file cannot be read.
    #[error("{}: {source}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// It is not a record, or a damaged one.
    #[error("{location}: no record of a run, or a damaged one: {why}")]
    Damaged {
        /// Where; the file is empty where a text was read.
        location: Location,
        /// The reason.
        why: String,
    },
}

/// Reads a record from a text; `file` is named in errors.
pub(crate) fn parse(text: &[u8], file: &Path) -> Result<RunRecord, RunRecordError> {
    let damaged = |line: usize, column: usize, why: &str| RunRecordError::Damaged {
        location: Location {
            file: file.to_owned(),
            line: line as u64,
            column: column as u64,
        },
        why: why.to_owned(),
    };
    // A list would be read as the fields in their order.
    let start = text.iter().position(|byte| !byte.is_ascii_whitespace());
    if let Some(start) = start.filter(|&start| text[start] != b'{') {
        let mut lines = text[..start].rsplit(|byte| *byte == b'\n');
        let column = lines.next().map_or(0, <[u8]>::len) + 1;
        return Err(damaged(lines.count() + 1, column, "expected `{`"));
    }
    serde_json::from_slice(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        // The place is in the location.
        let why = error.to_string();
        let place = format!(" at line {line} column {column}");
        damaged(line, column, why.strip_suffix(&place).unwrap_or(&why))
    })
}
