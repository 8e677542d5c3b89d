//! Standard errors without the matrices of all, for tens of thousands of weights:
//! those of some weights, by conjugate gradients.
//!
//! For variable j, A·z = eⱼ is solved; then the variance is `zᵀJz + u·zᵀPz`, and one
//! pass gives zᵀJz of many z at once. All systems are solved side by side: a step of
//! all of them takes one pass.
//!
//! What makes them slow are weights that are read often, as these go together: a
//! piece's value and its table, say. So of the most frequent ones A is formed and
//! inverted, and the inverse is the preconditioner, with the diagonal for all others.
//!
//! *Source*: Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., 2003,
//! §9.2 (preconditioned conjugate gradients) and §14.2 (blocks).

use tuner_base::{GOLDEN_GAMMA, mix};
use tuner_fit::model::{Loss, Part, Regression, RegressionError, Sigmoid};
use tuner_rows::Traces;
use tuner_solve::linalg::{Cholesky, Symmetric, dot};
use tuner_solve::{Curvature, Objective, PassError, Prior, Reduction, Subset};

/// Residual of a solution, in parts of the right side: a standard error is off by
/// about as much of itself.
const TOLERANCE: f64 = 0.01;

/// Most steps of conjugate gradients.
const MOST_STEPS: usize = 100;

/// Most frequent variables of which A is formed. Chosen: its inverse takes 32 MB
/// and less time than a few steps.
const FREQUENT: usize = 2_000;

/// Directions whose slopes are kept by game at a time: 8 bytes a game each.
const AT_A_TIME: usize = 32;

/// Clusters of games for the trace of A⁻¹J, of which each takes 8 bytes a variable.
const CLUSTERS: usize = 256;

/// Random signs of the clusters; of a trace over hundreds of variables two are off
/// by a few hundredths.
const PROBES: u64 = 4;

/// The rows that an objective is made of.
#[derive(Clone, Copy, Debug)]
pub struct ObjectiveRows<'a> {
    /// All rows.
    pub traces: Traces<'a>,
    /// What a row costs.
    pub loss: Loss,
    /// From scores to expectations.
    pub sigmoid: Sigmoid,
    /// Which rows count.
    pub part: Part,
}

impl<'a> ObjectiveRows<'a> {
    /// The objective over the variables of a reduction.
    ///
    /// # Errors
    /// If there is no row of positive weight, or rows cannot be read.
    pub fn objective(&self, reduction: &'a Reduction) -> Result<Regression<'a>, RegressionError> {
        Regression::new(self.traces, reduction, self.loss, self.sigmoid, self.part)
    }
}

/// What is computed of some variables.
#[derive(Clone, Debug)]
pub struct SomeErrors {
    /// The standard error of each variable asked for, in their order; `None` where
    /// the steps did not suffice.
    pub standard_errors: Vec<Option<f64>>,
    /// `tr(A⁻¹J)`, estimated.
    pub optimism: Option<f64>,
    /// Passes over the rows that all of it took.
    pub passes: usize,
}

/// The linear system A = H + P at a point.
struct System<'a> {
    objective: &'a Regression<'a>,
    prior: Option<&'a Prior>,
    x: &'a [f64],
    /// The inverse of A's diagonal.
    inverse: Vec<f64>,
    /// Some variables, and the inverse of A between them.
    frequent: (Subset, Symmetric),
    passes: usize,
}

impl<'a> System<'a> {
    /// `chosen`: variables that are to be among those of which A is formed.
    fn new(
        objective: &'a Regression<'a>,
        rows: ObjectiveRows<'_>,
        prior: Option<&'a Prior>,
        x: &'a [f64],
        chosen: &[usize],
        frequent: usize,
    ) -> Result<Self, PassError> {
        let mut diagonal = vec![0.0; x.len()];
        // The exact curvature may fall at kinks; that of Gauss and Newton never.
        objective.diagonal(x, Curvature::GaussNewton, &mut diagonal)?;
        let mut order: Vec<usize> = (0..x.len()).collect();
        order.sort_by(|&a, &b| diagonal[b].total_cmp(&diagonal[a]).then(a.cmp(&b)));
        let mut mask = vec![false; x.len()];
        let most = order.iter().take(frequent).chain(chosen);
        most.for_each(|&variable| mask[variable] = true);
        let subset = Subset::of(&mask);
        if let Some(prior) = prior {
            prior.add_diagonal(&mut diagonal);
        }
        let reduction = objective.reduction().keeping(&subset, x);
        let mut matrix = Symmetric::zeros(subset.len());
        let mut passes = 1;
        // The same rows have the same weight, so there is an objective.
        if let Ok(part) = rows.objective(&reduction) {
            part.curvature(&subset.gather(x), Curvature::GaussNewton, &mut matrix)?;
            passes += 1;
        }
        if let Some(prior) = prior {
            prior.add_curvature(subset.indices(), &mut matrix);
        }
        let none = (Subset::of(&vec![false; x.len()]), Symmetric::zeros(0));
        // Where some stand for each other exactly a little is added: it is only to
        // be near.
        let factor = Cholesky::new(&matrix)
            .or_else(|_| Cholesky::new(&matrix.damped(1e-6, &matrix.diagonal())));
        let frequent = factor.map_or(none, |factor| (subset, factor.inverse()));
        let inverse = |&d: &f64| if d > 0.0 { d.recip() } else { 0.0 };
        Ok(Self {
            objective,
            prior,
            x,
            inverse: diagonal.iter().map(inverse).collect(),
            frequent,
            passes,
        })
    }

    fn products(&mut self, vectors: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, PassError> {
        self.passes += 1;
        let mut products = self.objective.curvature_products(self.x, vectors)?;
        if let Some(prior) = self.prior {
            for (vector, product) in vectors.iter().zip(&mut products) {
                prior.add_product(vector, product);
            }
        }
        Ok(products)
    }

    /// What the preconditioner makes of residuals.
    fn preconditioned<'r>(&self, residuals: impl Iterator<Item = &'r Vec<f64>>) -> Vec<Vec<f64>> {
        let (subset, inverse) = &self.frequent;
        let residuals: Vec<&Vec<f64>> = residuals.collect();
        let parts: Vec<Vec<f64>> = residuals.iter().map(|r| subset.gather(r)).collect();
        let scaled = residuals.iter().zip(inverse.multiply_all(&parts));
        scaled
            .map(|(residual, part)| {
                let scaled = residual.iter().zip(&self.inverse).map(|(r, m)| m * r);
                let mut scaled: Vec<f64> = scaled.collect();
                for (&variable, value) in subset.indices().iter().zip(part) {
                    scaled[variable] = value;
                }
                scaled
            })
            .collect()
    }

    /// Solves A·z = right for several right sides; also tells of each whether the
    /// residual is small enough.
    fn solve(&mut self, rights: Vec<Vec<f64>>) -> Result<Vec<(Vec<f64>, bool)>, PassError> {
        let mut solutions: Vec<(Vec<f64>, bool)> = (rights.iter())
            .map(|right| (vec![0.0; right.len()], false))
            .collect();
        let first = self.preconditioned(rights.iter());
        let mut open: Vec<Descent> = (rights.into_iter().zip(first).enumerate())
            .map(|(number, (residual, direction))| {
                let norm = dot(&residual, &direction);
                Descent {
                    number,
                    small: TOLERANCE * TOLERANCE * norm,
                    residual,
                    direction,
                    norm,
                }
            })
            .collect();
        for step in 0..=MOST_STEPS {
            open.retain(|descent| {
                let is_done = descent.norm <= descent.small;
                solutions[descent.number].1 |= is_done;
                !is_done
            });
            if open.is_empty() || step == MOST_STEPS {
                break;
            }
            let directions: Vec<Vec<f64>> = (open.iter_mut())
                .map(|descent| std::mem::take(&mut descent.direction))
                .collect();
            let products = self.products(&directions)?;
            for ((descent, direction), product) in open.iter_mut().zip(directions).zip(products) {
                descent.step(direction, &product, &mut solutions[descent.number].0);
            }
            // A direction without curvature leads nowhere.
            open.retain(|descent| descent.norm.is_finite());
            let next = self.preconditioned(open.iter().map(|descent| &descent.residual));
            for (descent, next) in open.iter_mut().zip(next) {
                descent.turn(&next);
            }
        }
        Ok(solutions)
    }
}

/// Conjugate gradients of one system.
struct Descent {
    number: usize,
    residual: Vec<f64>,
    direction: Vec<f64>,
    /// Residual times preconditioned residual.
    norm: f64,
    small: f64,
}

impl Descent {
    /// Goes along the direction, of which `product` is what A makes.
    fn step(&mut self, direction: Vec<f64>, product: &[f64], solution: &mut [f64]) {
        let curvature = dot(&direction, product);
        if curvature <= 0.0 {
            self.norm = f64::NAN;
            return;
        }
        let step = self.norm / curvature;
        let parts = solution.iter_mut().zip(&direction);
        parts.for_each(|(z, d)| *z += step * d);
        (self.residual.iter_mut().zip(product)).for_each(|(r, p)| *r -= step * p);
        self.direction = direction;
    }

    /// Turns to the next direction. `next`: the preconditioned residual.
    fn turn(&mut self, next: &[f64]) {
        let after = dot(&self.residual, next);
        let ratio = after / self.norm;
        (self.direction.iter_mut().zip(next)).for_each(|(d, n)| *d = n + ratio * *d);
        self.norm = after;
    }
}

/// Computes standard errors of some variables, with the prior taken as true, without
/// the matrices of all.
///
/// *Shapes*: `rows` are those of the objective, `x` has a value for each variable.
/// *Units*: `unit` as of the prior. *Cost*: a pass for each step, of
/// which 100 of 24,000 variables take three, two for each 32 variables, and some others
/// (`cargo bench -p tuner-judge --bench matrix_free`: 15 passes in all, 5 seconds).
///
/// # Errors
/// If rows cannot be read.
pub fn some_errors(
    objective: &Regression<'_>,
    rows: ObjectiveRows<'_>,
    prior: Option<&Prior>,
    unit: f64,
    x: &[f64],
    variables: &[usize],
) -> Result<SomeErrors, PassError> {
    some_errors_by(objective, rows, prior, unit, x, variables, FREQUENT)
}

fn some_errors_by(
    objective: &Regression<'_>,
    rows: ObjectiveRows<'_>,
    prior: Option<&Prior>,
    unit: f64,
    x: &[f64],
    variables: &[usize],
    frequent: usize,
) -> Result<SomeErrors, PassError> {
    let mut system = System::new(objective, rows, prior, x, variables, frequent)?;
    let (probes, correction) = probes(objective, x)?;
    system.passes += 2;
    let units = variables.iter().map(|&variable| {
        let mut right = vec![0.0; x.len()];
        right[variable] = 1.0;
        right
    });
    let mut solved = system.solve(units.chain(probes.iter().cloned()).collect())?;
    let of_probes = solved.split_off(variables.len());
    let mut standard_errors = Vec::new();
    for some in solved.chunks(AT_A_TIME) {
        let solutions: Vec<Vec<f64>> = some.iter().map(|(solution, _)| solution.clone()).collect();
        let slopes = objective.slopes_by_game(x, &solutions)?;
        system.passes += 2;
        let games = slopes.len() / solutions.len();
        for (number, (solution, solved)) in some.iter().enumerate() {
            let own = || slopes.iter().skip(number).step_by(solutions.len());
            let mean = own().sum::<f64>() / games as f64;
            let squares: f64 = own().map(|slope| (slope - mean) * (slope - mean)).sum();
            let correction = games as f64 / (games.max(2) - 1) as f64;
            let mut pull = vec![0.0; x.len()];
            if let Some(prior) = prior {
                prior.add_product(solution, &mut pull);
            }
            let variance = correction * squares + unit * dot(solution, &pull);
            let is_known = *solved && games >= 2 && variance.is_finite();
            standard_errors.push(is_known.then(|| variance.sqrt()));
        }
    }
    let traces = probes.iter().zip(&of_probes);
    let total: f64 = traces
        .map(|(probe, (solution, _))| dot(probe, solution))
        .sum();
    let all_solved = !probes.is_empty() && of_probes.iter().all(|(_, solved)| *solved);
    Ok(SomeErrors {
        standard_errors,
        optimism: all_solved.then(|| correction * total / PROBES as f64),
        passes: system.passes,
    })
}

/// Sums of the scores of clusters with random signs, which have the covariance J, and
/// the correction for the number of clusters. None where there is one cluster.
///
/// *Source*: M. Hutchinson, A stochastic estimator of the trace of the influence
/// matrix, Communications in Statistics 19, 1990.
fn probes(objective: &Regression<'_>, x: &[f64]) -> Result<(Vec<Vec<f64>>, f64), PassError> {
    let scores = objective.scores_by_cluster(x, CLUSTERS)?;
    let clusters = scores.clusters();
    if clusters < 2 {
        return Ok((Vec::new(), 0.0));
    }
    let mut mean = scores.sum();
    for value in &mut mean {
        *value /= clusters as f64;
    }
    let probe = |probe: u64| {
        let mut sum = vec![0.0; x.len()];
        for cluster in 0..clusters {
            let number = probe * CLUSTERS as u64 + cluster as u64 + 1;
            let negative = mix(number.wrapping_mul(GOLDEN_GAMMA)) & 1 == 0;
            let sign = if negative { -1.0 } else { 1.0 };
            for ((sum, score), mean) in sum.iter_mut().zip(scores.cluster(cluster)).zip(&mean) {
                *sum += sign * (score - mean);
            }
        }
        sum
    };
    let correction = clusters as f64 / (clusters - 1) as f64;
    Ok(((0..PROBES).map(probe).collect(), correction))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::variance::Variance;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use tuner_base::Slot;
    use tuner_rows::{RowDraft, RowInfo, Segment, TraceSet};

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
        let part = ObjectiveRows {
            traces: (&rows).into(),
            loss,
            sigmoid,
            part: Part::All,
        };
        // A of none, of some, and of all variables as preconditioner.
        let mut passes = Vec::new();
        for frequent in [0, 15, 40] {
            let some = some_errors_by(
                &objective,
                part,
                Some(&prior),
                unit,
                &x,
                &variables,
                frequent,
            )
            .unwrap();
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
            passes.push(some.passes);
        }
        // One step where it is the inverse: diagonal, matrix, scores 2, slopes 2.
        assert_eq!(passes[2], 7);
        assert!(passes.is_sorted_by(|a, b| a >= b), "{passes:?}");
    }
}
