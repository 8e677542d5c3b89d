//! Why a reading failed.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::{Fault, Format, ReadReport};
use tuner_base::Location;

/// What is wrong with an input as a whole.
#[derive(Debug)]
pub enum InputError {
    /// It cannot be opened.
    Open {
        /// The input as the user named it.
        file: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It broke off: the file is cut, the compressed data damaged, the disk
    /// faulty. The lines before count as read.
    Broken {
        /// The input as the user named it.
        file: PathBuf,
        /// Whole lines, games or records read before.
        whole: u64,
        /// Bytes read before, decompressed.
        bytes: u64,
        /// What the decompressor or the system says.
        source: io::Error,
    },
    /// It is a kind of file that is not read.
    Kind {
        /// The input as the user named it.
        file: PathBuf,
        /// The kind: "zip", "tar".
        kind: &'static str,
    },
    /// Its first lines are in no known format.
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
    Perspective {
        /// The input as the user named it.
        file: PathBuf,
        /// The format.
        format: &'static str,
    },
    /// The header of a table cannot be used.
    Header {
        /// The line of the header.
        location: Location,
        /// All its mistakes.
        faults: Vec<Fault>,
    },
    /// Standard input is named twice.
    StdinTwice,
    /// The observer stopped the reading.
    Stopped,
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open { file, source } => {
                write!(
                    f,
                    "{}: cannot be opened: {source}; check the name and the rights",
                    file.display()
                )
            }
            Self::Broken {
                file,
                whole,
                bytes,
                source,
            } => write!(
                f,
                "{}: broke off after {whole} whole lines or records ({bytes} bytes): {source}; \
                 the file is cut off or damaged, fetch it again",
                file.display()
            ),
            Self::Kind { file, kind } => write!(
                f,
                "{}: found {kind} data, expected one file of positions or games, plain or \
                 compressed with gzip, zstd or xz; unpack or convert it first",
                file.display()
            ),
            Self::Unrecognised {
                location,
                line,
                others,
            } => {
                write!(f, "{location}: found {line}, expected one of")?;
                for format in Format::ALL {
                    write!(f, " {} ({})", format.name(), format.pattern())?;
                }
                for (name, pattern) in others {
                    write!(f, " {name} ({pattern})")?;
                }
                f.write_str("; state the format with --format, then each bad line is listed")
            }
            Self::Header { location, faults } => {
                for (i, fault) in faults.iter().enumerate() {
                    let separator = if i > 0 { "\n" } else { "" };
                    write!(f, "{separator}{location}: {fault}")?;
                }
                Ok(())
            }
            Self::Perspective { file, format } => write!(
                f,
                "{}: found the side to move's perspective, but {format} says itself whose view \
                 results and scores have; leave --perspective and --score-perspective out, or \
                 give this file :perspective=first-player",
                file.display()
            ),
            Self::StdinTwice => {
                f.write_str("found - twice, expected standard input at most once; name it once")
            }
            Self::Stopped => f.write_str("the reading was stopped"),
        }
    }
}

/// Why a reading failed: inputs that cannot be read, or bad lines.
///
/// Everything that can be read has been looked at, so that all mistakes are
/// here at once.
#[derive(Debug)]
pub struct ReadError {
    /// What is wrong with whole inputs.
    pub inputs: Vec<InputError>,
    /// What was read, with the first bad lines.
    pub report: ReadReport,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inputs = self.inputs.iter().map(ToString::to_string);
        let all: Vec<String> = inputs.chain(self.report.bad_line_words()).collect();
        f.write_str(&all.join("\n"))
    }
}

impl std::error::Error for ReadError {}
