//! The last digits: steps with the last factorisation, judged by the gradient.
//!
//! Where the predicted decrease is below the rounding of the value, the value
//! can no longer tell a good step from a bad one, but the gradient can: it
//! still falls by orders of magnitude. So a step is taken if the decrease that
//! the model predicts after it is smaller than before.

use serde::{Deserialize, Serialize};

use super::damped_system::{DampedSystem, Trial};
use crate::method::{Step, StepResult};
use crate::state::State;
use crate::{Method, Termination};

/// Most steps: Newton's need two or three, Gauss-Newton's converge linearly.
const STEPS: usize = 30;

/// A step must lower the predicted decrease below this part of it to be worth
/// another pass; at rounding it just fluctuates.
const WORTH: f64 = 0.5;

/// A predicted decrease below this part of the value may be rounding: that of
/// a gradient rounded at 1e-16 of its terms is their square, 1e-32, and grows
/// with the condition of the curvature.
const ROUNDED: f64 = 1e-20;

/// The value may rise by this part of it, in a step that it cannot judge.
const ROUNDING: f64 = 1e-13;

/// The state of the last steps, which reuse the last factorisation.
#[derive(Clone, Debug, Default)]
pub(super) struct Polish {
    pub(super) progress: PolishProgress,
    /// The next step; `None` where it is not computed yet.
    pub(super) next: Option<Trial>,
}

/// How far a polish got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PolishProgress {
    /// Steps tried.
    steps: usize,
    /// Whether the gradient is at rounding after the last step.
    rounded: bool,
}

impl Polish {
    /// Returns why no further step is to be tried: the gradient is at rounding, or [`STEPS`] were
    /// tried; `None` if one is.
    pub(super) fn terminate(&self) -> Option<Termination> {
        if self.progress.rounded {
            Some(Termination::GradientAtRounding)
        } else if self.progress.steps >= STEPS {
            Some(Termination::SmallDecrease)
        } else {
            None
        }
    }

    /// Takes a step for which no damping is asked (0.0), with the factor that the system has. The
    /// step after it is computed too, in the same way: only if that predicts a smaller decrease,
    /// and the value has not risen beyond rounding, is the step taken.
    ///
    /// # Errors
    /// The reason why no step was taken: there is none to compute, or the step is not better.
    pub(super) fn next_iter(
        &mut self,
        state: &mut State<'_>,
        system: &mut DampedSystem,
    ) -> StepResult<Step> {
        let (x, gradient) = (&state.point.x, &state.point.gradient);
        let trial = (self.next.take()).or_else(|| system.step(x, gradient, 0.0));
        let trial = trial.ok_or(Termination::NoFurtherDecrease)?;
        let point = state.evaluate(system.apply(&state.point.x, &trial.d))?;
        let next = system.step(&point.x, &point.gradient, 0.0);
        let next = next.ok_or(Termination::NoFurtherDecrease)?;
        if point.value.is_nan() || point.value > state.point.value * (1.0 + ROUNDING) {
            return Err(Termination::NoFurtherDecrease);
        }
        let stalled = next.predicted > WORTH * trial.predicted;
        let rounded = trial.predicted <= ROUNDED * state.point.value;
        self.progress.steps += 1;
        self.progress.rounded = stalled && rounded;
        let better = next.predicted < trial.predicted; // NaN is not
        if !better {
            return Err(if rounded {
                Termination::GradientAtRounding
            } else {
                Termination::SmallDecrease
            });
        }
        state.point = point;
        self.next = Some(next);
        Ok(trial.taken_by(Method::Polish))
    }
}
