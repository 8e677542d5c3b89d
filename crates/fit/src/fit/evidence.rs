//! The strength of the prior by the evidence: one standard deviation for each
//! group of weights, such that the data are as likely as they can be.
//!
//! Near the prior means m, E(m + δ) ≈ E(m) + gᵀδ + ½·δᵀHδ. With δ of group k
//! normal with standard deviation τₖ, and a likelihood e^(−E/u), the evidence is
//! largest where
//!
//! ```text
//! δ̂ = −A⁻¹·g,   A = H + P,   P = u·diag(1/τ²) + neighbours
//! γₖ = Σ_{v ∈ k} (1 − (u/τₖ²)·(A⁻¹)ᵥᵥ)     parameters that the data determine
//! τₖ² = Σ_{v ∈ k} δ̂ᵥ² / γₖ
//! ```
//!
//! A pool has two such groups: the means of its sets, and the differences from them, with
//! the matrices and squares of these. Values, not steps, are squared there, as entries may
//! differ before.
//!
//! Every second round leaves for where the two before it lead.
//!
//! A group of one or two weights says little of its own spread, so each counts as
//! if one weight more were as large as the geometric mean of all τ, and one were
//! 0. Where the evidence for such a prior, against weights that stay where they
//! are, is no more than [`STRONG`], all deviations that a spec declares are
//! narrowed by one factor, the most likely of [`NARROWER`]: a spec says how far
//! its weights can move in all, and a later round moves them less. Where that is
//! no more likely either, the weights stay.
//!
//! The unit u says how much a likelihood is worth: with J the covariance of the
//! gradient, clustered by game, `u = tr(A⁻¹J)/tr(A⁻¹H)`; J = u·H would be a true
//! likelihood. So positions of a game count as what they are worth together.
//!
//! *Source*: D. MacKay, Bayesian interpolation, Neural Computation 4, 1992;
//! The evidence framework applied to classification networks, the same, for H
//! at the mean.

use serde::{Deserialize, Serialize};

use super::posterior::{Posterior, PosteriorAt};
use super::prior::or_infinite;
use tuner_base::WeightId;
use tuner_solve::linalg::difference;
use tuner_solve::{PassResult, PoolPrior, PoolTerm, Prior, PriorSpec, Reduction};

/// Largest number of variables for which the matrices are formed. With 3,000
/// the inverses take some 20 seconds on two cores, and grow with the third power.
pub(super) const MOST_VARIABLES: usize = 3_000;

/// The unit of a likelihood of one observation a game counts as much as that of so many clusters of
/// games: few clusters say little of their own spread.
const PLAIN_GAMES: f64 = 10.0;

/// Standard deviations tried, in the unit of the weights: below the smallest no
/// integer moves, above the largest no prior is felt.
const RANGE: (f64, f64) = (0.1, 320.0);

/// Weights as large as those of all groups that are added to each group, beside [`DOUBT`] of 0.
/// Chosen; of 0, 1 and 2 each the best on 200 to 20,000 positions of four data sets.
const POOLED: f64 = 1.0;
/// Weights of 0 that are added to each group; chosen with [`POOLED`].
const DOUBT: f64 = 1.0;

/// Logarithm of the evidence that counts as strong. *Source*: R. Kass, A. Raftery,
/// Bayes factors, Journal of the American Statistical Association 90, 1995, §3.2.
/// Of 16 samples of 200 to 8,000 positions those below it are those whose
/// held-out errors rose by more than their standard errors.
const STRONG: f64 = 3.0;

/// Factors by which declared deviations are narrowed. A hundredth of the usual 60 to
/// 200 moves nothing.
const NARROWER: [f64; 6] = [0.5, 0.25, 0.125, 0.0625, 0.031_25, 0.015_625];

/// Rounds end where no deviation changes by more than this part of itself.
const TOLERANCE: f64 = 0.03;

/// Most rounds; each takes an inverse.
const ROUNDS: usize = 20;

/// The largest part of a change that the next round is taken to repeat: all rounds to come
/// are then worth ten of it.
const MOST_REPEATED: f64 = 0.9;

/// What estimates change by without reason: 24,817 weights settled, went ahead by changes of
/// this size, and settled again, until the last round.
const ESTIMATED: f64 = 0.1;

/// Longest extrapolated step of the logarithm of a deviation or of the unit: a factor of seven.
const LONGEST: f64 = 2.0;

/// Weights that share a standard deviation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightGroup {
    /// The name of their parameter.
    pub name: String,
    /// The weights.
    pub weights: Vec<WeightId>,
}

/// The deviation of one group, by the evidence.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct GroupDeviation {
    /// The group.
    pub name: String,
    /// The standard deviation of its weights around the prior means.
    pub deviation: f64,
    /// How many weights are fitted.
    pub weights: usize,
    /// How many of them the data determine; the prior decides on the others.
    pub determined: f64,
}

/// The prior that the evidence chose.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct EvidencePrior {
    /// The unit u of the likelihood e^(−E/u); with a standard deviation τ the prior has the
    /// strength u/τ².
    pub unit: f64,
    /// Logarithm of the evidence for it, against weights that stay at the prior
    /// means. Below 3 they stay; infinite where the data are so strong that they need no prior.
    #[serde(deserialize_with = "or_infinite")]
    pub ln_evidence: f64,
    /// Clusters of games that the unit rests on.
    pub clusters: usize,
    /// Rounds of the fixed point.
    pub rounds: usize,
    /// The factor by which declared deviations are multiplied, 1 or less.
    pub declared_scale: f64,
    /// The groups, in the order given.
    pub groups: Vec<GroupDeviation>,
    /// The differences from the common means of pools whose deviation is not declared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pools: Vec<GroupDeviation>,
}

impl EvidencePrior {
    /// Chooses the unit u of the prior and a standard deviation τ for each of `groups`, whose
    /// weights share it, and for each pool without one, such that the data are as likely as they
    /// can be (D. MacKay, Bayesian interpolation, 1992). With g and H the gradient and curvature of
    /// E at the prior means, `mean` by variable, P the prior's curvature and A = H + P, rounds of a
    /// fixed point lead there: u = tr(A⁻¹J)/tr(A⁻¹H), with J the covariance of the gradient between
    /// games, and τ² = Σ δ² / γ over the weights of a group, with δ = −A⁻¹g and γ how many of them
    /// the data determine.
    ///
    /// Where the evidence for such a prior, against weights that stay where they are, is not
    /// strong, declared deviations are narrowed, and if that does not help all weights stay.
    ///
    /// `posterior`: of the weights at the prior means `mean`. `spec`: the declared deviations,
    /// which stay unless the evidence is against them, and the neighbours. `base`: where the other
    /// deviations start. `plain`: the unit of a likelihood with one observation a game.
    ///
    /// *Cost*: up to 3,000 variables a curvature matrix, two passes for the scores, and
    /// an inverse of a matrix of the number of variables for each round; beyond that
    /// some tens of passes a round, and an estimate of what the matrices would say.
    ///
    /// # Errors
    /// If rows cannot be read.
    pub(super) fn maximise(
        mut posterior: Posterior<'_>,
        reduction: &Reduction,
        mean: &[f64],
        spec: &PriorSpec,
        groups: &[WeightGroup],
        base: f64,
        plain: f64,
    ) -> PassResult<Self> {
        let clusters = posterior.clusters;
        let owners = Owners::new(groups, spec, reduction.roots());
        let mut deviations = vec![base; owners.count];
        let mut unit = plain;
        let mut determined = vec![0.0; owners.count];
        let mut rounds = 0;
        let mut ahead = Ahead::default();
        if posterior.is_estimated() {
            ahead.least = ESTIMATED;
        }
        while rounds < ROUNDS {
            rounds += 1;
            let spec = with_deviations(spec, groups, &deviations);
            let prior = Prior::new(mean.to_vec(), base, unit).with(&spec, reduction, unit);
            let Some(at) = posterior.at(&prior)? else {
                // The prior is below rounding: the data determine everything.
                break;
            };
            let next_unit = next_unit(&at, clusters, plain);
            let squares = owners.add(&prior, mean, &at, &mut determined);
            // Numbers estimated by random signs may come out below 0.
            for count in &mut determined {
                *count = count.max(0.0);
            }
            let next = next_deviations(&deviations, &squares, &determined, groups.len());
            // The fixed point is sought in logarithms: of the unit, then of the deviations.
            let logarithms = |unit: f64, deviations: &[f64]| -> Vec<f64> {
                let all = std::iter::once(&unit).chain(deviations);
                all.map(|value| value.ln()).collect()
            };
            let from = logarithms(unit, &deviations);
            let to = logarithms(next_unit, &next);
            let is_settled = (from.iter().zip(&to)).all(|(a, b)| (a - b).abs() < TOLERANCE);
            // The last round is not extrapolated, as no round would check where that ends.
            let is_last = is_settled || rounds == ROUNDS;
            let to = if is_last { to } else { ahead.of(&from, to) };
            unit = to[0].exp();
            for (deviation, logarithm) in deviations.iter_mut().zip(&to[1..]) {
                *deviation = logarithm.exp().clamp(RANGE.0, RANGE.1);
            }
            if is_settled {
                break;
            }
        }
        // Declared deviations are narrowed as far as that makes the data likelier.
        let logarithm_of = |scale: f64| {
            let spec = with_deviations(&narrowed(spec, scale), groups, &deviations);
            let prior = |unit| Prior::new(mean.to_vec(), base, unit).with(&spec, reduction, unit);
            posterior.ln_evidence(&prior, unit)
        };
        let (declared_scale, logarithm) = likeliest(spec, logarithm_of)?;
        if logarithm < STRONG {
            // These games are too few to say how far weights may move: all are held at their means.
            deviations.fill(RANGE.0);
            determined.fill(0.0);
        }
        let counts =
            owners.counts(&Prior::new(mean.to_vec(), base, unit).with(spec, reduction, unit));
        // What was chosen, by name: of the groups, and behind them of the pools.
        let names = groups.iter().map(|group| &group.name);
        let pools = open_pools(spec).map(|pool| &pool.name);
        let names = names.chain(pools).enumerate();
        let all = names.map(|(number, name)| GroupDeviation {
            name: name.clone(),
            deviation: deviations[number],
            weights: counts[number],
            determined: determined[number],
        });
        let mut all: Vec<GroupDeviation> = all.collect();
        let pools = all.split_off(groups.len());
        Ok(Self {
            unit,
            groups: all,
            pools,
            ln_evidence: logarithm,
            rounds,
            clusters,
            declared_scale,
        })
    }

    /// Tells whether this choice has a deviation for each of `groups` and for each pool of
    /// `declared` without one, by their names and in their order.
    pub(crate) fn is_of(&self, declared: &PriorSpec, groups: &[WeightGroup]) -> bool {
        let groups = groups.iter().map(|group| &group.name);
        let names = groups.chain(open_pools(declared).map(|pool| &pool.name));
        let own = self.groups.iter().chain(&self.pools);
        own.map(|group| &group.name).eq(names)
    }

    /// Returns the declared prior with the chosen deviations of groups and pools. Where the
    /// evidence is not strong, weights of the groups get those also in place of declared ones, as
    /// so few games would change the weights with declared ones alone.
    ///
    /// # Panics
    /// If the groups are not those that it was chosen for.
    pub fn prior(&self, declared: &PriorSpec, groups: &[WeightGroup]) -> PriorSpec {
        let mut declared = narrowed(declared, self.declared_scale);
        if self.ln_evidence < STRONG {
            for weight in groups.iter().flat_map(|group| &group.weights) {
                declared.deviations.remove(weight);
            }
            // Pools would draw entries to their mean that are to stay.
            declared.pools.clear();
        }
        let all = self.groups.iter().chain(&self.pools);
        let deviations: Vec<f64> = all.map(|group| group.deviation).collect();
        with_deviations(&declared, groups, &deviations)
    }
}

tuner_base::impl_fmt! {
/// A line of what was chosen.
Display for EvidencePrior, |self, f| {
    if self.ln_evidence < STRONG {
        return write!(
            f,
            "prior: by the evidence these games are too few to change anything: its logarithm \
             is {:.1}, and 3 would be strong; weights stay where they were",
            // Not -0.0.
            (10.0 * self.ln_evidence).round() / 10.0 + 0.0
        );
    }
    let mut groups: Vec<&GroupDeviation> =
        (self.groups.iter().filter(|group| group.weights > 0)).collect();
    groups.sort_by(|a, b| b.deviation.total_cmp(&a.deviation));
    let named = |group: &&GroupDeviation| format!("{:.1} ({})", group.deviation, group.name);
    let (all, determined) = groups.iter().fold((0, 0.0), |(all, determined), group| {
        (all + group.weights, determined + group.determined)
    });
    f.write_str("prior: standard deviations by the evidence")?;
    if let [first, .., last] = groups.as_slice() {
        write!(f, ", from {} to {}", named(last), named(first))?;
    } else if let [only] = groups.as_slice() {
        write!(f, ", {}", named(only))?;
    }
    write!(f, "; the data determine {determined:.0} of {all} weights")?;
    for pool in &self.pools {
        let (name, deviation) = (&pool.name, pool.deviation);
        write!(f, "; entries of {name} differ from their common mean by {deviation:.1}")?;
    }
    if self.declared_scale < 1.0 {
        let scale = self.declared_scale;
        write!(f, "; those of the spec times {scale}, as these games ask for smaller changes")?;
    }
    Ok(())
} }

/// Returns the unit u of the prior after a round: tr(A⁻¹J)/tr(A⁻¹H), with H the curvature of E, A
/// that of E and the prior, and J the covariance of the gradient of E between clusters of games.
/// This is averaged with `plain`, the unit of one observation a game, as few `clusters` tell little
/// of J; `plain` counts as much as [`PLAIN_GAMES`] of them. Where the data determine nothing,
/// tr(A⁻¹H) ≤ 0, the unit is `plain`. `at`: both traces.
fn next_unit(at: &PosteriorAt, clusters: usize, plain: f64) -> f64 {
    let worth = at.covariance_trace / at.curvature_trace;
    let is_curved = at.curvature_trace > 0.0;
    let measured = if is_curved { worth } else { plain };
    let games = clusters as f64;
    (games * measured + PLAIN_GAMES * plain) / (games + PLAIN_GAMES)
}

/// Returns the standard deviation of each group after a round, and behind the first `groups`
/// that of each pool:
///
/// ```text
/// τₖ² = (Σ δ̂ᵥ² + POOLED·τ̄²) / (γₖ + POOLED + DOUBT),   ln τ̄ = Σ γₖ·ln τₖ / Σ γₖ
/// ```
///
/// `before`: the τₖ of the round; `squares`: Σ δ̂ᵥ² over the weights of each, with δ̂ their
/// steps from the prior mean; `determined`: γₖ, how many of them the data determine; τ̄: the mean
/// of all τ, 1 where the data determine nothing. For a pool [`POOLED`] counts as 0, as differences
/// in it need not be as large as weights. All are clamped to [`RANGE`].
fn next_deviations(before: &[f64], squares: &[f64], determined: &[f64], groups: usize) -> Vec<f64> {
    let all: f64 = determined.iter().sum();
    let logarithms = determined.iter().zip(before);
    let logarithms = logarithms.map(|(count, deviation)| count * deviation.ln());
    // τ̄².
    let pooled = (2.0 * logarithms.sum::<f64>() / all.max(f64::MIN_POSITIVE)).exp();
    let sums = squares.iter().zip(determined).enumerate();
    let next = sums.map(|(owner, (squares, determined))| {
        let like_all = if owner < groups { POOLED } else { 0.0 };
        let count = determined + like_all + DOUBT;
        let next = ((squares + like_all * pooled) / count).sqrt();
        next.clamp(RANGE.0, RANGE.1)
    });
    next.collect()
}

/// Where numbers lead of which each round leaves a fixed part of what is missing: that part
/// is what two changes in a row say. Every second round ends there.
///
/// Where there are several such ends, as with few games, it may be another than that of rounds
/// without; of made-up samples one in a hundred and fifty, where rounds without, 20 of them,
/// stop short in one of ten.
///
/// *Source*: A. Aitken, On Bernoulli's numerical solution of algebraic equations,
/// Proceedings of the Royal Society of Edinburgh 46, 1926, number by number.
#[derive(Debug, Default)]
struct Ahead {
    /// Smaller changes are not extrapolated.
    least: f64,
    /// The change of the round before, unless that ended ahead.
    change: Option<Vec<f64>>,
}

impl Ahead {
    /// Returns where a round of the fixed point ends that led from the numbers `from` to `to`: at
    /// `to`, or in every second round ahead of it, by Aitken's extrapolation. Of each number, with
    /// a change c in this round and b in the one before, the changes to come are c·r + c·r² + …
    /// with r = c/b, so that it ends at from + c/(1 − r), no more than [`LONGEST`] away. r is at
    /// most [`MOST_REPEATED`], and 0 where b is too small or of the other sign. A round that ends
    /// at `to` leaves its changes for the next one.
    fn of(&mut self, from: &[f64], to: Vec<f64>) -> Vec<f64> {
        let change = difference(&to, from);
        let Some(before) = self.change.take() else {
            self.change = Some(change);
            return to;
        };
        let steps = change.iter().zip(&before).map(|(change, before)| {
            let repeated = change / before;
            // A change that swings to the other side, or follows next to none, is not extrapolated.
            let is_steady = repeated > 0.0 && before.abs() > self.least;
            let most = repeated.min(MOST_REPEATED);
            let repeated = if is_steady { most } else { 0.0 };
            (change / (1.0 - repeated)).clamp(-LONGEST, LONGEST)
        });
        let ends = from.iter().zip(steps).map(|(from, step)| from + step);
        ends.collect()
    }
}

/// Which deviation each part of a prior has, by number: first those of groups, then those of the
/// differences in pools. `None` where it is declared.
struct Owners {
    of_variable: Vec<Option<usize>>,
    of_pool: Vec<Option<usize>>,
    count: usize,
}

impl Owners {
    /// Finds the number of the deviation of each variable and of the differences in each pool, a
    /// table whose entries the prior draws to the mean of their set. `roots` has, ascending, the
    /// weight whose value each variable is. A variable has the deviation of the group that this
    /// weight is in, unless the spec declares one for the weight; weights of a group that are tied
    /// to another or fixed have no variable. A pool without a declared deviation has one of its
    /// own, numbered behind the groups.
    fn new(groups: &[WeightGroup], declared: &PriorSpec, roots: &[WeightId]) -> Self {
        let mut of_variable: Vec<Option<usize>> = vec![None; roots.len()];
        for (number, group) in groups.iter().enumerate() {
            for &weight in &group.weights {
                if let Ok(variable) = roots.binary_search(&weight)
                    && !declared.deviations.contains_key(&weight)
                {
                    of_variable[variable] = Some(number);
                }
            }
        }
        let mut count = groups.len();
        let of_pool = declared.pools.iter().map(|pool| {
            count += usize::from(pool.deviation.is_none());
            pool.deviation.is_none().then(|| count - 1)
        });
        let of_pool = of_pool.collect();
        Self {
            of_variable,
            of_pool,
            count,
        }
    }

    /// Returns which deviations, by number, a set has, that is, weights of a table that the prior
    /// draws to their common mean: first the deviation of this mean, that of the group of the set's
    /// first variable, and then the deviation of the differences from it, that of the table. `None`
    /// for one that is declared.
    fn of_set(&self, set: &PoolTerm) -> [Option<usize>; 2] {
        let first = set.variables().next();
        let group = first.and_then(|first| self.of_variable[first]);
        [group, self.of_pool[set.table]]
    }

    /// Returns, for each deviation to be chosen, the sum of squares of the steps of its weights
    /// from the prior means to the posterior ones, and writes to `determined` how many of these
    /// weights the data determine. Of a set of weights that the prior draws to their common mean,
    /// this mean counts for one deviation and the differences from it for another, in place of the
    /// weights; a variable without a normal prior of its own (strength 0) is left out. `mean`: the
    /// prior mean of each variable; `at`: the posterior, whose `step` has the opposite sign.
    fn add(
        &self,
        prior: &Prior,
        mean: &[f64],
        at: &PosteriorAt,
        determined: &mut [f64],
    ) -> Vec<f64> {
        let mut squares = vec![0.0; self.count];
        determined.fill(0.0);
        for (variable, group) in self.of_variable.iter().enumerate() {
            // γ = 1 − λ·(A⁻¹)ᵥᵥ of a variable with the strength λ of the prior.
            let strength = prior.strengths()[variable];
            if let Some(group) = group.filter(|_| strength > 0.0) {
                squares[group] += at.step[variable] * at.step[variable];
                determined[group] += 1.0 - strength * at.diagonal[variable];
            }
        }
        // The posterior means, at which the sets are looked at.
        let x = difference(mean, &at.step);
        for (set, traces) in prior.pools().iter().zip(&at.pools) {
            let (own, strengths) = (set.squares(&x), set.strengths);
            let mean = (own.mean, 1.0 - strengths.mean * traces.mean);
            let apart = set.apart() as f64 - strengths.apart * traces.apart;
            // Of the means and of the differences: the sum of squares, and how many are determined.
            let parts = [mean, (own.apart, apart)];
            for (owner, (square, count)) in self.of_set(set).into_iter().zip(parts) {
                if let Some(owner) = owner {
                    squares[owner] += square;
                    determined[owner] += count;
                }
            }
        }
        squares
    }

    /// Returns, for each deviation to be chosen, how many independent numbers it is of: weights
    /// with a normal prior of their own, and parts of pools (tables whose entries are drawn to the
    /// mean of their set). In place of the weights of a set its mean counts, once, for one
    /// deviation, and the differences from that mean for another: one less than the set has
    /// variables, as they add up to 0. What has a declared deviation is not counted.
    fn counts(&self, prior: &Prior) -> Vec<usize> {
        let mut counts = vec![0; self.count];
        for (variable, group) in self.of_variable.iter().enumerate() {
            if let Some(group) = group.filter(|_| prior.strengths()[variable] > 0.0) {
                counts[group] += 1;
            }
        }
        for set in prior.pools() {
            // First the deviation of the mean, then that of the differences from it; `None`:
            // declared.
            for (owner, count) in self.of_set(set).into_iter().zip([1, set.apart()]) {
                if let Some(owner) = owner {
                    counts[owner] += count;
                }
            }
        }
        counts
    }
}

/// Iterates over the pools of a spec whose deviation is not declared.
fn open_pools(declared: &PriorSpec) -> impl Iterator<Item = &PoolPrior> {
    (declared.pools.iter()).filter(|pool| pool.deviation.is_none())
}

/// Returns the declared prior in which all weights of `groups`, and all pools, that have no
/// deviation get one: `deviations` has first those of the groups, then those of such pools, in
/// their order.
fn with_deviations(declared: &PriorSpec, groups: &[WeightGroup], deviations: &[f64]) -> PriorSpec {
    let mut prior = declared.clone();
    let (of_groups, of_pools) = deviations.split_at(groups.len());
    for (group, &deviation) in groups.iter().zip(of_groups) {
        for &weight in &group.weights {
            prior.deviations.entry(weight).or_insert(deviation);
        }
    }
    let open = (prior.pools.iter_mut()).filter(|pool| pool.deviation.is_none());
    for (pool, &deviation) in open.zip(of_pools) {
        pool.deviation = Some(deviation);
    }
    prior
}

/// Returns the factor by which declared deviations are multiplied, 1 or one of [`NARROWER`], and
/// the logarithm of the evidence, which `logarithm_of` computes for a factor. Smaller factors are
/// tried only where the logarithm with the factor 1 is below [`STRONG`], and the most likely one is
/// taken only if its logarithm reaches that; else the factor is 1, with the largest logarithm that
/// was found.
fn likeliest(
    declared: &PriorSpec,
    mut logarithm_of: impl FnMut(f64) -> PassResult<f64>,
) -> PassResult<(f64, f64)> {
    let as_declared = logarithm_of(1.0)?;
    let mut best = (1.0, as_declared);
    if as_declared < STRONG && !declared.deviations.is_empty() {
        for scale in NARROWER {
            let logarithm = logarithm_of(scale)?;
            if logarithm > best.1 {
                best = (scale, logarithm);
            }
        }
    }
    if best.1 < STRONG {
        best.0 = 1.0;
    }
    Ok(best)
}

/// Returns the declared prior with the deviations of single weights, not those of neighbours, times
/// `scale`.
fn narrowed(declared: &PriorSpec, scale: f64) -> PriorSpec {
    let mut prior = declared.clone();
    for deviation in prior.deviations.values_mut() {
        *deviation *= scale;
    }
    prior
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::fit::posterior::Spread;
    use crate::model::{CLUSTERS, Loss, Part, Regression, Sigmoid};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use tuner_base::Slot;
    use tuner_rows::{RowDraft, RowInfo, Segment, TraceSet};
    use tuner_solve::linalg::{Cholesky, Symmetric};
    use tuner_solve::{Curvature, Neighbours, Objective, Reduction};

    const WEIGHTS: usize = 6;

    /// Two groups, and a weight of the second with a deviation that is declared.
    fn groups() -> (Vec<WeightGroup>, PriorSpec) {
        let group = |name: &str, weights: std::ops::Range<usize>| WeightGroup {
            name: name.to_owned(),
            weights: weights.map(WeightId).collect(),
        };
        let mut declared = PriorSpec::default();
        declared.deviations.insert(WeightId(5), 70.0);
        (vec![group("A", 0..4), group("B", 4..WEIGHTS)], declared)
    }

    /// What the evidence says of so many games in which every second weight is worth
    /// 40 or, if they are not drawn from the scores, nothing.
    fn found(games: u32, from_scores: bool) -> EvidencePrior {
        let worth = if from_scores { 40.0 } else { 0.0 };
        found_by(games, worth, &groups().1)
    }

    fn found_by(games: u32, worth: f64, declared: &PriorSpec) -> EvidencePrior {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let sigmoid = Sigmoid::new(1.0);
        let mut set = TraceSet::new(WEIGHTS / 2);
        for game in 0..games {
            let counts: Vec<i16> = (0..WEIGHTS / 2).map(|_| rng.random_range(-3..=3)).collect();
            let score: f64 = counts.iter().map(|&count| worth * f64::from(count)).sum();
            let won = rng.random_bool(sigmoid.expectation(score));
            for position in 0..3 {
                let phase = f64::from(position) / 2.0;
                let entries = (0..).map(Slot).zip(counts.iter().copied());
                let draft = RowDraft {
                    segments: vec![Segment::same([phase, 1.0 - phase], entries)],
                    ..RowDraft::default()
                };
                let info = RowInfo::new(f64::from(u8::from(won)), game);
                set.push(&draft, &info).unwrap();
            }
        }
        let reduction = Reduction::of_lanes(WEIGHTS);
        let (loss, part) = (Loss::Squared, Part::All);
        let objective = Regression::new(&set, &reduction, loss, sigmoid, part).unwrap();
        let plain = loss.prior_unit(0.25, games as usize);
        let (groups, mean) = (groups().0, [0.0; WEIGHTS]);
        let posterior = Posterior::new(&objective, &mean, true).unwrap();
        EvidencePrior::maximise(posterior, &reduction, &mean, declared, &groups, 20.0, plain)
            .unwrap()
    }

    #[test]
    fn evidence_without_limit_is_read_again() {
        let ln_evidence = f64::INFINITY;
        let prior = EvidencePrior {
            ln_evidence,
            ..found(20, true)
        };
        let text = serde_json::to_string(&prior).unwrap();
        assert_eq!(serde_json::from_str::<EvidencePrior>(&text).unwrap(), prior);
    }

    #[test]
    fn weights_stay_where_games_say_nothing_and_so_do_those_with_a_declared_prior() {
        let (groups, declared) = groups();
        let none = found(60, false);
        assert!(none.ln_evidence < STRONG, "{none:?}");
        let prior = none.prior(&declared, &groups);
        assert_eq!(prior.deviations.len(), WEIGHTS);
        let stay = |deviation: &f64| (deviation - RANGE.0).abs() < 1e-12;
        assert!(prior.deviations.values().all(stay), "{prior:?}");
        assert!(none.to_string().contains("weights stay where they were"));
    }

    #[test]
    fn declared_deviations_that_are_too_wide_are_narrowed() {
        let (groups, mut declared) = groups();
        let wide = |weight| (WeightId(weight), 5000.0);
        declared.deviations.extend((0..WEIGHTS).map(wide));
        let some = found_by(500, 25.0, &declared);
        assert!(some.ln_evidence > STRONG, "{some:?}");
        assert!(some.declared_scale < 0.1, "{some:?}");
        let deviation = some.prior(&declared, &groups).deviations[&WeightId(3)];
        assert!((deviation - 5000.0 * some.declared_scale).abs() < 1e-9);
        assert!(some.to_string().contains("; those of the spec times 0.0"));
        // Not where they are likely enough, and not where nothing is.
        declared.deviations.values_mut().for_each(|one| *one = 30.0);
        let scale = |worth| found_by(500, worth, &declared).declared_scale;
        assert!(scale(25.0) >= 1.0 && scale(0.0) >= 1.0);
    }

    #[test]
    fn weights_that_games_tell_have_room_and_declared_priors_stay() {
        let (groups, declared) = groups();
        let some = found(2000, true);
        assert!(some.ln_evidence > STRONG, "{some:?}");
        let prior = some.prior(&declared, &groups);
        let (first, own) = (
            prior.deviations[&WeightId(0)],
            prior.deviations[&WeightId(5)],
        );
        assert!(first > 10.0 && first < 160.0, "{prior:?}");
        assert!((own - 70.0).abs() < 1e-12);
        assert!(some.groups[0].determined > 2.0, "{some:?}");
    }

    #[test]
    fn what_comes_nearer_by_a_fixed_part_is_there_after_two_rounds() {
        // The first is missing less by a fifth each time, the second swings, the third
        // goes the same way each time.
        let next = |x: &[f64]| vec![5.0 + 0.8 * (x[0] - 5.0), -0.5 * x[1], x[2] - 0.125];
        let mut ahead = Ahead::default();
        let start = [4.5, 1.0, 0.5];
        let first = ahead.of(&start, next(&start));
        assert_eq!(first, next(&start));
        let second = ahead.of(&first, next(&first));
        assert!((second[0] - 5.0).abs() < 1e-12, "{second:?}");
        assert!((second[1] - next(&first)[1]).abs() < 1e-12, "{second:?}");
        assert!((second[2] - (first[2] - 1.25)).abs() < 1e-12, "{second:?}");
        // The next round is a plain one again.
        assert_eq!(ahead.of(&second, next(&second)), next(&second));
    }

    #[test]
    fn random_signs_say_what_the_matrices_say() {
        const SLOTS: u32 = 100;
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let sigmoid = Sigmoid::new(1.0);
        let mut set = TraceSet::new(SLOTS as usize);
        for game in 0..3000 {
            // A piece, and what goes with it.
            let counts: Vec<i16> = (0..SLOTS)
                .map(|slot| rng.random_range(-2..=2) * i16::from(slot % 7 < 3 || game % 9 == 0))
                .collect();
            let worth = |slot: usize| [30.0, 8.0, 0.0, 2.0][slot % 4];
            let parts = counts.iter().enumerate();
            let score: f64 = parts
                .map(|(slot, count)| worth(slot) * f64::from(*count))
                .sum();
            let won = rng.random_bool(sigmoid.expectation(score));
            for position in 0..3 {
                let phase = f64::from(position) / 2.0;
                let entries = (0..SLOTS).map(Slot).zip(counts.iter().copied());
                let draft = RowDraft {
                    segments: vec![Segment::same([phase, 1.0 - phase], entries)],
                    ..RowDraft::default()
                };
                let info = RowInfo::new(f64::from(u8::from(won)), game);
                set.push(&draft, &info).unwrap();
            }
        }
        let size = 2 * SLOTS as usize;
        let reduction = Reduction::of_lanes(size);
        let objective = Regression::new(&set, &reduction, Loss::Squared, sigmoid, Part::All);
        let objective = objective.unwrap();
        let of_table = |table: usize| WeightGroup {
            name: table.to_string(),
            weights: (0..size)
                .filter(|w| w / 2 % 4 == table)
                .map(WeightId)
                .collect(),
        };
        let groups: Vec<WeightGroup> = (0..4).map(of_table).collect();
        let mean = vec![0.0; size];
        let plain = Loss::Squared.prior_unit(0.25, 3000);
        parts_without_an_inverse_are_those_of_it(&objective, &reduction);
        let [exact, estimated] = [true, false].map(|by_matrices| {
            EvidencePrior::maximise(
                Posterior::new(&objective, &mean, by_matrices).unwrap(),
                &reduction,
                &mean,
                &PriorSpec::default(),
                &groups,
                20.0,
                plain,
            )
            .unwrap()
        });
        let is_near = |a: f64, b: f64, part: f64| (a / b - 1.0).abs() < part;
        assert!(exact.ln_evidence > 100.0, "{exact:?}");
        let words = format!("{exact:?}\n{estimated:?}");
        assert!(
            is_near(estimated.ln_evidence, exact.ln_evidence, 0.05),
            "{words}"
        );
        assert!(is_near(estimated.unit, exact.unit, 0.1), "{words}");
        for (estimated, exact) in estimated.groups.iter().zip(&exact.groups) {
            let both = (estimated.deviation, exact.deviation);
            assert!(is_near(both.0, both.1, 0.15), "{words}");
        }
    }

    /// Of a prior with neighbours, and of another.
    fn parts_without_an_inverse_are_those_of_it(objective: &Regression<'_>, reduction: &Reduction) {
        let size = objective.len();
        let (mean, slope) = (vec![0.0; size], vec![1e-4; size]);
        let mut curvature = Symmetric::zeros(size);
        (objective.curvature(&mean, Curvature::GaussNewton, &mut curvature)).unwrap();
        let scores = objective.scores_by_cluster(&mean, CLUSTERS).unwrap();
        let mut both = [true, false].map(|formed| Spread::of(scores.clone(), formed, size));
        let mut spec = PriorSpec::default();
        spec.neighbours.push(Neighbours {
            weights: [WeightId(3), WeightId(90)],
            deviation: 5.0,
        });
        for (deviation, part) in [(20.0, 1e-9), (5.0, 0.02)] {
            let prior = Prior::new(mean.clone(), deviation, 1e-4).with(&spec, reduction, 1e-4);
            let mut matrix = curvature.clone();
            prior.add_curvature(&(0..size).collect::<Vec<_>>(), &mut matrix);
            let factor = Cholesky::of(matrix).unwrap();
            let parts =
                (both.each_mut()).map(|one| one.posterior(&prior, &slope, &curvature, &factor));
            let [exact, found] = parts;
            let numbers =
                |at: &PosteriorAt| [&at.step[..], &at.diagonal, &[at.curvature_trace]].concat();
            for (exact, found) in numbers(&exact).iter().zip(numbers(&found)) {
                assert!((found / exact - 1.0).abs() < 1e-8, "{exact} {found}");
            }
            let ratio = found.covariance_trace / exact.covariance_trace;
            assert!((ratio - 1.0).abs() < part, "{deviation} {ratio}");
        }
    }
}
