//! A convex quadratic within bounds.
//!
//! min gᵀd + ½ dᵀMd with lower ≤ d ≤ upper and M positive definite.
//! *Source*: D. Bertsekas, Projected Newton methods for optimization problems
//! with simple constraints, SIAM J. Control 20, 1982; in the form of Y. Tassa,
//! N. Mansard, E. Todorov, Control-limited differential dynamic programming,
//! ICRA 2014, §III.B.

use super::free_system::FreeSystem;
use crate::Subset;
use crate::linalg::{Cholesky, Failure, Symmetric, add_scaled, difference, dot};

/// Most changes of the set of clamped variables. A handful is usual; the
/// point reached is feasible and better than d = 0 in any case.
const ROUNDS: usize = 100;

/// A step, and whether it touches a bound.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) d: Vec<f64>,
    pub(super) clamped: bool,
}

/// The variables that are free, and the factor of their part of the matrix.
pub(super) type Factored = (Subset, Cholesky);

/// Returns the step d that minimises gᵀd + ½·dᵀMd within `lower` ≤ d ≤ `upper`, with 0 between the
/// bounds; `matrix` is M, `gradient` g. Round by round it solves for the variables that are not
/// clamped at a bound, and searches along the way there, until the set of clamped variables
/// settles.
///
/// `last`: a factor of this very matrix, or of the part between some variables, if there is one;
/// the factor used last is left in it for the next gradient.
///
/// *Cost*: one factorisation, unless `last` has it; where bounds matter, a solution by the factor
/// for each variable that is clamped or let go of, some products with the matrix for each round,
/// and another factorisation where these variables are many.
///
/// # Errors
/// If M, or what is left of it without the clamped variables, has no factor.
pub(super) fn solve(
    matrix: &Symmetric,
    gradient: &[f64],
    lower: &[f64],
    upper: &[f64],
    last: &mut Option<Factored>,
) -> Result<Step, Failure> {
    let size = gradient.len();
    let mut d = vec![0.0; size];
    let mut slope = gradient.to_vec(); // g + M·d
    let mut system: Option<FreeSystem<'_>> = None;
    for _ in 0..ROUNDS {
        // A variable at a bound is clamped if the quadratic falls beyond the bound.
        let is_free = |i: usize| {
            let clamped_low = d[i] <= lower[i] && slope[i] > 0.0;
            let clamped_high = d[i] >= upper[i] && slope[i] < 0.0;
            !clamped_low && !clamped_high
        };
        let free = Subset::of(&(0..size).map(is_free).collect::<Vec<_>>());
        let system = match &mut system {
            Some(system) => system,
            none => none.insert(FreeSystem::new(matrix, &free, last.take())?),
        };
        let right: Vec<f64> = slope.iter().map(|slope| -slope).collect();
        let towards = system.solve(&free, &right)?;
        let Some((next, whole)) =
            search(matrix, &slope, &d, free.indices(), &towards, lower, upper)
        else {
            break; // no decrease is left beyond rounding
        };
        d = next;
        slope = matrix.multiply(&d);
        add_scaled(&mut slope, 1.0, gradient);
        // A whole step solves for the free variables exactly: done, unless the
        // new slope lets go of a clamped one.
        let settled = whole
            && (0..size).all(|i| {
                let wrong_low = d[i] <= lower[i] && slope[i] < 0.0;
                let wrong_high = d[i] >= upper[i] && slope[i] > 0.0;
                free.contains(i) || !(wrong_low || wrong_high)
            });
        if settled {
            break;
        }
    }
    *last = system.and_then(|system| system.factored);
    let clamped = (0..size).any(|i| d[i] <= lower[i] || d[i] >= upper[i]);
    Ok(Step { d, clamped })
}

/// Searches from `d` along the direction `towards`, with each variable clamped to its bounds,
/// halving the length of the way until the quadratic gᵀd + ½·dᵀMd falls enough. `slope`: its
/// gradient g + M·d at `d`. Returns the point, and whether it is the whole way with nothing
/// clamped; `None` where no length lowers the quadratic by more than rounding. *Shapes*: `towards`
/// has the change of each `free` variable, all else a number for each variable.
fn search(
    matrix: &Symmetric,
    slope: &[f64],
    d: &[f64],
    free: &[usize],
    towards: &[f64],
    lower: &[f64],
    upper: &[f64],
) -> Option<(Vec<f64>, bool)> {
    let mut length = 1.0;
    // Shorter than 2⁻⁴⁰ of the step nothing can be told from rounding.
    while length > 1e-12 {
        let mut next = d.to_vec();
        let mut whole = length >= 1.0;
        for (&i, &t) in free.iter().zip(towards) {
            let moved = d[i] + length * t;
            next[i] = moved.max(lower[i]).min(upper[i]);
            whole &= moved >= lower[i] && moved <= upper[i];
        }
        let change = difference(&next, d);
        let linear = dot(slope, &change);
        let decrease = -(linear + 0.5 * dot(&change, &matrix.multiply(&change)));
        // Armijo's condition, with a tenth as in the source: at least that part of the decrease
        // that the slope predicts.
        if linear < 0.0 && decrease >= -0.1 * linear {
            return Some((next, whole));
        }
        length *= 0.5;
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::*;

    /// A positive definite matrix with strong coupling.
    fn matrix(size: usize) -> Symmetric {
        let mut matrix = Symmetric::zeros(size);
        for i in 0..size {
            matrix.add(i, i, 2.0 + i as f64);
            for j in 0..i {
                matrix.add(i, j, 1.2 * ((i * 7 + j * 3) as f64).sin());
            }
        }
        matrix.damped(1.0, &vec![size as f64; size])
    }

    /// Tries every combination of clamped variables: the oracle.
    fn exhaustive(matrix: &Symmetric, g: &[f64], lower: &[f64], upper: &[f64]) -> f64 {
        let size = g.len();
        let mut best = f64::INFINITY;
        for code in 0..3_usize.pow(size as u32) {
            let state = |i: usize| code / 3_usize.pow(i as u32) % 3;
            let mut d: Vec<f64> = (0..size)
                .map(|i| [0.0, lower[i], upper[i]][state(i)])
                .collect();
            let free: Vec<usize> = (0..size).filter(|&i| state(i) == 0).collect();
            let slope = matrix.multiply(&d);
            let right: Vec<f64> = free.iter().map(|&i| -g[i] - slope[i]).collect();
            if !free.is_empty() {
                let x = Cholesky::new(&matrix.select(&free)).unwrap().solve(&right);
                free.iter().zip(x).for_each(|(&i, x)| d[i] = x);
            }
            if (0..size).all(|i| d[i] >= lower[i] && d[i] <= upper[i]) {
                best = best.min(dot(g, &d) + 0.5 * dot(&d, &matrix.multiply(&d)));
            }
        }
        best
    }

    #[test]
    fn finds_the_best_of_all_combinations() {
        let matrix = matrix(6);
        for seed in 0..30 {
            let number = |k: usize| ((seed * 37 + k) as f64 * 1.3).sin();
            let g: Vec<f64> = (0..6).map(|i| 8.0 * number(i)).collect();
            let lower: Vec<f64> = (0..6).map(|i| -0.4 * number(i + 50).abs()).collect();
            let upper: Vec<f64> = (0..6).map(|i| 0.4 * number(i + 90).abs()).collect();
            let d = solve(&matrix, &g, &lower, &upper, &mut None).unwrap().d;
            let value = dot(&g, &d) + 0.5 * dot(&d, &matrix.multiply(&d));
            let best = exhaustive(&matrix, &g, &lower, &upper);
            assert!(
                (value - best).abs() < 1e-12 * best.abs(),
                "{seed}: {value} {best}"
            );
        }
    }

    #[test]
    fn without_bounds_it_is_one_solution() {
        let matrix = matrix(5);
        let x = [1.0, -2.0, 3.0, 0.5, 0.0];
        let g: Vec<f64> = matrix.multiply(&x).iter().map(|v| -v).collect();
        let free = vec![f64::INFINITY; 5];
        let step = solve(
            &matrix,
            &g,
            &free.iter().map(|v| -v).collect::<Vec<_>>(),
            &free,
            &mut None,
        )
        .unwrap();
        assert!(!step.clamped);
        assert!(step.d.iter().zip(x).all(|(d, x)| (d - x).abs() < 1e-13));
    }
}
