//! Why a reading failed.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::ReadReport;

/// An error of an input as a whole.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// An input broke off: the file is cut, the compressed data damaged, the disk faulty. The lines
    /// before count as read.
    #[error(
        "{}: broke off after {whole} whole lines or records ({bytes} bytes): {source}; \
         the file is cut off or damaged, fetch it again",
        file.display()
    )]
    Broken {
        /// The input as the user named it.
        file: PathBuf,
        /// Whole lines, games or records read before.
        whole: u64,
        /// Bytes read before, decompressed.
        bytes: u64,
        /// The error of the decompressor or of the system.
        source: io::Error,
    },
    /// The observer stopped the reading.
    #[error("the reading was stopped")]
    Stopped,
    /// An input cannot be read as it is, or not with these options: found what, expected what, do
    /// what.
    #[error("{0}")]
    Refused(String),
}

impl InputError {
    /// Makes the error of a file that is not read; `words` say why, and follow its name in the
    /// message.
    pub(super) fn refused(file: &Path, words: impl fmt::Display) -> Self {
        Self::Refused(format!("{}: {words}", file.display()))
    }

    /// Makes the error of a file that cannot be opened, because of `source`, with advice on what to
    /// do.
    pub fn unopened(file: &Path, source: &io::Error) -> Self {
        let cure = match source.kind() {
            io::ErrorKind::IsADirectory => "it has no files of data: name some",
            _ => "check the name and the rights",
        };
        let words = format!("cannot be opened: {source}; {cure}");
        Self::refused(file, words)
    }
}

/// Rows of positions that take more memory than there is, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "too little memory: the rows of the first {positions} positions take {} MB, all of them take \
     {} MB or more, and {} MB are left; write rows to a file with `trace DATA -o ROWS.arrow`, which \
     takes little, and fit that file, `fit ROWS.arrow`, which reads it block by block",
    .taken >> 20, .needed >> 20, .left >> 20
)]
pub struct LittleMemory {
    /// Positions read so far.
    pub positions: u64,
    /// Memory of their rows, in bytes.
    pub taken: u64,
    /// Memory of all rows, in bytes, estimated by the part that was read.
    pub needed: u64,
    /// Memory that is left beside the rows so far, in bytes.
    pub left: u64,
}

/// Why a reading failed: inputs that cannot be read, or bad lines.
///
/// Everything that can be read has been looked at, so that all mistakes are
/// here at once.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.words())]
pub struct ReadError {
    /// The errors of whole inputs.
    pub inputs: Vec<InputError>,
    /// The report of the reading, with the first bad lines.
    pub report: ReadReport,
}

impl ReadError {
    /// Returns a text of all that is wrong, a line each: the errors of inputs, then the bad lines.
    fn words(&self) -> String {
        let inputs = self.inputs.iter().map(ToString::to_string);
        let all: Vec<String> = inputs.chain(self.report.bad_line_words()).collect();
        all.join("\n")
    }
}
