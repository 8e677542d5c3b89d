//! Adam as tuners run it: a baseline, nothing to prefer.
//!
//! Rate 1, β 0.9 and 0.999, ε 1e-8, on all positions, without the correction
//! of the first steps' bias: the settings of texel-tuner, in units of weights.
//! It neither scales to the problem nor ends by itself, so it keeps the best
//! point seen, and ends when none is better for long.
//!
//! *Source*: D. Kingma, J. Ba, Adam: a method for stochastic optimization,
//! ICLR 2015, algorithm 1, without its lines for m̂ and v̂.

use serde::{Deserialize, Serialize};

use super::direction::move_to;
use crate::Termination;
use crate::method::StepResult;
use crate::state::{Point, State};

/// The step of a weight whose gradient keeps its sign and size.
const RATE: f64 = 1.0;

/// How much of the mean gradient and of the mean square stays.
const BETA: [f64; 2] = [0.9, 0.999];

/// Keeps the step finite where there is no gradient.
const EPSILON: f64 = 1e-8;

/// Ends after so many steps without a better point: it jitters for hundreds
/// before there is a better one.
const PATIENCE: usize = 500;

/// The state of the method between two steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Adam {
    /// The running mean of the gradient.
    mean: Vec<f64>,
    /// The running mean of the squares of the gradient.
    square: Vec<f64>,
    best: Point,
    /// Steps since the best point.
    since: usize,
}

impl Adam {
    /// Begins Adam at the point of the state, with both running means at 0.
    pub(super) fn new(state: &State<'_>) -> Self {
        let zero = vec![0.0; state.point.x.len()];
        Self {
            mean: zero.clone(),
            square: zero,
            best: state.point.clone(),
            since: 0,
        }
    }

    /// Makes a step, also one that raises the value. Each variable moves against the running mean
    /// of its gradient, divided by the root of the running mean of the gradient's square and times
    /// `RATE`, which is 1: so it moves by one unit of a weight where the gradient keeps its sign
    /// and size. At a bound it stops. Notes the point if it is the best so far.
    ///
    /// Returns the largest change of a variable, or why the descent ends, with the state where it
    /// was: the best point is [`PATIENCE`] steps old, or value or gradient at the next one is not
    /// finite.
    pub(super) fn update(&mut self, state: &mut State<'_>) -> StepResult<f64> {
        if self.since >= PATIENCE {
            return Err(Termination::NoImprovement);
        }
        let mut x = state.point.x.clone();
        let moments = self.mean.iter_mut().zip(&mut self.square);
        let given = state.point.gradient.iter().zip(state.problem.bounds);
        for ((x, (mean, square)), (g, &(low, high))) in x.iter_mut().zip(moments).zip(given) {
            *mean = BETA[0] * *mean + (1.0 - BETA[0]) * g;
            *square = BETA[1] * *square + (1.0 - BETA[1]) * g * g;
            // `EPSILON` keeps the step finite where the gradient has always been 0.
            let moved = *x - RATE * *mean / (EPSILON + square.sqrt());
            *x = moved.max(low).min(high);
        }
        let point = state.evaluate(x)?;
        if !point.is_finite() {
            return Err(Termination::NumericalFailure);
        }
        if point.value < self.best.value {
            self.best = point.clone();
            self.since = 0;
        } else {
            self.since += 1;
        }
        Ok(move_to(state, point))
    }

    /// Moves the state to the best point of the descent, if its value is lower than that of the
    /// last.
    pub(super) fn finish(self, state: &mut State<'_>) {
        if self.best.value < state.point.value {
            state.point = self.best;
        }
    }
}
