//! Weights by what was named, and those of files.

use std::path::{Path, PathBuf};

use crate::{Job, Result};
use tuner_base::{Fingerprint, WeightId};
use tuner_engine::LinkedSpec;
use tuner_engine::examine::WeightSet;
use tuner_fit::run::{NamedWeights, weight_lines};
use tuner_solve::Reduction;
use tuner_spec::Layout;

/// Returns the file that has the weights of a fit: `summary.json` in `run`, if that is a folder, or
/// else `run` itself.
pub fn summary_of(run: &Path) -> PathBuf {
    if run.is_dir() {
        run.join("summary.json")
    } else {
        run.to_owned()
    }
}

/// Reads weights from a file with names and values, in the order of `layout`. Weights that are tied
/// to others follow them; a weight that the file does not name has its initial value.
///
/// # Errors
/// If the file cannot be read, or names no weight.
pub fn weights_of_file(layout: &Layout, file: &Path) -> Result<NamedWeights> {
    let names: Vec<String> = layout.weight_ids().map(|w| layout.name(w)).collect();
    let mut read = NamedWeights::read(file, &names, &layout.initial())?;
    read.follow(layout.ties());
    Ok(read)
}

/// Weights of an engine with their name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedSet {
    /// How it was named.
    pub name: String,
    /// The weights in the order of the spec.
    pub weights: Vec<f64>,
    /// The scaling constant K of the file that was read; `None` if it has none, or there was no
    /// file.
    pub k: Option<f64>,
}

impl NamedSet {
    /// Gives weights, in the order of the spec, a name; the set has no scaling constant K.
    pub fn of(name: &str, weights: Vec<f64>) -> Self {
        Self {
            name: name.to_owned(),
            weights,
            k: None,
        }
    }

    /// Returns the weights that the user calls `typed`: `spec` are the initial ones, `source` those
    /// of the source, `zero` all 0; any other word is a file with names and values. Of a file, says
    /// which of its names are not weights, and how many weights it does not name.
    ///
    /// # Errors
    /// If the file cannot be read, or names no weight.
    pub fn read(job: &Job, typed: &str, linked: &LinkedSpec) -> Result<Self> {
        let layout = linked.spec.layout();
        let mut k = None;
        let weights = match typed {
            "spec" => layout.initial(),
            "source" => linked.link.source_weights(),
            "zero" => vec![0.0; layout.weights()],
            file => {
                let read = weights_of_file(layout, Path::new(file))?;
                job.say_all(read.notes());
                k = read.k;
                read.weights
            }
        };
        let set = Self::of(typed, weights);
        Ok(Self { k, ..set })
    }

    /// Returns the set with each weight clamped to its bounds in the spec, as a fit does with its
    /// start.
    #[must_use]
    pub fn within_bounds(mut self, linked: &LinkedSpec) -> Self {
        let layout = linked.spec.layout();
        for (weight, value) in layout.weight_ids().zip(&mut self.weights) {
            let (low, high) = layout.bounds(weight);
            *value = value.clamp(low, high);
        }
        self
    }

    /// Returns the weights by leaf number, as an evaluator takes them; empty if they are those of
    /// the source.
    pub fn values(&self, linked: &LinkedSpec) -> Vec<f64> {
        let set = WeightSet::new(linked, self.weights.clone());
        set.values().to_vec()
    }

    /// Returns a fingerprint of the weights, 16 hexadecimal digits, by which a match or a table of
    /// games that is resumed finds out whether its weights are the same.
    pub fn fingerprint(&self) -> String {
        fingerprint(&self.weights)
    }
}

/// Returns the names of the weights whose values differ between `one` and `other`, two sets of
/// weights in the order of `layout`.
pub(crate) fn other_weights(layout: &Layout, one: &[f64], other: &[f64]) -> Vec<String> {
    let differs = |w: &WeightId| (one[w.index()] - other[w.index()]).abs() > 0.0;
    let different = layout.weight_ids().filter(differs);
    different.map(|weight| layout.name(weight)).collect()
}

/// Returns the text of a file of weights: a line for the scaling constant K, if there is one, then
/// a line `NAME VALUE` for each of `weights`, in the order of `layout`.
pub(crate) fn named_lines(layout: &Layout, k: Option<f64>, weights: &[f64]) -> String {
    let names: Vec<String> = layout.weight_ids().map(|w| layout.name(w)).collect();
    weight_lines(k, names.iter().zip(weights.iter().copied()))
}

/// Returns a fingerprint of a list of numbers, 16 hexadecimal digits, which depends on their bits
/// and their order.
pub fn fingerprint(values: &[f64]) -> String {
    let mut hash = Fingerprint::new();
    hash.list(values.iter().map(|value| value.to_bits()));
    hash.hex()
}

/// Returns `weights`, in the order of the spec, each rounded to the nearest multiple of its step:
/// games are played with such weights.
pub(crate) fn on_grid(reduction: &Reduction, weights: &[f64]) -> Vec<f64> {
    let each = weights.iter().enumerate();
    each.map(|(index, weight)| {
        let step = reduction.step(WeightId(index));
        (weight / step).round() * step
    })
    .collect()
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
