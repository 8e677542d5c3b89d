//! Newton's method without a matrix, for tens of thousands of variables.
//!
//! Each step minimises the quadratic model by conjugate gradients on products
//! with the curvature, a pass each, and ends as early as the forcing rule allows:
//! far from the optimum an exact step is not worth its passes. The preconditioner is
//! the diagonal, and once steps have taken some products also the curvature between the
//! most frequent variables. The model is Gauss-Newton's far out and Newton's near,
//! as in `auto`; where its curvature is negative the step ends there.
//!
//! *Source*: S. Eisenstat, H. Walker, Choosing the forcing terms in an inexact
//! Newton method, SIAM J. Sci. Comput. 17, 1996, choice 2 with its safeguard;
//! J. Nocedal, S. Wright, Numerical Optimization, 2nd ed., 2006, §7.1.

use serde::{Deserialize, Serialize};

use super::direction::move_to;
use super::feasible::cut;
use super::frequent_block::{FrequentBlock, SLOW, SLOW_AGAIN};
use super::line_step::{StepRule, step_along};
use super::scales::Scales;
use super::steihaug_cg::Model;
use crate::linalg::{difference, dot};
use crate::method::StepResult;
use crate::state::State;
use crate::{Curvature, PassResult, Preconditioner, Termination};

/// The forcing term (the part of the gradient that a step may leave) at first, and its largest
/// value.
const FIRST_FORCING: f64 = 0.5;

/// Factor γ of the rule for the forcing term, with the source's value; its exponent α is 2.
const GAMMA: f64 = 0.9;

/// Below this a forcing term of the step before no longer limits the next one:
/// the source's safeguard.
const SAFEGUARD: f64 = 0.1;

/// Most products of one step; a preconditioned system of a fit takes far fewer.
const ROUNDS: usize = 500;

/// The descent has converged where so many times what the preconditioner predicts, in
/// the measure of the last step, is too little: it saves the products of one
/// more model, a third of all, that would only say so.
const LAST_SURE: f64 = 10.0;

/// Most times that variables are held at their bounds in one step; a few are enough.
const HOLDS: usize = 10;

/// Part of the slope that may be left: the source's steps are whole ones.
const SLOPE_LEFT: f64 = 0.9;

/// The state of the method between two steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewtonCg {
    last: Option<Last>,
    block: FrequentBlock,
    /// Products with the curvature that were made until the block of the preconditioner was formed.
    products: usize,
}

/// What is stored of the step before.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Last {
    forcing: f64,
    /// The length of the scaled gradient at its start.
    norm: f64,
    /// The decrease that the model predicted, in parts of what the preconditioner predicted.
    gain: f64,
}

impl NewtonCg {
    /// Moves the state by a step and returns the largest change of a variable, or why the method
    /// ends; then the state has not moved. The step minimises the quadratic model by conjugate
    /// gradients, until no more than a part of its gradient, the forcing term, is left. Variables
    /// that it would take out of their bounds are held at these, and a line search along the step
    /// finds the point.
    pub(super) fn update(&mut self, scales: &mut Scales, state: &mut State<'_>) -> StepResult<f64> {
        // With new scales the block of the preconditioner is formed anew too, if there is one.
        let is_renewed = scales.renew_near(state)?;
        if is_renewed && self.block.formed_at.is_some() {
            self.block.form_here(state, scales)?;
        } else {
            self.block.restore(state, scales)?;
        }
        let inverse = scales.inverse(state);
        let mut preconditioner = self.block.preconditioner(inverse);
        let gradient = state.point.gradient.clone();
        // The decrease, if the curvature were the inverse of the preconditioner.
        let foreseen = |p: &Preconditioner| 0.5 * dot(&gradient, &p.apply(&gradient));
        let mut by_preconditioner = foreseen(&preconditioner);
        let least = state.least();
        let is_little = |last: Last| LAST_SURE * last.gain * by_preconditioner <= least;
        if self.last.is_some_and(is_little) {
            return Err(Termination::SmallDecrease);
        }
        let forcing = self.forcing((2.0 * by_preconditioner).sqrt());
        let kind = if scales.near {
            Curvature::Newton
        } else {
            Curvature::GaussNewton
        };
        let mut inner = Model::new(&gradient);
        let is_better = self.minimise(
            state,
            scales,
            kind,
            forcing,
            &mut inner,
            &mut preconditioner,
        )?;
        if is_better {
            by_preconditioner = foreseen(&preconditioner);
        }
        let inverse = preconditioner.inverse.clone();
        self.hold(state, kind, forcing, &mut inner, inverse)?;
        if inner.predicted <= least {
            return Err(Termination::SmallDecrease);
        }
        let rule = StepRule {
            whole: !inner.flat,
            slope_left: SLOPE_LEFT,
        };
        let found = step_along(state, &preconditioner.inverse, &mut inner.d, rule)?;
        let point = found.ok_or(Termination::NoFurtherDecrease)?;
        self.last = Some(Last {
            forcing,
            norm: (2.0 * by_preconditioner).sqrt(),
            gain: inner.predicted / by_preconditioner,
        });
        Ok(move_to(state, point))
    }

    /// Minimises the model by conjugate gradients with the preconditioner at hand. Where that takes
    /// many products, the curvature between the most frequent variables is formed as a block for a
    /// better preconditioner, which replaces the one given, and the step so far is continued with
    /// it: then it returns `true`. `kind`: of the model's curvature; `forcing`: the part of the
    /// gradient that may be left.
    fn minimise(
        &mut self,
        state: &mut State<'_>,
        scales: &Scales,
        kind: Curvature,
        forcing: f64,
        inner: &mut Model<'_>,
        preconditioner: &mut Preconditioner,
    ) -> PassResult<bool> {
        // How many products before a block is formed: the first block counts those of earlier
        // steps, a new one at another point only those of this step.
        let is_first = self.block.formed_at.is_none();
        let left = SLOW.saturating_sub(self.products);
        let patience = if is_first { left } else { SLOW_AGAIN };
        let quick = inner.minimise(preconditioner, forcing, patience, &mut |v| {
            self.products += usize::from(is_first);
            state.product(kind, v)
        })?;
        if quick {
            return Ok(false);
        }
        self.block.form_here(state, scales)?;
        let inverse = preconditioner.inverse.clone();
        *preconditioner = self.block.preconditioner(inverse);
        inner.minimise(preconditioner, forcing, ROUNDS, &mut |v| {
            state.product(kind, v)
        })?;
        Ok(true)
    }

    /// Changes a step that leaves the bounds: variables that would go beyond a bound are held at
    /// it, and the model is minimised over all others, until the step is within all bounds. Merely
    /// cut off at the bounds, a step may not lead downhill, as variables go together. `forcing`:
    /// the part of the gradient that may be left; `inner`: the model with its step; `inverse`:
    /// 1/scale of the variables that may move, 0 of all others. After [`HOLDS`] times, or where the
    /// model met a direction without curvature, the step is left as it is; the line search cuts it
    /// off.
    ///
    /// *Cost*: a pass for each time, and those of the model.
    fn hold(
        &self,
        state: &mut State<'_>,
        kind: Curvature,
        forcing: f64,
        inner: &mut Model<'_>,
        mut inverse: Vec<f64>,
    ) -> PassResult<()> {
        for _ in 0..HOLDS {
            let mut within = inner.d.clone();
            if inner.flat || !cut(&state.point.x, &mut within, state.problem.bounds) {
                break;
            }
            let change = difference(&within, &inner.d);
            for (inverse, change) in inverse.iter_mut().zip(&change) {
                if change.abs() > 0.0 {
                    *inverse = 0.0;
                }
            }
            inner.shift(&change, &state.product(kind, &change)?);
            let preconditioner = self.block.preconditioner(inverse.clone());
            inner.minimise(&preconditioner, forcing, ROUNDS, &mut |v| {
                state.product(kind, v)
            })?;
        }
        Ok(())
    }

    /// Returns the forcing term, the part of the gradient that may be left in the model:
    /// γ·(‖g‖/‖g′‖)² with g the scaled gradient now and g′ that before the last step; ½ at first,
    /// and at most. It is no less than γ times the square of the term before, as long as that is
    /// more than [`SAFEGUARD`]. `norm`: ‖g‖.
    fn forcing(&self, norm: f64) -> f64 {
        let Some(last) = self.last else {
            return FIRST_FORCING;
        };
        let ratio = norm / last.norm;
        let forcing = GAMMA * ratio * ratio;
        let floor = GAMMA * last.forcing * last.forcing;
        let safe = forcing.max(floor);
        let forcing = if floor > SAFEGUARD { safe } else { forcing };
        forcing.min(FIRST_FORCING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forcing_term_follows_the_gradient() {
        let mut method = NewtonCg::default();
        assert!((method.forcing(1.0) - 0.5).abs() < 1e-15);
        let mut last = Last {
            forcing: 0.5,
            norm: 1.0,
            gain: 1.0,
        };
        method.last = Some(last);
        // The safeguard of the last term, 0.9·0.5², limits it.
        assert!((method.forcing(0.1) - 0.225).abs() < 1e-15);
        last.forcing = 0.2;
        method.last = Some(last);
        assert!((method.forcing(0.1) - 0.009).abs() < 1e-15);
        assert!((method.forcing(3.0) - 0.5).abs() < 1e-15);
    }
}
