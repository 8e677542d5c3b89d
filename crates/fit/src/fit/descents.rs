//! Descents until no weight runs away any more.

use std::ops::ControlFlow;

use super::method::Choice;
use super::{FitError, Given, Progress, Saved};
use crate::model::KFit;
use tuner_solve as solve;
use tuner_solve::{CheckpointError, NeedsRetrace, Problem, Solution, Termination};
use tuner_solve::{Objective, Prior, Reduction};

/// No more than this many weights are held; beyond, the data are no data.
const MOST_HELD: usize = 10_000;

/// What is descended.
#[derive(Clone, Copy)]
pub(super) struct Descents<'a> {
    pub(super) reduction: &'a Reduction,
    pub(super) objective: &'a dyn Objective,
    pub(super) held_out: Option<&'a dyn Objective>,
    pub(super) prior: Option<&'a Prior>,
    pub(super) method: &'a Choice,
    /// One number per variable.
    pub(super) start: &'a [f64],
    pub(super) needs_retrace: NeedsRetrace<'a>,
    pub(super) k: f64,
    pub(super) k_fit: Option<KFit>,
}

impl Descents<'_> {
    /// Returns the end of the last descent, with the books of all, the
    /// variables that are held, ascending, and the last state to go on from.
    ///
    /// # Errors
    /// If what was saved is of another fit, or rows cannot be read.
    pub(super) fn run(
        &self,
        given: &Given<'_>,
        observer: &mut dyn FnMut(&Progress<'_>) -> ControlFlow<()>,
    ) -> Result<(Solution, Vec<usize>, Option<Saved>), FitError> {
        let held = given.saved.map_or(given.held, |saved| &saved.held);
        let mut held = held.to_vec();
        let mut bounds = self.reduction.bounds().to_vec();
        for &variable in &held {
            if variable >= bounds.len() {
                let what = "a variable that ran away does not exist";
                return Err(FitError::Saved(CheckpointError::Inconsistent(what)));
            }
            bounds[variable] = self.fixed(variable);
        }
        let mut last = given.saved.cloned();
        let mut from = self.start.to_vec();
        let mut earlier = given.saved.and_then(|saved| saved.earlier.clone());
        let mut saved = given.saved.map(|saved| &saved.descent);
        let mut solution = loop {
            let problem = Problem {
                objective: self.objective,
                held_out: self.held_out,
                bounds: &bounds,
                prior: self.prior,
                needs_retrace: Some(self.needs_retrace),
            };
            let mut observe = |at: &solve::Progress<'_>| {
                let weights = || self.reduction.weights(at.x);
                let save = || Saved {
                    k: self.k,
                    k_fit: self.k_fit,
                    held: held.clone(),
                    method: self.method.taken(),
                    earlier: earlier.clone(),
                    descent: at.save(),
                    search: None,
                    scaled: None,
                };
                last = Some(save());
                observer(&Progress {
                    record: at.record,
                    weights: &weights,
                    save: &save,
                })
            };
            let mut solution = match saved.take() {
                Some(saved) => solve::resume(&problem, saved, &self.method.options, &mut observe)
                    .map_err(FitError::Saved)?,
                None => solve::minimise(&problem, &from, &self.method.options, &mut observe),
            };
            // The errors before are those of the start, whatever came between.
            if let Some(earlier) = earlier.take() {
                solution.summary = solution.summary.after(earlier);
            }
            let termination = &solution.summary.termination;
            if let Termination::PassFailed(error) = termination {
                return Err(error.clone().into());
            }
            let stopped = matches!(
                termination,
                Termination::Interrupted | Termination::NeedsRetrace
            );
            if solution.summary.separated.is_empty() || stopped || held.len() >= MOST_HELD {
                break solution;
            }
            // What ran away has no optimum. It keeps its start, like a weight that
            // is never seen, and the others are fitted again.
            from.clone_from(&solution.x);
            for &variable in &solution.summary.separated {
                from[variable] = self.start[variable];
                bounds[variable] = self.fixed(variable);
            }
            held.extend(&solution.summary.separated);
            earlier = Some(solution.summary);
        };
        held.sort_unstable();
        // What is held stands between bounds of ours.
        let at_bound = &mut solution.summary.at_bound;
        at_bound.retain(|variable| held.binary_search(variable).is_err());
        Ok((solution, held, last))
    }

    /// The bounds of a variable that keeps its start.
    fn fixed(&self, variable: usize) -> (f64, f64) {
        (self.start[variable], self.start[variable])
    }
}
