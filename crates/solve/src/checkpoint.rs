//! The state that a solver needs to resume as if it had never stopped.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::matrix_free::MatrixFree;
use super::second_order::SecondOrderState;
use super::state::Point;
use super::{Cost, Fallback, Problem, Record};

/// A solver after an iteration: with it [`resume`](super::resume) continues the
/// descent, to the same bits.
///
/// *Numerics*: numbers must come back from a file as they were; `serde_json`
/// does that with its feature `float_roundtrip`, and for finite numbers only,
/// which these are wherever the value at the start is.
/// *Cost*: a handful of numbers a variable, and the records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    #[serde(flatten)]
    pub(super) point: Point,
    /// The cost so far, earlier runs included.
    #[serde(flatten)]
    pub(super) cost: Cost,
    pub(super) fallbacks: Vec<Fallback>,
    /// All iterations, the start first.
    pub(super) records: Vec<Record>,
    #[serde(rename = "state")]
    pub(super) method: MethodState,
}

/// The state of a method besides the point: a variant for each kind of method.
///
/// A method saves what it cannot compute again from points that it saves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "family", rename_all = "kebab-case")]
pub(super) enum MethodState {
    /// Nothing: only the start has been recorded.
    Start,
    /// Nothing: only the start on a sample has been recorded, as the first iteration.
    Sampled,
    /// Gauss-Newton and Newton.
    SecondOrder(SecondOrderState),
    /// All methods that form no matrix.
    MatrixFree(MatrixFree),
}

/// Why a descent cannot be resumed from a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// It is of another number of variables: how many are in it, how many
    /// there are.
    #[error("the saved descent has {0} variables, this fit has {1}")]
    Variables(usize, usize),
    /// Something in it contradicts the rest: what.
    #[error("the saved descent is damaged: {0}")]
    Inconsistent(&'static str),
}

impl Checkpoint {
    /// Returns the number of the last iteration; 0 is the start.
    pub fn iteration(&self) -> usize {
        self.records.len().saturating_sub(1)
    }

    /// Returns the variables: the best so far, but for `adam` those after its last step, which may
    /// have raised the value.
    pub fn x(&self) -> &[f64] {
        &self.point.x
    }

    /// Checks that the checkpoint may be of this problem, as far as lengths, bounds and finite
    /// numbers tell, and that its parts do not contradict each other.
    ///
    /// # Errors
    /// If it is not.
    pub fn check(&self, problem: &Problem<'_>) -> Result<(), CheckpointError> {
        use CheckpointError::Inconsistent;
        let count = problem.objective.len();
        if self.point.x.len() != count {
            return Err(CheckpointError::Variables(self.point.x.len(), count));
        }
        let within = |(x, &(low, high)): (&f64, &(f64, f64))| (low..=high).contains(x);
        if !self.point.x.iter().zip(problem.bounds).all(within) {
            return Err(Inconsistent("a variable is outside its bounds"));
        }
        if self.point.gradient.len() != count
            || !finite(&self.point.gradient)
            || !finite(&self.point.x)
        {
            return Err(Inconsistent("the gradient is not one of its point"));
        }
        // The records are numbered from 0, without a gap.
        let numbers = |&(at, record): &(usize, &Record)| record.iteration == at;
        if self.records.is_empty() || !self.records.iter().enumerate().all(|r| numbers(&r)) {
            return Err(Inconsistent("the iterations are not all there"));
        }
        if !finite(&[self.point.value, self.cost.seconds]) {
            return Err(Inconsistent("a number is not finite"));
        }
        // A state can always be written as JSON; a number in it that is not finite becomes null.
        let method = serde_json::to_value(&self.method).unwrap_or_default();
        if !are_of_variables(&method, count) {
            return Err(Inconsistent("a vector is not one number a variable"));
        }
        match &self.method {
            MethodState::Start if self.records.len() == 1 => Ok(()),
            MethodState::Sampled if self.records.len() == 2 => Ok(()),
            MethodState::Start | MethodState::Sampled => {
                Err(Inconsistent("it has iterations of no method"))
            }
            MethodState::SecondOrder(state) => state.check().map_err(Inconsistent),
            MethodState::MatrixFree(state) => state.check().map_err(Inconsistent),
        }
    }
}

/// Tells whether every list of numbers in `saved`, the state of a method as JSON, has `count`
/// entries, one for each variable: states have no other lists of numbers. Lists of objects are
/// searched for lists in these.
fn are_of_variables(saved: &Value, count: usize) -> bool {
    match saved {
        Value::Array(list) if list.iter().any(Value::is_object) => {
            list.iter().all(|each| are_of_variables(each, count))
        }
        // JSON has finite numbers only: any other one is null there.
        Value::Array(list) => list.len() == count && list.iter().all(Value::is_number),
        Value::Object(fields) => fields.values().all(|each| are_of_variables(each, count)),
        _ => true,
    }
}

/// Tells whether all numbers are finite.
fn finite(numbers: &[f64]) -> bool {
    numbers.iter().all(|number| number.is_finite())
}
