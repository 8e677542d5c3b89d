//! What is believed of the weights before the data speak.

use std::fmt;

use super::{Curvature, Loss, Objective};
use crate::linalg::Symmetric;

/// Weights are believed near given values, all by the same standard deviation.
///
/// The objective becomes F(x) = E(x) + ½·λ·|x − toward|². Of a weight that
/// thousands of games speak of, it changes nothing that matters; one that a
/// few games speak of stays where the author put it, instead of explaining
/// these few games by a number that loses the next one.
#[derive(Clone, Debug, PartialEq)]
pub struct Prior {
    toward: Vec<f64>,
    strength: f64,
}

impl Prior {
    /// Makes the prior of variables that are believed within `deviation` of
    /// `toward`, for an error that is the mean of `loss` over `games`
    /// independent games and has the value `error` at `toward`.
    ///
    /// λ is such that minimising F maximises the posterior: the loss's
    /// [`likelihood_scale`](Loss::likelihood_scale) over n·τ². n counts games,
    /// not positions: those of a game share its result.
    ///
    /// *Units*: `deviation` in those of the weights, `error` in those of E.
    pub fn new(toward: Vec<f64>, deviation: f64, loss: Loss, error: f64, games: usize) -> Self {
        let scale = loss.likelihood_scale(error);
        let strength = scale / (games.max(1) as f64 * deviation * deviation);
        Self { toward, strength }
    }

    /// Returns the values that the variables are believed near.
    pub fn toward(&self) -> &[f64] {
        &self.toward
    }

    /// Returns λ, in units of E per squared unit of a weight.
    pub fn strength(&self) -> f64 {
        self.strength
    }

    /// Returns ½·λ·|x − toward|².
    pub fn value(&self, x: &[f64]) -> f64 {
        let squares = x.iter().zip(&self.toward).map(|(x, m)| (x - m) * (x - m));
        0.5 * self.strength * squares.sum::<f64>()
    }

    /// Adds the gradient and returns the value.
    fn add_gradient(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        for ((g, x), m) in gradient.iter_mut().zip(x).zip(&self.toward) {
            *g += self.strength * (x - m);
        }
        self.value(x)
    }

    /// Adds the curvature.
    pub fn add_curvature(&self, matrix: &mut Symmetric) {
        for i in 0..matrix.size() {
            matrix.add(i, i, self.strength);
        }
    }
}

/// F = E + prior.
#[derive(Clone, Copy)]
pub struct Penalised<'a> {
    /// E.
    pub objective: &'a dyn Objective,
    /// What is added.
    pub prior: Option<&'a Prior>,
}

impl fmt::Debug for Penalised<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Penalised")
            .field("prior", &self.prior)
            .finish_non_exhaustive()
    }
}

impl Objective for Penalised<'_> {
    fn len(&self) -> usize {
        self.objective.len()
    }

    fn value(&self, x: &[f64]) -> f64 {
        let error = self.objective.value(x);
        self.prior.map_or(error, |prior| error + prior.value(x))
    }

    fn gradient(&self, x: &[f64], gradient: &mut [f64]) -> f64 {
        let error = self.objective.gradient(x, gradient);
        self.prior
            .map_or(error, |prior| error + prior.add_gradient(x, gradient))
    }

    fn curvature(&self, x: &[f64], kind: Curvature, matrix: &mut Symmetric) {
        self.objective.curvature(x, kind, matrix);
        if let Some(prior) = self.prior {
            prior.add_curvature(matrix);
        }
    }

    fn diagonal(&self, x: &[f64], kind: Curvature, diagonal: &mut [f64]) {
        self.objective.diagonal(x, kind, diagonal);
        let strength = self.prior.map_or(0.0, Prior::strength);
        for value in diagonal {
            *value += strength;
        }
    }

    fn curvature_product(&self, x: &[f64], kind: Curvature, vector: &[f64], product: &mut [f64]) {
        self.objective.curvature_product(x, kind, vector, product);
        let strength = self.prior.map_or(0.0, Prior::strength);
        for (p, v) in product.iter_mut().zip(vector) {
            *p += strength * v;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gradient_is_that_of_the_value() {
        let prior = Prior::new(vec![1.0, -2.0], 20.0, Loss::Squared, 0.1, 50);
        let mut gradient = vec![0.0; 2];
        let x = [4.0, 7.0];
        let value = prior.add_gradient(&x, &mut gradient);
        // 2·0.1/(50·400)/2·(9 + 81)
        assert!((value - 1e-5 * 45.0).abs() < 1e-15);
        for i in 0..2 {
            let at = |h: f64| {
                let mut moved = x;
                moved[i] += h;
                prior.value(&moved)
            };
            let slope = (at(1e-3) - at(-1e-3)) / 2e-3;
            assert!((slope - gradient[i]).abs() < 1e-12);
        }
    }
}
