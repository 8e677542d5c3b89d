//! Standard errors without matrices, for tens of thousands of weights: those of
//! some weights, by conjugate gradients.
//!
//! For variable j, A·z = eⱼ is solved, by one pass a step; then the variance is
//! `zᵀJz + u·zᵀPz`, and one pass gives zᵀJz of many z at once.

use tuner_base::{GOLDEN_GAMMA, mix};
use tuner_fit::model::Regression;
use tuner_solve::linalg::dot;
use tuner_solve::{Curvature, Objective, PassError, Prior};

/// Residual of a solution, in parts of the right side: a standard error is off by
/// about as much of itself.
const TOLERANCE: f64 = 0.01;

/// Most steps of conjugate gradients for a weight.
const MOST_STEPS: usize = 20;

/// Directions whose slopes are kept by game at a time: 8 bytes a game each.
const AT_A_TIME: usize = 32;

/// Clusters of games for the trace of A⁻¹J, of which each takes 8 bytes a variable.
const CLUSTERS: usize = 256;

/// Random signs of the clusters; of a trace over hundreds of variables two are off
/// by a few hundredths.
const PROBES: u64 = 4;

/// What is computed of some variables.
#[derive(Clone, Debug)]
pub(crate) struct SomeErrors {
    /// The standard error of each variable asked for, in their order; `None` where
    /// the steps did not suffice.
    pub(crate) standard_errors: Vec<Option<f64>>,
    /// `tr(A⁻¹J)`, estimated.
    pub(crate) optimism: Option<f64>,
}

/// The linear system A = H + P at a point.
struct System<'a> {
    objective: &'a Regression<'a>,
    prior: Option<&'a Prior>,
    x: &'a [f64],
    /// The inverse of A's diagonal.
    inverse: Vec<f64>,
}

impl<'a> System<'a> {
    fn new(
        objective: &'a Regression<'a>,
        prior: Option<&'a Prior>,
        x: &'a [f64],
    ) -> Result<Self, PassError> {
        let mut diagonal = vec![0.0; x.len()];
        // The exact curvature may fall at kinks; that of Gauss and Newton never.
        objective.diagonal(x, Curvature::GaussNewton, &mut diagonal)?;
        if let Some(prior) = prior {
            prior.add_diagonal(&mut diagonal);
        }
        let inverse = |&d: &f64| if d > 0.0 { d.recip() } else { 0.0 };
        Ok(Self {
            objective,
            prior,
            x,
            inverse: diagonal.iter().map(inverse).collect(),
        })
    }

    fn product(&self, vector: &[f64]) -> Result<Vec<f64>, PassError> {
        let mut product = vec![0.0; vector.len()];
        let kind = Curvature::GaussNewton;
        (self.objective).curvature_product(self.x, kind, vector, &mut product)?;
        if let Some(prior) = self.prior {
            prior.add_product(vector, &mut product);
        }
        Ok(product)
    }

    /// Solves A·z = right, by conjugate gradients with the diagonal as
    /// preconditioner; also tells whether the residual is small enough.
    ///
    /// *Source*: J. Nocedal, S. Wright, Numerical Optimization, 2nd ed., 2006,
    /// algorithm 5.3.
    fn solve(&self, right: &[f64]) -> Result<(Vec<f64>, bool), PassError> {
        let scaled = |residual: &[f64], inverse: &[f64]| -> Vec<f64> {
            residual.iter().zip(inverse).map(|(r, m)| m * r).collect()
        };
        let mut z = vec![0.0; right.len()];
        let mut residual = right.to_vec();
        let mut direction = scaled(&residual, &self.inverse);
        let mut norm = dot(&residual, &direction);
        let small = TOLERANCE * TOLERANCE * norm;
        for _ in 0..MOST_STEPS {
            if norm <= small {
                break;
            }
            let product = self.product(&direction)?;
            let curvature = dot(&direction, &product);
            if curvature <= 0.0 {
                return Ok((z, false));
            }
            let step = norm / curvature;
            z.iter_mut()
                .zip(&direction)
                .for_each(|(z, d)| *z += step * d);
            (residual.iter_mut().zip(&product)).for_each(|(r, p)| *r -= step * p);
            let next = scaled(&residual, &self.inverse);
            let after = dot(&residual, &next);
            let ratio = after / norm;
            (direction.iter_mut().zip(&next)).for_each(|(d, n)| *d = n + ratio * *d);
            norm = after;
        }
        Ok((z, norm <= small))
    }
}

/// Computes standard errors of some variables, with the prior taken as true.
///
/// *Cost*: at most 20 passes for each, and a pass for each 32 of them.
///
/// # Errors
/// If rows cannot be read.
pub(crate) fn some_errors(
    objective: &Regression<'_>,
    prior: Option<&Prior>,
    unit: f64,
    x: &[f64],
    variables: &[usize],
) -> Result<SomeErrors, PassError> {
    let system = System::new(objective, prior, x)?;
    let mut standard_errors = Vec::new();
    for some in variables.chunks(AT_A_TIME) {
        let mut solutions = Vec::new();
        let mut solved = Vec::new();
        for &variable in some {
            let mut right = vec![0.0; x.len()];
            right[variable] = 1.0;
            let (solution, enough) = system.solve(&right)?;
            solutions.push(solution);
            solved.push(enough);
        }
        let slopes = objective.slopes_by_game(x, &solutions)?;
        let games = slopes.len() / solutions.len();
        for (number, (solution, solved)) in solutions.iter().zip(solved).enumerate() {
            let own = || slopes.iter().skip(number).step_by(solutions.len());
            let mean = own().sum::<f64>() / games as f64;
            let squares: f64 = own().map(|slope| (slope - mean) * (slope - mean)).sum();
            let correction = games as f64 / (games.max(2) - 1) as f64;
            let mut pull = vec![0.0; x.len()];
            if let Some(prior) = prior {
                prior.add_product(solution, &mut pull);
            }
            let variance = correction * squares + unit * dot(solution, &pull);
            standard_errors.push((solved && games >= 2).then(|| variance.sqrt()));
        }
    }
    Ok(SomeErrors {
        standard_errors,
        optimism: optimism(objective, &system)?,
    })
}

/// Estimates `tr(A⁻¹J)` by random signs of clusters.
///
/// *Source*: M. Hutchinson, A stochastic estimator of the trace of the influence
/// matrix, Communications in Statistics 19, 1990.
fn optimism(objective: &Regression<'_>, system: &System<'_>) -> Result<Option<f64>, PassError> {
    let scores = objective.scores_by_cluster(system.x, CLUSTERS)?;
    let clusters = scores.clusters();
    if clusters < 2 {
        return Ok(None);
    }
    let size = system.x.len();
    let mut mean = vec![0.0; size];
    for cluster in 0..clusters {
        let scores = scores.cluster(cluster).iter();
        (mean.iter_mut().zip(scores)).for_each(|(m, s)| *m += s / clusters as f64);
    }
    let mut total = 0.0;
    for probe in 0..PROBES {
        let mut sum = vec![0.0; size];
        for cluster in 0..clusters {
            let number = probe * CLUSTERS as u64 + cluster as u64 + 1;
            let negative = mix(number.wrapping_mul(GOLDEN_GAMMA)) & 1 == 0;
            let sign = if negative { -1.0 } else { 1.0 };
            for ((sum, score), mean) in sum.iter_mut().zip(scores.cluster(cluster)).zip(&mean) {
                *sum += sign * (score - mean);
            }
        }
        let (solution, _) = system.solve(&sum)?;
        total += dot(&sum, &solution);
    }
    let correction = clusters as f64 / (clusters - 1) as f64;
    Ok(Some(correction * total / PROBES as f64))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::variance::Variance;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use tuner_base::Slot;
    use tuner_fit::model::{Loss, Part, Sigmoid};
    use tuner_rows::{RowDraft, RowInfo, Segment, TraceSet};
    use tuner_solve::Reduction;

    #[test]
    fn errors_are_those_of_the_matrices() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let slots = 20;
        let mut rows = TraceSet::new(slots);
        for row in 0..4000_u32 {
            let phase = f64::from(row % 25) / 24.0;
            // Some features are in few positions.
            let entries: Vec<(Slot, i16)> = (0..slots as u32)
                .filter(|slot| row % (slot + 1) == 0)
                .map(|slot| (Slot(slot), rng.random_range(-2..=2)))
                .collect();
            let draft = RowDraft {
                segments: vec![Segment::same([phase, 1.0 - phase], entries)],
                ..RowDraft::default()
            };
            let outcome = f64::from(rng.random_range(0..=2)) / 2.0;
            rows.push(&draft, &RowInfo::new(outcome, row / 5)).unwrap();
        }
        let reduction = Reduction::of_lanes(2 * slots);
        // Of this loss both curvatures are the same.
        let (loss, sigmoid) = (Loss::CrossEntropy, Sigmoid::new(1.0));
        let objective = Regression::new(&rows, &reduction, loss, sigmoid, Part::All).unwrap();
        let x = vec![3.0; 2 * slots];
        let unit = loss.prior_unit(0.7, 800);
        let prior = Prior::new(vec![0.0; 2 * slots], 20.0, unit);
        let matrices = Variance::new(&objective, Some(&prior), unit, &x).unwrap();
        let variables: Vec<usize> = (0..2 * slots).step_by(3).collect();
        let some = some_errors(&objective, Some(&prior), unit, &x, &variables).unwrap();
        for (&variable, error) in variables.iter().zip(&some.standard_errors) {
            let expected = matrices.covariance().get(variable, variable).sqrt();
            let error = error.unwrap();
            assert!(
                (error / expected - 1.0).abs() < 0.02,
                "{variable}: {error} {expected}"
            );
        }
        // Four random signs, of a trace over 40 variables.
        let ratio = some.optimism.unwrap() / matrices.optimism();
        assert!((0.6..1.6).contains(&ratio), "{ratio}");
    }
}
