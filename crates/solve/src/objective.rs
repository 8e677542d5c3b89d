//! What a solver needs to know of a problem.

use super::{ByGradient, Line};
use crate::linalg::Symmetric;

/// Which curvature: they are equal where residuals are small or the loss is
/// cross-entropy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Curvature {
    /// Without the second derivatives of the residuals: never indefinite.
    GaussNewton,
    /// The second derivative itself, that is the Hessian.
    Newton,
}

/// A function to be minimised: the only thing that solvers see.
///
/// `x` has one value per variable; other slices have the same length. All
/// methods are deterministic to the bit, on any number of threads.
pub trait Objective: Sync {
    /// Returns the number of variables.
    fn len(&self) -> usize;

    /// Tells whether there is no variable.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the value. *Cost*: one pass.
    fn value(&self, x: &[f64]) -> f64;

    /// Writes the gradient and returns the value. *Cost*: one pass.
    fn gradient(&self, x: &[f64], gradient: &mut [f64]) -> f64;

    /// Writes the curvature matrix. *Cost*: one pass, quadratic in the number
    /// of coefficients of a row.
    fn curvature(&self, x: &[f64], kind: Curvature, matrix: &mut Symmetric);

    /// Writes a curvature matrix that is good enough for a step far from the
    /// optimum, from a part of the data where that suffices, scaled as if it were
    /// all. Returns whether it is not exact. *Cost*: at most one pass.
    fn rough_curvature(&self, x: &[f64], kind: Curvature, matrix: &mut Symmetric) -> bool {
        self.curvature(x, kind, matrix);
        false
    }

    /// Writes the diagonal of the curvature matrix. *Cost*: one pass.
    fn diagonal(&self, x: &[f64], kind: Curvature, diagonal: &mut [f64]);

    /// Writes the product of the curvature matrix and a vector without
    /// forming the matrix. *Cost*: one pass.
    fn curvature_product(&self, x: &[f64], kind: Curvature, vector: &[f64], product: &mut [f64]);

    /// Returns the function along the line from `x` in direction `d`. *Cost*:
    /// by default a pass for every point asked for.
    fn line<'a>(&'a self, x: &[f64], d: &[f64]) -> Box<dyn Line + 'a> {
        Box::new(ByGradient::new(self, x, d))
    }
}
