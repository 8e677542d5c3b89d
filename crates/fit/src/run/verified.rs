//! Steps that are taken only as far as the true error falls.
//!
//! Rows that are not known to hold at other weights are a model of the score near theirs. Each
//! fit of them leads somewhere; rows with the true scores there tell what it is worth. Where
//! the error has not fallen the step is halved until it has, and the next fit is of the rows
//! there.

use super::fit_run::{UnderWay, last_rows};
use super::{RunError, RunEvent};
use crate::fit::{Errors, grid};
use crate::{Fit, FitError, FitTask};
use tuner_rows::Traces;
use tuner_solve::Termination;

/// A step is halved so often at most. Chosen.
const HALVINGS: i32 = 6;

/// A round that lowers the objective by less than this part of it is the last. Chosen: far below
/// the error of E by chance.
const LEAST: f64 = 1e-7;

/// Part of an error within which it is as predicted.
const AS_PREDICTED: f64 = 1e-9;

impl UnderWay<'_> {
    /// Goes from the weights of this round's rows to those of the fit `next` as far as the true
    /// error falls: by the whole step, else by half of it, a quarter and so on, each time with rows
    /// taken at the new weights. Returns a fit if the run ends with it: the objective (E and the
    /// prior's part) falls by no more than [`LEAST`] of itself, the whole step brings what was
    /// predicted, no round is left, or the observer ends the run. Where no step lowers the
    /// objective, that is the fit of the round before, or one that stays at the start. `None` if
    /// another round follows, from where the step led.
    pub(super) fn verified(&mut self, mut next: Fit) -> Result<Option<Fit>, RunError> {
        let reduction = &self.run.variables.reduction;
        let previous = self.state.previous_fit.take();
        let is_stopped = next.summary.termination == Termination::Interrupted;
        // The step begins where the round before ended, the first one at the start of the run.
        let start = previous.as_ref().map(|fit| &fit.written);
        let from = reduction.start(start.unwrap_or(&self.state.start));
        let to = reduction.start(&next.written);
        let grid = grid(reduction, &self.settings)?;
        // The errors by the rows of this round: where the step begins, and as predicted for its
        // end.
        let before = self.errors(None, &from, &next)?;
        let predicted = self.errors(None, &to, &next)?;
        for halvings in 0..=HALVINGS {
            let step = 0.5_f64.powi(halvings);
            let ends = from.iter().zip(&to);
            let between = ends.map(|(from, to)| from + step * (to - from));
            let x: Vec<f64> = match &grid {
                _ if halvings == 0 => to.clone(),
                Some(grid) => grid.nearest_all(&between.collect::<Vec<_>>()),
                None => between.collect(),
            };
            // On a grid a short step may lead nowhere; half of it would not either.
            if is_stopped || x == from {
                break;
            }
            let weights = reduction.weights(&x);
            let Some(rows) = self.rows_at(&weights)? else {
                break;
            };
            let found = self.errors(Some(Traces::from(&rows)), &x, &next)?;
            let falls = found.objective < before.objective;
            self.observer.event(&RunEvent::Verified {
                step,
                errors: [before.error, predicted.error, found.error],
                falls,
            });
            if !falls {
                continue;
            }
            // Rounding and search led to the end of the whole step, not to here.
            if halvings > 0 {
                next.weights.clone_from(&weights);
                (next.rounding, next.searched) = (None, None);
            }
            let is_small = before.objective - found.objective <= LEAST * before.objective;
            let is_as_predicted =
                (found.error - predicted.error).abs() <= AS_PREDICTED * predicted.error.abs();
            self.retraced = Some(rows);
            let fit = at(next, weights, found, previous);
            if is_small || halvings == 0 && is_as_predicted || !self.state.retracing.count() {
                return Ok(Some(fit));
            }
            self.state.previous_fit = Some(fit);
            return Ok(None);
        }
        // No length of the step lowers the error, or the observer ends the run: the weights stay.
        let interrupted = is_stopped || self.observer.is_interrupted();
        let mut fit = previous.unwrap_or_else(|| {
            let weights = reduction.weights(&from);
            next.weights.clone_from(&weights);
            (next.rounding, next.searched) = (None, None);
            at(next, weights, before, None)
        });
        if interrupted {
            fit.summary.termination = Termination::Interrupted;
        }
        Ok(Some(fit))
    }

    /// Returns E of the fitted and of the held-out games where the variables are `x`, by `rows`,
    /// or, if that is `None`, by the rows of this round. K and the unit of the prior are those of
    /// `fit`.
    fn errors(&self, rows: Option<Traces<'_>>, x: &[f64], fit: &Fit) -> Result<Errors, RunError> {
        let reduction = &self.run.variables.reduction;
        let rows = rows.unwrap_or_else(|| last_rows(self.retraced.as_ref(), &*self.source));
        let rows = self.targets.targets.of(rows).map_err(FitError::from)?;
        let inputs = self.run.inputs(self.before, &self.prior, &self.state.start);
        let mut settings = self.settings;
        settings.prior_unit = fit.prior_unit;
        Ok(FitTask::new(rows.traces(), reduction, &inputs, &settings).errors(fit.k, x)?)
    }
}

/// Returns `fit` as one that ends at `weights` and not at its own, with the true `errors` there,
/// joined to `previous`, the fit of the rounds before.
fn at(mut fit: Fit, weights: Vec<f64>, errors: Errors, previous: Option<Fit>) -> Fit {
    fit.written = weights;
    (fit.error, fit.held_out_error) = (errors.error, errors.held_out);
    // These were computed from the rows that were fitted, which are not those at `weights`.
    (fit.curvature, fit.against_results, fit.changed_branches) = (None, None, 0);
    (fit.summary.error, fit.summary.objective) = (errors.error, errors.objective);
    fit.summary.held_out_error = errors.held_out;
    match previous {
        Some(previous) => fit.after(previous),
        None => fit,
    }
}
