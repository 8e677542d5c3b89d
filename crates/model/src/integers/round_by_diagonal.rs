//! Integer weights without a curvature matrix, for more weights than one can
//! be formed of.

use super::round::moved;
use super::{Grid, RoundedBy, Rounding};
use tuner_solve::{Curvature, Objective, PassResult};

/// Most rounds of corrections. Each takes what the round before left; a
/// handful is usual.
const ROUNDS: usize = 20;

/// Rounds each variable of `x` to its nearest allowed value, and then moves those to the allowed
/// value on the other side of where they were in `x` for which gradient and diagonal of the
/// curvature predict a lower objective.
///
/// A variable's own curvature says what its step is worth alone. All steps
/// that are worth something are taken at once, and where that does not lower
/// the objective only the better half of them, and so on: variables replace
/// each other, which the diagonal does not know but the true objective
/// tells.
///
/// *Cost*: three passes, and one or a few for each round.
///
/// # Errors
/// If data cannot be read.
pub fn round_by_diagonal(
    objective: &dyn Objective,
    grid: &Grid,
    x: &[f64],
) -> PassResult<Rounding> {
    let size = x.len();
    let error_before = objective.value(x)?;
    let plain = grid.nearest_all(x);
    let mut gradient = vec![0.0; size];
    let error_plain = objective.gradient(&plain, &mut gradient)?;
    let diagonal = objective.diagonal(&plain, Curvature::GaussNewton)?;
    let mut best = plain.clone();
    let mut error = error_plain;
    let mut most = size;
    for _ in 0..ROUNDS {
        let steps = steps(grid, x, &best, &gradient, &diagonal);
        // At most twice as many steps as helped in the round before.
        let mut count = steps.len().min(most);
        while count > 0 {
            let mut tried = best.clone();
            for step in &steps[..count] {
                tried[step.variable] = step.to + 0.0; // never −0
            }
            let mut there = vec![0.0; size];
            let value = objective.gradient(&tried, &mut there)?;
            if value < error {
                (best, gradient, error) = (tried, there, value);
                break;
            }
            count /= 2;
        }
        if count == 0 {
            break;
        }
        most = 2 * count;
    }
    Ok(Rounding {
        informed: moved(&best, &plain),
        x: best,
        error_before,
        error_plain,
        error,
        by: RoundedBy::Diagonal,
    })
}

/// A variable and the allowed value on the other side of where it was.
#[derive(Clone, Copy, Debug)]
struct Step {
    variable: usize,
    to: f64,
    /// How much the quadratic model falls by this step alone.
    fall: f64,
}

/// Returns the steps of single variables that lower the quadratic model of the objective at the
/// point `at`, with its gradient there and the diagonal of the curvature; the largest fall first. A
/// variable stays within a step of its value in `x`, before rounding, so each has at most one other
/// value.
fn steps(grid: &Grid, x: &[f64], at: &[f64], gradient: &[f64], diagonal: &[f64]) -> Vec<Step> {
    let step = |i: usize| {
        let change = grid.downhill(i, gradient[i]);
        let to = at[i] + change;
        let fall = -change * (gradient[i] + 0.5 * change * diagonal[i]);
        // Less than a step from `x`, so that it is one of the two values around it.
        let near = (to - x[i]).abs() < grid.step(i);
        (fall > 0.0 && near && grid.allows(at, i, to)).then_some(Step {
            variable: i,
            to,
            fall,
        })
    };
    let mut steps: Vec<Step> = (0..x.len()).filter_map(step).collect();
    steps.sort_by(|a, b| b.fall.total_cmp(&a.fall)); // stable: the order is fixed
    steps
}
