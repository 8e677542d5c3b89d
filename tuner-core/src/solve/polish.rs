//! The last digits: steps with the last factorisation, judged by the gradient.
//!
//! Where the promised decrease is below the rounding of the value, the value
//! can no longer tell a good step from a bad one, but the gradient can: it
//! still falls by orders of magnitude. So a step is taken if the decrease that
//! the model promises after it is smaller than before.

use super::descent::State;
use super::step::Stepper;
use super::{Flow, Method, Termination};
use crate::linalg::max_abs;

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

/// Polishes the point that the state has reached.
pub(super) fn polish(state: &mut State<'_, '_>, stepper: &mut Stepper) -> Termination {
    let Some(mut trial) = stepper.step(&state.x, &state.gradient, 0.0) else {
        return Termination::NoFurtherDecrease;
    };
    for _ in 0..STEPS {
        let point = state.evaluate(stepper.apply(&state.x, &trial.d));
        let Some(next) = stepper.step(&point.x, &point.gradient, 0.0) else {
            return Termination::NoFurtherDecrease;
        };
        if point.value.is_nan() || point.value > state.value * (1.0 + ROUNDING) {
            return Termination::NoFurtherDecrease;
        }
        let stalled = next.predicted > WORTH * trial.predicted;
        let rounded = trial.predicted <= ROUNDED * state.value;
        if next.predicted < trial.predicted {
            state.take(point);
            let flow = state.record(Method::Polish, max_abs(&trial.d), trial.damping);
            if flow == Flow::Stop {
                return Termination::Interrupted;
            }
        } else {
            return if rounded {
                Termination::GradientAtRounding
            } else {
                Termination::SmallDecrease
            };
        }
        if stalled && rounded {
            return Termination::GradientAtRounding;
        }
        trial = next;
    }
    Termination::SmallDecrease
}
