//! Errors of a black box and of what it is asked.

use thiserror::Error;

use crate::FitError;
use tuner_rows::RowError;

/// One mistake. Positions and weights are numbers, from 0, in the order in
/// which they were given.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BlackBoxError {
    /// There is no position.
    #[error("there are no positions; expected at least one")]
    NoPositions,
    /// The reduction has an odd number of lanes, and slots are pairs of them.
    #[error("the reduction has {0} lanes; expected an even number, two for each slot")]
    OddLanes(usize),
    /// A list has another length than there are weights: which, found,
    /// expected.
    #[error("{1} {0}; expected one per weight, {2}")]
    Length(&'static str, usize, usize),
    /// A weight is NaN or infinite: which list, which weight, its value.
    #[error("weight {1} of the {0} is {2}; expected a finite number")]
    NotFinite(&'static str, usize, f64),
    /// The prior is about a weight that does not exist.
    #[error("the prior is about weight {0}, which does not exist")]
    NoSuchWeight(usize),
    /// A step is not a positive number: weight, step.
    #[error("the step of weight {0} is {1}; expected a finite number above 0, such as 16")]
    Step(usize, f64),
    /// A step is too small or too large to make another number of a weight:
    /// weight, its value, step.
    #[error(
        "weight {0} is {1}, and a step of {2} leads to no other number; take a step nearer to the \
         size of the weight"
    )]
    StepLost(usize, f64, f64),
    /// A step leaves whole numbers: weight, step, and what it must be a
    /// multiple of.
    #[error(
        "the step of weight {0} is {1}, and the closure is asked at whole weights only; expected \
         a multiple of {2}"
    )]
    StepNotWhole(usize, f64, f64),
    /// The allowed rounding is not a number of at least 0.
    #[error("rounding of scores is allowed to be {0}; expected a finite number of at least 0")]
    Rounding(f64),
    /// The closure returned NaN or an infinity.
    #[error(
        "the score of position {position} is {score} {}; expected a finite number; mend the \
         closure, or keep it away by bounds or a smaller step",
        .moved.map_or_else(
            || "at the weights that it is fitted from".to_owned(),
            |(weight, value)| format!("with weight {weight} at {value}"),
        )
    )]
    Score {
        /// The position.
        position: usize,
        /// The weight that was moved, and where to; `None` at the weights
        /// themselves.
        moved: Option<(usize, f64)>,
        /// The score that was returned.
        score: f64,
    },
    /// A position makes no row: which, and why.
    #[error("position {0}: {1}")]
    Row(usize, RowError),
    /// A weight cannot be given its value by another scale.
    #[error(
        "a black box has no other scale to bring a weight to its value by; freeze the weight, or \
         give K"
    )]
    Anchor,
    /// A saved fit is one of other rows.
    #[error("a saved fit is one of other rows; start from the weights that it had reached")]
    SavedFit,
    /// The observer ended it before there was anything to fit.
    #[error("interrupted before all rows were taken; the weights are unchanged")]
    Interrupted,
    /// The fit of the rows failed.
    #[error("{0}")]
    Fit(FitError),
}
