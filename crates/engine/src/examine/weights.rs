//! Weights at which positions are examined.

use crate::LinkedSpec;

/// Weights of an engine in the forms that traces and evaluations ask for.
#[derive(Clone, Debug)]
pub struct WeightSet {
    /// In the order of the spec.
    weights: Vec<f64>,
    /// By lane; 0 in one that no weight has.
    lanes: Vec<f64>,
    /// By their numbers in the evaluator; empty for those of the source.
    values: Vec<f64>,
}

impl WeightSet {
    /// Takes weights in the order of the spec. Those that the source holds are
    /// recognised as such: production then says what the twin says.
    ///
    /// # Panics
    /// If there is not one value for each weight of the spec.
    pub fn new(linked: &LinkedSpec, weights: Vec<f64>) -> Self {
        let (layout, link) = (linked.spec.layout(), &linked.link);
        assert_eq!(weights.len(), layout.weights(), "one value per weight");
        let mut lanes = vec![0.0; 2 * layout.slots()];
        for weight in layout.weight_ids() {
            lanes[layout.lane(weight).index()] = weights[weight.index()];
        }
        let values: Vec<f64> = link.weights().iter().map(|w| weights[w.index()]).collect();
        let mut pairs = values.iter().zip(link.values());
        // No values: an evaluation then takes those of the source.
        let is_source = pairs.all(|(a, b)| (a - b).abs() <= 0.0);
        Self {
            weights,
            lanes,
            values: if is_source { Vec::new() } else { values },
        }
    }

    /// Returns the weights in the order of the spec.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Returns the weights by lane, two for each slot.
    pub fn lanes(&self) -> &[f64] {
        &self.lanes
    }

    /// Returns the weights by their numbers in the evaluator; empty for those of the source.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Tells whether the weights are those of the source.
    pub fn is_source(&self) -> bool {
        self.values.is_empty()
    }
}
