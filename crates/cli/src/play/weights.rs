//! Weights by what was typed.

use serde_json::{Value, json};

use super::super::Failure;
use super::super::init;
use super::super::run::Declared;
use tuner_base::Fingerprint;
use tuner_engine::{AtWeights, Engine};

/// Weights of an engine with their name.
pub(super) struct Named {
    /// What was typed.
    pub(super) name: String,
    /// In the order of the spec.
    pub(super) weights: Vec<f64>,
}

impl Named {
    /// Reads `spec`, `source`, `zero` or a file.
    pub(super) fn read(typed: &str, declared: &Declared) -> Result<Self, Failure> {
        let layout = declared.spec.layout();
        let weights = match typed {
            "spec" => layout.initial(),
            "source" => declared.link.source_weights(),
            "zero" => vec![0.0; layout.weights()],
            file => {
                let names: Vec<String> = layout.weight_ids().map(|w| layout.name(w)).collect();
                init::read(file, &names, &layout.initial())?
            }
        };
        Ok(Self {
            name: typed.to_owned(),
            weights,
        })
    }

    pub(super) fn at<'e, E: Engine>(&self, engine: &'e E, declared: &Declared) -> AtWeights<'e, E> {
        AtWeights::new(engine, &declared.link, &self.weights)
    }

    /// What tells whether a match or a table goes on with the same weights.
    pub(super) fn identity(&self) -> Value {
        json!(fingerprint(&self.weights))
    }
}

/// Fingerprint of numbers, 16 hexadecimal digits.
fn fingerprint(values: &[f64]) -> String {
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
