//! Conjugate gradients on the quadratic model, without its matrix, truncated where
//! there is no curvature.
//!
//! *Source*: T. Steihaug, The conjugate gradient method and trust regions in large
//! scale optimization, SIAM J. Numer. Anal. 20, 1983; in the form of J. Nocedal, S. Wright, Numerical Optimization, 2nd ed., 2006,
//! algorithm 7.1 (line search Newton-CG), with the diagonal as preconditioner
//! (algorithm 5.3).

use crate::PassError;
use crate::linalg::dot;

/// Curvature along a direction below this part of what the preconditioner
/// says is none: the direction is not determined, or its curvature is negative. Far above
/// the rounding of a sum over a million rows (1e-13).
const NO_CURVATURE: f64 = 1e-10;

/// Writes M·v.
type Product<'a> = dyn FnMut(&[f64], &mut [f64]) -> Result<(), PassError> + 'a;

/// A step, and how it ended.
#[derive(Clone, Debug)]
pub(super) struct Inner {
    pub(super) d: Vec<f64>,
    /// What the quadratic model says the value falls by.
    pub(super) predicted: f64,
    /// Whether a direction without or with negative curvature was met.
    pub(super) flat: bool,
}

/// Minimises g·d + ½·d·M·d over the variables with a positive `inverse`, until
/// the residual is below `tolerance` of the gradient, both measured by the
/// preconditioner.
///
/// `inverse` is the inverse of the preconditioner's diagonal, 0 for variables
/// that do not move. Where a direction has no curvature
/// the step so far is the answer, or the preconditioned gradient if there is
/// none yet.
///
/// *Cost*: one product a round, at most `rounds` of them.
pub(super) fn solve(
    gradient: &[f64],
    inverse: &[f64],
    tolerance: f64,
    rounds: usize,
    product: &mut Product<'_>,
) -> Result<Inner, PassError> {
    let size = gradient.len();
    let mut d = vec![0.0; size];
    let mut residual: Vec<f64> = gradient
        .iter()
        .zip(inverse)
        .map(|(&g, &m)| if m > 0.0 { g } else { 0.0 })
        .collect();
    let scaled = |r: &[f64]| -> Vec<f64> { r.iter().zip(inverse).map(|(r, m)| m * r).collect() };
    let mut z = scaled(&residual);
    let mut towards: Vec<f64> = z.iter().map(|z| -z).collect();
    let mut norm = dot(&residual, &z);
    let small = tolerance * tolerance * norm;
    let mut predicted = 0.0;
    let mut turned = vec![0.0; size];
    for round in 0..rounds {
        if norm <= small {
            break;
        }
        product(&towards, &mut turned)?;
        let curvature = dot(&towards, &turned);
        let expected = towards.iter().zip(inverse).filter(|(_, m)| **m > 0.0);
        let expected: f64 = expected.map(|(p, m)| p * p / m).sum();
        let has_curvature = curvature > NO_CURVATURE * expected;
        if !has_curvature {
            // NaN as well.
            if round == 0 {
                d = towards;
                predicted = 0.5 * norm;
            }
            return Ok(Inner {
                d,
                predicted,
                flat: true,
            });
        }
        let length = norm / curvature;
        predicted += 0.5 * length * norm;
        for i in 0..size {
            d[i] += length * towards[i];
            if inverse[i] > 0.0 {
                residual[i] += length * turned[i];
            }
        }
        z = scaled(&residual);
        let next = dot(&residual, &z);
        let turn = next / norm;
        norm = next;
        for (p, z) in towards.iter_mut().zip(&z) {
            *p = turn * *p - z;
        }
    }
    Ok(Inner {
        d,
        predicted,
        flat: false,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::*;
    use crate::linalg::{Cholesky, Symmetric};

    fn matrix(size: usize) -> Symmetric {
        let mut matrix = Symmetric::zeros(size);
        for i in 0..size {
            matrix.add(i, i, 3.0 + 10.0 * i as f64);
            for j in 0..i {
                matrix.add(i, j, ((i * 5 + j * 3) as f64).sin());
            }
        }
        matrix
    }

    fn run(matrix: &Symmetric, g: &[f64], inverse: &[f64], tolerance: f64) -> (Inner, usize) {
        let mut products = 0;
        let inner = solve(g, inverse, tolerance, 1000, &mut |v, product| {
            products += 1;
            product.copy_from_slice(&matrix.multiply(v));
            Ok(())
        });
        (inner.unwrap(), products)
    }

    #[test]
    fn is_the_solution_and_predicts_the_decrease() {
        let matrix = matrix(12);
        let g: Vec<f64> = (0..12).map(|i| (f64::from(i) * 1.7).cos()).collect();
        let inverse: Vec<f64> = matrix.diagonal().iter().map(|d| 1.0 / d).collect();
        let (inner, products) = run(&matrix, &g, &inverse, 1e-12);
        let exact = Cholesky::new(&matrix).unwrap().solve(&g);
        assert!(
            inner
                .d
                .iter()
                .zip(&exact)
                .all(|(d, e)| (d + e).abs() < 1e-11)
        );
        assert!(!inner.flat && products <= 14);
        let model = dot(&g, &inner.d) + 0.5 * dot(&inner.d, &matrix.multiply(&inner.d));
        assert!((inner.predicted + model).abs() < 1e-12);
        let (rough, fewer) = run(&matrix, &g, &inverse, 0.5);
        assert!(fewer < products && rough.predicted > 0.5 * inner.predicted);
    }

    #[test]
    fn variables_without_a_scale_do_not_move() {
        let matrix = matrix(4);
        let g = [1.0, -2.0, 3.0, -4.0];
        let (inner, _) = run(&matrix, &g, &[0.3, 0.0, 0.1, 0.0], 1e-12);
        let free = Cholesky::new(&matrix.select(&[0, 2]))
            .unwrap()
            .solve(&[1.0, 3.0]);
        assert!((inner.d[0] + free[0]).abs() < 1e-12 && (inner.d[2] + free[1]).abs() < 1e-12);
        assert!(inner.d[1].abs() + inner.d[3].abs() < f64::MIN_POSITIVE);
    }

    #[test]
    fn negative_curvature_ends_with_a_direction_downhill() {
        let mut matrix = matrix(4);
        matrix.add(3, 3, -200.0);
        let g = [1.0, -2.0, 3.0, -4.0];
        let (inner, _) = run(&matrix, &g, &[0.3, 0.1, 0.05, 0.03], 1e-12);
        assert!(inner.flat && dot(&g, &inner.d) < 0.0 && inner.predicted > 0.0);
        // Where there is nothing but negative curvature, it is the gradient's.
        let mut down = Symmetric::zeros(4);
        (0..4).for_each(|i| down.add(i, i, -1.0));
        let (inner, products) = run(&down, &g, &[1.0; 4], 1e-12);
        assert_eq!((inner.d, products), (vec![-1.0, 2.0, -3.0, 4.0], 1));
    }
}
