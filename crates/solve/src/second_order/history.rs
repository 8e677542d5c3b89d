//! The decreases of the last steps.

use serde::{Deserialize, Serialize};

/// The decrease of the last two steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct History {
    /// The decrease of the value by the last step, and by the one before it.
    pub(super) decrease: f64,
    pub(super) previous_decrease: Option<f64>,
    /// The decrease that was predicted for the last step.
    pub(super) predicted: f64,
    /// The value before the last step.
    pub(super) value_before: f64,
}

impl History {
    /// Begins at the start, whose value is `value`, with no step yet.
    pub(super) fn new(value: f64) -> Self {
        Self {
            value_before: value,
            ..Self::default()
        }
    }

    /// Tells whether there was a step: the decrease predicted for one is above 0, and 0 before the
    /// first.
    pub(super) fn has_steps(&self) -> bool {
        self.predicted > 0.0
    }

    /// Begins a step other than the first: the last one's decrease becomes that of the step before.
    pub(super) fn begin(&mut self) {
        self.previous_decrease = Some(self.decrease);
    }

    /// Records a step that led from the value `before` to `after`, and the decrease that the model
    /// `predicted` for it.
    pub(super) fn record(&mut self, before: f64, after: f64, predicted: f64) {
        self.value_before = before;
        self.predicted = predicted;
        self.decrease = before - after;
    }
}
