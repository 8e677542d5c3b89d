//! What can be wrong with a black box and what it is asked.

use std::fmt;

use crate::FitError;
use tuner_rows::RowError;

/// One mistake. Positions and weights are numbers, from 0, in the order in
/// which they were given.
#[derive(Clone, Debug, PartialEq)]
pub enum BlackBoxError {
    /// There is no position.
    NoPositions,
    /// The reduction has an odd number of lanes, and slots are pairs of them.
    OddLanes(usize),
    /// A list has another length than there are weights: which, found,
    /// expected.
    Length(&'static str, usize, usize),
    /// A weight is no number: which list, which weight, its value.
    NotFinite(&'static str, usize, f64),
    /// The prior is about a weight that does not exist.
    NoSuchWeight(usize),
    /// A step is no positive number: weight, step.
    Step(usize, f64),
    /// A step is too small or too large to make another number of a weight:
    /// weight, its value, step.
    StepLost(usize, f64, f64),
    /// A step leaves whole numbers: weight, step, and what it must be a
    /// multiple of.
    StepNotWhole(usize, f64, f64),
    /// What rounding is allowed is no number of at least 0.
    Rounding(f64),
    /// The closure returned what is no number.
    Score {
        /// The position.
        position: usize,
        /// The weight that was moved, and where to; `None` at the weights
        /// themselves.
        moved: Option<(usize, f64)>,
        /// What was returned.
        score: f64,
    },
    /// A position makes no row: which, and why.
    Row(usize, RowError),
    /// A weight cannot be given its value by another scale.
    Anchor,
    /// A saved fit is one of other rows.
    SavedFit,
    /// The observer ended it before there was anything to fit.
    Interrupted,
    /// The fit of the rows failed.
    Fit(FitError),
}

impl fmt::Display for BlackBoxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPositions => f.write_str("there are no positions; expected at least one"),
            Self::OddLanes(lanes) => write!(
                f,
                "the reduction has {lanes} lanes; expected an even number, two for each slot"
            ),
            Self::Length(what, found, expected) => {
                write!(f, "{found} {what}; expected one per weight, {expected}")
            }
            Self::NotFinite(what, weight, value) => write!(
                f,
                "weight {weight} of the {what} is {value}; expected a finite number"
            ),
            Self::NoSuchWeight(weight) => write!(
                f,
                "the prior is about weight {weight}, which does not exist"
            ),
            Self::Step(weight, step) => write!(
                f,
                "the step of weight {weight} is {step}; expected a finite number above 0, such \
                 as 16"
            ),
            Self::StepLost(weight, value, step) => write!(
                f,
                "weight {weight} is {value}, and a step of {step} leads to no other number; take \
                 a step nearer to the size of the weight"
            ),
            Self::StepNotWhole(weight, step, multiple) => write!(
                f,
                "the step of weight {weight} is {step}, and the closure is asked at whole \
                 weights only; expected a multiple of {multiple}"
            ),
            Self::Rounding(rounding) => write!(
                f,
                "rounding of scores is allowed to be {rounding}; expected a finite number of at \
                 least 0"
            ),
            Self::Score {
                position,
                moved,
                score,
            } => {
                write!(f, "the score of position {position} is {score}")?;
                match moved {
                    Some((weight, value)) => write!(f, " with weight {weight} at {value}")?,
                    None => f.write_str(" at the weights that it is fitted from")?,
                }
                f.write_str(
                    "; expected a finite number; mend the closure, or keep it away by bounds or \
                     a smaller step",
                )
            }
            Self::Row(position, error) => write!(f, "position {position}: {error}"),
            Self::Anchor => f.write_str(
                "a black box has no other scale to bring a weight to its value by; freeze the \
                 weight, or give K",
            ),
            Self::SavedFit => f.write_str(
                "a saved fit is one of other rows; start from the weights that it had reached",
            ),
            Self::Interrupted => {
                f.write_str("interrupted before all rows were taken; the weights are unchanged")
            }
            Self::Fit(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BlackBoxError {}
