//! The saved state of a second-order descent.

use serde::{Deserialize, Serialize};

use super::cached_factor::FactorOrigin;
use super::curvature_matrix::CurvatureMatrix;
use super::damped_system::DampedSystem;
use super::damping::Damping;
use super::history::History;
use super::polish::{Polish, PolishProgress};
use crate::Curvature;

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

    /// Checks its dampings.
    ///
    /// # Errors
    /// If one cannot be, with what is wrong.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        let of_factor = self.factor.map_or([0.0; 2], |of| [of.asked, of.damping]);
        let mut dampings = [self.damping, self.damping_before]
            .into_iter()
            .chain(of_factor);
        if dampings.all(|damping| damping >= 0.0) {
            Ok(())
        } else {
            Err("a damping is no number from 0 up")
        }
    }
}
