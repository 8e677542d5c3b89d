//! Which weights the data would like to move, fitted or not.

use serde::Serialize;

use crate::statistics::{discoveries, two_sided_by_games};
use tuner_base::LaneId;
use tuner_fit::FitError;
use tuner_fit::model::{Loss, Part, Regression, Sigmoid, games_by_lane};
use tuner_rows::TraceSet;
use tuner_solve::{Curvature, Objective, Reduction};

/// Memory for the slopes of all clusters; chosen, half of what rows of a million
/// positions take.
const SCORE_BYTES: usize = 1 << 28;

/// Clusters of games at least, whatever memory they take: standard errors are then
/// off by 4 % of themselves.
const LEAST_CLUSTERS: usize = 256;

/// Clusters of games at most: standard errors are then off by half a percent of themselves.
const MOST_CLUSTERS: usize = 1 << 14;

/// Whether the residuals still correlate with what one weight counts, all other
/// weights staying as they are.
///
/// Frozen weights and those that are 0 have one as well: a feature that is worth
/// something shows here before it is fitted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ScoreTest {
    /// The derivative of E by the weight.
    pub slope: f64,
    /// The slope in standard errors, with the sign of the change that lowers E:
    /// −Σ s / √Σ s², s the slopes of games. `None` where no game has one.
    pub z: Option<f64>,
    /// The probability of a z as far from 0 if E were least here.
    pub p_zero: Option<f64>,
    /// Whether it is not 0, at most 5 % of such statements being wrong.
    pub stands_out: bool,
    /// The games that read the weight.
    pub games: u32,
    /// By how much the weight would change for the least E if it changed alone,
    /// by slope and Gauss-Newton curvature here: a first step, and no fit. `None`
    /// where no position has a slope.
    pub change: Option<f64>,
    /// The standard error of the change.
    pub change_error: Option<f64>,
}

/// Tests for each weight, in their order, whether E would fall if it moved alone from its value in
/// `lanes`: by the slope of E by the weight over its standard error, with the slopes of games as
/// independent.
///
/// *Shapes*: `lanes` has two values per slot; `weights` the lane of each weight.
/// *Cost*: five passes; up to 256 MB, and 24 bytes a position meanwhile.
/// *Source*: C. R. Rao, Large sample tests of statistical hypotheses concerning
/// several parameters, 1948; by games as Liang and Zeger, 1986.
///
/// # Errors
/// If rows cannot be read, or there is none.
pub fn score_tests(
    traces: &TraceSet,
    lanes: &[f64],
    weights: &[LaneId],
    loss: Loss,
    sigmoid: Sigmoid,
) -> Result<Vec<ScoreTest>, FitError> {
    let reduction = Reduction::of_lanes(lanes.len());
    let objective = Regression::new(traces, &reduction, loss, sigmoid, Part::All)
        .map_err(|error| FitError::of_part(error, "positions"))?;
    let games = games_by_lane(traces.into())?;
    // As many clusters of games as have room for a slope by each lane, of 8 bytes.
    let clusters = SCORE_BYTES / (8 * lanes.len().max(1));
    let clusters = clusters.clamp(LEAST_CLUSTERS, MOST_CLUSTERS);
    let scores = objective.scores_by_cluster(lanes, clusters)?;
    // By lane, over clusters of games: Σ of slopes of E, Σ of their squares.
    let mut sums = vec![[0.0; 2]; lanes.len()];
    for cluster in 0..scores.clusters {
        for (sum, slope) in sums.iter_mut().zip(scores.cluster(cluster)) {
            sum[0] += slope;
            sum[1] += slope * slope;
        }
    }
    // Gauss-Newton's curvature is never negative, so that steps stay near even from far off.
    let curvature = objective.diagonal(lanes, Curvature::GaussNewton)?;
    let test = |lane: &LaneId| {
        let lane = lane.index();
        let [slope, squares] = sums[lane];
        let spread = squares.sqrt();
        let z = (spread > 0.0).then(|| -slope / spread);
        let curvature = Some(curvature[lane]).filter(|h| *h > 0.0);
        ScoreTest {
            slope,
            z,
            p_zero: z.and_then(|z| two_sided_by_games(z, games[lane] as usize)),
            stands_out: false,
            games: games[lane],
            change: z.and(curvature).map(|h| -slope / h),
            change_error: z.and(curvature).map(|h| spread / h),
        }
    };
    let mut tests: Vec<ScoreTest> = weights.iter().map(test).collect();
    let discoveries = discoveries(tests.iter().map(|test| test.p_zero));
    for (test, stands_out) in tests.iter_mut().zip(discoveries) {
        test.stands_out = stands_out;
    }
    Ok(tests)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use tuner_rows::{RowDraft, RowInfo, Segment, Slot};

    /// Games of five positions whose results are the expectation at the true
    /// weights, up or down by the same, whatever they count.
    fn traces(truth: &[f64], sigmoid: Sigmoid) -> TraceSet {
        let mut set = TraceSet::new(3);
        for game in 0..200_u32 {
            for number in 0..5_u32 {
                let count = |slot: u32| i16::from((game * 7 + number * 3 + slot).is_multiple_of(5));
                let entries = (0..2).map(|slot| (Slot(slot), count(slot)));
                let draft = RowDraft {
                    segments: vec![Segment::same([1.0, 0.0], entries)],
                    ..RowDraft::default()
                };
                let score: f64 = (0..2)
                    .map(|s| f64::from(count(s)) * truth[2 * s as usize])
                    .sum();
                let noise = if game % 2 == 0 { 0.2 } else { -0.2 };
                let outcome = sigmoid.expectation(score) + noise;
                set.push(&draft, &RowInfo::new(outcome, game)).unwrap();
            }
        }
        set.finish();
        set
    }

    #[test]
    fn a_weight_that_is_wrong_is_found_and_the_change_leads_back() {
        let sigmoid = Sigmoid::new(1.0);
        let truth = [50.0, 0.0, -40.0, 0.0, 0.0, 0.0];
        let set = traces(&truth, sigmoid);
        let lanes = [80.0, 0.0, -40.0, 0.0, 0.0, 0.0];
        let weights = [LaneId(0), LaneId(2), LaneId(4)];
        let tests = score_tests(&set, &lanes, &weights, Loss::Squared, sigmoid).unwrap();
        assert!(tests[0].stands_out && !tests[1].stands_out, "{tests:?}");
        assert!(tests[0].z.unwrap() < -2.0, "it is to fall");
        assert!((tests[0].change.unwrap() + 30.0).abs() < 3.0, "{tests:?}");
        let t = tests[0].change.unwrap() / tests[0].change_error.unwrap();
        assert!((t - tests[0].z.unwrap()).abs() < 1e-9);
        assert!(tests[0].games <= 200, "games count once");
        // Nobody reads the third.
        assert_eq!(
            (tests[2].z, tests[2].games, tests[2].change),
            (None, 0, None)
        );
    }

    #[test]
    fn without_positions_there_is_an_error() {
        let set = TraceSet::new(1);
        let (loss, sigmoid) = (Loss::Squared, Sigmoid::new(1.0));
        assert!(score_tests(&set, &[0.0; 2], &[LaneId(0)], loss, sigmoid).is_err());
    }
}
