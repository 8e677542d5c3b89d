//! The input of a solver and its result.

use super::{Checkpoint, LinearConstraint, Record, Summary};
use crate::active_set::{Region, steepest};
use crate::linalg::{Symmetric, difference, dot};
use crate::{Curvature, Objective, PassResult, Penalised, Prior};

/// Tells whether the function no longer resembles, at a point, the function that it approximates.
pub type NeedsRetrace<'a> = &'a dyn Fn(&[f64]) -> PassResult<bool>;

/// A function to be minimised, within bounds.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// The function.
    pub objective: &'a dyn Objective,
    /// The prior of the variables; added to the function.
    pub prior: Option<&'a Prior>,
    /// The function on held-out games: watched, never fitted.
    pub held_out: Option<&'a dyn Objective>,
    /// Smallest and largest value of each variable, ±∞ for none.
    pub bounds: &'a [(f64, f64)],
    /// Sums of variables with limits; only methods with a matrix take them.
    pub constraints: &'a [LinearConstraint],
    /// For a function that stands for another one, as traces do for positions:
    /// whether it no longer resembles that one at a point. Methods with a matrix
    /// ask once, where they come near the optimum, and end there if it is so.
    pub needs_retrace: Option<NeedsRetrace<'a>>,
}

tuner_base::impl_fmt! { Debug for Problem<'_> }

/// The state of a solver, shown to the observer after every iteration.
#[derive(Clone, Copy)]
pub struct Progress<'a> {
    /// The iteration that has just ended; number 0 is the start.
    pub record: &'a Record,
    /// The variables: the best so far, but for `adam`, whose last step may
    /// have been one back.
    pub x: &'a [f64],
    pub(super) save: &'a dyn Fn() -> Checkpoint,
}

tuner_base::impl_fmt! { Debug for Progress<'_> }

impl Progress<'_> {
    /// Returns what [`resume`](super::resume) needs to continue after this iteration.
    /// *Cost*: copies; nothing if it is not called.
    pub fn save(&self) -> Checkpoint {
        (self.save)()
    }
}

/// The end of a descent.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The variables, the best found whatever the termination.
    pub x: Vec<f64>,
    /// The gradient there, the prior's part included.
    pub gradient: Vec<f64>,
    /// How it went.
    pub summary: Summary,
    /// The curvature matrix of the last steps, without the prior's part, where one
    /// was formed from all rows.
    pub curvature: Option<KnownCurvature>,
}

/// A curvature matrix, and the point at which it was formed.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownCurvature {
    /// The variables where it was formed.
    pub x: Vec<f64>,
    /// The kind of curvature.
    pub kind: Curvature,
    /// The matrix.
    pub values: Symmetric,
}

impl KnownCurvature {
    /// Returns ½·dᵀHd, with H this matrix and d the step from the point at which it was formed to
    /// `minimum`: by how much the function falls on the way, if its minimum is there and the matrix
    /// is right.
    pub fn fall_to(&self, minimum: &[f64]) -> f64 {
        let step = difference(minimum, &self.x);
        0.5 * dot(&self.values.multiply(&step), &step)
    }
}

impl<'a> Problem<'a> {
    /// Returns the function to be minimised: the objective and the prior.
    pub(super) fn penalised(&self) -> Penalised<'a> {
        Penalised {
            objective: self.objective,
            prior: self.prior,
        }
    }

    /// Returns, for each variable, how far the problem is from its optimality conditions at `x`, in
    /// units of the gradient. Without constraints that is [`kkt_residual`]; with them, the steepest
    /// descent that they allow, or, where rounding keeps that from being found, [`kkt_residual`] as
    /// well. A variable at the centre of a Laplace prior, where the function has a kink, counts on
    /// the side to which the function falls; 0 if it falls to neither.
    pub(super) fn residual(&self, x: &[f64], gradient: &[f64]) -> Vec<f64> {
        let (mut gradient, mut bounds) = (gradient.to_vec(), self.bounds.to_vec());
        for kink in self.prior.map_or(&[][..], |prior| &prior.kinks) {
            let i = kink.variable;
            (gradient[i], bounds[i]) = kink.on_one_side(x[i], gradient[i], bounds[i]);
        }
        let at_bounds = || kkt_residual(x, &gradient, &bounds);
        if self.constraints.is_empty() {
            return at_bounds();
        }
        let region = Region::directions(x, &bounds, self.constraints);
        steepest(&gradient, &region).unwrap_or_else(at_bounds)
    }
}

/// Returns how far each variable is from its optimality condition.
///
/// Between its bounds a variable's gradient must be 0; at the lower bound it
/// may be positive, at the upper negative. *Units*: those of the gradient.
/// *Source*: J. Nocedal, S. Wright, Numerical Optimization, 2nd ed., 2006, §16.7.
pub fn kkt_residual(x: &[f64], gradient: &[f64], bounds: &[(f64, f64)]) -> Vec<f64> {
    let residual = |((&x, &g), &(low, high)): ((&f64, &f64), &(f64, f64))| match g {
        // A fixed variable: 0, and NaN where the gradient is.
        g if x <= low && x >= high => 0.0 * g,
        g if x <= low => g.min(0.0),
        g if x >= high => g.max(0.0),
        g => g,
    };
    x.iter().zip(gradient).zip(bounds).map(residual).collect()
}
