//! The last digits: steps with the last factorisation, judged by the gradient.
//!
//! Where the promised decrease is below the rounding of the value, the value
//! can no longer tell a good step from a bad one, but the gradient can: it
//! still falls by orders of magnitude. So a step is taken if the decrease that
//! the model promises after it is smaller than before.

use serde::{Deserialize, Serialize};

use super::descent::Descent;
use super::state::State;
use super::{Flow, Method, Termination};

/// Most steps: Newton's need two or three, Gauss-Newton's converge linearly.
const STEPS: usize = 30;

/// A step must lower the promised decrease below this part of it to be worth
/// another pass; at rounding it just fluctuates.
const WORTH: f64 = 0.5;

/// A promised decrease below this part of the value may be rounding: that of
/// a gradient rounded at 1e-16 of its terms is their square, 1e-32, and grows
/// with the condition of the curvature.
const ROUNDED: f64 = 1e-20;

/// The value may rise by this part of it, in a step that it cannot judge.
const ROUNDING: f64 = 1e-13;

/// How far the polish got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Polish {
    /// Steps tried.
    steps: usize,
    /// Whether the last one has come to rounding.
    rounded: bool,
}

/// Polishes the point that the state has reached, or goes on with that.
pub(super) fn polish(state: &mut State<'_, '_>, descent: &mut Descent) -> Termination {
    let mut done = descent.known.polish.unwrap_or(Polish {
        steps: 0,
        rounded: false,
    });
    if done.rounded {
        return Termination::GradientAtRounding;
    }
    let Some(mut trial) = descent.stepper.step(&state.x, &state.gradient, 0.0) else {
        return Termination::NoFurtherDecrease;
    };
    while done.steps < STEPS {
        let stepper = &mut descent.stepper;
        let point = state.evaluate(stepper.apply(&state.x, &trial.d));
        let Some(next) = stepper.step(&point.x, &point.gradient, 0.0) else {
            return Termination::NoFurtherDecrease;
        };
        if point.value.is_nan() || point.value > state.value * (1.0 + ROUNDING) {
            return Termination::NoFurtherDecrease;
        }
        let stalled = next.predicted > WORTH * trial.predicted;
        let rounded = trial.predicted <= ROUNDED * state.value;
        done.steps += 1;
        done.rounded = stalled && rounded;
        descent.known.polish = Some(done);
        if next.predicted < trial.predicted {
            state.take(point);
            if descent.record(state, Method::Polish, &trial) == Flow::Stop {
                return Termination::Interrupted;
            }
        } else {
            return if rounded {
                Termination::GradientAtRounding
            } else {
                Termination::SmallDecrease
            };
        }
        if done.rounded {
            return Termination::GradientAtRounding;
        }
        trial = next;
    }
    Termination::SmallDecrease
}
