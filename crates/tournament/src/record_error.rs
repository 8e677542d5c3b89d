//! Why a file of games, with what is needed to resume it, is refused.

use std::io;
use std::path::{Path, PathBuf};

/// Why the file of a match or of self-play cannot be written or resumed.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// There is a file already.
    #[error("{}: is there already; resume it by --resume, remove it, or name another file", _0.display())]
    Exists(PathBuf),
    /// There is nothing to resume.
    #[error(
        "--resume: found no {}, which says how far a table got; begin without --resume",
        _0.display()
    )]
    Nothing(PathBuf),
    /// A line makes no sense, or the file is of other settings.
    #[error("{}:{words}", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// The mistake in words, behind a space or a line number.
        words: String,
    },
    /// Reading or writing failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

/// What a file of records gives, or why it gives nothing.
pub type RecordResult<T> = Result<T, RecordError>;

impl RecordError {
    /// Makes the error that the system could not read or write a file.
    pub(super) fn io(path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        Self::Io { path, source }
    }

    /// Makes the error that what a file says makes no sense or does not fit; `words` follow its
    /// name and a colon, and begin with the number of a line, or with a space.
    pub(super) fn other(path: &Path, words: String) -> Self {
        let path = path.to_path_buf();
        Self::Other { path, words }
    }
}
