//! Texel's search: one weight up or down by one, as long as that helps.
//!
//! What it asks of a step is the objective itself, so it needs no derivative,
//! stays on the integers and within the bounds, and sees kinks as they are. It
//! is slow from afar and sure at the end: no single step lowers the objective
//! any more. Weights that replace each other may still keep each other at
//! values that only steps of both would leave; rounding informed by the
//! curvature accounts for that, so this comes after it.
//!
//! *Source*: P. Österlund, Texel's tuning method, Chess Programming Wiki, 2014;
//! scores are stored here, so that a step looks only at rows with its weight.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::Grid;
use super::scored::{Scored, SearchRows, occurrences};
use tuner_solve::{Cost, Objective as _, PassResult, Penalised};

/// A step that lowers the objective by less than this part of it is not taken: it would be
/// rounding.
const LEAST: f64 = 1e-14;

/// A step is promising unless the quadratic model says that it raises the
/// objective by more than this part of its curvature's share. The model leaves
/// out the third derivative, which for a step of a centipawn is a hundredth of
/// that share; so it leaves out nothing that helps where scores are smooth.
const DOUBT: f64 = 0.1;

/// Most rows scored; a round begun is not ended. Some ten minutes of two cores,
/// where the chess example takes 10⁸.
const MOST_SCORINGS: u64 = 100_000_000_000;

/// The search for integers, instead of the descent or after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    /// Rounding informed by the curvature, then the single steps that promise
    /// something. Default: it costs two passes where rounding was good.
    #[default]
    Promising,
    /// What `Promising` does, then all single steps until none helps.
    All,
    /// No descent: all single steps, from the start.
    Alone,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SearchEnd {
    /// No step of one variable lowers the objective.
    #[error("no step of one weight lowers the objective")]
    NoBetterStep,
    /// No step that promised to lower the objective does.
    #[error("no step of one weight promises to lower the objective and does")]
    NoPromisingStep,
    /// As many rounds as allowed.
    #[error("stopped at its limit of rounds")]
    RoundLimit,
    /// As many rows scored as allowed.
    #[error("stopped at its limit of scorings")]
    ScoringLimit,
    /// The rows of each weight take more memory than there is: what they
    /// would take.
    #[error(
        "not searched further, as that takes {:.1} GB of memory; fit fewer positions, or free \
         memory",
        *.0 as f64 / 1e9
    )]
    TooLarge(u64),
    /// Rows are not kept in memory, but read again for every pass.
    #[error(
        "not searched further, as that takes all rows in memory and they are streamed; for a \
         local search fit from positions, or fewer of them"
    )]
    Streamed,
    /// The observer said stop.
    #[error("interrupted")]
    Interrupted,
}

/// One round over all variables.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Round {
    /// Steps tried.
    pub tried: u64,
    /// Steps taken.
    pub taken: u64,
    /// The objective after the round.
    pub error: f64,
}

/// A search that has ended, or after a round: resumed from there it ends alike.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Searched {
    /// The variables, all on the grid.
    pub x: Vec<f64>,
    /// The objective before the search.
    pub error_before: f64,
    /// The objective now, never above that before the search.
    pub error: f64,
    /// All rounds.
    pub rounds: Vec<Round>,
    /// Rows scored for steps.
    pub scorings: u64,
    /// Passes over the data, and wall-clock time.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub cost: Cost,
    /// Why it ended: until then it is interrupted.
    pub end: SearchEnd,
}

/// Tells whether a search has cost nothing yet, so that the cost is left out of its file.
fn is_nothing(cost: &Cost) -> bool {
    *cost == Cost::default()
}

impl Searched {
    /// Tells whether a search that was read from a file can have been saved: its error must be, to
    /// the bit, that of the last round, or, without rounds, that before the search.
    pub fn is_possible(&self) -> bool {
        let last = self.rounds.last();
        let error = last.map_or(self.error_before, |round| round.error);
        self.error.to_bits() == error.to_bits()
    }

    /// Makes a search that has not begun yet: at `x`, which must be on the grid, and where the
    /// objective is `error`. Until it ends it counts as interrupted.
    pub fn start(x: &[f64], error: f64) -> Self {
        Self {
            x: x.to_vec(),
            error_before: error,
            error,
            rounds: Vec::new(),
            scorings: 0,
            cost: Cost::default(),
            end: SearchEnd::Interrupted,
        }
    }

    /// Returns the number of steps taken.
    pub fn taken(&self) -> u64 {
        self.rounds.iter().map(|round| round.taken).sum()
    }
}

/// A search over the grid.
#[derive(Clone, Copy, Debug)]
pub struct LocalSearch<'a> {
    /// The objective to be lowered: E of the rows, and the prior.
    pub objective: Penalised<'a>,
    /// The rows, and what each contributes to E.
    pub rows: SearchRows<'a>,
    /// The values that variables may take.
    pub grid: &'a Grid,
    /// Whether all steps are tried, or those of which gradient and curvature
    /// promise something.
    pub search: Search,
    /// Variables that do not move, by number.
    pub held: &'a [usize],
    /// Most rounds over all variables.
    pub rounds: usize,
    /// Most memory, in bytes; `None` for what there is.
    pub memory: Option<u64>,
    /// The curvature of each variable, the prior's included, at a point near by.
    pub diagonal: &'a [f64],
}

impl LocalSearch<'_> {
    /// Searches from variables on the grid, or resumes after a round.
    ///
    /// Variables are stepped in their order, each up, or else down, and on in
    /// the same direction as long as the objective falls. The observer is
    /// called after every round, and answers whether the search continues.
    ///
    /// *Numerics*: the same on any number of threads; rows are scored
    /// afresh at the beginning of a round.
    /// *Cost*: a round takes one pass (of promising steps three, or two where the diagonal is
    /// known; one more where memory is scarce), of which one scores rows with weights that are
    /// stepped alone, and for each step tried one scoring for each row with that weight; memory 40
    /// bytes a row with such a weight, and 24 for each of them. Chess example, 170,543 rows that
    /// are not linear (`fit`, `fit --solver hybrid`; `search` in their summaries): 46 steps and 0.4
    /// million scorings where they must be promising, 1478 and 26 million a round where all are
    /// tried; promising steps find none that helps, all steps one, of 3e-12.
    ///
    /// # Errors
    /// If a pass fails.
    pub fn run(
        &self,
        from: Searched,
        observer: &mut dyn FnMut(&Searched) -> bool,
    ) -> PassResult<Searched> {
        let mut at = from;
        at.end = loop {
            if at.rounds.last().is_some_and(|round| round.taken == 0) {
                break match self.search {
                    Search::All | Search::Alone => SearchEnd::NoBetterStep,
                    Search::Promising => SearchEnd::NoPromisingStep,
                };
            }
            if at.rounds.len() >= self.rounds {
                break SearchEnd::RoundLimit;
            }
            if at.scorings >= MOST_SCORINGS {
                break SearchEnd::ScoringLimit;
            }
            let begun = Instant::now();
            let impossible = self.round(&mut at)?;
            at.cost.seconds += begun.elapsed().as_secs_f64();
            if let Some(end) = impossible {
                break end;
            }
            if !observer(&at) {
                break SearchEnd::Interrupted;
            }
        };
        Ok(at)
    }

    /// Makes a round: tries each variable in turn, upwards and else downwards, step by step as long
    /// as the objective falls; moves `at` to the end of the round and adds its record. Returns
    /// `None` then; where there is too little memory the end of the search that says so, and `at`
    /// has not moved. Where the exact objective is not lower at the end of the round, as the gains
    /// were rounding, it counts as a round without steps.
    fn round(&self, at: &mut Searched) -> PassResult<Option<SearchEnd>> {
        let wanted = self.wanted(&at.x)?;
        // The gradient by which steps are found to be promising.
        at.cost.passes += usize::from(self.search == Search::Promising);
        let before = at.error;
        let mut round = Round {
            tried: 0,
            taken: 0,
            error: before,
        };
        let any: Vec<bool> = wanted.iter().map(|&[up, down]| up || down).collect();
        if any.contains(&true) {
            let is_much = |bytes| self.memory.is_some_and(|most| bytes > most);
            // To find out how much memory it takes exactly is a pass. That is spared where the most
            // that it can take is there, on all ranks.
            if self.rows.ranks.any(is_much(Scored::most_bytes(&self.rows))) {
                let (rows, entries) = occurrences(&self.rows, &any);
                at.cost.passes += 1;
                let bytes = Scored::bytes(rows, entries);
                if self.rows.ranks.any(is_much(bytes)) {
                    return Ok(Some(SearchEnd::TooLarge(bytes)));
                }
            }
            let mut scored = Scored::new(self.rows, &at.x, &any);
            let mut error = before;
            for (variable, wanted) in wanted.iter().enumerate() {
                // Up first, and down only if no step up was taken.
                for (step, &wanted) in [1.0, -1.0].into_iter().zip(wanted) {
                    let step = step * self.grid.step(variable);
                    let taken_before = round.taken;
                    while wanted && self.step(&mut scored, variable, step, &mut error) {
                        round.tried += 1;
                        round.taken += 1;
                    }
                    // The step that did not help any more was tried too.
                    round.tried += u64::from(wanted);
                    if round.taken > taken_before {
                        break; // downwards is where it came from, and higher
                    }
                }
            }
            at.scorings += scored.scorings;
            // One pass that scored the rows, and, after steps, one for the exact objective below.
            at.cost.passes += 1 + usize::from(round.taken > 0);
            if round.taken > 0 {
                let error = self.objective.value(&scored.x)?;
                // Rounding of many small steps is not to be taken for a gain.
                if error < before {
                    at.x = scored.x.iter().map(|x| x + 0.0).collect(); // never −0
                    round.error = error;
                } else {
                    round.taken = 0;
                }
            }
        }
        at.error = round.error;
        at.rounds.push(round);
        Ok(None)
    }

    /// Takes a step of a variable if the grid allows it and it lowers the objective by more than
    /// rounding; tells whether it did. `scored` is then moved, and the decrease taken off `error`,
    /// the objective's value.
    fn step(&self, scored: &mut Scored<'_>, variable: usize, step: f64, error: &mut f64) -> bool {
        let x = scored.x[variable];
        if !self.grid.allows(&scored.x, variable, x + step) {
            return false;
        }
        let tried = scored.try_step(variable, step);
        let prior =
            (self.objective.prior).map_or(0.0, |prior| prior.change(&scored.x, variable, step));
        let change = tried.change + prior;
        let helps = change < -LEAST * *error;
        if helps {
            *error += change;
            scored.take(tried);
        }
        helps
    }

    /// Tells of each variable whether a step up, and whether a step down, is to be tried: `[up,
    /// down]`. Held variables have neither. All others have both, or, where only promising steps
    /// are searched, those that do not raise the quadratic model of gradient and curvature at `x`
    /// by more than a tenth of the curvature's share. *Cost*: a pass for the gradient, if it is
    /// needed.
    fn wanted(&self, x: &[f64]) -> PassResult<Vec<[bool; 2]>> {
        let mut wanted = vec![[true; 2]; x.len()];
        if self.search == Search::Promising {
            let mut slopes = vec![0.0; x.len()];
            self.objective.gradient(x, &mut slopes)?;
            for (variable, wanted) in wanted.iter_mut().enumerate() {
                let step = self.grid.step(variable);
                let bend = 0.5 * step * step * self.diagonal[variable];
                let promises = |slope: f64| step * slope + bend < DOUBT * bend.abs();
                *wanted = [promises(slopes[variable]), promises(-slopes[variable])];
            }
        }
        for &variable in self.held {
            wanted[variable] = [false; 2];
        }
        Ok(wanted)
    }
}
