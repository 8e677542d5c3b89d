//! Sums of weights that stay between limits.

use super::WeightId;

/// A sum of weights that stays between two limits: `low ≤ Σ factor·w ≤ high`.
///
/// An order along a table is one for every two neighbours, a shape one for every
/// three; a ratio of two weights is one with a limit of 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// The weights, and what each is multiplied by; none twice.
    pub terms: Vec<(WeightId, f64)>,
    /// Lower limit, −∞ for none.
    pub low: f64,
    /// Upper limit, ∞ for none.
    pub high: f64,
    /// How far rounding to integers may leave the limits: 0 but for shapes, as
    /// integers have no slope of 0.4.
    pub slack: f64,
}
