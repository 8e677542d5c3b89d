//! Descents until no weight is separated by the data any more.
//!
//! A weight is separated where every position that reads it has the same
//! result: the error falls the further it moves, and there is no optimum.
//! *Source*: A. Albert, J. Anderson, On the existence of maximum likelihood
//! estimates in logistic regression models, Biometrika 71, 1984.

use super::{Descent, FitError, FitProgress, ProgressObserver, SavedFit};
use tuner_solve as solve;
use tuner_solve::{Objective, Problem, Solution, Termination};

/// Maximum number of weights that are pinned; data that separate more are of no use.
const MOST_PINNED: usize = 10_000;

impl Descent<'_> {
    /// Descends, pins variables that the data separate (the error falls for ever as they move) at
    /// their start, and descends again, until no variable is separated any more, [`MOST_PINNED`]
    /// variables are pinned, positions are to be traced again, or the observer ends it. A variable
    /// on its way to a finite bound is not pinned.
    ///
    /// A variable is pinned by bounds that are both its start. The first descent resumes from the
    /// saved fit, if there is one; its pinned variables, or else those that the task begins with,
    /// are pinned from the beginning.
    ///
    /// Returns the end of the last descent, with the iterations of all descents; the variables that
    /// are pinned, ascending; and the last state to resume from, if there was any.
    pub(super) fn refit_without_separated(
        &self,
        observer: ProgressObserver<'_>,
    ) -> Result<(Solution, Vec<usize>, Option<SavedFit>), FitError> {
        let (reduction, inputs) = (self.task.reduction, self.task.inputs);
        let needs_retrace = |x: &[f64]| match self.task.settings.max_changed_branches {
            Some(most) => self.changed_branches(x).map(|count| count > most),
            None => Ok(false),
        };
        let pinned = inputs.saved.map_or(inputs.pinned, |saved| &saved.pinned);
        let mut pinned = pinned.to_vec();
        let mut bounds = reduction.bounds().to_vec();
        for &variable in &pinned {
            if variable >= bounds.len() {
                let what = "a variable that was pinned does not exist";
                return Err(FitError::inconsistent(what));
            }
            bounds[variable] = self.fixed(variable);
        }
        let mut last = inputs.saved.cloned();
        // Only the first descent resumes from the saved state; each later one starts where the one
        // before ended.
        let mut from = self.start.clone();
        let mut earlier = inputs.saved.and_then(|saved| saved.earlier.clone());
        let mut saved = inputs.saved.map(|saved| &saved.descent);
        let mut solution = loop {
            let problem = Problem {
                objective: &self.objective,
                held_out: self.held_out.as_ref().map(|h| h as &dyn Objective),
                bounds: &bounds,
                constraints: reduction.constraints(),
                prior: self.prior.as_ref(),
                needs_retrace: Some(&needs_retrace),
            };
            let mut observe = |at: &solve::Progress<'_>| {
                let weights = || reduction.weights(at.x);
                let save = || SavedFit {
                    k: self.k,
                    k_fit: self.k_fit,
                    pinned: pinned.clone(),
                    method: self.method.choice,
                    earlier: earlier.clone(),
                    descent: at.save(),
                    search: None,
                    scaled: None,
                };
                last = Some(save());
                observer(&FitProgress {
                    record: at.record,
                    weights: &weights,
                    save: &save,
                })
            };
            let mut solution = match saved.take() {
                Some(saved) => solve::resume(&problem, saved, &self.method.options, &mut observe)
                    .map_err(FitError::SavedFit)?,
                None => solve::minimise(&problem, &from, &self.method.options, &mut observe),
            };
            // The errors at the start are those of the first descent.
            if let Some(earlier) = earlier.take() {
                solution.summary = solution.summary.after(earlier);
            }
            let end = &solution.summary.termination;
            if let Termination::PassFailed(error) = end {
                return Err(error.clone().into());
            }
            let stopped = matches!(end, Termination::Interrupted | Termination::NeedsRetrace);
            // A variable that moved towards a finite bound has its optimum there.
            let without_end = |&variable: &usize| {
                let (low, high) = bounds[variable];
                let walked = solution.x[variable] - self.start[variable];
                let end = if walked < 0.0 { low } else { high };
                end.is_infinite()
            };
            let separated = solution.summary.separated.iter().copied();
            let separated: Vec<usize> = separated.filter(without_end).collect();
            if separated.is_empty() || stopped || pinned.len() >= MOST_PINNED {
                break solution;
            }
            // A separated variable has no optimum. It keeps its start, like one that no position
            // reads, and all others are fitted again.
            from.clone_from(&solution.x);
            for &variable in &separated {
                from[variable] = self.start[variable];
                bounds[variable] = self.fixed(variable);
            }
            pinned.extend(separated);
            earlier = Some(solution.summary);
        };
        // With pinned variables, that nothing is left to fit means that the data separate all that
        // there was.
        let end = &mut solution.summary.termination;
        if *end == Termination::NothingToFit && !pinned.is_empty() {
            *end = Termination::NoOptimum;
        }
        pinned.sort_unstable();
        // The bounds of pinned variables are made here, so the author is not told of them.
        let at_bound = &mut solution.summary.at_bound;
        at_bound.retain(|variable| pinned.binary_search(variable).is_err());
        Ok((solution, pinned, last))
    }

    /// Returns the lower and upper bound that pin a variable: both are its start.
    fn fixed(&self, variable: usize) -> (f64, f64) {
        (self.start[variable], self.start[variable])
    }
}
