//! E along one weight.

use serde::Serialize;

use crate::verdict::ErrorDifference;
use tuner_base::LaneId;
use tuner_fit::model::{Loss, Part, Regression, Sigmoid, losses_by_game};
use tuner_fit::{FitError, rows_with_changed_branch};
use tuner_rows::TraceSet;
use tuner_solve::{PassResult, Reduction};

/// How near to the minimum the search ends, as a part of the distance of two
/// points; E differs there by a millionth of what it does from point to point.
const NEAR: f64 = 1e-3;

/// The part of the positions, as 1 in so many, that may take another branch of the evaluation at a
/// value whose E is told. Chosen: E then is mostly that of scores that are right.
const MOST_CHANGED: usize = 10;

/// Values of a weight at which E is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProfileRange {
    /// The first.
    pub from: f64,
    /// The last, above the first.
    pub to: f64,
    /// How many there are, from 2.
    pub points: usize,
}

/// E at one value of a weight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ProfilePoint {
    /// The value of the weight.
    pub value: f64,
    /// E there.
    pub error: f64,
}

/// E along one weight, all others staying as they are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WeightProfile {
    /// E at evenly spaced values, without those of `unknown`.
    pub points: Vec<ProfilePoint>,
    /// The values at which E is not known: more than a tenth of the positions take another branch
    /// of the evaluation there.
    pub unknown: Vec<f64>,
    /// E at the weight as it is.
    pub now: ProfilePoint,
    /// The least E between the first and the last value, where it is known.
    pub minimum: ProfilePoint,
    /// Whether that is at the first or the last value, or next to one whose E is not known, so that
    /// E may be less beyond.
    pub at_end: bool,
    /// E now and at the minimum, with the error of the difference by games;
    /// `None` if no position has weight.
    pub difference: Option<ErrorDifference>,
    /// Positions that would take another branch of a nonlinear evaluation at the
    /// first and at the last value; their scores there are those of the branch
    /// that was traced.
    pub changed_branches: [u64; 2],
}

/// Computes E along one weight, that of `lane`, by a loss, at two values of the `range` or more,
/// and its least value; all other lanes stay as in `lanes`. Values at which more than a tenth of
/// the rows take another branch of the evaluation are listed apart, as E is not known there; if
/// that is so of all, the least E is that of the weight as it is.
///
/// *Shapes*: `lanes` has two values per slot. *Cost*: two passes for each point, of which one looks
/// at branches, and some twenty to find the minimum.
///
/// # Errors
/// If there is no row.
///
/// # Panics
/// If the first value of the range is not below the last.
pub fn profile(
    traces: &TraceSet,
    lanes: &[f64],
    lane: LaneId,
    range: ProfileRange,
    loss: Loss,
    sigmoid: Sigmoid,
) -> Result<WeightProfile, FitError> {
    assert!(range.from < range.to, "the first value below the last");
    let reduction = Reduction::of_lanes(lanes.len());
    let objective = Regression::new(traces, &reduction, loss, sigmoid, Part::All)
        .map_err(|error| FitError::of_part(error, "positions"))?;
    // All lanes, with `value` for the weight.
    let at = |value: f64| {
        let mut lanes = lanes.to_vec();
        lanes[lane.index()] = value;
        lanes
    };
    let point = |value: f64| -> PassResult<ProfilePoint> {
        let error = objective.at_lanes(&at(value))?;
        Ok(ProfilePoint { value, error })
    };
    let last = range.points.max(2) - 1;
    let step = (range.to - range.from) / last as f64;
    let now = point(lanes[lane.index()])?;
    let changed = |value| rows_with_changed_branch(traces, &at(value)).len();
    // The values of the range, and apart those at which more than a tenth of the rows take another
    // branch.
    let (known, unknown): (Vec<f64>, Vec<f64>) = (0..=last)
        .map(|number| range.from + step * number as f64)
        .partition(|&value| changed(value) * MOST_CHANGED <= traces.len());
    let points = known.into_iter().map(point);
    let points = points.collect::<Result<Vec<_>, _>>()?;
    let best = (points.iter().copied()).min_by(|a, b| a.error.total_cmp(&b.error));
    let best = best.unwrap_or(now);
    // Whether there is a point at this value, within rounding.
    let is_known = |value: f64| {
        let mut points = points.iter();
        points.any(|point| (point.value - value).abs() < step / 2.0)
    };
    // The minimum is between the neighbours of the best point, if E is known at both; else it may
    // be beyond, and the best point is taken for it.
    let (low, high) = (best.value - step, best.value + step);
    let at_end = !is_known(low) || !is_known(high);
    let minimum = if at_end {
        best
    } else {
        least(&point, low, best, high)?
    };
    let losses = |value| losses_by_game(traces.into(), Part::All, loss, sigmoid, &at(value));
    let difference = ErrorDifference::new(&losses(now.value)?, &losses(minimum.value)?);
    Ok(WeightProfile {
        at_end,
        now,
        minimum,
        difference,
        changed_branches: [range.from, range.to].map(|value| changed(value) as u64),
        points,
        unknown,
    })
}

/// Returns the least E between the values `low` and `high`, by golden section, until they are
/// within [`NEAR`] of half of their first distance. `point`: computes E at a value; `best`: a point
/// between `low` and `high` where E is less than at both.
fn least(
    point: &dyn Fn(f64) -> PassResult<ProfilePoint>,
    mut low: f64,
    mut best: ProfilePoint,
    mut high: f64,
) -> PassResult<ProfilePoint> {
    // (3 − √5)/2.
    const GOLDEN: f64 = 0.381_966_011_250_105;
    let enough = NEAR * (high - low) / 2.0;
    while high - low > enough {
        // The next value is in the wider side.
        let value = if high - best.value > best.value - low {
            best.value + GOLDEN * (high - best.value)
        } else {
            best.value - GOLDEN * (best.value - low)
        };
        let other = point(value)?;
        let (better, worse) = if other.error < best.error {
            (other, best)
        } else {
            (best, other)
        };
        if worse.value > better.value {
            high = worse.value;
        } else {
            low = worse.value;
        }
        best = better;
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use std::panic::AssertUnwindSafe;
    use tuner_rows::{RowDraft, RowInfo, Segment, Slot};

    /// Results are the expectation with the weight at 37.
    fn traces(sigmoid: Sigmoid) -> TraceSet {
        let mut set = TraceSet::new(1);
        for game in 0..40_u32 {
            let count = (game % 5) as i16 - 2;
            let draft = RowDraft {
                constant: f64::from(game % 7) * 20.0 - 60.0,
                segments: vec![Segment::same([1.0, 0.0], [(Slot(0), count)])],
                expression: None,
            };
            let outcome = sigmoid.expectation(draft.constant + 37.0 * f64::from(count));
            set.push(&draft, &RowInfo::new(outcome, game)).unwrap();
        }
        set.finish();
        set
    }

    #[test]
    fn the_minimum_is_where_the_results_come_from() {
        let sigmoid = Sigmoid::new(1.2);
        let set = traces(sigmoid);
        let range = |from, to| ProfileRange {
            from,
            to,
            points: 11,
        };
        let profile = |from, to| {
            profile(
                &set,
                &[0.0, 0.0],
                LaneId(0),
                range(from, to),
                Loss::Squared,
                sigmoid,
            )
            .unwrap()
        };
        let found = profile(-100.0, 100.0);
        assert!((found.minimum.value - 37.0).abs() < 0.1, "{found:?}");
        assert!(!found.at_end && found.minimum.error < 1e-6);
        assert_eq!(found.points.len(), 11);
        assert!((found.points[5].value).abs() < 1e-12);
        assert!((found.now.error - found.points[5].error).abs() < 1e-15);
        let difference = found.difference.unwrap();
        assert!((difference.before - found.now.error).abs() < 1e-12);
        assert!(difference.high() < 0.0 && difference.games == 40);
        let found = profile(-50.0, 20.0);
        assert!(found.at_end && (found.minimum.value - 20.0).abs() < 1e-12);
        for (from, to) in [(20.0, -50.0), (1.0, 1.0), (0.0, f64::NAN)] {
            let found = std::panic::catch_unwind(AssertUnwindSafe(|| profile(from, to)));
            assert!(found.is_err(), "{from} {to}");
        }
    }
}
