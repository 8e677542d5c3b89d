//! Scores of real rows along directions: what the curvature says is tried.

use super::PartRows;
use tuner_fit::model::{counts, each_set};
use tuner_rows::{AHEAD, Linearised, TraceSet};
use tuner_solve::PassResult;

/// Rows that are scored, at most; chosen.
pub(super) const ROWS: usize = 10_000;

/// How scores change from some lanes to others.
#[derive(Clone, Debug)]
pub(super) struct ScoreChanges {
    /// How many rows were scored.
    pub(super) rows: usize,
    /// The largest change of a score by each of the other lanes, over the rows that are linear, and
    /// over the others, in centipawns.
    pub(super) largest: [Vec<f64>; 2],
}

/// Scores up to [`ROWS`] rows, spread evenly, at `lanes` and at each of `others`, two lanes per
/// slot, and returns the largest change of a score by each of `others`: first over the linear rows,
/// then over those with a nonlinear expression. Rows of weight 0 are left out; a score that is not
/// a number counts as infinitely changed.
///
/// *Units*: centipawns. *Cost*: a pass over the games, and the scores.
///
/// # Errors
/// If rows cannot be read.
pub(super) fn changes(
    rows: PartRows<'_>,
    lanes: &[f64],
    others: &[Vec<f64>],
) -> PassResult<ScoreChanges> {
    let PartRows { traces, part } = rows;
    let count = counts::rows(traces, part)?;
    let stride = (count as usize).div_ceil(ROWS).max(1);
    let none = ScoreChanges {
        rows: 0,
        largest: [(); 2].map(|()| vec![0.0; others.len()]),
    };
    let of_set = |set: &TraceSet| {
        let mut changes = none.clone();
        let mut linearised = Linearised::default();
        let of_part = counts::rows_of(set, part, stride).into_iter();
        // A row of weight 0 determines nothing.
        for row in of_part.filter(|row| row.weight() > 0.0) {
            changes.rows += 1;
            let score = linearised.score(&row, lanes);
            let largest = &mut changes.largest[usize::from(row.expression().is_some())];
            for (largest, other) in largest.iter_mut().zip(others) {
                let moved = (linearised.score(&row, other) - score).abs();
                // What is not a number has changed.
                let moved = if moved.is_nan() { f64::INFINITY } else { moved };
                *largest = largest.max(moved);
            }
        }
        changes
    };
    let mut total = none.clone();
    each_set(traces, AHEAD, of_set, |more| {
        total.rows += more.rows;
        for (to, from) in total.largest.iter_mut().zip(more.largest) {
            (to.iter_mut().zip(from)).for_each(|(to, from)| *to = to.max(from));
        }
    })?;
    // Each rank has scored its own rows: counts are added, of the changes the largest is taken.
    let ranks = traces.ranks();
    total.rows = ranks.total(total.rows as u64) as usize;
    for largest in &mut total.largest {
        for there in ranks.gather(largest) {
            let pairs = largest.iter_mut().zip(there);
            pairs.for_each(|(largest, there)| *largest = largest.max(there));
        }
    }
    Ok(total)
}
