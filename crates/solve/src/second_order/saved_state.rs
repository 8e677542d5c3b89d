//! What is saved of a second-order descent.

use serde::{Deserialize, Serialize};

use super::cached_factor::FactorOrigin;
use super::curvature_matrix::CurvatureMatrix;
use super::damped_system::DampedSystem;
use super::damping::Damping;
use super::history::History;
use super::polish::{Polish, PolishProgress};
use crate::Curvature;
use crate::checkpoint::finite;

/// A second-order descent between two steps, besides the point. Matrices are not
/// saved, but where they were formed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SecondOrderState {
    /// See [`CurvatureMatrix`].
    pub(super) start: Vec<f64>,
    pub(super) formed_at: Vec<f64>,
    pub(super) kind: Curvature,
    pub(super) rough: bool,
    /// See [`Damping`].
    damping: f64,
    damping_before: f64,
    #[serde(flatten)]
    pub(super) history: History,
    /// Scale of the damping of each variable, 0 for those not in play.
    pub(super) scale: Vec<f64>,
    pub(super) factor: Option<FactorOrigin>,
    /// How far the polish got, once it has begun.
    pub(super) polish: Option<PolishProgress>,
}

impl SecondOrderState {
    pub(super) fn new(
        matrix: &CurvatureMatrix,
        system: &DampedSystem,
        damping: &Damping,
        history: &History,
        polish: Option<&Polish>,
    ) -> Self {
        Self {
            start: matrix.start.clone(),
            formed_at: matrix.formed_at.clone(),
            kind: matrix.kind,
            rough: matrix.rough,
            damping: damping.value,
            damping_before: damping.before,
            history: history.clone(),
            scale: system.scale(matrix.start.len()),
            factor: system.factor(),
            polish: polish.map(|polish| polish.progress),
        }
    }

    /// Returns the damping that was saved.
    pub(super) fn damping(&self) -> Damping {
        Damping::restored(self.damping, self.damping_before)
    }

    /// Checks it against a number of variables.
    ///
    /// # Errors
    /// If it cannot be one of as many, with what is wrong.
    pub(crate) fn check(&self, variables: usize) -> Result<(), &'static str> {
        let vectors = [&self.start, &self.formed_at, &self.scale];
        if vectors.iter().any(|v| v.len() != variables || !finite(v)) {
            return Err("a vector is not one number a variable");
        }
        let numbers = [
            self.damping,
            self.damping_before,
            self.history.value_before,
            self.history.predicted,
        ];
        let factor = self.factor.map_or(0.0, FactorOrigin::least);
        if !finite(&numbers) || numbers[0].min(numbers[1]).min(factor) < 0.0 {
            return Err("a damping is no number from 0 up");
        }
        Ok(())
    }
}
