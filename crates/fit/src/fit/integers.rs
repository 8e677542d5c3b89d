//! From real weights to integers: rounding, and the search around it.

use super::{Descent, FitError, FitProgress, ProgressObserver, SavedFit};
use crate::integers::{
    Grid, KnownPoint, LocalSearch, Rounding, Search, SearchEnd, SearchRows, Searched,
};
use crate::model::Sigmoid;
use tuner_base::phase;
use tuner_solve::linalg::Symmetric;
use tuner_solve::{
    Curvature, KnownCurvature, Method, Objective, Penalised, Record, Solution, Termination,
};

/// Most rounds of promising steps. Chosen: at an optimum one or two do; what a
/// method left far from it is not to be made up for step by step.
const MOST_ROUNDS: usize = 100;

/// Most variables that are judged by matrices, and so of which one is kept for that; they take
/// some 60 bytes a pair. Chosen: 1 GB.
pub const MOST_BY_MATRICES: usize = 4_000;

/// The results of rounding and of the search around it.
type Integers = (Option<Rounding>, Option<Searched>);

impl Descent<'_> {
    /// Finds integers near the solution by rounding and the local search around that, and writes
    /// into its summary how it ended. `pinned`: variables that the search does not move; `last`:
    /// what was saved last on the way to the solution. There is no rounding where integers are
    /// searched without a descent (`Search::Alone`), and no search where the observer has ended the
    /// descent, there is no variable, or rows are not in memory; in the last case the result of the
    /// search says that rows are streamed.
    ///
    /// In four steps: the grid, on which values that a Laplace prior keeps are held; rounding to
    /// the grid, by the curvature that the descent left in the solution; what an interrupted search
    /// had found; and the search, of which the observer is told each round, unless the descent left
    /// no state to save.
    pub(super) fn integers(
        &self,
        grid: &Grid,
        solution: &mut Solution,
        pinned: &[usize],
        last: Option<&SavedFit>,
        observer: ProgressObserver<'_>,
    ) -> Result<Integers, FitError> {
        let (reduction, settings) = (self.task.reduction, self.task.settings);
        let alone = settings.search == Search::Alone;
        // Variables that a Laplace prior keeps at its centre stay there. In a search from the start
        // alone no descent has decided that, and all may move.
        let kept = &solution.summary.kept;
        let kept: &[usize] = if alone { &[] } else { kept };
        let grid = &grid.holding(kept, &solution.x);
        let penalised = Penalised {
            objective: &self.objective,
            prior: self.prior.as_ref(),
        };
        let known = self.known(solution);
        let diagonal = known.as_ref().map(Symmetric::diagonal);
        let known = KnownPoint {
            gradient: Some((solution.summary.objective, solution.gradient.clone())),
            curvature: known,
        };
        let rounding = if alone {
            solution.x = grid.nearest_all(&solution.x);
            None
        } else {
            let _phase = phase("rounding");
            Some(self.method.round(&penalised, grid, &solution.x, known)?)
        };
        if solution.summary.termination == Termination::Interrupted || solution.x.is_empty() {
            return Ok((rounding, None));
        }
        let Some(traces) = self.task.traces.in_memory() else {
            let searched = rounding.as_ref().map(|rounding| Searched {
                end: SearchEnd::Streamed,
                ..Searched::start(&rounding.x, rounding.error)
            });
            return Ok((rounding, searched));
        };
        let _phase = phase("local search");
        // For the search's promising steps: the diagonal of that curvature, or one formed here.
        let diagonal = match &rounding {
            // At the rounded point, not where a resumed search has come to, so that it is the same
            // after a resume.
            Some(rounding) if diagonal.is_none() => {
                Some(penalised.diagonal(&rounding.x, Curvature::Newton)?)
            }
            _ => diagonal,
        };
        let search = LocalSearch {
            objective: penalised,
            rows: SearchRows {
                traces,
                ranks: self.task.traces.ranks(),
                reduction,
                part: self.task.train,
                loss: settings.loss,
                beta: Sigmoid::new(self.k).beta(),
                total: self.objective.total_weight(),
            },
            grid,
            search: settings.search,
            held: pinned,
            rounds: match settings.search {
                Search::Promising => settings.solver.iterations.min(MOST_ROUNDS),
                Search::All | Search::Alone => settings.solver.iterations,
            },
            memory: settings.memory,
            diagonal: diagonal.as_deref().unwrap_or_default(),
        };
        // The search begins where an interrupted one was, if there was one; else at the rounded
        // point, or, without rounding, at that of the solution. What was saved may be damaged.
        let (x, saved) = (&solution.x, last.and_then(|last| last.search.clone()));
        let is_one = |at: &Searched| on_grid(&at.x, grid, x.len()) && at.is_possible();
        if !saved.as_ref().is_none_or(is_one) {
            return Err(FitError::inconsistent("the search for integers is not one"));
        }
        let from = match (saved, &rounding) {
            (Some(saved), _) => saved,
            (None, Some(rounding)) => Searched::start(&rounding.x, rounding.error),
            (None, None) => Searched::start(x, penalised.value(x)?),
        };
        let record = solution.summary.records.last().cloned();
        let searched = search.run(from, &mut |at| {
            // Without a record or a state of the descent there is nothing to tell the observer by:
            // the search continues unseen.
            let (Some(record), Some(last)) = (&record, last) else {
                return true;
            };
            let record = match settings.search {
                Search::Promising => record,
                Search::All | Search::Alone => &self.round_record(record, at),
            };
            let weights = || reduction.weights(&at.x);
            let save = || SavedFit {
                search: Some(at.clone()),
                ..last.clone()
            };
            let flow = observer(&FitProgress {
                record,
                weights: &weights,
                save: &save,
            });
            flow.is_continue()
        })?;
        self.conclude(&searched, solution)?;
        Ok((rounding, Some(searched)))
    }

    /// Returns the curvature matrix that the descent formed last, plus the prior's; `None` if it
    /// formed none. It was formed so near the solution that rounding to integers is the same with
    /// it. A matrix of more than [`MOST_BY_MATRICES`] variables is taken out of the solution, as
    /// the judgement makes no use of one so large.
    fn known(&self, solution: &mut Solution) -> Option<Symmetric> {
        // A smaller matrix stays in the solution for the judgement, and is copied.
        let is_large = |known: &KnownCurvature| known.x.len() > MOST_BY_MATRICES;
        let mut matrix = if solution.curvature.as_ref().is_some_and(is_large) {
            solution.curvature.take()?.values
        } else {
            solution.curvature.as_ref()?.values.clone()
        };
        if let Some(prior) = &self.prior {
            let all: Vec<usize> = (0..matrix.size()).collect();
            prior.add_curvature(&all, &mut matrix);
        }
        Some(matrix)
    }

    /// Returns the record of a round of the search, which an observer sees as an iteration behind
    /// those of the descent. `descent`: the last record of the descent; `at`: the search after the
    /// round, whose error includes the prior's part.
    fn round_record(&self, descent: &Record, at: &Searched) -> Record {
        let prior = self.prior.as_ref();
        let mut cost = descent.cost;
        cost += at.cost;
        Record {
            iteration: descent.iteration + at.rounds.len(),
            method: Method::LocalSearch,
            error: at.error - prior.map_or(0.0, |prior| prior.value(&at.x)),
            objective: at.error,
            held_out_error: None,
            step: 1.0,
            cost,
            ..*descent
        }
    }

    /// Writes the end of a search into the summary of the solution; its cost is added unless it
    /// tried promising steps alone. Where there was no descent, the variables, errors, iterations
    /// and end of the search become those of the solution, and a search that was impossible is an
    /// error.
    fn conclude(&self, searched: &Searched, solution: &mut Solution) -> Result<(), FitError> {
        let summary = &mut solution.summary;
        if searched.end == SearchEnd::Interrupted {
            summary.termination = Termination::Interrupted;
        }
        if self.task.settings.search != Search::Promising {
            summary.cost += searched.cost;
        }
        if self.task.settings.search != Search::Alone {
            return Ok(());
        }
        solution.x.clone_from(&searched.x);
        summary.iterations = searched.rounds.len();
        summary.error = self.objective.value(&searched.x)?;
        summary.objective = searched.error;
        summary.termination = match searched.end {
            SearchEnd::NoBetterStep | SearchEnd::NoPromisingStep => Termination::NoBetterStep,
            SearchEnd::RoundLimit | SearchEnd::ScoringLimit => Termination::IterationLimit,
            SearchEnd::Interrupted => Termination::Interrupted,
            end @ (SearchEnd::TooLarge(_) | SearchEnd::Streamed) => {
                return Err(FitError::Search(end));
            }
        };
        Ok(())
    }
}

/// Tells whether `x` has `variables` numbers, all of which the grid allows: else a search that was
/// saved is of another fit.
fn on_grid(x: &[f64], grid: &Grid, variables: usize) -> bool {
    let on = |(variable, &x): (usize, &f64)| grid.nearest(variable, x).to_bits() == x.to_bits();
    x.len() == variables && x.iter().enumerate().all(on)
}
