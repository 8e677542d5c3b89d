//! Reading a record, and why that may fail.

use std::path::{Path, PathBuf};

use crate::run::{RUN_FORMAT, RunRecord};
use serde::Deserialize;
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
    /// A later version of the program wrote it.
    #[error(
        "{}: format {format} of a summary, expected {RUN_FORMAT} at most: read it with the \
         version of tuner that wrote it",
        file.display()
    )]
    Later {
        /// The file; empty where a text was read.
        file: PathBuf,
        /// Its format.
        format: u64,
    },
}

/// Reads a record from the JSON of a `summary.json`; `file` is named in errors. The version of the
/// format is read before all else, so that a record of a later version is refused for that reason.
pub(crate) fn parse(text: &[u8], file: &Path) -> Result<RunRecord, RunRecordError> {
    let damaged = |line: usize, column: usize, why: &str| RunRecordError::Damaged {
        location: Location {
            file: file.to_owned(),
            line: line as u64,
            column: column as u64,
        },
        why: why.to_owned(),
    };
    // A JSON list would be read as the fields in their order, so an object must begin here.
    let start = text.iter().position(|byte| !byte.is_ascii_whitespace());
    if let Some(start) = start.filter(|&start| text[start] != b'{') {
        // The last of the lines up to there gives the column, those before it the line.
        let mut lines = text[..start].rsplit(|byte| *byte == b'\n');
        let column = lines.next().map_or(0, <[u8]>::len) + 1;
        return Err(damaged(lines.count() + 1, column, "expected `{`"));
    }
    let damaged = |error: serde_json::Error| {
        let (line, column) = (error.line(), error.column());
        // The error of `serde_json` ends with the place, which the location has.
        let why = error.to_string();
        let place = format!(" at line {line} column {column}");
        damaged(line, column, why.strip_suffix(&place).unwrap_or(&why))
    };
    // Before all else, as fields of a later format may have another meaning.
    let Head { format } = serde_json::from_slice(text).map_err(damaged)?;
    if format > RUN_FORMAT {
        return Err(RunRecordError::Later {
            file: file.to_owned(),
            format,
        });
    }
    serde_json::from_slice(text).map_err(damaged)
}

/// The version of a record; where it is missing, reading the record says so.
#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    format: u64,
}
