//! Why there is no fit.

use std::fmt;

use super::AnchorError;
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
    SavedFit(CheckpointError),
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
            Self::SavedFit(error) => error.fmt(f),
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
    pub fn of_part(error: RegressionError, part: &'static str) -> Self {
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

/// A fit for which there is not enough memory.
#[derive(Clone, Debug, PartialEq)]
pub struct TooLarge {
    /// The variables that positions read.
    pub variables: Vec<usize>,
    /// What they ask for, in bytes.
    pub bytes: u64,
    /// What there is, in bytes, if that is known.
    pub available: Option<u64>,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let giga = |bytes: u64| bytes as f64 / 1e9;
        write!(
            f,
            "the curvature of {} weights that positions read asks for {:.1} GB of memory",
            self.variables.len(),
            giga(self.bytes)
        )?;
        match self.available {
            Some(available) => write!(f, ", and {:.1} GB are free", giga(available))?,
            None => write!(f, ", more than there is")?,
        }
        write!(
            f,
            "; take `auto` or `newton-cg`, which do without it, freeze large tables \
             (`frozen = true` in the spec) or tie their entries (`[[tie]]`): half the weights \
             take a quarter of the memory"
        )
    }
}
