//! Fits rows, takes rows again, and so on: Gauss-Newton's idea for the score,
//! in rounds.
//!
//! In every round the score is replaced by its rows at the best weights so
//! far, and these are fitted to their optimum by whatever solver was chosen.
//! There the true scores are asked, one evaluation a position; if the true
//! objective has not fallen, the step is halved until it has. Where it settles,
//! the gradient of the rows is that of the score, if quotients are derivatives.
//!
//! *Source*: J. Nocedal, S. Wright, Numerical Optimization, 2nd ed., 2006,
//! §10.3 (Gauss-Newton with a line search); C. Cartis, N. Gould, P. Toint, On
//! the evaluation complexity of composite function minimization, SIAM J. Optim.
//! 21, 2011 (the inner function made linear, the outer one kept).

use std::ops::ControlFlow;

use super::events::{BlackBoxEnd, BlackBoxEvent, BlackBoxFit, BlackBoxRound, RoundOptions};
use super::moves::grid;
use super::rows::none;
use super::{BlackBox, BlackBoxError, Quotients, Visits};
use crate::fit::Errors;
use crate::integers::Grid;
use crate::model::{KFit, effective_games};
use crate::{Fit, FitError, FitInputs, FitTask, Search, Settings, parts};
use tuner_base::WeightId;
use tuner_rows::TraceSet;
use tuner_solve::{Prior, Summary, Termination};

/// Part of a score within which it is as predicted. Rounding of a sum of a
/// thousand terms is below it, what is not linear far above.
const AS_PREDICTED: f64 = 1e-9;

/// A step that lowers the objective by more than this part of what the rows
/// decrease_predicted is good enough; otherwise a shorter one is tried beside it. Chosen.
const GOOD: f64 = 0.5;

type Errs = Vec<BlackBoxError>;

impl From<FitError> for Errs {
    fn from(error: FitError) -> Self {
        vec![BlackBoxError::Fit(error)]
    }
}

#[derive(Clone, Debug)]
struct Point {
    x: Vec<f64>,
    errors: Errors,
}

struct Tried {
    step: f64,
    point: Point,
    scores: TraceSet,
}

/// A fit under way, and who watches it.
struct BlackBoxRun<'a, P, S> {
    source: &'a BlackBox<'a, P, S>,
    inputs: &'a FitInputs<'a>,
    settings: Settings,
    rounds: &'a RoundOptions,
    k: f64,
    prior: Option<Prior>,
    /// E at the prior mean by true scores, which the prior is measured by.
    prior_error: Option<f64>,
    k_fit: Option<KFit>,
    /// The whole values, if no others are visited.
    grid: Option<Grid>,
    start: Point,
    at: Point,
    /// Taken at `at`.
    rows: Quotients,
    pinned: Vec<usize>,
    summary: Option<Summary>,
    done: Vec<BlackBoxRound>,
    evaluations: u64,
    observer: &'a mut dyn FnMut(&BlackBoxEvent<'_>) -> ControlFlow<()>,
}

impl<P: Sync, S: Fn(&[f64], &P) -> f64 + Sync> BlackBox<'_, P, S> {
    /// Fits the weights to the results, with all that [`fit()`](crate::fit)
    /// has: K (fitted to true scores at the anchoring weights), prior, solvers,
    /// held-out games, rounding and search for integers.
    ///
    /// Rows are taken at the start and again after every step that lowers the
    /// true objective. With [`Visits::Whole`], and with [`Search::Alone`], every
    /// round ends on integers; otherwise rounding follows after the last one,
    /// around the best weights and around the optimum of the last rows, and of
    /// both (and the start, if it is whole) true scores choose.
    ///
    /// *Numerics*: as [`rows`](Self::rows).
    /// *Cost*: in each round that of rows, a fit, and an evaluation of all
    /// positions for every step tried; mostly one or two.
    ///
    /// # Errors
    /// As [`rows`](Self::rows) and [`fit()`](crate::fit); a weight to be
    /// anchored, or a saved fit; the observer's stop before all first rows are
    /// there.
    ///
    /// # Panics
    /// If the closure does.
    pub fn fit(
        &self,
        inputs: &FitInputs<'_>,
        settings: &Settings,
        rounds: &RoundOptions,
        observer: &mut dyn FnMut(&BlackBoxEvent<'_>) -> ControlFlow<()>,
    ) -> Result<BlackBoxFit, Vec<BlackBoxError>> {
        self.check_fit(inputs, settings)?;
        let mut run = BlackBoxRun::new(self, inputs, settings, rounds, observer)?;
        let end = loop {
            if let Some(end) = run.fit_rows()? {
                break end;
            }
            if let Some(end) = run.take_rows()? {
                break end;
            }
        };
        run.finish(end)
    }

    /// Returns all mistakes in what a fit is asked.
    fn check_fit(&self, inputs: &FitInputs<'_>, settings: &Settings) -> Result<(), Errs> {
        let mut errors = Vec::new();
        let lists = [
            ("weights to anchor K at", inputs.anchor),
            ("weights to start from", inputs.start),
            ("weights of the prior mean", inputs.prior_mean),
        ];
        let lists = lists.map(|(what, weights)| self.check_weights(what, weights));
        for result in [self.check()].into_iter().chain(lists) {
            errors.extend(result.err().into_iter().flatten());
        }
        let count = self.reduction.weight_terms().count();
        let pairs = inputs.prior.neighbours.iter().flat_map(|n| n.weights);
        let named = inputs.prior.deviations.keys().copied().chain(pairs);
        errors.extend(
            named
                .map(WeightId::index)
                .filter(|&weight| weight >= count)
                .map(BlackBoxError::NoSuchWeight),
        );
        if settings.anchor.is_some() {
            errors.push(BlackBoxError::Anchor);
        }
        if inputs.saved.is_some() {
            errors.push(BlackBoxError::SavedFit);
        }
        none(errors)
    }

    /// Rows at variables, watched.
    fn watched_rows(
        &self,
        x: &[f64],
        observer: &mut dyn FnMut(&BlackBoxEvent<'_>) -> ControlFlow<()>,
    ) -> Result<Quotients, Errs> {
        let of = self.positions.len();
        self.rows_at(x, &mut |done| observer(&BlackBoxEvent::Rows { done, of }))
    }

    /// Variables at weights, on whole numbers if there is a grid.
    fn variables(&self, weights: &[f64], grid: Option<&Grid>) -> Vec<f64> {
        let x = self.reduction.start(weights);
        match grid {
            Some(grid) => grid.nearest_all(&x),
            None => x,
        }
    }
}

impl<'a, P: Sync, S: Fn(&[f64], &P) -> f64 + Sync> BlackBoxRun<'a, P, S> {
    /// Finds K and what judges.
    fn new(
        source: &'a BlackBox<'a, P, S>,
        inputs: &'a FitInputs<'a>,
        settings: &Settings,
        rounds: &'a RoundOptions,
        observer: &'a mut dyn FnMut(&BlackBoxEvent<'_>) -> ControlFlow<()>,
    ) -> Result<Self, Errs> {
        let mut settings = *settings;
        let alone = settings.integers && settings.search == Search::Alone;
        let whole = alone || source.probing.visits == Visits::Whole;
        settings.integers |= whole;
        let grid = whole.then(|| grid(source.reduction)).transpose()?;
        let mut evaluations = 0;
        let mut scored_at = |weights: &[f64]| {
            evaluations += source.positions.len() as u64;
            let x = source.variables(weights, grid.as_ref());
            Ok::<_, Errs>((source.scores_at(&x)?, x))
        };
        let (k, k_fit) = if let Some(k) = settings.k {
            (k, None)
        } else {
            let (at, _) = scored_at(inputs.anchor)?;
            FitTask::new(&at, source.reduction, inputs, &settings).scaling()?
        };
        settings.k = Some(k);
        let mut prior = None;
        if settings.prior.is_some() {
            let (at, _) = scored_at(inputs.prior_mean)?;
            let (train, _) = parts(settings.held_out);
            let games = effective_games((&at).into(), train).map_err(FitError::from)?;
            let task = FitTask::new(&at, source.reduction, inputs, &settings);
            let found = task.prior(&task.objective(k)?, games);
            prior = found.map_err(FitError::from)?;
        }
        let prior_error = prior.as_ref().and_then(|measured| measured.error);
        let prior = prior.map(|measured| measured.prior);
        let (at, x) = scored_at(inputs.start)?;
        let task = FitTask::new(&at, source.reduction, inputs, &settings);
        let errors = task.errors(k, prior.as_ref(), &x)?;
        let rows = source.watched_rows(&x, observer)?;
        let start = Point { x, errors };
        Ok(Self {
            evaluations: evaluations + rows.evaluations,
            source,
            inputs,
            rounds,
            k,
            prior,
            prior_error,
            k_fit,
            grid,
            at: start.clone(),
            start,
            rows,
            pinned: inputs.pinned.to_vec(),
            summary: None,
            done: Vec::new(),
            settings,
            observer,
        })
    }

    /// Takes rows at the best weights so far.
    fn take_rows(&mut self) -> Result<Option<BlackBoxEnd>, Errs> {
        match self.source.watched_rows(&self.at.x, self.observer) {
            Ok(rows) => {
                self.evaluations += rows.evaluations;
                self.rows = rows;
                Ok(None)
            }
            Err(errors) if errors == [BlackBoxError::Interrupted] => {
                Ok(Some(BlackBoxEnd::Interrupted))
            }
            Err(errors) => Err(errors),
        }
    }

    /// Fits the rows, and steps to where they lead as far as the true objective
    /// falls.
    fn fit_rows(&mut self) -> Result<Option<BlackBoxEnd>, Errs> {
        if self.done.len() >= self.rounds.most {
            return Ok(Some(BlackBoxEnd::RoundLimit));
        }
        let settings = Settings {
            integers: self.grid.is_some(),
            ..self.settings
        };
        let fit = self.fit_once(&settings, true)?;
        let weights = if settings.integers {
            &fit.written
        } else {
            &fit.weights
        };
        let to = self.source.variables(weights, self.grid.as_ref());
        let stopped = fit.summary.termination == Termination::Interrupted;
        let iterations = fit.summary.iterations;
        self.add_up(fit);
        if stopped {
            return Ok(Some(BlackBoxEnd::Interrupted));
        }
        let predicted = self.errors(&self.rows.traces, &to)?;
        let nonlinearity = self.rows.nonlinearity.clone();
        let before = self.at.errors.objective;
        let least = self.rounds.decrease * before.abs();
        let decrease_predicted = before - predicted.objective;
        if decrease_predicted <= least {
            return Ok(Some(BlackBoxEnd::Settled));
        }
        let Some(tried) = self.shorten(&to, decrease_predicted)? else {
            return Ok(Some(BlackBoxEnd::NoDecrease));
        };
        let (deviation, as_predicted) = self.deviation(&tried);
        self.at = tried.point;
        let reached = self.at.errors;
        let round = BlackBoxRound {
            round: self.done.len() + 1,
            nonlinearity,
            iterations,
            predicted: predicted.objective,
            step: tried.step,
            error: reached.error,
            objective: reached.objective,
            held_out_error: reached.held_out,
            deviation,
        };
        let flow = (self.observer)(&BlackBoxEvent::Round(&round));
        self.done.push(round);
        let end = if as_predicted && tried.step >= 1.0 {
            BlackBoxEnd::AsPredicted
        } else if flow.is_break() {
            BlackBoxEnd::Interrupted
        } else if before - reached.objective <= least {
            BlackBoxEnd::SmallDecrease
        } else if self.done.len() >= self.rounds.most {
            BlackBoxEnd::RoundLimit
        } else {
            return Ok(None);
        };
        Ok(Some(end))
    }

    /// The one call of the fit: of the rows, from the best weights so far.
    /// Without being watched it ends at its start.
    fn fit_once(&mut self, settings: &Settings, watched: bool) -> Result<Fit, Errs> {
        let reduction = self.source.reduction;
        let start = reduction.weights(&self.at.x);
        let inputs = FitInputs {
            start: &start,
            pinned: &self.pinned,
            ..*self.inputs
        };
        let observer = &mut *self.observer;
        let mut task = FitTask::new(&self.rows.traces, reduction, &inputs, settings);
        task.prior_error = self.prior_error;
        let fit = task.fit(&mut |at| {
            if watched {
                observer(&BlackBoxEvent::Iteration(at))
            } else {
                ControlFlow::Break(())
            }
        });
        Ok(fit?)
    }

    fn add_up(&mut self, fit: Fit) {
        self.pinned = fit.pinned;
        self.summary = Some(match self.summary.take() {
            Some(earlier) => fit.summary.after(earlier),
            None => fit.summary,
        });
    }

    /// Tries the step to variables, then halves of it, until the true objective
    /// falls, and on as long as it falls further where little of what was
    /// predicted came.
    fn shorten(&mut self, to: &[f64], decrease_predicted: f64) -> Result<Option<Tried>, Errs> {
        let before = self.at.errors.objective;
        let mut best: Option<Tried> = None;
        let mut step = 1.0;
        for _ in 0..=self.rounds.halvings {
            let x = self.between(to, step);
            if x == self.at.x {
                break;
            }
            let tried = self.try_at(x, step)?;
            let least = best
                .as_ref()
                .map_or(before, |best| best.point.errors.objective);
            let objective = tried.point.errors.objective;
            if objective < least {
                let good = before - objective >= GOOD * step * decrease_predicted;
                best = Some(tried);
                if good {
                    break;
                }
            } else if best.is_some() {
                break;
            }
            step /= 2.0;
        }
        Ok(best)
    }

    fn errors(&self, traces: &TraceSet, x: &[f64]) -> Result<Errors, Errs> {
        let reduction = self.source.reduction;
        let task = FitTask::new(traces, reduction, self.inputs, &self.settings);
        Ok(task.errors(self.k, self.prior.as_ref(), x)?)
    }

    /// Variables on the way to others.
    fn between(&self, to: &[f64], step: f64) -> Vec<f64> {
        if step >= 1.0 {
            return to.to_vec();
        }
        let pairs = self.at.x.iter().zip(to);
        let x: Vec<f64> = pairs.map(|(from, to)| from + step * (to - from)).collect();
        match &self.grid {
            Some(grid) => grid.nearest_all(&x),
            None => x,
        }
    }

    /// Asks for all scores at variables.
    fn try_at(&mut self, x: Vec<f64>, step: f64) -> Result<Tried, Errs> {
        let scores = self.source.scores_at(&x)?;
        self.evaluations += scores.len() as u64;
        let errors = self.errors(&scores, &x)?;
        Ok(Tried {
            step,
            point: Point { x, errors },
            scores,
        })
    }

    /// The largest difference between scores and what rows predicted, and
    /// whether all are as predicted.
    fn deviation(&self, tried: &Tried) -> (f64, bool) {
        let lanes = self.source.reduction.lanes(&tried.point.x);
        let (rows, scores) = (&self.rows.traces, &tried.scores);
        let (mut largest, mut all) = (0.0_f64, true);
        for (row, scored) in rows.rows(0..rows.len()).zip(scores.rows(0..scores.len())) {
            let score = scored.constant();
            let difference = (row.score(&lanes) - score).abs();
            largest = largest.max(difference);
            all &= difference <= AS_PREDICTED * (1.0 + score.abs());
        }
        (largest, all)
    }

    /// Rounds, if asked for, and puts together what was found.
    fn finish(mut self, mut end: BlackBoxEnd) -> Result<BlackBoxFit, Errs> {
        let mut settings = self.settings;
        let iterations = std::mem::replace(&mut settings.solver.iterations, 0);
        // The weights as they are, and rounded.
        let mut fit = self.fit_once(&settings, false)?;
        let mut written = self.at.clone();
        if settings.integers && self.grid.is_none() {
            let grid = grid(self.source.reduction)?;
            let mut best = self.judge(&fit)?;
            settings.solver.iterations = iterations;
            if end != BlackBoxEnd::Interrupted {
                let again = self.fit_once(&settings, true)?;
                if again.summary.termination == Termination::Interrupted {
                    end = BlackBoxEnd::Interrupted;
                }
                let found = self.judge(&again)?;
                if found.errors.objective < best.errors.objective {
                    (fit, best) = (again, found);
                }
            }
            let is_whole = grid.nearest_all(&self.start.x) == self.start.x;
            if is_whole && self.start.errors.objective <= best.errors.objective {
                best = self.start.clone();
                (fit.rounding, fit.searched) = (None, None);
            }
            written = best;
        } else {
            (fit.rounding, fit.searched) = (None, None);
        }
        let reduction = self.source.reduction;
        let summary = self.summary.unwrap_or(fit.summary);
        let fit = Fit {
            k_fit: self.k_fit,
            weights: reduction.weights(&self.at.x),
            written: reduction.weights(&written.x),
            error: written.errors.error,
            held_out_error: written.errors.held_out,
            held_out_start: self.start.errors.held_out,
            summary: Summary {
                initial_error: self.start.errors.error,
                error: self.at.errors.error,
                objective: self.at.errors.objective,
                held_out_error: self.at.errors.held_out,
                ..summary
            },
            pinned: self.pinned,
            ..fit
        };
        Ok(BlackBoxFit {
            fit,
            end,
            rounds: self.done,
            nonlinearity: self.rows.nonlinearity,
            evaluations: self.evaluations,
        })
    }

    fn judge(&mut self, fit: &Fit) -> Result<Point, Errs> {
        let x = self.source.reduction.start(&fit.written);
        Ok(self.try_at(x, 1.0)?.point)
    }
}
