//! Newton's method without a matrix, for tens of thousands of variables.
//!
//! Each step minimises the quadratic model by conjugate gradients on products
//! with the curvature, a pass each, preconditioned by the diagonal and ended
//! as early as the forcing rule allows: far from the optimum an exact step is
//! not worth its passes. The model is Gauss-Newton's far out and Newton's near,
//! as in `auto`; where it bends down the step ends there.
//!
//! *Source*: S. Eisenstat, H. Walker, Choosing the forcing terms in an inexact
//! Newton method, SIAM J. Sci. Comput. 17, 1996, choice 2 with its safeguard;
//! J. Nocedal, S. Wright, Numerical Optimization, 2nd ed., 2006, §7.1.

use serde::{Deserialize, Serialize};

use super::along::{Way, along};
use super::state::State;
use super::truncated;
use super::without_matrix::{Scales, Step, go, promise};
use super::{Options, Termination};
use crate::model::Curvature;

/// The forcing term at first and at most.
const FIRST_FORCING: f64 = 0.5;

/// γ of the source, with its value; its α is 2.
const GAMMA: f64 = 0.9;

/// Below this a forcing term of the step before holds the next one no more:
/// the source's safeguard.
const SAFEGUARD: f64 = 0.1;

/// Most products of one step; a preconditioned system of a fit takes far fewer.
const ROUNDS: usize = 500;

/// Part of the slope that may be left: the source's steps are whole ones.
const SLOPE_LEFT: f64 = 0.9;

/// What it knows from one step to the next.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewtonCg {
    /// The forcing term of the last step, and the scaled gradient before it.
    last: Option<(f64, f64)>,
    /// What the last step lowered the value by, and from where.
    decrease: Option<(f64, f64)>,
    /// Whether Newton's curvature is in use, not Gauss-Newton's.
    near: bool,
}

impl NewtonCg {
    pub(super) fn check(&self) -> bool {
        let [last, decrease] = [self.last, self.decrease];
        [last, decrease]
            .into_iter()
            .flatten()
            .all(|(a, b)| a.is_finite() && b.is_finite())
    }

    /// Takes a step.
    pub(super) fn step(
        &mut self,
        scales: &mut Scales,
        state: &mut State<'_, '_>,
        options: &Options,
    ) -> Result<Step, Termination> {
        if let Some((decrease, before)) = self.decrease {
            self.near |= decrease < options.near * before;
            scales.renew(state);
        }
        let inverse = scales.inverse(state);
        let norm = (2.0 * promise(&state.gradient, &inverse)).sqrt();
        let least = options.decrease * state.value;
        let forcing = self.forcing(norm);
        let kind = if self.near {
            Curvature::Newton
        } else {
            Curvature::GaussNewton
        };
        let gradient = state.gradient.clone();
        let mut inner = truncated::solve(&gradient, &inverse, forcing, ROUNDS, &mut |v, product| {
            state.product(kind, v, product);
        });
        if inner.predicted <= least {
            return Err(Termination::SmallDecrease);
        }
        let way = Way {
            whole: !inner.flat,
            slope_left: SLOPE_LEFT,
        };
        let before = state.value;
        let Some(point) = along(state, &inverse, &mut inner.d, way) else {
            return Err(Termination::NoFurtherDecrease);
        };
        self.last = Some((forcing, norm));
        self.decrease = Some((before - point.value, before));
        Ok(go(state, point))
    }

    /// The forcing term where the scaled gradient has a length.
    fn forcing(&self, norm: f64) -> f64 {
        let Some((last, before)) = self.last else {
            return FIRST_FORCING;
        };
        let ratio = norm / before;
        let wanted = GAMMA * ratio * ratio;
        let floor = GAMMA * last * last;
        let wanted = if floor > SAFEGUARD {
            wanted.max(floor)
        } else {
            wanted
        };
        wanted.min(FIRST_FORCING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forcing_term_follows_the_gradient() {
        let mut method = NewtonCg::default();
        assert!((method.forcing(1.0) - 0.5).abs() < 1e-15);
        method.last = Some((0.5, 1.0));
        // The safeguard of the last term, 0.9·0.5², holds it back.
        assert!((method.forcing(0.1) - 0.225).abs() < 1e-15);
        method.last = Some((0.2, 1.0));
        assert!((method.forcing(0.1) - 0.009).abs() < 1e-15);
        assert!((method.forcing(3.0) - 0.5).abs() < 1e-15);
    }
}
