//! The function that solvers minimise: E and the prior.

use super::line::WithPrior;
use super::{Curvature, Line, Objective, PassResult, Prior, Subset};
use crate::linalg::Symmetric;

/// The function F = E + prior, which solvers minimise.
#[derive(Clone, Copy, Debug)]
pub struct Penalised<'a> {
    /// The error E on the data.
    pub objective: &'a dyn Objective,
    /// The prior that is added, if there is one.
    pub prior: Option<&'a Prior>,
}

impl Objective for Penalised<'_> {
    fn len(&self) -> usize {
        self.objective.len()
    }

    fn value(&self, x: &[f64]) -> PassResult<f64> {
        let error = self.objective.value(x)?;
        Ok(self.prior.map_or(error, |prior| error + prior.value(x)))
    }

    fn gradient(&self, x: &[f64], gradient: &mut [f64]) -> PassResult<f64> {
        let error = self.objective.gradient(x, gradient)?;
        let penalised = |prior: &Prior| error + prior.add_gradient(x, gradient);
        Ok(self.prior.map_or(error, penalised))
    }

    fn curvature(&self, x: &[f64], kind: Curvature, matrix: &mut Symmetric) -> PassResult<()> {
        self.objective.curvature(x, kind, matrix)?;
        if let Some(prior) = self.prior {
            let all: Vec<usize> = (0..matrix.size()).collect();
            prior.add_curvature(&all, matrix);
        }
        Ok(())
    }

    fn curvature_between(&self, x: &[f64], kind: Curvature, of: &Subset) -> PassResult<Symmetric> {
        let mut matrix = self.objective.curvature_between(x, kind, of)?;
        if let Some(prior) = self.prior {
            prior.add_curvature(of.indices(), &mut matrix);
        }
        Ok(matrix)
    }

    fn diagonal(&self, x: &[f64], kind: Curvature) -> PassResult<Vec<f64>> {
        let mut diagonal = self.objective.diagonal(x, kind)?;
        if let Some(prior) = self.prior {
            prior.add_diagonal(&mut diagonal);
        }
        Ok(diagonal)
    }

    fn curvature_product(&self, x: &[f64], kind: Curvature, v: &[f64]) -> PassResult<Vec<f64>> {
        let mut product = self.objective.curvature_product(x, kind, v)?;
        if let Some(prior) = self.prior {
            prior.add_product(v, &mut product);
        }
        Ok(product)
    }

    fn line<'a>(&'a self, x: &[f64], d: &[f64]) -> PassResult<Box<dyn Line + 'a>> {
        let line = self.objective.line(x, d)?;
        Ok(match self.prior {
            Some(prior) => Box::new(WithPrior::new(line, prior, x, d)),
            None => line,
        })
    }
}
