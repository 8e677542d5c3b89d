//! Why a run has no result.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::{RetraceError, TargetError, WeightsFileError};
use crate::FitError;
use tuner_base::shell_word;

/// Why a run has no result.
#[derive(Debug, Error)]
pub enum RunError {
    /// One of its fits failed.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// The checkpoint is none that the run can resume from.
    #[error(transparent)]
    Resume(#[from] ResumeError),
    /// The weights to start from cannot be read.
    #[error(transparent)]
    Init(#[from] WeightsFileError),
    /// The targets that were chosen are impossible with these data.
    #[error(transparent)]
    Targets(#[from] TargetError),
    /// Positions could not be traced again.
    #[error("{0}")]
    Retrace(#[source] RetraceError),
    /// The weights start at zero, nothing else is known of them, and K is to be
    /// fitted.
    #[error(
        "found neither K nor weights, so the scores have no scale to fit K to; expected --k \
         VALUE, or --init FILE with weights in centipawns"
    )]
    NoScale,
    /// Positions are to be resolved again and cannot be traced again.
    #[error(
        "--resolve-every: positions are not traced again here (--retrace 0, or an input that can \
         be read only once); leave it out, or give files"
    )]
    NotRetraced,
    /// The ranks have different inputs.
    #[error(
        "rank {rank} has other {what} than rank 0: all ranks need the same files; nothing was \
         fitted"
    )]
    RanksDiffer {
        /// The first that has.
        rank: usize,
        /// Which input.
        what: &'static str,
    },
    /// The first rank could not read the checkpoint, and says why.
    #[error("rank 0 could not read its checkpoint")]
    FirstRank,
    /// A file or folder of the run cannot be written or removed.
    #[error("{}: {source}{cure}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
        /// The cure, if there is one.
        cure: &'static str,
    },
    /// The observer ended the run before there was anything to write.
    #[error(
        "while strengths of the prior were tried, before the fit began; nothing was written, and \
         the same command tries them again from the first on"
    )]
    Interrupted,
}

/// Why a run cannot resume.
#[derive(Debug, Error)]
pub enum ResumeError {
    /// There is no checkpoint.
    #[error(
        "--resume: found no {}; expected the checkpoint of an interrupted fit: name its folder \
         with --out. A fit that has ended leaves none; --init {} would start from its weights",
        path.display(), shell_word(&path.with_file_name("summary.json"))
    )]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// The checkpoint cannot be read.
    #[error("--resume: {}: {source}; expected a readable file", path.display())]
    Unreadable {
        /// The checkpoint.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The checkpoint is not JSON, or has other fields.
    #[error(
        "--resume: {}:{}:{}: {source}; the checkpoint is damaged, or none: fit without --resume",
        path.display(), source.line(), source.column()
    )]
    Damaged {
        /// The checkpoint.
        path: PathBuf,
        /// The error, with line and column.
        source: serde_json::Error,
    },
    /// The checkpoint is of another format.
    #[error(
        "--resume: {0}: found format {found}, written by tuner {by:?}; expected format \
         {expected}: use the tuner that wrote it, or start from its weights with --init {cure}",
        path.display(), cure = shell_word(path)
    )]
    Format {
        /// The checkpoint.
        path: PathBuf,
        /// The format that was found.
        found: String,
        /// The version that wrote it.
        by: String,
        /// The format that is read.
        expected: u64,
    },
    /// The parts of the checkpoint do not belong together.
    #[error("--resume: {}: {what}; fit without --resume", path.display())]
    Inconsistent {
        /// The checkpoint.
        path: PathBuf,
        /// The mistake.
        what: String,
    },
    /// The checkpoint is of another run.
    #[error(
        "--resume: {0} is of another fit:\n  {mistakes}\nor begin a new fit with its weights: --init \
         {cure} instead of --resume",
        path.display(), cure = shell_word(path), mistakes = differences.join("\n  ")
    )]
    OtherRun {
        /// The checkpoint.
        path: PathBuf,
        /// Everything that differs, each with both values and what to do.
        differences: Vec<String>,
    },
    /// No weight of the checkpoint is one of this run.
    #[error(
        "--resume: none of the {count} weights of {} is one of this engine; name the folder of its \
         fit with --out, or fit without --resume",
        path.display()
    )]
    NoCommonWeight {
        /// The checkpoint.
        path: PathBuf,
        /// How many weights it has.
        count: usize,
    },
}
