//! Derivatives against differences of the twin, over all weights.

use super::engine::{Engine, PositionOf};
use super::link::Link;
use crate::data::PositionNotation;
use crate::trace::{Recorder, Trace};

/// How far each weight is moved, in its own unit. A power of two, so that the
/// products are exact; large, so that a lost unit in a truncating division is
/// small against it.
const STEP: f64 = 64.0;

/// A derivative that the differences do not confirm.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The position in its notation.
    pub position: String,
    /// The weight, as in the layout.
    pub weight: usize,
    /// ∂ score / ∂ weight by the trace.
    pub traced: f64,
    /// The same by central differences.
    pub differenced: f64,
    /// How far apart truncating divisions allow them to be.
    pub tolerance: f64,
}

/// Compares all derivatives of one position, those that are zero as well.
/// Returns how many were compared and those that are wrong.
///
/// *Cost*: two runs of the twin for each weight.
pub fn differences<E: Engine>(
    engine: &E,
    link: &Link,
    position: &PositionOf<E>,
) -> (u64, Vec<Difference>) {
    let mut trace = Trace::default();
    Recorder::new().record(|| engine.trace(position), &mut trace);
    let mut derivatives = vec![0.0; link.values().len()];
    for form in &trace.forms {
        for &(leaf, coefficient) in &form.terms {
            derivatives[leaf as usize] += form.factor * coefficient as f64;
        }
    }
    // Each of both scores is off by at most the slack.
    let tolerance = trace.slack / STEP + 1e-6 * (1.0 + trace.score.abs()) / STEP;
    let mut values = link.values().to_vec();
    let mut wrong = Vec::new();
    for leaf in 0..values.len() {
        let value = values[leaf];
        let mut score_at = |moved: f64| {
            values[leaf] = moved;
            Recorder::evaluate_at(&values, || engine.trace(position))
        };
        let differenced = (score_at(value + STEP) - score_at(value - STEP)) / (2.0 * STEP);
        values[leaf] = value;
        let traced = derivatives[leaf];
        if (traced - differenced).abs() > tolerance {
            let (weight, position) = (link.weights()[leaf], engine.notation().describe(position));
            wrong.push(Difference {
                position,
                weight,
                traced,
                differenced,
                tolerance,
            });
        }
    }
    (values.len() as u64, wrong)
}
