//! Conjugate gradients on the quadratic model, without its matrix, truncated where
//! there is no curvature.
//!
//! *Source*: T. Steihaug, The conjugate gradient method and trust regions in large
//! scale optimization, SIAM J. Numer. Anal. 20, 1983; in the form of J. Nocedal,
//! S. Wright, Numerical Optimization, 2nd ed., 2006, algorithm 7.1 (line search
//! Newton-CG), preconditioned (algorithm 5.3).

use crate::linalg::{add_scaled, dot};
use crate::{PassResult, Preconditioner};

/// Curvature along a direction that is below this part of what the diagonal
/// says counts as none: the direction is not determined, or its curvature is negative. Far above
/// the rounding of a sum over a million rows (1e-13).
const NO_CURVATURE: f64 = 1e-10;

/// Returns the product M·v of a vector v.
type Product<'a> = dyn FnMut(&[f64]) -> PassResult<Vec<f64>> + 'a;

/// Minimises g·d + ½·d·M·d over the variables that the preconditioner moves.
#[derive(Clone, Debug)]
pub(super) struct Model<'a> {
    gradient: &'a [f64],
    /// The step so far.
    pub(super) d: Vec<f64>,
    /// The decrease of the value that the quadratic model predicts.
    pub(super) predicted: f64,
    /// Whether a direction without or with negative curvature was met.
    pub(super) flat: bool,
    /// g + M·d.
    residual: Vec<f64>,
}

impl<'a> Model<'a> {
    /// Makes the quadratic model g·d + ½·d·M·d of a gradient g, at the step d = 0; products with
    /// the curvature M are asked for later.
    pub(super) fn new(gradient: &'a [f64]) -> Self {
        Self {
            gradient,
            d: vec![0.0; gradient.len()],
            predicted: 0.0,
            flat: false,
            residual: gradient.to_vec(),
        }
    }

    /// Changes the step d of the model g·d + ½·d·M·d by `change`, and with it the residual g + M·d
    /// and the predicted decrease; `turned` is M·`change`.
    pub(super) fn shift(&mut self, change: &[f64], turned: &[f64]) {
        add_scaled(&mut self.d, 1.0, change);
        add_scaled(&mut self.residual, 1.0, turned);
        let slope = dot(self.gradient, &self.d);
        self.predicted = -0.5 * (slope + dot(&self.residual, &self.d));
    }

    /// Minimises the model g·d + ½·d·M·d by conjugate gradients, from the step d so far, until
    /// √(rᵀP·r) is at most `tolerance` times √(gᵀP·g), with r = g + M·d the residual and P the
    /// preconditioner. Returns `true` if it is, or a direction without curvature was met; `false`
    /// if the `rounds` were too few, and more may be asked for. `product` multiplies by M.
    ///
    /// Where a direction has no curvature the step so far is the answer, or the preconditioned
    /// gradient if there is none yet.
    ///
    /// *Cost*: one product a round, at most `rounds` of them.
    pub(super) fn minimise(
        &mut self,
        preconditioner: &Preconditioner,
        tolerance: f64,
        rounds: usize,
        product: &mut Product<'_>,
    ) -> PassResult<bool> {
        if self.flat {
            return Ok(true);
        }
        let inverse = &preconditioner.inverse;
        let of_gradient = dot(self.gradient, &preconditioner.apply(self.gradient));
        let small = tolerance * tolerance * of_gradient;
        let mut z = preconditioner.apply(&self.residual);
        let mut towards: Vec<f64> = z.iter().map(|z| -z).collect();
        let mut norm = dot(&self.residual, &z);
        for _ in 0..rounds {
            if norm <= small {
                return Ok(true);
            }
            let turned = product(&towards)?;
            let curvature = dot(&towards, &turned);
            // What the curvature would be if the matrix were its diagonal.
            let expected = towards.iter().zip(inverse).filter(|(_, m)| **m > 0.0);
            let expected: f64 = expected.map(|(p, m)| p * p / m).sum();
            let has_curvature = curvature > NO_CURVATURE * expected;
            // Also where the curvature is NaN.
            if !has_curvature {
                // Without a step so far nothing is predicted.
                if self.predicted <= 0.0 {
                    self.d = towards;
                    self.predicted = 0.5 * norm;
                }
                self.flat = true;
                return Ok(true);
            }
            let length = norm / curvature;
            self.predicted += 0.5 * length * norm;
            add_scaled(&mut self.d, length, &towards);
            add_scaled(&mut self.residual, length, &turned);
            // The next direction: the preconditioned residual, conjugate to the directions before.
            z = preconditioner.apply(&self.residual);
            let next = dot(&self.residual, &z);
            let turn = next / norm;
            norm = next;
            for (p, z) in towards.iter_mut().zip(&z) {
                *p = turn * *p - z;
            }
        }
        Ok(norm <= small)
    }
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

    fn run<'a>(
        matrix: &Symmetric,
        g: &'a [f64],
        inverse: &[f64],
        tolerance: f64,
    ) -> (Model<'a>, usize) {
        let mut products = 0;
        let mut model = Model::new(g);
        let preconditioner = Preconditioner::of_diagonal(inverse.to_vec());
        let is_done = model.minimise(&preconditioner, tolerance, 1000, &mut |v| {
            products += 1;
            Ok(matrix.multiply(v))
        });
        assert!(is_done.unwrap());
        (model, products)
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
    fn another_preconditioner_takes_the_step_on() {
        let matrix = matrix(12);
        let g: Vec<f64> = (0..12).map(|i| (f64::from(i) * 1.7).cos()).collect();
        let inverse: Vec<f64> = matrix.diagonal().iter().map(|d| 1.0 / d).collect();
        let of_diagonal = Preconditioner::of_diagonal(inverse);
        let product = &mut |v: &[f64]| Ok(matrix.multiply(v));
        let mut model = Model::new(&g);
        assert!(!model.minimise(&of_diagonal, 1e-9, 3, product).unwrap());
        let before = model.predicted;
        let all = crate::Subset::of(&[true; 12]);
        let exact = of_diagonal.with_block(&all, &matrix);
        // All but a millionth of the diagonal, so a few steps instead of many.
        assert!(model.minimise(&exact, 1e-9, 3, product).unwrap());
        assert!(before < model.predicted && !model.flat);
        let exact = Cholesky::new(&matrix).unwrap().solve(&g);
        let pairs = model.d.iter().zip(&exact);
        assert!(pairs.into_iter().all(|(d, e)| (d + e).abs() < 1e-9));
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
