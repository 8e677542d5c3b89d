//! One curvature matrix, and the steps that it gives.

use super::box_qp;
use crate::linalg::{Failure, RankRevealing, Symmetric, dot};
use crate::model::Prior;

/// Damping where the curvature is singular, in parts of the diagonal: far
/// above the rounding of a sum over a million rows (1e-13), far below what
/// would slow the descent along directions that the data do determine.
const SINGULAR_DAMPING: f64 = 1e-10;

/// Most damping tried. A step is then a billionth of a gradient step.
const MOST_DAMPING: f64 = 1e12;

/// The variables in play and what is known of their curvature.
#[derive(Clone, Debug)]
pub(super) struct Stepper {
    /// Their numbers among all variables, ascending.
    pub(super) indices: Vec<usize>,
    /// The curvature of these, the prior's included.
    pub(super) matrix: Symmetric,
    /// Scale of the damping: the largest diagonal so far, so that a weight
    /// whose curvature vanishes as it runs away does not take giant steps.
    /// *Source*: J. Moré, The Levenberg-Marquardt algorithm, 1978, §6.
    scale: Vec<f64>,
    /// What the data leave undetermined.
    rank: RankRevealing,
    /// Variables in play that the data do not depend on at all.
    unseen: usize,
    prior: Option<Prior>,
    bounds: Vec<(f64, f64)>,
}

/// A step in the variables in play.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    pub(super) d: Vec<f64>,
    /// What the quadratic model says the value falls by, at least 0.
    pub(super) predicted: f64,
    /// The damping really used.
    pub(super) damping: f64,
    /// Why it is more than was asked for.
    pub(super) failure: Option<Failure>,
}

impl Stepper {
    /// Sets out from the Gauss-Newton matrix of all variables at the start.
    ///
    /// Variables without curvature there and without prior, or without room
    /// between their bounds, are not in play.
    pub(super) fn new(full: &Symmetric, bounds: &[(f64, f64)], prior: Option<&Prior>) -> Self {
        let seen = |i: usize| full.get(i, i) > 0.0;
        let indices: Vec<usize> = (0..full.size())
            .filter(|&i| (seen(i) || prior.is_some()) && bounds[i].0 < bounds[i].1)
            .collect();
        let mut matrix = full.select(&indices);
        let rank = RankRevealing::new(&matrix);
        let unseen = indices.iter().filter(|&&i| !seen(i)).count();
        if let Some(prior) = prior {
            prior.add_curvature(&mut matrix);
        }
        let scale = matrix.diagonal();
        let bounds = indices.iter().map(|&i| bounds[i]).collect();
        Self {
            indices,
            matrix,
            scale,
            rank,
            unseen,
            prior: prior.cloned(),
            bounds,
        }
    }

    /// Returns how many combinations of variables that the data do depend on
    /// they leave undetermined.
    pub(super) fn undetermined(&self) -> usize {
        self.rank.null_space().len() - self.unseen
    }

    /// Takes the matrix of another point or kind.
    pub(super) fn update(&mut self, full: &Symmetric) {
        self.matrix = full.select(&self.indices);
        if let Some(prior) = &self.prior {
            prior.add_curvature(&mut self.matrix);
        }
        for (scale, diagonal) in self.scale.iter_mut().zip(self.matrix.diagonal()) {
            *scale = scale.max(diagonal.abs());
        }
    }

    /// Solves for a step from `x` with gradient `g`, both of all variables.
    ///
    /// Raises the damping until there is a factor; `None` if no damping helps,
    /// that is if something is not finite.
    pub(super) fn step(&self, x: &[f64], g: &[f64], damping: f64) -> Option<Trial> {
        let gradient: Vec<f64> = self.indices.iter().map(|&i| g[i]).collect();
        let room = |(&i, &(low, high)): (&usize, &(f64, f64))| (low - x[i], high - x[i]);
        let (lower, upper): (Vec<f64>, Vec<f64>) =
            self.indices.iter().zip(&self.bounds).map(room).unzip();
        let singular = self.prior.is_none() && !self.rank.null_space().is_empty();
        let mut damping = damping.max(if singular { SINGULAR_DAMPING } else { 0.0 });
        let mut failure = None;
        loop {
            let damped = self.matrix.damped(damping, &self.scale);
            match box_qp::solve(&damped, &gradient, &lower, &upper) {
                Ok(mut step) => {
                    if singular && !step.clamped {
                        self.shorten(&mut step.d, &lower, &upper);
                    }
                    let d = step.d;
                    let curved = dot(&d, &self.matrix.multiply(&d));
                    let predicted = -(dot(&gradient, &d) + 0.5 * curved);
                    return Some(Trial {
                        d,
                        predicted,
                        damping,
                        failure,
                    });
                }
                Err(Failure::NotFinite) => return None,
                Err(reason) => {
                    failure = failure.or(Some(reason));
                    let least = match reason {
                        Failure::NearSingular => SINGULAR_DAMPING,
                        _ => 1e-6, // chosen; an indefinite matrix needs far more anyway
                    };
                    damping = (damping * 10.0).max(least);
                    if damping > MOST_DAMPING {
                        return None;
                    }
                }
            }
        }
    }

    /// Returns the point that a step leads to, exactly at a bound it touches.
    pub(super) fn apply(&self, x: &[f64], d: &[f64]) -> Vec<f64> {
        let mut next = x.to_vec();
        for ((&i, &d), &(low, high)) in self.indices.iter().zip(d).zip(&self.bounds) {
            next[i] = if d <= low - x[i] {
                low
            } else if d >= high - x[i] {
                high
            } else {
                (x[i] + d).max(low).min(high)
            };
        }
        next
    }

    /// Takes the undetermined part out of a step where bounds allow it.
    fn shorten(&self, d: &mut [f64], lower: &[f64], upper: &[f64]) {
        let mut short = d.to_vec();
        self.rank.shorten(&mut short);
        if short
            .iter()
            .zip(lower.iter().zip(upper))
            .all(|(d, (low, high))| d >= low && d <= high)
        {
            d.copy_from_slice(&short);
        }
    }
}
