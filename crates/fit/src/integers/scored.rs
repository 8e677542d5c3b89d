//! Scores stored per row, and which rows depend on which variable: what a step of
//! one variable changes, without a look at any other row.

use rayon::prelude::*;

use tuner_rows::{Row, TraceSet};
use tuner_solve::{Reduction, VariableId};

/// Rows per sum. Fixed, because the order of the sums depends on it; chosen so
/// that a rare feature costs no thread and a frequent one keeps all busy.
const CHUNK: usize = 2048;

/// The rows that count, and what each of them contributes to the objective.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub(crate) traces: &'a TraceSet,
    pub(crate) reduction: &'a Reduction,
    pub(crate) contains: &'a (dyn Fn(&Row<'_>) -> bool + Sync),
    /// The contribution of a row with a score.
    pub(crate) penalty: &'a (dyn Fn(&Row<'_>, f64) -> f64 + Sync),
}

/// The rows that depend on a variable.
#[derive(Clone, Debug, Default)]
struct Occurrences {
    /// Their numbers among the rows that count.
    rows: Vec<u32>,
    /// By how much the score changes per unit; NaN where that is not linear.
    slopes: Vec<f64>,
}

pub(super) struct Scored<'a> {
    of: Rows<'a>,
    x: Vec<f64>,
    lanes: Vec<f64>,
    rows: Vec<Row<'a>>,
    scores: Vec<f64>,
    penalties: Vec<f64>,
    occurrences: Vec<Occurrences>,
    /// Lanes of each variable with their factors.
    lanes_of: Vec<Vec<(usize, f64)>>,
    /// Rows scored for steps so far.
    pub(super) scorings: u64,
}

/// A step that was tried: what it does to rows.
pub(super) struct Tried {
    variable: usize,
    step: f64,
    scores: Vec<f64>,
    penalties: Vec<f64>,
    /// What it adds to the sum over all rows.
    pub(super) change: f64,
}

impl<'a> Scored<'a> {
    /// Scores all rows, and finds the rows of the variables that are wanted.
    ///
    /// *Cost*: two passes; memory as [`bytes`](Self::bytes) says.
    pub(super) fn new(of: Rows<'a>, x: &[f64], wanted: &[bool]) -> Self {
        let all = of.traces.rows(0..of.traces.len());
        let rows: Vec<Row<'a>> = all.filter(|row| (of.contains)(row)).collect();
        let mut lanes_of = vec![Vec::new(); x.len()];
        for (number, lane) in of.reduction.lane_terms().iter().enumerate() {
            if let Some(variable) = lane.variable {
                lanes_of[variable.index()].push((number, lane.factor));
            }
        }
        let lanes = of.reduction.lanes(x);
        let judged = |row: &Row<'_>| {
            let score = row.score(&lanes);
            (score, (of.penalty)(row, score))
        };
        let (scores, penalties) = rows.par_iter().map(judged).unzip();
        let mut occurrences = vec![Occurrences::default(); x.len()];
        // In waves, so that what waits to be sorted in stays small.
        for (wave, part) in rows.chunks(64 * CHUNK).enumerate() {
            let found: Vec<_> = part
                .par_iter()
                .map(|row| slopes(row, of.reduction, wanted))
                .collect();
            for (row, slopes) in found.into_iter().enumerate() {
                for (variable, slope) in slopes {
                    let occurrences = &mut occurrences[variable];
                    occurrences.rows.push((wave * 64 * CHUNK + row) as u32);
                    occurrences.slopes.push(slope);
                }
            }
        }
        Self {
            of,
            x: x.to_vec(),
            lanes,
            rows,
            scores,
            penalties,
            occurrences,
            lanes_of,
            scorings: 0,
        }
    }

    /// Memory that it takes for so many rows and occurrences of variables in
    /// them: 40 bytes a row, and 12 an occurrence, which may double while they
    /// are gathered.
    pub(super) const fn bytes(rows: u64, occurrences: u64) -> u64 {
        40 * rows + 24 * occurrences
    }

    pub(super) fn x(&self) -> &[f64] {
        &self.x
    }

    /// Tries a step of a variable. *Cost*: one scoring for each row that the
    /// variable occurs in, of a linear row one multiplication.
    pub(super) fn try_step(&mut self, variable: usize, step: f64) -> Tried {
        let before = self.move_lanes(variable, step);
        let Occurrences { rows, slopes } = &self.occurrences[variable];
        let score = |(&row, &slope): (&u32, &f64)| {
            let row = row as usize;
            let score = if slope.is_nan() {
                self.rows[row].score(&self.lanes)
            } else {
                self.scores[row] + step * slope
            };
            (score, (self.of.penalty)(&self.rows[row], score))
        };
        let (scores, penalties): (Vec<f64>, Vec<f64>) = rows
            .par_iter()
            .zip(slopes)
            .with_min_len(CHUNK)
            .map(score)
            .unzip();
        let change = |(rows, penalties): (&[u32], &[f64])| -> f64 {
            let each = rows.iter().zip(penalties);
            each.map(|(&row, new)| new - self.penalties[row as usize])
                .sum()
        };
        let change = rows
            .chunks(CHUNK)
            .zip(penalties.chunks(CHUNK))
            .map(change)
            .sum();
        self.scorings += rows.len() as u64;
        for (lane, value) in before {
            self.lanes[lane] = value;
        }
        Tried {
            variable,
            step,
            scores,
            penalties,
            change,
        }
    }

    pub(super) fn take(&mut self, tried: Tried) {
        self.x[tried.variable] += tried.step;
        self.move_lanes(tried.variable, tried.step);
        let rows = &self.occurrences[tried.variable].rows;
        for ((&row, score), penalty) in rows.iter().zip(tried.scores).zip(tried.penalties) {
            self.scores[row as usize] = score;
            self.penalties[row as usize] = penalty;
        }
    }

    /// Moves the lanes of a variable; returns what they were.
    fn move_lanes(&mut self, variable: usize, step: f64) -> Vec<(usize, f64)> {
        let mut before = Vec::with_capacity(self.lanes_of[variable].len());
        for &(lane, factor) in &self.lanes_of[variable] {
            before.push((lane, self.lanes[lane]));
            self.lanes[lane] += factor * step;
        }
        before
    }
}

/// Counts the rows that count, and the occurrences of wanted variables in
/// them, each entry as one. *Cost*: one pass.
pub(super) fn occurrences(of: &Rows<'_>, wanted: &[bool]) -> (u64, u64) {
    let lanes = of.reduction.lane_terms();
    let moves = |lane: usize| u64::from(lanes[lane].variable.is_some_and(|v| wanted[v.index()]));
    let (mut rows, mut entries) = (0, 0);
    for row in of.traces.rows(0..of.traces.len()) {
        if (of.contains)(&row) {
            rows += 1;
            for segment in row.segments() {
                let slots = segment.entries().map(|(slot, _)| slot);
                entries += slots
                    .map(|slot| moves(2 * slot.index()) + moves(2 * slot.index() + 1))
                    .sum::<u64>();
            }
        }
    }
    (rows, entries)
}

/// The wanted variables of a row, ascending, each once, with the change of the
/// score per unit; NaN for all where the score is not linear.
fn slopes(row: &Row<'_>, reduction: &Reduction, wanted: &[bool]) -> Vec<(usize, f64)> {
    let lanes = reduction.lane_terms();
    let nonlinear = row.expression().is_some();
    let mut found: Vec<(usize, f64)> = Vec::new();
    for segment in row.segments() {
        for (slot, counts) in segment.entries() {
            for (side, factor) in segment.factors.into_iter().enumerate() {
                let lane = lanes[2 * slot.index() + side];
                let slope = lane.factor * factor * f64::from(counts[side]);
                // An expression may read a lane to which the row gives no factor.
                let moves = if nonlinear {
                    counts[side] != 0
                } else {
                    slope != 0.0
                };
                if let Some(VariableId(variable)) = lane.variable.filter(|v| wanted[v.index()])
                    && moves
                {
                    found.push((variable, if nonlinear { f64::NAN } else { slope }));
                }
            }
        }
    }
    found.sort_by_key(|&(variable, _)| variable);
    found.dedup_by(|next, last| {
        let same = next.0 == last.0;
        if same {
            last.1 += next.1;
        }
        same
    });
    found
}
