//! Why a run has no result.

use thiserror::Error;

use crate::FitError;

/// Why a run has no result.
#[derive(Debug, Error)]
pub enum RunError {
    /// One of its fits failed.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// What it was given is not usable: what was found, what was expected, what to do.
    #[error("{0}")]
    Refused(String),
    /// The observer ended the run before there was anything to write.
    #[error(
        "while {0}, before the fit began; nothing was written, and the same command does it again \
         from the first on"
    )]
    Interrupted(&'static str),
}

impl From<String> for RunError {
    fn from(words: String) -> Self {
        Self::Refused(words)
    }
}

impl From<&str> for RunError {
    fn from(words: &str) -> Self {
        words.to_owned().into()
    }
}
