//! Weights by what was typed, and those of files.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Failure, output};
use tuner_base::Fingerprint;
use tuner_engine::LinkedSpec;
use tuner_engine::examine::WeightSet;
use tuner_fit::run::NamedWeights;
use tuner_judge::FitVerdict;
use tuner_spec::Layout;

/// The file of a fit that has its weights, where its folder is named.
pub(crate) fn summary_of(run: &Path) -> PathBuf {
    if run.is_dir() {
        run.join("summary.json")
    } else {
        run.to_owned()
    }
}

/// Reads the summary of a fit.
pub(crate) fn read_summary(path: &Path) -> Result<Value, Failure> {
    let file = path.display();
    let text = fs::read_to_string(path)
        .map_err(|error| format!("{file}: {error}; expected the summary.json of a fit"))?;
    serde_json::from_str(&text)
        .map_err(|error| format!("{file}:{}:{}: {error}", error.line(), error.column()).into())
}

/// Says that held-out games find the weights of a summary worse, if they do.
pub(crate) fn worse(summary: &Value) -> Option<&'static str> {
    (summary["verdict"] == json!(FitVerdict::Worse)).then_some(
        "worse than before: held-out games find these weights worse than those that the fit was to \
         improve",
    )
}

/// Reads the weights that a file names, and those that follow them; the others are the initial
/// ones.
pub(crate) fn of_file(layout: &Layout, file: &Path) -> Result<NamedWeights, Failure> {
    let names: Vec<String> = layout.weight_ids().map(|w| layout.name(w)).collect();
    let mut read = NamedWeights::read(file, &names, &layout.initial())?;
    read.follow(layout.ties());
    Ok(read)
}

/// Reads the weights of a file ([`of_file`]), and says which of its names are not weights and how
/// many weights have no name there.
pub(crate) fn with_notes(layout: &Layout, file: &Path) -> Result<Vec<f64>, Failure> {
    let read = of_file(layout, file)?;
    output::say_all(read.notes());
    Ok(read.weights)
}

/// Reads the weights of a file as counts of their steps.
pub(crate) fn counts(layout: &Layout, file: &Path) -> Result<Vec<i64>, Failure> {
    let counts = layout.counts(&with_notes(layout, file)?);
    Ok(counts.map_err(|error| format!("{}: {error}", file.display()))?)
}

/// Weights of an engine with their name.
pub(crate) struct NamedSet {
    /// How it was named.
    pub(crate) name: String,
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
            file => with_notes(layout, Path::new(file))?,
        };
        Ok(Self {
            name: typed.to_owned(),
            weights,
        })
    }

    /// Clamps the weights to the bounds of the spec, as a fit does with its start.
    #[must_use]
    pub(crate) fn within_bounds(mut self, linked: &LinkedSpec) -> Self {
        let layout = linked.spec.layout();
        for (weight, value) in layout.weight_ids().zip(&mut self.weights) {
            let (low, high) = layout.bounds(weight);
            *value = value.clamp(low, high);
        }
        self
    }

    /// The weights by leaf number; empty for those of the source.
    pub(crate) fn values(&self, linked: &LinkedSpec) -> Vec<f64> {
        let set = WeightSet::new(linked, self.weights.clone());
        set.values().to_vec()
    }

    /// Returns a fingerprint, which tells whether a match or a table resumes with the same weights.
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
