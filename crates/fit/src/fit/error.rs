//! Why there is no fit.

use thiserror::Error;

use super::AnchorError;
use crate::integers::{GridError, SearchEnd};
use crate::model::{KError, RegressionError};
use tuner_solve::{CheckpointError, PassError, Solver};

/// Why there is no fit.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum FitError {
    /// There is no K.
    #[error("K cannot be fitted: {0}")]
    K(KError),
    /// A part of the data has no position: which.
    #[error("the {0} are empty: {none}", none = RegressionError::NoRows)]
    NoRows(&'static str),
    /// The games that are fitted are too few to part off those that compare strengths.
    #[error(
        "--prior auto fits four fifths of the games and compares by the last one, and a part of \
         these games is empty; take more games, or --prior evidence"
    )]
    TooFewToCompare,
    /// Some weights cannot become integers.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Grid(Vec<GridError>),
    /// There is not enough memory.
    #[error("{0}")]
    TooLarge(TooLarge),
    /// There are constraints or kinks, and no matrix to satisfy them by: the method.
    #[error(
        "the spec has orders, constraints or `l1`, which only methods with a matrix satisfy, and \
         {0} is none; take --solver auto, or where auto fell back to it --solver newton, which \
         takes longer, or fit fewer weights at a time (--only, --freeze)"
    )]
    Constrained(Solver),
    /// How much each source is to count cannot be found: why.
    #[error("--weigh-sources: {0}; leave it out, and say how much files count by FILE:weight=W")]
    Sources(&'static str),
    /// A weight cannot be anchored.
    #[error("{0}")]
    Anchor(AnchorError),
    /// The saved state is of another fit.
    #[error("{0}")]
    SavedFit(CheckpointError),
    /// The search for integers, where there is nothing else, is impossible.
    #[error("{}", unsearchable(.0))]
    Search(SearchEnd),
    /// Rows could not be read: why.
    #[error(transparent)]
    Traces(#[from] PassError),
}

/// Says why the local search, asked for alone, could not be made.
fn unsearchable(end: &SearchEnd) -> String {
    if *end == SearchEnd::Streamed {
        "a local search takes all rows in memory, and these are streamed; fit from positions, or \
         with --solver auto"
            .to_owned()
    } else {
        format!("local search: {end}")
    }
}

impl From<KError> for FitError {
    fn from(error: KError) -> Self {
        // That rows cannot be read is the error of every pass, not one of K.
        match error {
            KError::Pass(error) => error.into(),
            error => Self::K(error),
        }
    }
}

impl FitError {
    /// Makes the error of a saved fit that contradicts itself or the fit that is to resume; `what`
    /// is wrong, in words for the user.
    pub(super) fn inconsistent(what: &'static str) -> Self {
        Self::SavedFit(CheckpointError::Inconsistent(what))
    }

    /// Makes the error that there is no objective on a part of the data. `part`: what messages call
    /// it, in the plural, such as "games to fit on".
    pub fn of_part(error: RegressionError, part: &'static str) -> Self {
        match error {
            RegressionError::NoRows => Self::NoRows(part),
            RegressionError::Pass(error) => error.into(),
        }
    }

    /// Renumbers the variables that the error names, from those of a subset to those of all:
    /// variable i becomes `others[i]`.
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
#[derive(Clone, Debug, Error, PartialEq)]
#[error(
    "the curvature of {} weights that positions read {}; take `auto` or `newton-cg`, which do \
     without it, freeze large tables (`frozen = true` in the spec) or tie their entries \
     (`[[tie]]`): half the weights take a quarter of the memory",
    .variables.len(), too_much(*.bytes, *.available, ", and")
)]
pub struct TooLarge {
    /// The variables that positions read.
    pub variables: Vec<usize>,
    /// The memory that they need, in bytes.
    pub bytes: u64,
    /// The memory that there is, in bytes, if that is known.
    pub available: Option<u64>,
}

/// Says how much memory matrices ask for, and that it is not there. `bytes`: what they ask for;
/// `available`: what is free, if that is known; `and`: the words that join the two.
pub(super) fn too_much(bytes: u64, available: Option<u64>, and: &str) -> String {
    let giga = |bytes: u64| bytes as f64 / 1e9;
    let asked = format!("asks for {:.1} GB of memory", giga(bytes));
    match available {
        Some(available) => format!("{asked}{and} {:.1} GB are free", giga(available)),
        None => asked + ", more than there is",
    }
}
