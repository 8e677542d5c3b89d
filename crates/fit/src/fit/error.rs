//! Why there is no fit.

use std::fmt;

use super::{AnchorError, TooLarge};
use crate::integers::{GridError, SearchEnd};
use crate::model::{KError, NoRows, RegressionError};
use tuner_solve::{CheckpointError, PassError};

/// Why there is no fit.
#[derive(Clone, Debug, PartialEq)]
pub enum FitError {
    /// There is no K.
    K(KError),
    /// A part of the data has no position: which.
    NoRows(&'static str),
    /// Some weights cannot become integers.
    Grid(Vec<GridError>),
    /// There is not enough memory.
    TooLarge(TooLarge),
    /// A weight cannot be anchored.
    Anchor(AnchorError),
    /// What was saved is of another fit.
    Saved(CheckpointError),
    /// The search for integers, where there is nothing else, is impossible.
    Search(SearchEnd),
    /// Rows could not be read: why.
    Traces(String),
}

impl fmt::Display for FitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::K(error) => write!(f, "K cannot be fitted: {error}"),
            Self::NoRows(part) => write!(f, "the {part} are empty: {NoRows}"),
            Self::Grid(errors) => {
                let words: Vec<String> = errors.iter().map(ToString::to_string).collect();
                f.write_str(&words.join("\n"))
            }
            Self::TooLarge(error) => error.fmt(f),
            Self::Anchor(error) => error.fmt(f),
            Self::Saved(error) => error.fmt(f),
            Self::Search(SearchEnd::Streamed) => f.write_str(
                "a local search takes all rows in memory, and these are streamed; fit from \
                 positions, or with --solver auto",
            ),
            Self::Search(end) => write!(f, "local search: {end}"),
            Self::Traces(words) => f.write_str(words),
        }
    }
}

impl std::error::Error for FitError {}

impl From<PassError> for FitError {
    fn from(error: PassError) -> Self {
        Self::Traces(error.to_string())
    }
}

impl From<KError> for FitError {
    fn from(error: KError) -> Self {
        match error {
            KError::Pass(error) => error.into(),
            error => Self::K(error),
        }
    }
}

impl FitError {
    /// Makes the error of a part of the data that has no objective.
    pub(crate) fn of_part(error: RegressionError, part: &'static str) -> Self {
        match error {
            RegressionError::NoRows(NoRows) => Self::NoRows(part),
            RegressionError::Pass(error) => error.into(),
        }
    }

    /// The same error of variables that are some of others.
    pub(super) fn of(mut self, others: &[usize]) -> Self {
        if let Self::TooLarge(TooLarge { variables, .. }) = &mut self {
            for variable in variables {
                *variable = others[*variable];
            }
        }
        self
    }
}
