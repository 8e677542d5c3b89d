//! Scores stored per row, and which rows depend on which variable: what a step of
//! one variable changes, without a look at any other row.

use tuner_parallel as parallel;

use crate::{Loss, Part};
use tuner_base::{Ranks, add_alike};
use tuner_rows::kernel::Groups;
use tuner_rows::{Linearised, Row, Token, TraceSet};
use tuner_solve::{Reduction, VariableId};

/// Rows per sum. Fixed, because the order of the sums depends on it; chosen so
/// that a rare feature costs no thread and a frequent one keeps all busy.
const CHUNK: usize = 2048;

/// The rows that count, and what each of them contributes to the objective.
#[derive(Clone, Copy, Debug)]
pub struct SearchRows<'a> {
    /// All rows.
    pub traces: &'a TraceSet,
    /// Who else has rows: changes are added up over all, and each steps its own.
    pub ranks: Ranks,
    /// From variables to lanes.
    pub reduction: &'a Reduction,
    /// The games whose rows count.
    pub part: Part,
    /// The loss of a wrong expectation.
    pub loss: Loss,
    /// Log-odds of a centipawn.
    pub beta: f64,
    /// The sum of the weights of the rows of all ranks.
    pub total: f64,
}

impl SearchRows<'_> {
    /// Tells whether a row counts: its game is in the part that is searched.
    fn contains(&self, row: &Row<'_>) -> bool {
        self.part.contains(row.game())
    }

    /// Returns what a row contributes to E if its score is `score`: its weighted penalty over the
    /// sum of the weights of all rows.
    fn penalty(&self, row: &Row<'_>, score: f64) -> f64 {
        let penalty = self.loss.penalty(self.beta * score, row.outcome());
        row.weight() * penalty.value / self.total
    }
}

/// The rows that depend on a variable.
#[derive(Clone, Debug, Default)]
struct Occurrences {
    /// Their numbers among the rows with wanted variables.
    rows: Vec<u32>,
    /// By how much the score of each changes per unit of the variable; NaN where that is not
    /// linear.
    slopes: Vec<f64>,
}

/// The rows that depend on variables that are stepped, with their scores at a point.
pub(super) struct Scored<'a> {
    of: SearchRows<'a>,
    /// The point, with all steps that were taken.
    pub(super) x: Vec<f64>,
    /// The values of all lanes there.
    lanes: Vec<f64>,
    rows: Vec<Row<'a>>,
    /// The score of each row there.
    scores: Vec<f64>,
    /// The contribution of each row to E there.
    penalties: Vec<f64>,
    /// By variable, the rows that depend on it; empty of one that is not to be stepped.
    occurrences: Vec<Occurrences>,
    /// Lanes of each variable with their factors.
    lanes_of: Vec<Vec<(usize, f64)>>,
    /// Rows scored for steps so far, by all ranks.
    pub(super) scorings: u64,
}

/// A step that was tried, and what it does to the rows that depend on its variable.
pub(super) struct Tried {
    variable: usize,
    step: f64,
    /// Scores of these rows behind the step, in their order.
    scores: Vec<f64>,
    /// The contribution of each of these rows to E there.
    penalties: Vec<f64>,
    /// The change of E, over the rows of all ranks.
    pub(super) change: f64,
}

/// A row with wanted variables: its score, what it contributes to E, and by wanted variable the
/// change of the score per unit, NaN where it is not linear.
type SteppedRow<'a> = (Row<'a>, f64, f64, Vec<(usize, f64)>);

impl<'a> Scored<'a> {
    /// Scores at `x` all rows that depend on a wanted variable, one that may be stepped: steps of
    /// wanted variables change no other row. `wanted`: of each variable, whether it is.
    ///
    /// *Cost*: a pass; memory of 40 bytes for each such row, and up to 24 for each wanted variable
    /// in it.
    pub(super) fn new(of: SearchRows<'a>, x: &[f64], wanted: &[bool]) -> Self {
        let mut lanes_of = vec![Vec::new(); x.len()];
        for (number, lane) in of.reduction.lane_terms().iter().enumerate() {
            if let Some(variable) = lane.variable {
                lanes_of[variable.index()].push((number, lane.factor));
            }
        }
        let mut scored = Self {
            of,
            x: x.to_vec(),
            lanes: of.reduction.lanes(x),
            rows: Vec::new(),
            scores: Vec::new(),
            penalties: Vec::new(),
            occurrences: vec![Occurrences::default(); x.len()],
            lanes_of,
            scorings: 0,
        };
        let moves = moves(&of, wanted);
        let of_chunk = |first: usize| -> Vec<SteppedRow<'a>> {
            let mut linearised = Linearised::default();
            let rows = of.traces.rows(first..of.traces.len().min(first + CHUNK));
            // Most rows that need no score are told by their tokens alone.
            let rows = rows.filter(|row| of.contains(row) && entries(row, &moves) > 0);
            let scored = rows.map(|row| {
                let score = linearised.score(&row, &scored.lanes);
                let slopes = slopes(&row, of.reduction, wanted);
                (row, score, of.penalty(&row, score), slopes)
            });
            // A row whose wanted lanes all have a coefficient or factor of 0 does not depend on
            // these variables.
            scored.filter(|row| !row.3.is_empty()).collect()
        };
        let starts: Vec<usize> = (0..of.traces.len()).step_by(CHUNK).collect();
        // In waves of 64 chunks, so that few rows wait until they are appended in their order.
        for wave in starts.chunks(64) {
            let found = parallel::map(0..wave.len(), |number| of_chunk(wave[number]));
            for (row, score, penalty, slopes) in found.into_iter().flatten() {
                let number = scored.rows.len() as u32;
                scored.rows.push(row);
                scored.scores.push(score);
                scored.penalties.push(penalty);
                for (variable, slope) in slopes {
                    let occurrences = &mut scored.occurrences[variable];
                    occurrences.rows.push(number);
                    occurrences.slopes.push(slope);
                }
            }
        }
        scored
    }

    /// Returns the memory, in bytes, that [`Scored`] takes for `rows` rows with `occurrences` of
    /// wanted variables in them: 40 for each row, and 12 for each occurrence, which may double
    /// while they are gathered.
    pub(super) const fn bytes(rows: u64, occurrences: u64) -> u64 {
        40 * rows + 24 * occurrences
    }

    /// Returns the memory, in bytes, that is enough whichever variables may be stepped: as if all
    /// might, and every token of a row had a variable in both lanes.
    pub(super) fn most_bytes(of: &SearchRows<'_>) -> u64 {
        let entries = match of.traces.groups() {
            Groups::Narrow(groups) => groups.as_flattened().len(),
            Groups::Wide(groups) => groups.as_flattened().len(),
        };
        Self::bytes(of.traces.len() as u64, 2 * entries as u64)
    }

    /// Tries a step of a variable: computes the scores and penalties that the rows in which it
    /// occurs have after the step, and by how much E changes over all ranks. Point and stored
    /// scores stay as they are. *Cost*: one scoring for each of these rows, of a linear row one
    /// multiplication.
    pub(super) fn try_step(&mut self, variable: usize, step: f64) -> Tried {
        // Rows that are not linear are scored at the moved lanes, which are put back below.
        let before = self.move_lanes(variable, step);
        let Occurrences { rows, slopes } = &self.occurrences[variable];
        let score = |linearised: &mut Linearised, (&row, &slope): (&u32, &f64)| {
            // A slope that is NaN marks a row that is not linear in the weights.
            let row = row as usize;
            let score = if slope.is_nan() {
                linearised.score(&self.rows[row], &self.lanes)
            } else {
                self.scores[row] + step * slope
            };
            (score, self.of.penalty(&self.rows[row], score))
        };
        let tried = parallel::map(0..rows.len().div_ceil(CHUNK), |chunk| {
            let chunk = chunk * CHUNK..rows.len().min((chunk + 1) * CHUNK);
            let (rows, slopes) = (&rows[chunk.clone()], &slopes[chunk]);
            let mut linearised = Linearised::default();
            let all = rows.iter().zip(slopes);
            let (scores, penalties): (Vec<f64>, Vec<f64>) =
                all.map(|row| score(&mut linearised, row)).unzip();
            let changes = rows.iter().zip(&penalties);
            let changes = changes.map(|(&row, new)| new - self.penalties[row as usize]);
            let change: f64 = changes.sum();
            (scores, penalties, change)
        });
        let change = tried.iter().map(|chunk| chunk.2).sum();
        let (mut scores, mut penalties) = (Vec::new(), Vec::new());
        for (of_chunk, penalties_of_chunk, _) in tried {
            scores.extend(of_chunk);
            penalties.extend(penalties_of_chunk);
        }
        let mut sums = [change, rows.len() as f64];
        self.of.ranks.sum(&mut sums);
        let [change, scorings] = sums;
        self.scorings += scorings as u64;
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

    /// Takes a step, which must be the last one that was tried: moves the point, and stores the
    /// scores and penalties that its rows have after it.
    pub(super) fn take(&mut self, tried: Tried) {
        self.x[tried.variable] += tried.step;
        self.move_lanes(tried.variable, tried.step);
        let rows = &self.occurrences[tried.variable].rows;
        for ((&row, score), penalty) in rows.iter().zip(tried.scores).zip(tried.penalties) {
            self.scores[row as usize] = score;
            self.penalties[row as usize] = penalty;
        }
    }

    /// Changes the lanes of a variable by a step of it; returns number and former value of each of
    /// these lanes, by which they can be put back without rounding.
    fn move_lanes(&mut self, variable: usize, step: f64) -> Vec<(usize, f64)> {
        let mut before = Vec::with_capacity(self.lanes_of[variable].len());
        for &(lane, factor) in &self.lanes_of[variable] {
            before.push((lane, self.lanes[lane]));
            self.lanes[lane] += factor * step;
        }
        before
    }
}

/// Counts this rank's rows that depend on a wanted variable, and the occurrences of wanted
/// variables in them, each lane of an entry as one: the memory of a [`Scored`] depends on both
/// numbers. *Cost*: one pass.
pub(super) fn occurrences(of: &SearchRows<'_>, wanted: &[bool]) -> (u64, u64) {
    let moves = moves(of, wanted);
    let of_chunk = |first: usize| {
        let rows = of.traces.rows(first..of.traces.len().min(first + CHUNK));
        let counts = rows.filter(|row| of.contains(row));
        let counts = counts.map(|row| entries(&row, &moves));
        counts.fold((0, 0), |(rows, sum), count| {
            (rows + u64::from(count > 0), sum + count)
        })
    };
    let chunks = 0..of.traces.len().div_ceil(CHUNK);
    let counts = parallel::map(chunks, |chunk| of_chunk(chunk * CHUNK));
    let sum = |a: (u64, u64), b: (u64, u64)| (a.0 + b.0, a.1 + b.1);
    counts.into_iter().fold((0, 0), sum)
}

/// Returns for each token how many of the two lanes of its slot have a wanted variable, one that
/// may be stepped; 0 for the first token, the padding.
fn moves(of: &SearchRows<'_>, wanted: &[bool]) -> Vec<u8> {
    let lanes = of.reduction.lane_terms();
    let moves = |lane: usize| u8::from(lanes[lane].variable.is_some_and(|v| wanted[v.index()]));
    let of_token = |token: &Token| {
        let lane = 2 * token.slot as usize;
        moves(lane) + moves(lane + 1)
    };
    let tokens = of.traces.tokens().iter().skip(1).map(of_token);
    std::iter::once(0).chain(tokens).collect()
}

/// Counts the lanes of a row's entries that have a wanted variable; `moves`: for each token how
/// many of its two lanes have.
fn entries(row: &Row<'_>, moves: &[u8]) -> u64 {
    let tokens = row.segments().flat_map(|segment| segment.tokens());
    tokens.map(|token| u64::from(moves[token])).sum()
}

/// Returns the wanted variables that a row reads, ascending, each once, with the change of the
/// row's score per unit of the variable. Where the score is not linear the change is NaN for all:
/// it must be computed anew at each step.
fn slopes(row: &Row<'_>, reduction: &Reduction, wanted: &[bool]) -> Vec<(usize, f64)> {
    let lanes = reduction.lane_terms();
    let nonlinear = !row.is_linear();
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
    add_alike(&mut found);
    found
}
