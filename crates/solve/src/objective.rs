//! The interface between a solver and its problem.

use serde::{Deserialize, Serialize};

use super::{ByGradient, Line, Subset};
use crate::linalg::Symmetric;

/// A kind of curvature. Both are equal where residuals are small or the loss is
/// cross-entropy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Curvature {
    /// Without the second derivatives of the residuals: never indefinite.
    GaussNewton,
    /// The second derivative itself, that is the Hessian.
    Newton,
}

/// The data of a pass could not be read, so what it adds up does not exist.
///
/// Not for sums that overflow: those are infinite or NaN, and a solver tries a
/// shorter step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{reason}")]
pub struct PassError {
    reason: String,
}

/// What a pass over the rows gives, or why they could not be read.
pub type PassResult<T> = Result<T, PassError>;

impl PassError {
    /// Makes the error; `reason` is shown to the user as it is.
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
        }
    }
}

/// An objective computed from a sample of the data.
#[derive(Clone, Copy, Debug)]
pub struct SampledObjective<'a> {
    /// The function on the sample.
    pub objective: &'a dyn Objective,
    /// For each variable, whether the sample has enough data of it to move it.
    pub enough: &'a [bool],
    /// The sample's part of all rows.
    pub part: f64,
}

tuner_base::impl_fmt! { Debug for dyn Objective + '_ }

/// A function to be minimised: the only thing that solvers see.
///
/// `x` has one value per variable; other slices have the same length. All
/// methods are deterministic to the bit, on any number of threads.
///
/// What a pass that fails was to write is unspecified.
pub trait Objective: Sync {
    /// Returns the number of variables.
    fn len(&self) -> usize;

    /// Tells whether there is no variable.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the value. *Cost*: one pass.
    ///
    /// # Errors
    /// If data cannot be read.
    fn value(&self, x: &[f64]) -> PassResult<f64>;

    /// Writes the gradient and returns the value. *Cost*: one pass.
    ///
    /// # Errors
    /// If data cannot be read.
    fn gradient(&self, x: &[f64], gradient: &mut [f64]) -> PassResult<f64>;

    /// Writes the curvature matrix. *Cost*: one pass, quadratic in the number
    /// of coefficients of a row.
    ///
    /// # Errors
    /// If data cannot be read.
    fn curvature(&self, x: &[f64], kind: Curvature, matrix: &mut Symmetric) -> PassResult<()>;

    /// Returns the curvature matrix. *Cost*: that of [`curvature`](Self::curvature).
    ///
    /// # Errors
    /// If data cannot be read.
    fn curvature_at(&self, x: &[f64], kind: Curvature) -> PassResult<Symmetric> {
        let mut matrix = Symmetric::zeros(self.len());
        self.curvature(x, kind, &mut matrix)?;
        Ok(matrix)
    }

    /// Writes the curvature matrix between the variables of a subset, numbered in its order;
    /// `matrix` may have any size before. *Cost*: at most that of all.
    ///
    /// # Errors
    /// If data cannot be read.
    fn curvature_between(
        &self,
        x: &[f64],
        kind: Curvature,
        subset: &Subset,
        matrix: &mut Symmetric,
    ) -> PassResult<()> {
        *matrix = self.curvature_at(x, kind)?.select(subset.indices());
        Ok(())
    }

    /// Writes a curvature matrix that is good enough for a step far from the optimum, from a part
    /// of the data where that suffices, scaled as if it were all. Returns `true` if it is of a
    /// part, `false` if it is exact. *Cost*: at most one pass.
    ///
    /// # Errors
    /// If data cannot be read.
    fn rough_curvature(
        &self,
        x: &[f64],
        kind: Curvature,
        matrix: &mut Symmetric,
    ) -> PassResult<bool> {
        self.curvature(x, kind, matrix)?;
        Ok(false)
    }

    /// Calls `run` with a sample of the data where a descent on it saves passes over all;
    /// else does nothing. *Cost*: a reading and a copy of the sample.
    ///
    /// # Errors
    /// If data cannot be read.
    fn on_sample(&self, _run: &mut dyn FnMut(&SampledObjective<'_>)) -> PassResult<()> {
        Ok(())
    }

    /// Writes the diagonal of the curvature matrix. *Cost*: one pass.
    ///
    /// # Errors
    /// If data cannot be read.
    fn diagonal(&self, x: &[f64], kind: Curvature, diagonal: &mut [f64]) -> PassResult<()>;

    /// Returns the diagonal of the curvature matrix. *Cost*: one pass.
    ///
    /// # Errors
    /// If data cannot be read.
    fn diagonal_at(&self, x: &[f64], kind: Curvature) -> PassResult<Vec<f64>> {
        let mut diagonal = vec![0.0; self.len()];
        self.diagonal(x, kind, &mut diagonal)?;
        Ok(diagonal)
    }

    /// Writes the product of the curvature matrix and a vector without
    /// forming the matrix. *Cost*: one pass.
    ///
    /// # Errors
    /// If data cannot be read.
    fn curvature_product(
        &self,
        x: &[f64],
        kind: Curvature,
        vector: &[f64],
        product: &mut [f64],
    ) -> PassResult<()>;

    /// Returns the function t ↦ f(`x` + t·`d`). *Cost*: by default a pass for every point asked
    /// for.
    ///
    /// # Errors
    /// If data cannot be read.
    fn line<'a>(&'a self, x: &[f64], d: &[f64]) -> PassResult<Box<dyn Line + 'a>> {
        Ok(Box::new(ByGradient::new(self, x, d)))
    }
}
