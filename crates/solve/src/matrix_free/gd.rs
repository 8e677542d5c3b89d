//! Plain gradient descent: a baseline, nothing to prefer.
//!
//! One rate for all weights, which tuners try out; here it is the exact one
//! of the first step by the Gauss-Newton curvature, and half of it wherever
//! that turns out too long.
//!
//! *Source*: A. Cauchy, Méthode générale pour la résolution des systèmes
//! d'équations simultanées, 1847 (the first rate).

use serde::{Deserialize, Serialize};

use super::direction::move_to;
use crate::Curvature;
use crate::Termination;
use crate::linalg::dot;
use crate::method::StepResult;
use crate::state::State;

/// Most times that the rate is halved in one step; then it is next to 0.
const HALVINGS: usize = 60;

/// The state of the method between two steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GradientDescent {
    /// The factor of the gradient; `None` before the first step.
    rate: Option<f64>,
    /// The decrease of the value by the last step; `None` before the first.
    decrease: Option<f64>,
}

impl GradientDescent {
    /// Tells whether what was read from a file can be the method's state: the rate of the gradient
    /// and the decrease by the last step are not negative, where they are known.
    pub(super) fn is_possible(&self) -> bool {
        let mut numbers = [self.rate, self.decrease].into_iter().flatten();
        numbers.all(|number| number >= 0.0)
    }

    /// Steps against the gradient, cut off at bounds, by the rate of the last step (at first that
    /// which leads to the minimum along the gradient by its curvature) or half of it, a quarter and
    /// so on, until the value does not rise. Returns the largest change of a variable, or why the
    /// descent ends: the last step brought less than is worth one, or no rate helps.
    pub(super) fn update(&mut self, state: &mut State<'_>) -> StepResult<f64> {
        let least = state.least();
        if self.decrease.is_some_and(|decrease| decrease <= least) {
            return Err(Termination::NoImprovement);
        }
        let mut rate = match self.rate {
            Some(rate) => rate,
            None => first_rate(state)?,
        };
        for _ in 0..HALVINGS {
            let moved = |((x, g), &(low, high)): ((&f64, &f64), &(f64, f64))| {
                (x - rate * g).max(low).min(high)
            };
            let here = state.point.x.iter().zip(&state.point.gradient);
            let x = here.zip(state.problem.bounds).map(moved).collect();
            let point = state.evaluate(x)?;
            if point.is_finite() && point.value <= state.point.value {
                self.rate = Some(rate);
                self.decrease = Some(state.point.value - point.value);
                return Ok(move_to(state, point));
            }
            rate *= 0.5;
        }
        Err(Termination::NoFurtherDecrease)
    }
}

/// Returns the rate that leads to the minimum along the first gradient, gᵀg/gᵀBg with the curvature
/// B of Gauss and Newton, in units of a variable per unit of the gradient. Fails if there is no
/// curvature along it. *Cost*: a pass.
fn first_rate(state: &mut State<'_>) -> StepResult<f64> {
    let gradient = state.point.gradient.clone();
    let product = state.product(Curvature::GaussNewton, &gradient)?;
    let rate = dot(&gradient, &gradient) / dot(&gradient, &product);
    let usable = rate.is_finite() && rate > 0.0;
    usable.then_some(rate).ok_or(Termination::NoFurtherDecrease)
}
