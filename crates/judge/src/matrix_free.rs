//! Standard errors without the matrices of all, for tens of thousands of weights:
//! those of some weights, by conjugate gradients.
//!
//! For variable j, A·z = eⱼ is solved ([`CurvatureSystem`]); then the variance is
//! `zᵀJz + u·zᵀPz`, and one pass gives zᵀJz of eight z at once.

use tuner_fit::model::{CurvatureSystem, Regression};
use tuner_solve::linalg::{dot, unit_vector};
use tuner_solve::{PassResult, Prior};

/// Residual of a solution, in parts of the right side: a standard error is off by
/// about as much of itself.
const TOLERANCE: f64 = 0.01;

/// Most frequent variables of which A, the curvature of E and the prior, is formed. Chosen: its
/// inverse takes 32 MB and less time than a few steps.
pub const FREQUENT: usize = 2_000;

/// Systems that are solved at a time: each takes 32 bytes a variable and 8 a game.
const AT_A_TIME: usize = 32;

/// Random vectors for the trace of A⁻¹J, with J the covariance of the gradient between games; of a
/// trace over hundreds of variables two are off by a few hundredths.
const PROBES: usize = 4;

/// The standard errors of some variables.
#[derive(Clone, Debug)]
pub struct SomeErrors {
    /// The standard error of each variable asked for, in their order; `None` where
    /// the steps did not suffice.
    pub standard_errors: Vec<Option<f64>>,
    /// By how much E of the games fitted is expected to be below that of other games, tr(A⁻¹J),
    /// estimated; `None` where the steps did not suffice.
    pub optimism: Option<f64>,
    /// Passes over the rows that all of it took, each of up to 32 vectors at once, for which rows
    /// are read once for each eight.
    pub passes: usize,
}

/// Computes standard errors of some variables, by their numbers, with the prior taken as true,
/// without the matrices of all variables. For variable j, A·z = eⱼ is solved by conjugate
/// gradients, with A the curvature of E and the prior; the variance is zᵀJz + u·zᵀPz, with J the
/// covariance of the gradient between games and P the curvature of the prior.
///
/// *Shapes*: `x` has a value for each variable; `frequent`: how many of them, those that are read
/// most often, have their part of the curvature formed, such as [`FREQUENT`]. *Units*: `unit` is u,
/// with which a prior of standard deviation τ has the strength u/τ². *Cost*: a pass for each step,
/// of which 100 of 24,000 variables take three, two for each 32 variables, and some others (`cargo
/// bench -p tuner-judge --bench matrix_free`: 15 passes in all, 5 seconds).
///
/// # Errors
/// If rows cannot be read.
pub fn some_errors(
    objective: &Regression<'_>,
    prior: Option<&Prior>,
    unit: f64,
    x: &[f64],
    variables: &[usize],
    frequent: usize,
) -> PassResult<SomeErrors> {
    let mut system = CurvatureSystem::new(objective, x, variables, frequent, TOLERANCE)?;
    system.set_prior(prior.cloned());
    // Random vectors y whose mean y·yᵀ is J, so that the mean of yᵀA⁻¹y is tr(A⁻¹J).
    // There are none with fewer than two games. They take two passes; the system counts its own.
    let probes = objective.covariance_probes(x, PROBES)?;
    let mut passes = 2;
    let units = (variables.iter()).map(|&variable| unit_vector(x.len(), variable));
    let mut rights = units.chain(probes.iter().cloned()).peekable();
    let mut standard_errors = Vec::new();
    let mut of_probes = Vec::new();
    while rights.peek().is_some() {
        let some = rights.by_ref().take(AT_A_TIME).collect();
        // Of each right side its solution, and whether the steps sufficed; those of variables come
        // first, those of the probes last.
        let mut solved = system.solve(some, &[])?;
        let of_variables = solved.len().min(variables.len() - standard_errors.len());
        of_probes.extend(solved.split_off(of_variables));
        // Only probes were left for this turn.
        if solved.is_empty() {
            continue;
        }
        let (solutions, is_solved): (Vec<Vec<f64>>, Vec<bool>) = solved.into_iter().unzip();
        let slopes = objective.slopes_by_game(x, &solutions)?;
        passes += 2;
        let games = slopes.len() / solutions.len();
        for (number, (solution, is_solved)) in solutions.iter().zip(is_solved).enumerate() {
            // zᵀJz: the slopes of E along z, game by game, and their spread.
            let own = || slopes.iter().skip(number).step_by(solutions.len());
            let mean = own().sum::<f64>() / games as f64;
            let squares: f64 = own().map(|slope| (slope - mean) * (slope - mean)).sum();
            let correction = games as f64 / (games.max(2) - 1) as f64;
            // P·z.
            let mut pull = vec![0.0; x.len()];
            if let Some(prior) = prior {
                prior.add_product(solution, &mut pull);
            }
            let variance = correction * squares + unit * dot(solution, &pull);
            let is_known = is_solved && games >= 2 && variance.is_finite();
            standard_errors.push(is_known.then(|| variance.sqrt()));
        }
    }
    let traces = probes.iter().zip(&of_probes);
    let traces = traces.map(|(probe, (solution, _))| dot(probe, solution));
    let total: f64 = traces.sum();
    let all_solved = !probes.is_empty() && of_probes.iter().all(|(_, solved)| *solved);
    Ok(SomeErrors {
        standard_errors,
        optimism: all_solved.then(|| total / PROBES as f64),
        passes: passes + system.passes,
    })
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
        // A of none, of some, and of all variables as preconditioner.
        let mut passes = Vec::new();
        for frequent in [0, 15, 40] {
            let prior = Some(&prior);
            let some = some_errors(&objective, prior, unit, &x, &variables, frequent).unwrap();
            for (&variable, error) in variables.iter().zip(&some.standard_errors) {
                let expected = matrices.covariance.get(variable, variable).sqrt();
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
        // Groups of systems: all in one, one more with the last variables and probes, probes alone.
        for (count, passes) in [(0, 5), (28, 7), (32, 8), (33, 10), (40, 10)] {
            let variables: Vec<usize> = (0..count).collect();
            let some = some_errors(&objective, Some(&prior), unit, &x, &variables, 40).unwrap();
            assert_eq!(some.passes, passes, "{count}");
            assert_eq!(some.standard_errors.len(), count);
            for (variable, error) in some.standard_errors.iter().enumerate() {
                let expected = matrices.covariance.get(variable, variable).sqrt();
                assert!((error.unwrap() / expected - 1.0).abs() < 0.02, "{variable}");
            }
        }
        assert!(passes.is_sorted_by(|a, b| a >= b), "{passes:?}");
    }
}
