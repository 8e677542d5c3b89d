//! What was chosen beyond loss and K, for summary and provenance.

use serde_json::{Value, json};

use super::targets::Chosen;
use super::{scale, strength};
use tuner_fit::{Fit, Strength};

/// Targets, weights, and how the prior's strength was found.
pub(super) struct Choices<'a> {
    pub(super) targets: &'a Chosen,
    pub(super) strength: Option<&'a Strength>,
}

impl Choices<'_> {
    /// Adds the fields to a summary. `name` names a weight.
    pub(super) fn add_to(&self, summary: &mut Value, fit: &Fit, name: &dyn Fn(usize) -> String) {
        for (field, value) in self.targets.json() {
            summary[field] = value;
        }
        summary["against_results"] = json!(fit.against_results.map(|errors| {
            json!({
                "error": errors.error,
                "held_out_error": errors.held_out_error,
                "held_out_error_at_start": errors.held_out_start,
            })
        }));
        summary["anchor"] = json!(fit.anchored.map(|anchored| {
            json!({
                "weight": name(anchored.weight),
                "value": anchored.value,
                "factor": anchored.factor,
                "k_before": anchored.k_before,
            })
        }));
        summary["prior_choice"] = json!(self.strength.map(strength::json));
    }

    /// Lines for the header of the generated file.
    pub(super) fn words(&self, fit: &Fit, name: &dyn Fn(usize) -> String) -> Vec<String> {
        let mut words = self.targets.words();
        if fit.links > 0 {
            let pairs = fit.links;
            words.push(format!("prior: {pairs} pairs of neighbours believed alike"));
        }
        if let Some(strength) = self.strength {
            let best = strength.best();
            words.push(format!(
                "prior: all deviations times {}, chosen by games held out of those fitted",
                best.factor
            ));
        }
        if let Some(anchored) = &fit.anchored {
            words.push(scale::anchored(anchored, &name(anchored.weight), fit.k));
        }
        if let Some(errors) = fit.against_results {
            words.push(format!(
                "training error against results: {:.10}",
                errors.error
            ));
            if let Some(error) = errors.held_out_error {
                words.push(format!("held-out error against results: {error:.10}"));
            }
        }
        words
    }
}
