//! The saved state of a second-order descent.

use serde::{Deserialize, Serialize};

use super::cached_factor::FactorOrigin;
use super::curvature_matrix::FormedAt;
use super::damping::Damping;
use super::history::History;
use super::polish::PolishProgress;

/// A second-order descent between two steps, besides the point. Matrices are not
/// saved, but where they were formed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SecondOrderState {
    pub(super) matrix: FormedAt,
    pub(super) damping: Damping,
    pub(super) history: History,
    /// Scale of the damping of each variable, 0 for those not in play.
    pub(super) scale: Vec<f64>,
    pub(super) factor: Option<FactorOrigin>,
    /// How far the last steps with one factorisation got; `None` before they begin.
    pub(super) polish: Option<PolishProgress>,
}

impl SecondOrderState {
    /// Checks that no damping that was read from a file, and no scale of one, is negative or NaN;
    /// the lengths of vectors are checked by `Checkpoint::check`.
    ///
    /// # Errors
    /// If a damping or a scale is negative or NaN, with a message for users.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        let of_factor = self.factor.map_or([0.0; 2], |of| [of.asked, of.damping]);
        let own = [self.damping.value, self.damping.before];
        let dampings = own.into_iter().chain(of_factor);
        let mut all = dampings.chain(self.scale.iter().copied());
        let good = all.all(|number| number >= 0.0);
        let refused = "a damping, or the scale of one, is no number from 0 up";
        good.then_some(()).ok_or(refused)
    }
}
