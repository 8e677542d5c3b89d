//! What a solver needs to go on as if it had never stopped.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::descent::SecondOrder;
use super::without_matrix::WithoutMatrix;
use super::{Fallback, Problem, Record};

/// A solver after an iteration: a file that holds it continues the descent
/// with [`resume`](super::resume), to the same bits.
///
/// *Numerics*: numbers must come back from a file as they were; `serde_json`
/// does that with its feature `float_roundtrip`, and for finite numbers only,
/// which these are wherever the value at the start is.
/// *Cost*: a handful of numbers a variable, and the records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Saved {
    pub(super) x: Vec<f64>,
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
    pub(super) curvature_evaluations: usize,
    pub(super) passes: usize,
    pub(super) score_passes: usize,
    /// Time spent so far; goes on from here.
    pub(super) seconds: f64,
    pub(super) fallbacks: Vec<Fallback>,
    /// All iterations, the start first.
    pub(super) records: Vec<Record>,
    #[serde(rename = "state")]
    pub(super) course: Course,
}

/// What a method knows beside the point: a variant for each kind of method.
///
/// A method saves what it cannot find out again by computing what it did
/// before at points that it did save.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "family", rename_all = "kebab-case")]
pub(super) enum Course {
    /// Nothing yet: the start has been recorded, whatever the method.
    Start,
    /// Gauss-Newton and Newton.
    SecondOrder(SecondOrder),
    /// All methods that form no matrix.
    #[serde(rename = "matrix-free")]
    WithoutMatrix(WithoutMatrix),
}

/// Why a saved state cannot be gone on from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SavedError {
    /// It is one of another number of variables: how many are in it, how many
    /// there are.
    Variables(usize, usize),
    /// Something in it cannot be: what.
    Inconsistent(&'static str),
}

impl fmt::Display for SavedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variables(saved, here) => write!(
                f,
                "the saved descent has {saved} variables, this fit has {here}"
            ),
            Self::Inconsistent(what) => write!(f, "the saved descent is damaged: {what}"),
        }
    }
}

impl std::error::Error for SavedError {}

impl Saved {
    /// Returns the number of the last iteration; 0 is the start.
    pub fn iteration(&self) -> usize {
        self.records.len().saturating_sub(1)
    }

    /// Returns the variables: the best so far, but for `adam`.
    pub fn x(&self) -> &[f64] {
        &self.x
    }

    /// Finds out whether it is one of this problem, as far as its shape tells.
    ///
    /// # Errors
    /// If it is not.
    pub fn check(&self, problem: &Problem<'_>) -> Result<(), SavedError> {
        use SavedError::Inconsistent;
        let count = problem.objective.len();
        if self.x.len() != count {
            return Err(SavedError::Variables(self.x.len(), count));
        }
        let within = |(x, &(low, high)): (&f64, &(f64, f64))| (low..=high).contains(x);
        if !self.x.iter().zip(problem.bounds).all(within) {
            return Err(Inconsistent("a variable is outside its bounds"));
        }
        if self.gradient.len() != count || !finite(&self.gradient) || !finite(&self.x) {
            return Err(Inconsistent("the gradient is not one of its point"));
        }
        let numbers = |&(at, record): &(usize, &Record)| record.iteration == at;
        if self.records.is_empty() || !self.records.iter().enumerate().all(|r| numbers(&r)) {
            return Err(Inconsistent("the iterations are not all there"));
        }
        if !finite(&[self.value, self.seconds]) {
            return Err(Inconsistent("a number is not finite"));
        }
        match &self.course {
            Course::Start if self.records.len() == 1 => Ok(()),
            Course::Start => Err(Inconsistent("it has iterations of no method")),
            Course::SecondOrder(course) => course.check(count).map_err(Inconsistent),
            Course::WithoutMatrix(course) => course.check(count).map_err(Inconsistent),
        }
    }
}

/// Tells whether all numbers are finite.
pub(super) fn finite(numbers: &[f64]) -> bool {
    numbers.iter().all(|number| number.is_finite())
}
