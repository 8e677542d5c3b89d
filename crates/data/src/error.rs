//! Why a reading failed.

use std::io;
use std::path::PathBuf;

use super::{Fault, Format, ReadReport};
use tuner_base::Location;

/// An error of an input as a whole.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// It cannot be opened.
    #[error("{}: cannot be opened: {source}; check the name and the rights", file.display())]
    Open {
        /// The input as the user named it.
        file: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// It broke off: the file is cut, the compressed data damaged, the disk
    /// faulty. The lines before count as read.
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
    /// Decompressing it takes more memory than there is, or than may be asked of it.
    #[error(
        "{}: too little memory to decompress it: {source}; it was compressed with a large \
         window: decompress it first (`zstd -d --long=31`, `xz -d`), where there is more memory",
        file.display()
    )]
    Window {
        /// The input as the user named it.
        file: PathBuf,
        /// The error of the decompressor or of the system.
        source: io::Error,
    },
    /// The rows of the positions take more memory than there is.
    #[error("{0}")]
    Memory(LittleMemory),
    /// The evaluator that reads or traces the positions cannot be asked any further.
    #[error("{0}")]
    Evaluator(String),
    /// Very many lines, games or records, and none that can be read.
    #[error(
        "{}: the first {rejected} lines, games or records are all bad, and the rest was not \
         read; is it of another format (--format), or another game (--game)?",
        file.display()
    )]
    AllBad {
        /// The input as the user named it.
        file: PathBuf,
        /// How many there were.
        rejected: u64,
    },
    /// It is a kind of file that is not read.
    #[error(
        "{}: found {kind} data, expected one file of positions or games, plain or \
         compressed with gzip, zstd or xz; unpack or convert it first",
        file.display()
    )]
    Kind {
        /// The input as the user named it.
        file: PathBuf,
        /// The kind: "zip", "tar".
        kind: &'static str,
    },
    /// Its first lines are in no known format.
    #[error(
        "{location}: {}; state the format with --format, then each bad line is listed",
        unrecognised(line, others)
    )]
    Unrecognised {
        /// The first line that is not blank.
        location: Location,
        /// That line, quoted.
        line: String,
        /// Names and patterns of the game's own formats.
        others: Vec<(&'static str, &'static str)>,
    },
    /// The side to move's view is asked for where the format says whose view
    /// values have.
    #[error(
        "{}: found the side to move's perspective, but {format} says itself whose view \
         results and scores have; leave --perspective and --score-perspective out, or \
         give this file :perspective=first-player",
        file.display()
    )]
    Perspective {
        /// The input as the user named it.
        file: PathBuf,
        /// The format.
        format: &'static str,
    },
    /// The header of a table cannot be used.
    #[error("{}", of_header(location, faults))]
    Header {
        /// The line of the header.
        location: Location,
        /// All its mistakes.
        faults: Vec<Fault>,
    },
    /// It is not what an earlier reading found.
    #[error(
        "{}: changed since it was first read: {before} positions then, {now} now{}; \
         leave it as it is while it is read, or read a copy, and start again",
        file.display(),
        if before == now { ", of other bytes" } else { "" }
    )]
    Changed {
        /// The input as the user named it.
        file: PathBuf,
        /// Positions of the first reading.
        before: u64,
        /// Positions of this one.
        now: u64,
    },
    /// Standard input is named twice.
    #[error("found - twice, expected standard input at most once; name it once")]
    StdinTwice,
    /// The observer stopped the reading.
    #[error("the reading was stopped")]
    Stopped,
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

/// The line, and every format that there is.
fn unrecognised(line: &str, others: &[(&'static str, &'static str)]) -> String {
    let own = Format::ALL
        .iter()
        .map(|format| (format.name(), format.pattern()));
    let all = own.chain(others.iter().copied());
    let formats: Vec<String> = all
        .map(|(name, pattern)| format!("{name} ({pattern})"))
        .collect();
    format!("found {line}, expected one of {}", formats.join(" "))
}

fn of_header(location: &Location, faults: &[Fault]) -> String {
    let lines: Vec<String> = faults
        .iter()
        .map(|fault| format!("{location}: {fault}"))
        .collect();
    lines.join("\n")
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
    fn words(&self) -> String {
        let inputs = self.inputs.iter().map(ToString::to_string);
        let all: Vec<String> = inputs.chain(self.report.bad_line_words()).collect();
        all.join("\n")
    }
}
