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
    /// Makes the error of a pass whose data could not be read; `reason` is shown to the user as it
    /// is.
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

    /// Returns the value of the function at `x`. *Cost*: one pass.
    ///
    /// # Errors
    /// If data cannot be read.
    fn value(&self, x: &[f64]) -> PassResult<f64>;

    /// Writes the gradient at `x` and returns the value there. *Cost*: one pass.
    ///
    /// # Errors
    /// If data cannot be read.
    fn gradient(&self, x: &[f64], gradient: &mut [f64]) -> PassResult<f64>;

    /// Writes the curvature matrix at `x`, of the kind asked for: a number for each pair of
    /// variables. *Cost*: one pass, quadratic in the number of coefficients of a row.
    ///
    /// # Errors
    /// If data cannot be read.
    fn curvature(&self, x: &[f64], kind: Curvature, matrix: &mut Symmetric) -> PassResult<()>;

    /// Returns the curvature matrix at `x`, of the kind asked for. *Cost*: one pass, quadratic in
    /// the number of coefficients of a row.
    ///
    /// # Errors
    /// If data cannot be read.
    fn curvature_at(&self, x: &[f64], kind: Curvature) -> PassResult<Symmetric> {
        let mut matrix = Symmetric::zeros(self.len());
        self.curvature(x, kind, &mut matrix)?;
        Ok(matrix)
    }

    /// Returns the curvature matrix at `x` between the variables of a subset alone, numbered in the
    /// order of the subset. *Cost*: at most that of the matrix of all variables, from which it is
    /// taken by default.
    ///
    /// # Errors
    /// If data cannot be read.
    fn curvature_between(&self, x: &[f64], kind: Curvature, of: &Subset) -> PassResult<Symmetric> {
        Ok(self.curvature_at(x, kind)?.select(of.indices()))
    }

    /// Writes a curvature matrix at `x` that is good enough for a step far from the optimum, from a
    /// part of the data where that suffices, scaled as if it were all. Returns `true` if the matrix
    /// is of a part, `false` if it is exact, which it is by default. *Cost*: at most one pass.
    ///
    /// # Errors
    /// If data cannot be read.
    fn rough_curvature(&self, x: &[f64], kind: Curvature, to: &mut Symmetric) -> PassResult<bool> {
        self.curvature(x, kind, to)?;
        Ok(false)
    }

    /// Calls `run` once with the objective on a sample of the data, if a descent on the sample
    /// would save passes over all data; else, and by default, does nothing. *Cost*: a reading and a
    /// copy of the sample.
    ///
    /// # Errors
    /// If data cannot be read.
    fn on_sample(&self, _run: &mut dyn FnMut(&SampledObjective<'_>)) -> PassResult<()> {
        Ok(())
    }

    /// Returns the diagonal of the curvature matrix at `x`, a number for each variable. *Cost*: one
    /// pass.
    ///
    /// # Errors
    /// If data cannot be read.
    fn diagonal(&self, x: &[f64], kind: Curvature) -> PassResult<Vec<f64>>;

    /// Returns the curvature matrix at `x` times `v`, without forming the matrix. *Cost*: one pass.
    ///
    /// # Errors
    /// If data cannot be read.
    fn curvature_product(&self, x: &[f64], kind: Curvature, v: &[f64]) -> PassResult<Vec<f64>>;

    /// Returns the function t ↦ f(`x` + t·`d`). *Cost*: by default a pass for every point asked
    /// for.
    ///
    /// # Errors
    /// If data cannot be read.
    fn line<'a>(&'a self, x: &[f64], d: &[f64]) -> PassResult<Box<dyn Line + 'a>> {
        Ok(Box::new(ByGradient::new(self, x, d)))
    }
}
