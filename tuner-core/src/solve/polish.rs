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

/// The value may rise by this part of it, in a step that it cannot judge.
const ROUNDING: f64 = 1e-13;

/// Polishes the point that the state has reached.
pub(super) fn polish(state: &mut State<'_, '_>, stepper: &Stepper) -> Termination {
    let Some(mut trial) = stepper.step(&state.x, &state.gradient, 0.0) else {
        return Termination::NoFurtherDecrease;
    };
    for _ in 0..STEPS {
        let point = state.evaluate(stepper.apply(&state.x, &trial.d));
        let Some(next) = stepper.step(&point.x, &point.gradient, 0.0) else {
            return Termination::NoFurtherDecrease;
        };
        let better = next.predicted < trial.predicted;
        let rose = point.value > state.value * (1.0 + ROUNDING);
        if !better || rose || point.value.is_nan() {
            break;
        }
        let worth = next.predicted < WORTH * trial.predicted;
        state.take(point);
        let flow = state.record(Method::Polish, max_abs(&trial.d), trial.damping);
        if flow == Flow::Stop {
            return Termination::Interrupted;
        }
        if !worth {
            break;
        }
        trial = next;
    }
    Termination::GradientAtRounding
}
