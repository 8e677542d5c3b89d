//! The regression along a line, on stored scores.
//!
//! A row that is linear in the weights has the score s + t·Δs along x + t·d.
//! Both numbers are stored in one pass, and a point of the line costs a pass
//! over them: no feature is touched. Rows with an expression are evaluated at
//! every point, as their score bends.
//!
//! *Source*: C.-J. Lin, R. Weng, S. Keerthi, Trust region Newton method for
//! large-scale logistic regression, JMLR 9, 2008, §5 (line searches that keep
//! X·w and X·Δw), as LIBLINEAR does.

use std::ops::Range;

use super::deterministic_reduce::{CHUNK, add_up, deterministic_reduce, in_chunks};
use super::nonlinear_row::NonlinearRow;
use super::passes::Pass;
use super::{Curvature, Line, LinePoint, PassResult};
use tuner_base::Ranks;
use tuner_rows::{Linearised, Row, Table};
use tuner_solve::Cost;
use tuner_solve::linalg::dot;

/// A row whose score is linear in the weights, along the line x + t·d.
#[derive(Clone, Copy, Debug)]
struct LinearRow {
    /// Its log-odds at t = 0.
    z: f64,
    /// Their change by t.
    change: f64,
    outcome: f64,
    weight: f64,
}

/// The rows of a chunk, as far as they are stored.
#[derive(Debug, Default)]
struct Chunk {
    linear: Vec<LinearRow>,
    /// Whether there are rows that are not linear.
    nonlinear: bool,
}

/// Mean loss along the line x + t·d, by t.
///
/// *Cost*: one pass to make, 32 bytes a row; then a pass over these, and a
/// real pass where there are rows that are not linear.
pub(super) struct Scores<'a> {
    pass: Pass<'a>,
    ranks: Ranks,
    /// The weight of all rows of all ranks.
    total: f64,
    /// The values of lanes at t = 0.
    lanes: Vec<f64>,
    /// By how much each lane changes by t.
    along: Vec<f64>,
    /// The rows of this rank, in chunks of [`CHUNK`].
    chunks: Vec<Chunk>,
    /// Whether a rank has rows that are not linear.
    nonlinear: bool,
    /// Points looked at until now.
    points: usize,
}

impl<'a> Scores<'a> {
    /// Stores, for all rows of the pass that are linear, the log-odds at `lanes` and their change
    /// along the line; `along` has the change of each lane. `total`: the weight of all rows of all
    /// ranks.
    pub(super) fn new(
        pass: Pass<'a>,
        ranks: Ranks,
        total: f64,
        lanes: Vec<f64>,
        along: Vec<f64>,
    ) -> Self {
        let mut chunks = Vec::new();
        let [at, towards] = [&lanes, &along].map(|lanes| pass.traces.table(lanes));
        let keep = |(): &mut (), rows| keep(&pass, rows, &at, &towards);
        in_chunks(pass.traces.len(), || (), keep, |chunk| chunks.push(chunk));
        let nonlinear = ranks.any(chunks.iter().any(|chunk| chunk.nonlinear));
        Self {
            pass,
            ranks,
            total,
            lanes,
            along,
            chunks,
            nonlinear,
            points: 0,
        }
    }

    /// Returns value, slope and curvature by t at the point `t` of the line, as sums of weighted
    /// penalties over the rows of chunk `number`. `moved`: where there are rows that are not
    /// linear, the tables of the lanes at that point and of their changes along the line.
    fn sums(&self, number: usize, t: f64, moved: Option<&[Table; 2]>) -> [f64; 3] {
        let chunk = &self.chunks[number];
        let mut sums = [0.0; 3];
        for row in &chunk.linear {
            let z = row.z + t * row.change;
            let penalty = self.pass.loss.penalty(z, row.outcome);
            let curvature = self.pass.loss.curvature(Curvature::Newton, z, row.outcome);
            sums[0] += row.weight * penalty.value;
            sums[1] += row.weight * penalty.slope * row.change;
            sums[2] += row.weight * curvature * row.change * row.change;
        }
        if let Some([moved, along]) = moved.filter(|_| chunk.nonlinear) {
            let start = number * CHUNK;
            let rows = start..(start + CHUNK).min(self.pass.traces.len());
            add_nonlinear(&self.pass, rows, moved, along, &mut sums);
        }
        sums
    }
}

impl Line for Scores<'_> {
    /// Adds up value, slope and curvature by t over all chunks and ranks, as means. A point costs a
    /// pass over stored scores, and one over the rows that are not linear.
    fn at(&mut self, t: f64) -> PassResult<LinePoint> {
        self.points += 1;
        // Rows that are not linear are evaluated at the lanes of the point.
        let change = |(lane, along): (&f64, &f64)| lane + t * along;
        let moved = self.nonlinear.then(|| {
            let moved: Vec<f64> = self.lanes.iter().zip(&self.along).map(change).collect();
            [&moved, &self.along].map(|lanes| self.pass.traces.table(lanes))
        });
        let mut totals = [0.0; 3];
        let sums = |(): &mut (), chunk: Range<usize>| self.sums(chunk.start, t, moved.as_ref());
        // Each job has one chunk of stored rows, and all results may wait, as they are small.
        let (count, add) = (self.chunks.len(), |part| add_up(&mut totals, part));
        deterministic_reduce(count, 1, count.max(1), || (), sums, add);
        self.ranks.sum(&mut totals);
        let [value, slope, curvature] = totals.map(|sum| sum / self.total);
        Ok(LinePoint {
            value,
            slope,
            curvature: Some(curvature),
        })
    }

    fn cost(&self) -> Cost {
        // One pass made the scores along the line. A point then needs them alone or, where they are
        // not linear, all rows again.
        let (again, score_passes) = if self.nonlinear {
            (self.points, 0)
        } else {
            (0, self.points)
        };
        Cost {
            score_passes,
            ..Cost::of_passes(1 + again)
        }
    }
}

/// Returns what is stored of a range of rows: of a linear one its log-odds at the lanes of `at`,
/// and the change of these along the line, by the changes of lanes in `along`; of all others only
/// that there are some.
fn keep(pass: &Pass<'_>, rows: Range<usize>, at: &Table, along: &Table) -> Chunk {
    let mut chunk = Chunk::default();
    for row in pass.rows(rows) {
        if !row.is_linear() {
            chunk.nonlinear = true;
            continue;
        }
        let mut score = row.constant();
        let mut change = 0.0;
        for segment in row.segments() {
            let [s, d] = [segment.sums(at), segment.sums(along)];
            score += segment.factors[0] * s[0] + segment.factors[1] * s[1];
            change += segment.factors[0] * d[0] + segment.factors[1] * d[1];
        }
        chunk.linear.push(LinearRow {
            z: pass.beta * score,
            change: pass.beta * change,
            outcome: row.outcome(),
            weight: row.weight(),
        });
    }
    chunk
}

/// Adds to `sums` value, slope and curvature by t, the place on the line, of the rows of a range
/// that are not linear, as sums of weighted penalties. `moved` is the table of the lanes at the
/// point, `along` that of their changes along the line.
fn add_nonlinear(
    pass: &Pass<'_>,
    rows: Range<usize>,
    moved: &Table,
    along: &Table,
    sums: &mut [f64; 3],
) {
    let mut linearised = Linearised::default();
    let mut nonlinear = NonlinearRow::default();
    let (mut changes, mut amounts) = (Vec::new(), Vec::new());
    let is_nonlinear = |row: &Row<'_>| !row.is_linear();
    for row in pass.rows(rows).filter(is_nonlinear) {
        nonlinear.at(pass, &mut linearised, &row, moved, Curvature::Newton);
        let z = pass.beta * linearised.at(&row, moved);
        changes.clear();
        changes.extend(row.segments().map(|segment| segment.sums(along)));
        let slope = dot(linearised.slopes(), changes.as_flattened());
        let penalty = pass.loss.penalty(z, row.outcome());
        nonlinear.times(&changes, &mut amounts);
        let nonlinear_part = dot(amounts.as_flattened(), changes.as_flattened());
        sums[0] += row.weight() * penalty.value;
        sums[1] += row.weight() * penalty.slope * pass.beta * slope;
        // The row's weight is in its curvature already.
        sums[2] += pass.beta * pass.beta * nonlinear_part;
    }
}
