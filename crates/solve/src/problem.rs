//! What goes into a solver and what comes out.

use std::fmt;

use super::{Record, Saved, Summary};
use crate::linalg::Symmetric;
use crate::{Objective, Prior};

/// A question about a point.
pub type IsStale<'a> = &'a dyn Fn(&[f64]) -> bool;

/// What to minimise, within which bounds.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// The function.
    pub objective: &'a dyn Objective,
    /// What is believed of the variables; added to the function.
    pub prior: Option<&'a Prior>,
    /// The same function of held-out games: watched, never fitted.
    pub held_out: Option<&'a dyn Objective>,
    /// Smallest and largest value of each variable, ±∞ for none.
    pub bounds: &'a [(f64, f64)],
    /// Tells whether the function stands for another one that it has ceased to
    /// resemble at a point. Methods with a matrix ask it once, where they come
    /// near the optimum, and end there if it is so.
    pub stale: Option<IsStale<'a>>,
}

impl fmt::Debug for Problem<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Problem")
            .field("variables", &self.objective.len())
            .field("prior", &self.prior)
            .field("held_out", &self.held_out.is_some())
            .finish_non_exhaustive()
    }
}

/// Where the solver stands; given to the observer after every iteration.
#[derive(Clone, Copy)]
pub struct Progress<'a> {
    /// The iteration that has just ended; number 0 is the start.
    pub record: &'a Record,
    /// The variables: the best so far, but for `adam`, whose last step may
    /// have been one back.
    pub x: &'a [f64],
    pub(super) save: &'a dyn Fn() -> Saved,
}

impl Progress<'_> {
    /// Returns all that it takes to [`resume`](super::resume) from here.
    /// *Cost*: copies; nothing if it is not called.
    pub fn save(&self) -> Saved {
        (self.save)()
    }
}

impl fmt::Debug for Progress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress")
            .field("record", self.record)
            .field("x", &self.x)
            .finish_non_exhaustive()
    }
}

/// What the observer wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// End with what there is.
    Stop,
}

/// Where a solver ended.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The variables, the best found whatever the termination.
    pub x: Vec<f64>,
    /// How it went.
    pub summary: Summary,
    /// The curvature matrix that the last steps were taken by, without the
    /// prior's, where it was formed near and from all rows.
    pub curvature: Option<Symmetric>,
}

/// Returns how far each variable is from its optimality condition.
///
/// Between its bounds a variable's gradient must be 0; at the lower bound it
/// may be positive, at the upper negative. *Units*: those of the gradient.
/// *Source*: J. Nocedal, S. Wright, Numerical Optimization, 2nd ed., 2006, §16.7.
pub fn kkt_residual(x: &[f64], gradient: &[f64], bounds: &[(f64, f64)]) -> Vec<f64> {
    let residual = |((&x, &g), &(low, high)): ((&f64, &f64), &(f64, f64))| match g {
        g if x <= low && x >= high => 0.0 * g,
        g if x <= low => g.min(0.0),
        g if x >= high => g.max(0.0),
        g => g,
    };
    x.iter().zip(gradient).zip(bounds).map(residual).collect()
}
