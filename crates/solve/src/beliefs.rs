//! What a spec says of its weights beyond their initial values.

use std::collections::BTreeMap;

use crate::Reduction;
use tuner_base::Fingerprint;

/// Two weights that are believed alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbours {
    /// Which.
    pub weights: [usize; 2],
    /// The standard deviation of their difference, in the unit of the weights.
    pub deviation: f64,
}

/// What is believed of single weights and of neighbours; by default nothing
/// beyond what is believed of all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beliefs {
    /// How far a weight may be off its initial value, as a standard deviation,
    /// where that is not what it is for all.
    pub deviations: BTreeMap<usize, f64>,
    /// Neighbours in tables.
    pub neighbours: Vec<Neighbours>,
}

impl Beliefs {
    /// Marks every variable that a chain of neighbours joins to a marked one,
    /// whatever the deviations.
    pub fn join(&self, reduction: &Reduction, marked: &mut [bool]) {
        let terms: Vec<_> = reduction.weight_terms().collect();
        let both = |pair: &Neighbours| match pair.weights.map(|weight| terms[weight]) {
            [(Some(i), a, _), (Some(j), b, _)] if a.abs().max(b.abs()) > 0.0 => Some([i, j]),
            _ => None,
        };
        let pairs: Vec<[usize; 2]> = self.neighbours.iter().filter_map(both).collect();
        // Each round carries marks at least one pair further.
        let mut more = true;
        while more {
            more = false;
            for &[i, j] in &pairs {
                if marked[i] != marked[j] {
                    (marked[i], marked[j]) = (true, true);
                    more = true;
                }
            }
        }
    }

    /// The same with all deviations multiplied: weaker above 1, stronger below.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        let single = |(&weight, deviation): (&usize, &f64)| (weight, deviation * factor);
        let pair = |pair: &Neighbours| Neighbours {
            deviation: pair.deviation * factor,
            ..*pair
        };
        Self {
            deviations: self.deviations.iter().map(single).collect(),
            neighbours: self.neighbours.iter().map(pair).collect(),
        }
    }

    /// Adds all of it to a fingerprint, in this order: after their count, each
    /// weight with a deviation of its own and that; after their count, of each
    /// pair of neighbours both weights and the deviation.
    pub fn add_to(&self, fingerprint: &mut Fingerprint) {
        fingerprint.count(self.deviations.len());
        for (&weight, &deviation) in &self.deviations {
            fingerprint.count(weight);
            fingerprint.f64(deviation);
        }
        fingerprint.count(self.neighbours.len());
        for pair in &self.neighbours {
            pair.weights.iter().for_each(|&w| fingerprint.count(w));
            fingerprint.f64(pair.deviation);
        }
    }
}
