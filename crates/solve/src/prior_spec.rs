//! The prior of single weights and of neighbours in tables.

use std::collections::BTreeMap;

use crate::{PoolPrior, Reduction, VariableId};
use tuner_base::{Fingerprint, WeightId};

/// Two weights with a smoothness prior: their difference has mean 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbours {
    /// The two weights.
    pub weights: [WeightId; 2],
    /// The standard deviation of their difference, in the unit of the weights.
    pub deviation: f64,
}

/// A prior of a single weight by its distance, not the square of it: most weights stay
/// exactly where it draws them, a few leave (the lasso).
///
/// *Source*: R. Tibshirani, Regression shrinkage and selection via the lasso, Journal of
/// the Royal Statistical Society B 58, 1996, §5 (as a Laplace prior).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaplacePrior {
    /// Its standard deviation, in the unit of the weights.
    pub deviation: f64,
    /// Whether it draws the weight to 0; else to the prior mean.
    pub to_zero: bool,
}

/// The priors of single weights, neighbours and pools that differ from the prior of all weights;
/// empty by default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PriorSpec {
    /// Weights with a Laplace prior, beside the normal one.
    pub laplace: BTreeMap<WeightId, LaplacePrior>,
    /// The prior standard deviations of single weights, where they differ from that of all.
    pub deviations: BTreeMap<WeightId, f64>,
    /// Pairs of neighbours in tables, with a prior on their difference.
    pub neighbours: Vec<Neighbours>,
    /// Entries that are drawn toward their common mean. Of these weights, the deviation is
    /// that of the mean.
    pub pools: Vec<PoolPrior>,
}

impl PriorSpec {
    /// Marks every variable that a chain of neighbours, pools or constraints joins to a marked one,
    /// whatever the deviations: data on the one say something of the other. `marked` has an entry
    /// for each variable.
    pub fn join(&self, reduction: &Reduction, marked: &mut [bool]) {
        let terms: Vec<_> = reduction.weight_terms().collect();
        // The variables of two neighbours; `None` where one is fixed or both have the factor 0.
        let both = |pair: &Neighbours| match pair.weights.map(|weight| terms[weight.index()]) {
            [(Some(VariableId(i)), a, _), (Some(VariableId(j)), b, _)]
                if a.abs().max(b.abs()) > 0.0 =>
            {
                Some([i, j])
            }
            _ => None,
        };
        let pairs: Vec<[usize; 2]> = self.neighbours.iter().filter_map(both).collect();
        let rows = (reduction.constraints().iter()).map(|row| row.terms.iter().map(|term| term.0));
        let pools = self.pools.iter().flat_map(|pool| &pool.sets).map(|set| {
            let variables = set.iter().filter_map(|weight| terms[weight.index()].0);
            variables.map(VariableId::index)
        });
        let joined: Vec<Vec<usize>> = (rows.map(Iterator::collect))
            .chain(pools.map(Iterator::collect))
            .chain(pairs.iter().map(|pair| pair.to_vec()))
            .collect();
        // Each round carries marks at least one step further.
        let mut more = true;
        while more {
            more = false;
            for set in &joined {
                let count = set.iter().filter(|&&variable| marked[variable]).count();
                if count > 0 && count < set.len() {
                    for &variable in set {
                        marked[variable] = true;
                    }
                    more = true;
                }
            }
        }
    }

    /// Returns the spec with all deviations multiplied by `factor`: a weaker prior above 1, a
    /// stronger one below.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        let mut scaled = self.clone();
        let laplace = (scaled.laplace.values_mut()).map(|prior| &mut prior.deviation);
        let pairs = scaled.neighbours.iter_mut().map(|pair| &mut pair.deviation);
        let pools = (scaled.pools.iter_mut()).filter_map(|pool| pool.deviation.as_mut());
        let all = scaled.deviations.values_mut().chain(laplace).chain(pairs);
        for deviation in all.chain(pools) {
            *deviation *= factor;
        }
        scaled
    }

    /// Adds the spec to a fingerprint, in this order: after their count, each weight with a
    /// deviation of its own and that; after their count, of each pair of neighbours both weights
    /// and the deviation; each weight with a Laplace prior, its deviation, and 1 if that prior
    /// draws it to 0, else 0; of each set of weights that a pool draws to their common mean, the
    /// weights and the pool's deviation from that mean, 0 if the pool has no deviation of its own.
    pub fn add_to(&self, fingerprint: &mut Fingerprint) {
        fingerprint.count(self.deviations.len());
        for (&weight, &deviation) in &self.deviations {
            fingerprint.count(weight.index());
            fingerprint.f64(deviation);
        }
        fingerprint.count(self.neighbours.len());
        for pair in &self.neighbours {
            for weight in pair.weights {
                fingerprint.count(weight.index());
            }
            fingerprint.f64(pair.deviation);
        }
        // Added only where there are some, so that older fingerprints stay valid.
        for (&weight, prior) in &self.laplace {
            fingerprint.count(weight.index());
            fingerprint.f64(prior.deviation);
            fingerprint.count(usize::from(prior.to_zero));
        }
        for pool in &self.pools {
            for set in &pool.sets {
                fingerprint.list(set.iter().map(|weight| weight.index() as u64));
                fingerprint.f64(pool.deviation.unwrap_or(0.0));
            }
        }
    }
}
