//! Weights by what was typed.

use std::path::Path;

use serde_json::{Value, json};

use super::super::Failure;
use tuner_base::Fingerprint;
use tuner_engine::LinkedSpec;
use tuner_engine::examine::WeightSet;
use tuner_fit::run::NamedWeights;

/// Weights of an engine with their name.
pub(crate) struct NamedSet {
    /// How it was named.
    pub(super) name: String,
    /// In the order of the spec.
    pub(crate) weights: Vec<f64>,
}

impl NamedSet {
    /// Weights in the order of the spec.
    pub(crate) fn of(name: &str, weights: Vec<f64>) -> Self {
        Self {
            name: name.to_owned(),
            weights,
        }
    }

    /// Reads `spec`, `source`, `zero` or a file.
    pub(crate) fn read(typed: &str, linked: &LinkedSpec) -> Result<Self, Failure> {
        let layout = linked.spec.layout();
        let weights = match typed {
            "spec" => layout.initial(),
            "source" => linked.link.source_weights(),
            "zero" => vec![0.0; layout.weights()],
            file => {
                let names: Vec<String> = layout.weight_ids().map(|w| layout.name(w)).collect();
                let read = NamedWeights::read(Path::new(file), &names, &layout.initial())?;
                for words in read.notes() {
                    say!("{words}");
                }
                read.weights
            }
        };
        Ok(Self {
            name: typed.to_owned(),
            weights,
        })
    }

    /// The same within the bounds of the spec, where a fit starts.
    #[must_use]
    pub(crate) fn within_bounds(mut self, linked: &LinkedSpec) -> Self {
        let layout = linked.spec.layout();
        for (weight, value) in layout.weight_ids().zip(&mut self.weights) {
            let (low, high) = layout.bounds(weight);
            *value = value.clamp(low, high);
        }
        self
    }

    /// The weights by leaf number; none for those of the source.
    pub(crate) fn values(&self, linked: &LinkedSpec) -> Vec<f64> {
        let set = WeightSet::new(linked, self.weights.clone());
        set.values().to_vec()
    }

    /// What tells whether a match or a table resumes with the same weights.
    pub(super) fn identity(&self) -> Value {
        json!(self.fingerprint())
    }

    pub(crate) fn fingerprint(&self) -> String {
        fingerprint(&self.weights)
    }
}

/// Fingerprint of numbers, 16 hexadecimal digits.
pub(crate) fn fingerprint(values: &[f64]) -> String {
    let mut hash = Fingerprint::new();
    hash.list(values.iter().map(|value| value.to_bits()));
    hash.hex()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In journals and beside tables, so it must never change without a version.
    #[test]
    fn the_fingerprint_of_weights_never_changes() {
        assert_eq!(fingerprint(&[100.0, -2.5]), "3f62544afbd50b46");
    }
}
