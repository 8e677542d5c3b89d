//! Weights that follow others.

use crate::WeightId;

/// One weight that follows another: `w[weight] = factor·w[root] + difference`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tie {
    /// The weight that follows.
    pub weight: WeightId,
    /// The weight that it follows; never itself tied.
    pub root: WeightId,
    /// 1 for equal weights, −1 for a mirrored sign; not 0.
    pub factor: f64,
    /// The number that is added, in the unit of the weights.
    pub difference: f64,
}
