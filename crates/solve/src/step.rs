//! One curvature matrix, and the steps that it gives.

use serde::{Deserialize, Serialize};

use super::box_qp::{self, Factored};
use crate::Prior;
use crate::linalg::{Failure, RankRevealing, Symmetric, dot};

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
    /// The last factorisation of this matrix.
    known: Option<Known>,
    /// How many times a damped matrix was set up to be factorised.
    factorisations: usize,
}

/// What was found out of the matrix at one damping.
#[derive(Clone, Debug)]
struct Known {
    /// The damping asked for.
    asked: f64,
    /// The damping that it took.
    damping: f64,
    failure: Option<Failure>,
    damped: Symmetric,
    factored: Option<Factored>,
}

/// How the last factorisation came about: enough to do it again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Factor {
    asked: f64,
    damping: f64,
    failure: Option<Failure>,
}

impl Factor {
    /// Returns the smaller damping, NaN if one is not finite.
    pub(super) fn least(self) -> f64 {
        let (asked, damping) = (self.asked, self.damping);
        if asked.is_finite() && damping.is_finite() {
            asked.min(damping)
        } else {
            f64::NAN
        }
    }
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
            prior.add_curvature(&indices, &mut matrix);
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
            known: None,
            factorisations: 0,
        }
    }

    /// Returns how many combinations of variables that the data do depend on
    /// they leave undetermined.
    pub(super) fn undetermined(&self) -> usize {
        self.rank.null_space().len() - self.unseen
    }

    /// Takes the matrix of another point or kind.
    pub(super) fn update(&mut self, full: &Symmetric) {
        self.known = None;
        self.matrix = full.select(&self.indices);
        if let Some(prior) = &self.prior {
            prior.add_curvature(&self.indices, &mut self.matrix);
        }
        for (scale, diagonal) in self.scale.iter_mut().zip(self.matrix.diagonal()) {
            *scale = scale.max(diagonal.abs());
        }
    }

    /// Returns the scale of the damping of each of so many variables, 0 for
    /// those not in play.
    pub(super) fn scale(&self, variables: usize) -> Vec<f64> {
        let mut scale = vec![0.0; variables];
        for (&variable, value) in self.indices.iter().zip(&self.scale) {
            scale[variable] = *value;
        }
        scale
    }

    /// Tells how the last factorisation of this matrix came about.
    pub(super) fn factor(&self) -> Option<Factor> {
        self.known.as_ref().map(|known| Factor {
            asked: known.asked,
            damping: known.damping,
            failure: known.failure,
        })
    }

    /// Takes the matrix of another point or kind, with what was found out of
    /// it before.
    pub(super) fn restore(&mut self, full: &Symmetric, scale: &[f64], factor: Option<Factor>) {
        self.update(full);
        self.scale = self.indices.iter().map(|&i| scale[i]).collect();
        if let Some(factor) = factor {
            self.known = Some(self.damp(factor.asked, factor.damping, factor.failure));
        }
    }

    /// The step of the last factorisation, from `x` with gradient `g`; an
    /// undamped one if there is none.
    pub(super) fn again(&mut self, x: &[f64], g: &[f64]) -> Option<Trial> {
        let damping = self.known.as_ref().map_or(0.0, |known| known.asked);
        self.step(x, g, damping)
    }

    /// Solves for a step from `x` with gradient `g`, both of all variables.
    ///
    /// Raises the damping until there is a factor; `None` if no damping helps,
    /// that is if something is not finite.
    ///
    /// *Cost*: no factorisation where the last step asked for the same damping
    /// and none of its variables has met or left a bound.
    pub(super) fn step(&mut self, x: &[f64], g: &[f64], damping: f64) -> Option<Trial> {
        let gradient: Vec<f64> = self.indices.iter().map(|&i| g[i]).collect();
        let room = |(&i, &(low, high)): (&usize, &(f64, f64))| (low - x[i], high - x[i]);
        let (lower, upper): (Vec<f64>, Vec<f64>) =
            self.indices.iter().zip(&self.bounds).map(room).unzip();
        let singular = self.prior.is_none() && !self.rank.null_space().is_empty();
        let asked = damping.max(if singular { SINGULAR_DAMPING } else { 0.0 });
        let same = |known: &Known| known.asked.to_bits() == asked.to_bits();
        let mut known = match self.known.take().filter(same) {
            Some(known) => known,
            None => self.damp(asked, asked, None),
        };
        loop {
            let factored = &mut known.factored;
            match box_qp::solve(&known.damped, &gradient, &lower, &upper, factored) {
                Ok(mut step) => {
                    if singular && !step.clamped {
                        self.shorten(&mut step.d, &lower, &upper);
                    }
                    let d = step.d;
                    let curved = dot(&d, &self.matrix.multiply(&d));
                    let predicted = -(dot(&gradient, &d) + 0.5 * curved);
                    let trial = Trial {
                        d,
                        predicted,
                        damping: known.damping,
                        failure: known.failure,
                    };
                    self.known = Some(known);
                    return Some(trial);
                }
                Err(Failure::NotFinite) => return None,
                Err(reason) => {
                    let least = match reason {
                        Failure::NearSingular => SINGULAR_DAMPING,
                        _ => 1e-6, // chosen; an indefinite matrix needs far more anyway
                    };
                    let damping = (known.damping * 10.0).max(least);
                    if damping > MOST_DAMPING {
                        return None;
                    }
                    let failure = known.failure.or(Some(reason));
                    drop(known); // its memory is needed
                    known = self.damp(asked, damping, failure);
                }
            }
        }
    }

    /// Sets up the matrix with a damping.
    fn damp(&mut self, asked: f64, damping: f64, failure: Option<Failure>) -> Known {
        self.factorisations += 1;
        Known {
            asked,
            damping,
            failure,
            damped: self.matrix.damped(damping, &self.scale),
            factored: None,
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::*;

    #[test]
    fn a_matrix_is_factorised_once_for_all_steps_of_one_damping() {
        let mut matrix = Symmetric::zeros(2);
        matrix.add(0, 0, 2.0);
        matrix.add(1, 1, 3.0);
        let free = [(f64::NEG_INFINITY, f64::INFINITY); 2];
        let mut stepper = Stepper::new(&matrix, &free, None);
        let x = [0.0; 2];
        for g in [[1.0, 1.0], [0.5, -1.0], [0.0, 3.0]] {
            let trial = stepper.step(&x, &g, 0.0).unwrap();
            assert!((trial.d[0] + g[0] / 2.0).abs() < 1e-15);
            assert!((trial.d[1] + g[1] / 3.0).abs() < 1e-15);
        }
        assert_eq!(stepper.factorisations, 1);
        let damped = stepper.step(&x, &[1.0, 0.0], 1.0).unwrap();
        assert!((damped.d[0] + 0.25).abs() < 1e-15);
        stepper.again(&x, &[0.0, 1.0]).unwrap();
        assert_eq!(stepper.factorisations, 2);
        matrix.add(0, 0, 2.0);
        stepper.update(&matrix);
        let trial = stepper.step(&x, &[1.0, 0.0], 1.0).unwrap();
        assert!((trial.d[0] + 0.125).abs() < 1e-15, "the new matrix");
        assert_eq!(stepper.factorisations, 3);
    }
}
