//! Features that no weight reads, by how much lower E would be with a weight for them.
//!
//! Each feature has two lanes, such as middlegame and endgame, at 0. With s, h and V the
//! efficient scores of both, their curvature and covariance ([`frozen`](crate::frozen)):
//!
//! ```text
//! χ² = sᵀV⁻¹s                   the test, with 2 degrees of freedom
//! δ = −h⁻¹s                     one step of Newton's method, all other weights following
//! ½·sᵀh⁻¹s − tr(h⁻¹V)           how much E of other games falls
//! ```
//!
//! ½·tr(h⁻¹V) of the fall on the games fitted is noise, and as much is lost on others. A lane of
//! which the other weights leave next to no curvature is read by them already. Features that
//! pass are chosen one after the other, the most valuable first, each with those before it
//! following, so that what says the same is not listed twice.

use serde::Serialize;

use crate::frozen::Projection;
use crate::judgement::WeightEstimate;
use crate::not_computed::{Computed, NotComputed};
use crate::statistics::{discoveries, wald};
use crate::variance::{Matrices, Worth, flat, unusable};
use tuner_base::{WeightId, phase};
use tuner_fit::FitError;
use tuner_fit::model::{Loss, Part, Regression, Sigmoid, games_by_lane};
use tuner_rows::TraceSet;
use tuner_solve::linalg::Cholesky;
use tuner_solve::{Curvature, Objective, Reduction};

/// The part of its curvature that other weights leave to a lane at least, or they read it
/// already. Chosen; of what is read exactly 1e-6 is left.
const LEAST_LEFT: f64 = 1e-3;

/// Games that read a feature at least: fewer have too little to say of their spread. Chosen.
const LEAST_GAMES: u32 = 50;

/// The part of its worth that a feature loses at least if it is near the one that was chosen.
/// Chosen; it decides on words alone.
const NEAR: f64 = 0.7;

/// The test of one feature.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FeatureTest {
    /// The number of the feature.
    pub feature: usize,
    /// How many games read the feature.
    pub games: u32,
    /// The statistic χ² of its test, before other features were chosen.
    pub chi_squared: f64,
    /// How many of its two lanes are tested.
    pub degrees_of_freedom: usize,
    /// The probability of such data if it were worth nothing.
    pub p: Option<f64>,
    /// The values of both lanes by one step, those chosen before it following; `None` of a lane
    /// that other weights read already.
    pub values: [Option<WeightEstimate>; 2],
    /// How much E would fall, those chosen before being in, in the fields in which [`Worth`] has
    /// how much it rises.
    pub worth: Worth,
    /// Features that are worth little beside this one, the most valuable first.
    pub near: Vec<usize>,
}

/// Features that are worth a weight.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Suggestions {
    /// Clusters of games that the tests rest on.
    pub clusters: usize,
    /// Features that were tested.
    pub tested: usize,
    /// Features that weights read already, alone or together.
    pub already_read: Vec<usize>,
    /// Features of too few games.
    pub rare: usize,
    /// Features that would lower E, at most 5 % of such statements being wrong.
    pub discoveries: usize,
    /// The most valuable of these, chosen one after the other.
    pub chosen: Vec<FeatureTest>,
}

/// Tests features that no weight reads, and chooses the most valuable ones, `most` at most.
///
/// *Shapes*: `reduction` is of all weights, among them two fixed at 0 for each of `features`; `x`
/// has the variables where E is least.
/// *Cost*: a curvature matrix of the variables and the lanes, three passes, and some four
/// products of matrices of their number.
///
/// # Errors
/// The outer one if rows cannot be read; the inner one says why nothing can be said of the
/// features, as where there is one game.
pub fn suggest(
    traces: &TraceSet,
    reduction: &Reduction,
    x: &[f64],
    features: &[[WeightId; 2]],
    (loss, sigmoid): (Loss, Sigmoid),
    most: usize,
) -> Result<Result<Suggestions, String>, FitError> {
    let wider = reduction.releasing(features.as_flattened());
    let objective = Regression::new(traces, &wider, loss, sigmoid, Part::All)
        .map_err(|error| FitError::of_part(error, "positions"))?;
    let by_lane = games_by_lane(traces.into())?;
    let lanes = reduction.weight_lanes();
    // A game may read one lane of a feature alone: at least so many games read the feature.
    let games = features.iter().map(|both| {
        let games = both.map(|weight| by_lane[lanes[weight.index()].index()]);
        games[0].max(games[1])
    });
    let tests = FeatureTests::of(&objective, loss, x, games.collect());
    NotComputed::or_reason(tests.map(|tests| tests.chosen(most)))
}

/// Efficient scores of all lanes, two for each feature, with the weights and the lanes chosen so
/// far following.
struct FeatureTests {
    clusters: usize,
    /// The games that read each feature.
    games: Vec<u32>,
    /// The efficient score of each lane: the slope of E along it, what moved following.
    score: Vec<f64>,
    /// The curvature of E between each two lanes, what moved following.
    curvature: Vec<Vec<f64>>,
    /// The covariance of the scores of each two lanes.
    spread: Vec<Vec<f64>>,
    /// The curvature that is to be left to each lane at least.
    least: Vec<f64>,
}

impl FeatureTests {
    /// Computes, for the lanes of all features, the slopes of E, the curvature between each two and
    /// the covariance of the slopes, where all weights of `x` follow a lane that moves. The
    /// variables of `objective` are those of `x`, at their best values, and behind them two lanes
    /// for each feature, at 0; `games`: how many read each feature. Fails if data cannot be read,
    /// or the curvature over the variables of `x` cannot be factorised.
    ///
    /// *Cost*: a pass for curvature and one for the derivatives by game, with the features as
    /// variables.
    fn of(objective: &Regression<'_>, loss: Loss, x: &[f64], games: Vec<u32>) -> Computed<Self> {
        let (moved, lanes) = (x.len(), 2 * games.len());
        let mut at = x.to_vec();
        at.resize(moved + lanes, 0.0);
        let data = {
            let _phase = phase("curvature");
            objective.curvature_at(&at, Curvature::GaussNewton)?
        };
        let matrices = Matrices::at(objective, &at, Some(data))?;
        let _phase = phase("score tests");
        let error = objective.value(&at)?;
        let unit = loss.prior_unit(error, matrices.games);
        // A very weak prior, of standard deviation 1000, makes this curvature one that can be
        // factorised where the data do not determine all variables.
        let of_moved = matrices.first(moved).data.plus(&flat(moved, unit));
        let inverse = Cholesky::new(&of_moved).map_err(unusable)?.inverse();
        let projection = Projection::of(&matrices, &inverse, x, unit);
        let alone = matrices.data.diagonal().split_off(moved);
        // A symmetric matrix over all lanes: computed on and below the diagonal, and mirrored.
        let square = |of: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
            let of_lane = |one| (0..=one).map(|other| of(one, other)).collect();
            let lower: Vec<Vec<f64>> = (0..lanes).map(of_lane).collect();
            let row = |one: usize| {
                let value = |other: usize| lower[one.max(other)][one.min(other)];
                (0..lanes).map(value).collect()
            };
            (0..lanes).map(row).collect()
        };
        // Of a lane that other weights read already next to nothing is left but what the weak prior
        // adds: more than that and a thousandth of the lane's own curvature has to be left.
        let least = |(lane, alone)| LEAST_LEFT * alone + projection.of_prior(lane);
        Ok(Self {
            clusters: matrices.clusters,
            games,
            score: (0..lanes).map(|lane| projection.score(lane)).collect(),
            curvature: square(&|one, other| projection.curvature(one, other)),
            spread: square(&|one, other| projection.spread(one, other)),
            least: alone.into_iter().enumerate().map(least).collect(),
        })
    }

    /// Returns the lanes of a feature, 2·feature and the next, that keep enough curvature where all
    /// other weights follow. Where the squared correlation of both, by curvature or by covariance
    /// of the slopes, is more than 0.999 it is the one with more curvature left; empty where other
    /// weights read both lanes already.
    fn lanes(&self, feature: usize) -> Vec<usize> {
        let left = |lane: usize| self.curvature[lane][lane];
        let is_own = |lane: &usize| left(*lane) > self.least[*lane];
        let both = [2 * feature, 2 * feature + 1].into_iter();
        let lanes: Vec<usize> = both.filter(is_own).collect();
        if let [one, other] = lanes[..] {
            // The squared correlation of the two lanes in a matrix.
            let of = |of: &[Vec<f64>]| of[one][other].powi(2) / (of[one][one] * of[other][other]);
            let both = [of(&self.curvature), of(&self.spread)];
            // Next to nothing is left of one lane where the other follows: they say the same.
            if both.iter().any(|r| 1.0 - r < LEAST_LEFT) {
                return vec![if left(one) > left(other) { one } else { other }];
            }
        }
        lanes
    }

    /// Tests a feature by the efficient scores s of its two lanes, the slopes of E where all
    /// weights follow, and their curvature h and covariance V: χ² = sᵀV⁻¹s, the step −h⁻¹s, and the
    /// fall of E on other games ½·sᵀh⁻¹s − tr(h⁻¹V). A lane that other weights read already is left
    /// out of these. `None` if both are, or fewer than [`LEAST_GAMES`] games read the feature.
    fn test(&self, feature: usize) -> Option<FeatureTest> {
        let lanes = self.lanes(feature);
        if lanes.is_empty() || self.games[feature] < LEAST_GAMES {
            return None;
        }
        // `h` and `v` are the inverses h⁻¹ and V⁻¹.
        let part = |of: &[Vec<f64>]| inverse(&lanes, of);
        let (h, v) = (part(&self.curvature), part(&self.spread));
        // By place among `lanes`, not by lane; 0 where there is one lane only.
        let score = [0, 1].map(|i| lanes.get(i).map_or(0.0, |lane| self.score[*lane]));
        let spread = [0, 1].map(|i| {
            [0, 1].map(|j| match (lanes.get(i), lanes.get(j)) {
                (Some(&i), Some(&j)) => self.spread[i][j],
                _ => 0.0,
            })
        });
        let product = |a: [[f64; 2]; 2], b: [f64; 2]| a.map(|row| row[0] * b[0] + row[1] * b[1]);
        let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
        let step = product(h, score);
        let error = |lane: usize| dot(h[lane], product(spread, h[lane])).max(0.0).sqrt();
        let chi_squared = dot(score, product(v, score));
        let noise: f64 = (0..2).map(|i| dot(h[i], spread[i])).sum();
        let mut values = [None; 2];
        for (place, &lane) in lanes.iter().enumerate() {
            values[lane % 2] = Some(WeightEstimate {
                value: -step[place],
                standard_error: error(place),
            });
        }
        let fitted = 0.5 * dot(score, step);
        Some(FeatureTest {
            feature,
            games: self.games[feature],
            chi_squared,
            degrees_of_freedom: lanes.len(),
            p: wald(chi_squared, lanes.len(), self.clusters),
            values,
            worth: Worth {
                fitted,
                expected: fitted - noise,
                standard_error: dot(step, product(spread, step)).max(0.0).sqrt(),
            },
            near: Vec::new(),
        })
    }

    /// Makes the chosen lane c follow where any lane moves, as the weights do, in scores s,
    /// curvature h and covariance V of all lanes. With B = h_·c/h_cc this takes B·s_c from the
    /// scores and B·h_c· from the curvature, and the scores s − B·s_c have the covariance V +
    /// B·Bᵀ·V_cc − B·V_c· − V_·c·Bᵀ.
    fn follow(&mut self, lane: usize) {
        let (score, own) = (self.score[lane], self.curvature[lane].clone());
        let spread = self.spread[lane].clone();
        let by: Vec<f64> = own.iter().map(|h| h / own[lane]).collect();
        for one in 0..self.score.len() {
            self.score[one] -= by[one] * score;
            for other in 0..self.score.len() {
                self.curvature[one][other] -= by[one] * own[other];
                self.spread[one][other] += by[one] * by[other] * spread[lane]
                    - by[one] * spread[other]
                    - by[other] * spread[one];
            }
        }
    }

    /// Tests all features but those that `but` has tests of. Features that weights read already, or
    /// too few games read, are left out.
    fn tests(&self, but: &[FeatureTest]) -> Vec<FeatureTest> {
        let is_left = |of: &usize| but.iter().all(|test| test.feature != *of);
        let left = (0..self.games.len()).filter(is_left);
        left.filter_map(|of| self.test(of)).collect()
    }

    /// Chooses `most` features at most, the most valuable first, until no further one passes the
    /// test and is worth anything to other games. In each round all features that are not chosen
    /// yet are tested, while the weights and the features chosen before follow; the best is chosen,
    /// and those that lose most of their worth by this choice are noted as near to it.
    fn chosen(mut self, most: usize) -> Suggestions {
        let worth = |test: &FeatureTest| test.worth.expected;
        let first = self.tests(&[]);
        let is_read = |of: &usize| self.games[*of] >= LEAST_GAMES && self.lanes(*of).is_empty();
        let is_rare = |games: &&u32| **games < LEAST_GAMES;
        let mut found = Suggestions {
            clusters: self.clusters,
            tested: first.len(),
            already_read: (0..self.games.len()).filter(is_read).collect(),
            rare: self.games.iter().filter(is_rare).count(),
            discoveries: 0,
            chosen: Vec::new(),
        };
        // A feature is chosen if it passed the first tests, and passes again in each round, where
        // the features chosen so far follow as weights do.
        let mut passing: Vec<usize> = (0..self.games.len()).collect();
        let mut tests = first.clone();
        loop {
            let passed = discoveries(tests.iter().map(|test| test.p));
            let passed = tests.into_iter().zip(passed).filter(|(_, passed)| *passed);
            let is_passing = |test: &FeatureTest| passing.contains(&test.feature);
            tests = passed.map(|(test, _)| test).filter(is_passing).collect();
            // The first round, before any feature is chosen.
            if found.chosen.is_empty() {
                found.discoveries = tests.len();
                passing = tests.iter().map(|test| test.feature).collect();
            }
            // What is worth nothing to other games is no suggestion, however sure its sign.
            let best = tests.iter().max_by(|a, b| worth(a).total_cmp(&worth(b)));
            let Some(best) = best.filter(|test| worth(test) > 0.0 && found.chosen.len() < most)
            else {
                return found;
            };
            for lane in self.lanes(best.feature) {
                // Once the first follows, the second may say nothing of its own.
                if self.lanes(best.feature).contains(&lane) {
                    self.follow(lane);
                }
            }
            // Its statistic is told as it was before other features were chosen.
            let of = |feature: usize| first.iter().find(|test| test.feature == feature);
            let mut chosen = best.clone();
            if let Some(first) = of(best.feature) {
                chosen.chi_squared = first.chi_squared;
                chosen.degrees_of_freedom = first.degrees_of_freedom;
                chosen.p = first.p;
            }
            found.chosen.push(chosen);
            let after = self.tests(&found.chosen);
            // A feature that loses at least `NEAR` of its worth by this choice.
            let is_near = |test: &&FeatureTest| {
                let after = after.iter().find(|after| after.feature == test.feature);
                let after = after.map_or(0.0, |after| after.worth.fitted);
                test.feature != best.feature && after < (1.0 - NEAR) * test.worth.fitted
            };
            let mut near: Vec<&FeatureTest> = tests.iter().filter(is_near).collect();
            near.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
            let near = near.iter().map(|test| test.feature).collect();
            if let Some(chosen) = found.chosen.last_mut() {
                chosen.near = near;
            }
            tests = after;
        }
    }
}

/// Inverts the part of the matrix `of` that is of one or two lanes. The result is by their places
/// in `lanes`; where there is one lane all but the first entry of the first row is 0.
fn inverse(lanes: &[usize], of: &[Vec<f64>]) -> [[f64; 2]; 2] {
    match *lanes {
        [one, other] => {
            let (a, b, c) = (of[one][one], of[one][other], of[other][other]);
            let determinant = a * c - b * b;
            [[c, -b], [-b, a]].map(|row| row.map(|value| value / determinant))
        }
        [one] => [[of[one][one].recip(), 0.0], [0.0; 2]],
        _ => [[0.0; 2]; 2],
    }
}
