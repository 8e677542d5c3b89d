//! Non-linear conjugate gradients, scaled by the diagonal.
//!
//! *Source*: E. Polak, G. Ribière, 1969, with the restarts of M. Powell,
//! Restart procedures for the conjugate gradient method, Math. Program. 12,
//! 1977, and never a negative β (J. Gilbert, J. Nocedal, SIAM J. Optim. 2,
//! 1992, "PR+"); preconditioned as in W. Hager, H. Zhang, A survey of
//! nonlinear conjugate gradient methods, Pacific J. Optim. 2, 2006, §9.

use serde::{Deserialize, Serialize};

use super::direction::{downhill, move_to};
use super::line_step::{StepRule, step_along};
use super::scales::Scales;
use crate::Termination;
use crate::linalg::dot;
use crate::method::StepResult;
use crate::state::State;

/// Successive gradients less perpendicular than this mean a new beginning:
/// Powell's value.
const NOT_PERPENDICULAR: f64 = 0.2;

/// Part of the slope that may be left along the line. Points of a line are
/// cheap, and directions are conjugate only as far as the line is minimised.
const SLOPE_LEFT: f64 = 0.01;

/// The state of the method between two steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cg {
    last: Option<Last>,
}

/// What is stored of the step before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Last {
    direction: Vec<f64>,
    gradient: Vec<f64>,
    /// 1/scale of the variables that were free, 0 of all others.
    inverse: Vec<f64>,
    /// Steps since the last restart.
    since: usize,
}

impl Cg {
    /// Moves the state by a step and returns the largest change of a variable, or why the method
    /// ends; then the state has not moved. A conjugate direction that does not lead downhill, or
    /// gives no step, is replaced by the scaled gradient.
    pub(super) fn update(&mut self, scales: &mut Scales, state: &mut State<'_>) -> StepResult<f64> {
        // Directions are not conjugate by new scales: begin anew.
        if scales.renew_near(state)? {
            self.last = None;
        }
        if scales.have_converged(state)? {
            return Err(Termination::SmallDecrease);
        }
        let inverse = scales.inverse(state);
        let rule = StepRule {
            whole: false,
            slope_left: SLOPE_LEFT,
        };
        let gradient = state.point.gradient.clone();
        let mut since = 0;
        let mut d = downhill(&gradient, &inverse);
        // The scaled gradient plus β times the last direction, where that leads downhill.
        if let Some(beta) = self.beta(&gradient, &inverse)
            && let Some(last) = self.last.take()
        {
            let turned = last.direction.iter().zip(&d).map(|(p, d)| d + beta * p);
            let turned: Vec<f64> = turned.collect();
            if dot(&turned, &gradient) < 0.0 {
                d = turned;
                since = last.since + 1;
            }
        }
        let mut found = step_along(state, &inverse, &mut d, rule)?;
        // The conjugate direction gives no step: try the scaled gradient.
        if found.is_none() && since > 0 {
            since = 0;
            d = downhill(&gradient, &inverse);
            found = step_along(state, &inverse, &mut d, rule)?;
        }
        let point = found.ok_or(Termination::NoFurtherDecrease)?;
        self.last = Some(Last {
            direction: d,
            gradient,
            inverse,
            since,
        });
        Ok(move_to(state, point))
    }

    /// Returns β, how much of the last direction is added to the scaled gradient: gᵀD⁻¹(g −
    /// g′)/g′ᵀD⁻¹g′ with the gradient g′ before, at least 0, where D⁻¹ is `inverse`, 0 for
    /// variables that are not free. `None` for a new beginning: at first, after as many steps as
    /// there are variables, where the free ones or their scales have changed, where gradients are
    /// not perpendicular, and where β is not finite.
    fn beta(&self, gradient: &[f64], inverse: &[f64]) -> Option<f64> {
        let last = self.last.as_ref()?;
        if last.inverse != inverse || last.since >= gradient.len() {
            return None;
        }
        let product = |a: &[f64], b: &[f64]| -> f64 {
            let terms = a.iter().zip(b).zip(inverse);
            terms.map(|((a, b), m)| a * b * m).sum()
        };
        let now = product(gradient, gradient);
        let mixed = product(gradient, &last.gradient);
        if mixed.abs() >= NOT_PERPENDICULAR * now {
            return None;
        }
        let before = product(&last.gradient, &last.gradient);
        Some(((now - mixed) / before).max(0.0)).filter(|beta| beta.is_finite())
    }
}
