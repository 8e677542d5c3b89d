//! Why a job, or a command, has no result.

use std::error::Error;
use std::fmt;
use std::path::Path;

/// Why a job has no result, in the words that the user sees.
///
/// Whatever prints becomes one with `?`, and it becomes an error of the standard library.
#[derive(Debug)]
pub enum JobFailure {
    /// Wrong input, or something outside the program that failed.
    Error(String),
    /// A wrong use of options; exit status 2.
    Usage(String),
    /// A test that was to be passed was not.
    NotPassed(String),
    /// The user wanted it to end.
    Interrupted(String),
}

/// What a job has come to, or why it has no result.
pub type JobResult<T, E = JobFailure> = Result<T, E>;

impl JobFailure {
    /// Makes the failure of a wrong use of options.
    pub fn usage(words: impl Into<String>) -> Self {
        Self::Usage(words.into())
    }

    /// Returns the message.
    pub fn words(&self) -> &str {
        match self {
            Self::Error(words)
            | Self::Usage(words)
            | Self::NotPassed(words)
            | Self::Interrupted(words) => words,
        }
    }

    /// Returns the message with its kind before it, `error: ` or `interrupted: `; that of a test
    /// that was not passed has nothing before it.
    pub fn sentence(&self) -> String {
        let words = self.words();
        match self {
            Self::Error(_) | Self::Usage(_) => format!("error: {words}"),
            Self::NotPassed(_) => words.to_owned(),
            Self::Interrupted(_) => format!("interrupted: {words}"),
        }
    }

    /// Returns the exit status of a program that ends with this failure: 1 failed, 2 wrong usage, 3
    /// a test not passed, 130 interrupted, which is 128 and the number of the signal SIGINT, as
    /// shells have it.
    pub fn status(&self) -> u8 {
        match self {
            Self::Error(_) => 1,
            Self::Usage(_) => 2,
            Self::NotPassed(_) => 3,
            Self::Interrupted(_) => 130,
        }
    }
}

impl<E: fmt::Display> From<E> for JobFailure {
    /// Makes an `Error`, exit status 1, of whatever prints, with the text that it prints.
    fn from(error: E) -> Self {
        Self::Error(error.to_string())
    }
}

impl From<JobFailure> for Box<dyn Error + Send + Sync> {
    /// Makes an error whose text is the message of the failure, with its kind before it.
    fn from(failure: JobFailure) -> Self {
        failure.sentence().into()
    }
}

impl From<JobFailure> for Box<dyn Error> {
    /// Makes an error whose text is the message of the failure, with its kind before it.
    fn from(failure: JobFailure) -> Self {
        failure.sentence().into()
    }
}

/// Puts the file that an error is about in front of it.
pub(crate) trait AtPath<T> {
    /// Puts the path before the error: `FILE: ERROR`.
    fn at(self, path: &Path) -> Result<T, JobFailure>;
}

impl<T, E: fmt::Display> AtPath<T> for Result<T, E> {
    /// Puts the path before the text of an error: `FILE: ERROR`.
    fn at(self, path: &Path) -> Result<T, JobFailure> {
        self.map_err(|error| JobFailure::Error(format!("{}: {error}", path.display())))
    }
}

/// Returns from a function with [`JobFailure::Error`]; takes the arguments of `format!`.
#[macro_export]
macro_rules! fail {
    ($($words:tt)+) => {
        return Err($crate::JobFailure::Error(format!($($words)+)))
    };
}

/// Returns from a function with [`JobFailure::Usage`]; takes the arguments of `format!`.
#[macro_export]
macro_rules! misuse {
    ($($words:tt)+) => {
        return Err($crate::JobFailure::Usage(format!($($words)+)))
    };
}
