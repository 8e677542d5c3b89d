//! How much is added to the diagonal of the curvature (Levenberg-Marquardt).

use serde::{Deserialize, Serialize};

/// The damping after the first step that failed without any.
const FIRST: f64 = 1e-3;

/// Damping below this is none: it would only slow the end down.
const NONE: f64 = 1e-7;

/// A gain ratio above this lowers the damping, below the other one raises it.
/// *Source*: K. Madsen, H. Nielsen, O. Tingleff, Methods for non-linear least
/// squares problems, 2nd ed., 2004, §2.4, equation 2.20.
const GOOD: f64 = 0.75;
const POOR: f64 = 0.25;

/// By how much a rejected step raises the damping; doubled at every further one.
const GROWTH: f64 = 4.0;

/// The damping, in parts of the diagonal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Damping {
    /// The damping of the next step.
    pub(super) value: f64,
    /// The damping that the last step began with.
    pub(super) before: f64,
    /// The damping that the next trial of a step asks for.
    pub(super) asked: f64,
    /// What a further rejection multiplies the damping by.
    growth: f64,
}

impl Damping {
    /// Begins a step, whose first trial has the damping that the last one left.
    pub(super) fn begin(&mut self) {
        self.before = self.value;
        self.asked = self.value;
        self.growth = GROWTH;
    }

    /// Tells whether a trial of this step was rejected, which makes `growth` larger than it began.
    pub(super) fn has_rejected(&self) -> bool {
        self.growth > GROWTH
    }

    /// Tells whether the last step raised the damping: the next one begins with more than it did.
    pub(super) fn has_risen(&self) -> bool {
        self.value > self.before
    }

    /// Sets the damping of the next step after one that took `damping` and brought `gain` times the
    /// decrease that was predicted: a tenth after a good prediction, twice as much and at least
    /// [`FIRST`] after a poor one, and 0 where it would be below [`NONE`].
    pub(super) fn accept(&mut self, damping: f64, gain: f64) {
        let next = match gain {
            gain if gain > GOOD => damping * 0.1,
            gain if gain < POOR => (damping * 2.0).max(FIRST),
            _ => damping,
        };
        self.value = if next < NONE { 0.0 } else { next };
    }

    /// Raises the damping that the next trial of this step asks for, after one that took `damping`
    /// and did not lower the value.
    pub(super) fn reject(&mut self, damping: f64) {
        self.asked = (damping * self.growth).max(FIRST);
        self.growth *= 2.0;
    }
}
