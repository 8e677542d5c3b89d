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
//! The unit u says how much a likelihood is worth: with J the covariance of the
//! gradient, clustered by game, `u = tr(A⁻¹J)/tr(A⁻¹H)`; J = u·H would be a true
//! likelihood. So positions of a game count as what they are worth together.
//!
//! *Source*: D. MacKay, Bayesian interpolation, Neural Computation 4, 1992;
//! The evidence framework applied to classification networks, the same, for H
//! at the mean.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fmt;

use crate::model::Regression;
use tuner_base::WeightId;
use tuner_solve::linalg::{Cholesky, Symmetric, dot};
use tuner_solve::{Curvature, Objective, PassError, Prior, PriorSpec};

/// Largest number of variables for which the matrices are formed. With 3,000
/// the inverses take some 20 seconds on two cores, and grow with the third power.
pub const MOST_VARIABLES: usize = 3_000;

/// Clusters of games of which the covariance is formed: it is off by 1/√(2·4096),
/// a hundredth, of itself.
const CLUSTERS: usize = 4096;

/// So many games as the plain likelihood, one independent observation a game,
/// counts against the clusters: few clusters say little of their own spread.
const PLAIN_GAMES: f64 = 10.0;

/// Standard deviations tried, in the unit of the weights: below the smallest no
/// integer moves, above the largest no prior is felt.
const RANGE: (f64, f64) = (0.1, 320.0);

/// Parameters in favour of a small deviation: with one or two weights a group's
/// own spread says little. Chosen.
const DOUBT: f64 = 1.0;

/// Rounds end where no deviation changes by more than this part of itself.
const TOLERANCE: f64 = 0.03;

/// Most rounds; each takes an inverse.
const ROUNDS: usize = 20;

/// Weights that share a standard deviation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeightGroup {
    /// What they are called together: the name of their parameter.
    pub name: String,
    /// Which they are.
    pub weights: Vec<WeightId>,
}

/// What the evidence says of one group.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct GroupDeviation {
    /// The group.
    pub name: String,
    /// Its standard deviation around the prior means.
    pub deviation: f64,
    /// Number of variables.
    pub variables: usize,
    /// How many of them the data determine; the prior decides on the others.
    pub determined: f64,
}

/// The prior that the evidence chose.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EvidencePrior {
    /// The unit u: λ·τ² of the prior.
    pub unit: f64,
    /// The groups, in the order given.
    pub groups: Vec<GroupDeviation>,
    /// Rounds of the fixed point.
    pub rounds: usize,
    /// Clusters of games that the unit rests on.
    pub clusters: usize,
}

impl EvidencePrior {
    /// Maximises the evidence at the prior means `mean`. `spec` has the
    /// deviations that are declared, which stay, and the neighbours; `base` is
    /// where the others start; `plain` the unit of a likelihood with one
    /// observation a game.
    ///
    /// *Cost*: a curvature matrix, two passes for the scores, and an inverse of
    /// a matrix of the number of variables for each round.
    ///
    /// # Errors
    /// If rows cannot be read.
    pub(super) fn maximise(
        objective: &Regression<'_>,
        mean: &[f64],
        spec: &PriorSpec,
        groups: &[WeightGroup],
        base: f64,
        plain: f64,
    ) -> Result<Self, PassError> {
        let reduction = objective.reduction();
        let size = objective.len();
        let mut gradient = vec![0.0; size];
        objective.gradient(mean, &mut gradient)?;
        let mut data = Symmetric::zeros(size);
        objective.curvature(mean, Curvature::GaussNewton, &mut data)?;
        let scores = objective.scores_by_cluster(mean, CLUSTERS)?;
        let covariance = scores.covariance();
        let clusters = scores.clusters();
        drop(scores);
        // The group of each variable; none where a deviation is declared.
        let roots = reduction.roots();
        let mut of_variable: Vec<Option<usize>> = vec![None; size];
        for (number, group) in groups.iter().enumerate() {
            for &weight in &group.weights {
                if let Ok(variable) = roots.binary_search(&weight)
                    && !spec.deviations.contains_key(&weight)
                {
                    of_variable[variable] = Some(number);
                }
            }
        }
        let mut deviations = vec![base; groups.len()];
        let mut unit = plain;
        let mut determined = vec![0.0; groups.len()];
        let mut rounds = 0;
        while rounds < ROUNDS {
            rounds += 1;
            let spec = with_deviations(spec, groups, &deviations);
            let prior = Prior::new(mean.to_vec(), base, unit).with(&spec, reduction, unit);
            let mut matrix = data.clone();
            let all: Vec<usize> = (0..size).collect();
            prior.add_curvature(&all, &mut matrix);
            let Ok(factor) = Cholesky::new(&matrix) else {
                // The prior is below rounding: the data determine everything.
                break;
            };
            let inverse = factor.inverse();
            let step = inverse.multiply(&gradient);
            let (spread, worth) = (trace(&inverse, &covariance), trace(&inverse, &data));
            let measured = if worth > 0.0 { spread / worth } else { plain };
            let games = clusters as f64;
            let next = (games * measured + PLAIN_GAMES * plain) / (games + PLAIN_GAMES);
            let mut squares = vec![0.0; groups.len()];
            determined.fill(0.0);
            for (variable, group) in of_variable.iter().enumerate() {
                if let Some(group) = *group {
                    let strength = prior.strengths()[variable];
                    squares[group] += step[variable] * step[variable];
                    determined[group] += 1.0 - strength * inverse.get(variable, variable);
                }
            }
            let mut change = (next / unit).ln().abs();
            unit = next;
            for (group, deviation) in deviations.iter_mut().enumerate() {
                let count = determined[group] + DOUBT;
                let next = (squares[group] / count).sqrt().clamp(RANGE.0, RANGE.1);
                change = change.max((next / *deviation).ln().abs());
                *deviation = next;
            }
            if change < TOLERANCE {
                break;
            }
        }
        let mut counts = vec![0; groups.len()];
        for group in of_variable.iter().flatten() {
            counts[*group] += 1;
        }
        let groups = groups.iter().enumerate().map(|(number, group)| GroupDeviation {
            name: group.name.clone(),
            deviation: deviations[number],
            variables: counts[number],
            determined: determined[number],
        });
        Ok(Self {
            unit,
            groups: groups.collect(),
            rounds,
            clusters,
        })
    }

    /// Returns the declared prior with the deviations of the groups.
    ///
    /// # Panics
    /// If the groups are not those of [`maximise`](Self::maximise).
    pub fn prior(&self, declared: &PriorSpec, groups: &[WeightGroup]) -> PriorSpec {
        let deviations: Vec<f64> = self.groups.iter().map(|group| group.deviation).collect();
        with_deviations(declared, groups, &deviations)
    }

    /// Returns the field of the summary.
    pub(crate) fn json(&self) -> Value {
        let groups: Vec<Value> = (self.groups.iter().filter(|group| group.variables > 0))
            .map(|group| {
                json!({
                    "name": group.name,
                    "deviation": group.deviation,
                    "weights": group.variables,
                    "determined": group.determined,
                })
            })
            .collect();
        json!({
            "by": "evidence",
            "unit": self.unit,
            "clusters": self.clusters,
            "rounds": self.rounds,
            "groups": groups,
        })
    }
}

/// A line of what was chosen.
impl fmt::Display for EvidencePrior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut groups: Vec<&GroupDeviation> =
            (self.groups.iter().filter(|group| group.variables > 0)).collect();
        groups.sort_by(|a, b| b.deviation.total_cmp(&a.deviation));
        let named = |group: &&GroupDeviation| format!("{} {:.1}", group.name, group.deviation);
        let (all, determined) = groups.iter().fold((0, 0.0), |(all, determined), group| {
            (all + group.variables, determined + group.determined)
        });
        write!(
            f,
            "prior: standard deviations by the evidence, which determines {determined:.0} of {all} \
             weights"
        )?;
        if let [first, .., last] = groups.as_slice() {
            write!(f, ": from {} to {}", named(last), named(first))?;
        } else if let [only] = groups.as_slice() {
            write!(f, ": {}", named(only))?;
        }
        Ok(())
    }
}

/// The declared prior, and of all other weights of a group its deviation.
fn with_deviations(declared: &PriorSpec, groups: &[WeightGroup], deviations: &[f64]) -> PriorSpec {
    let mut prior = declared.clone();
    for (group, &deviation) in groups.iter().zip(deviations) {
        for &weight in &group.weights {
            prior.deviations.entry(weight).or_insert(deviation);
        }
    }
    prior
}

/// The trace of a product of symmetric matrices.
fn trace(left: &Symmetric, right: &Symmetric) -> f64 {
    dot(left.values(), right.values())
}
