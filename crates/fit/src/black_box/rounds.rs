//! Fits rows, takes rows again, and so on: Gauss-Newton's idea for the score.
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

use super::found::{End, Event, Found, Round, Rounds};
use super::moves::grid;
use super::truth::{Errors, Truth};
use super::{BlackBox, BlackBoxError, Quotients, Visits};
use crate::integers::Grid;
use crate::model::{KFit, fit_k};
use crate::{Fit, FitError, Given, Search, Settings, fit_believing, parts};
use tuner_base::WeightId;
use tuner_rows::TraceSet;
use tuner_solve::{Summary, Termination};

/// Part of a score within which it is as foretold. Rounding of a sum of a
/// thousand terms is below it, what is not linear far above.
const AS_FORETOLD: f64 = 1e-9;

/// A step that lowers the objective by more than this part of what the rows
/// promised is good enough; otherwise a shorter one is tried beside it. Chosen.
const GOOD: f64 = 0.5;

type Errs = Vec<BlackBoxError>;

/// Variables and their errors.
#[derive(Clone, Debug)]
struct Point {
    x: Vec<f64>,
    errors: Errors,
}

/// A point that was tried on the way of a round.
struct Tried {
    step: f64,
    point: Point,
    scores: TraceSet,
}

/// A fit under way.
struct Course<'a, P, S> {
    source: &'a BlackBox<'a, P, S>,
    given: &'a Given<'a>,
    settings: Settings,
    rounds: &'a Rounds,
    truth: Truth<'a>,
    k_fit: Option<KFit>,
    /// The whole values, if no others are visited.
    grid: Option<Grid>,
    start: Point,
    at: Point,
    rows: Quotients,
    held: Vec<usize>,
    summary: Option<Summary>,
    done: Vec<Round>,
    evaluations: u64,
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
        given: &Given<'_>,
        settings: &Settings,
        rounds: &Rounds,
        observer: &mut dyn FnMut(&Event<'_>) -> ControlFlow<()>,
    ) -> Result<Found, Vec<BlackBoxError>> {
        self.check_fit(given, settings)?;
        let mut course = Course::new(self, given, settings, rounds, observer)?;
        let end = course.run(observer)?;
        course.finish(end, observer)
    }

    /// Returns all mistakes in what a fit is asked.
    fn check_fit(&self, given: &Given<'_>, settings: &Settings) -> Result<(), Errs> {
        let mut errors = Vec::new();
        let lists = [
            ("weights to anchor K at", given.anchor),
            ("weights to start from", given.start),
            ("weights believed", given.believed),
        ];
        let lists = lists.map(|(what, weights)| self.check_weights(what, weights));
        for result in [self.check()].into_iter().chain(lists) {
            errors.extend(result.err().into_iter().flatten());
        }
        let count = self.reduction.weight_terms().count();
        let pairs = given.beliefs.neighbours.iter().flat_map(|n| n.weights);
        let believed = given.beliefs.deviations.keys().copied().chain(pairs);
        errors.extend(
            believed
                .map(WeightId::index)
                .filter(|&weight| weight >= count)
                .map(BlackBoxError::NoSuchWeight),
        );
        if settings.anchor.is_some() {
            errors.push(BlackBoxError::Anchor);
        }
        if given.saved.is_some() {
            errors.push(BlackBoxError::Saved);
        }
        if errors.is_empty() {
            Ok(())
        } else {
            Err(errors)
        }
    }

    /// Variables at weights, on whole numbers if there is a grid.
    fn variables(&self, weights: &[f64], grid: Option<&Grid>) -> Vec<f64> {
        let mut x = self.reduction.start(weights);
        if let Some(grid) = grid {
            for (variable, x) in x.iter_mut().enumerate() {
                *x = grid.nearest(variable, *x);
            }
        }
        x
    }
}

impl<'a, P: Sync, S: Fn(&[f64], &P) -> f64 + Sync> Course<'a, P, S> {
    /// Finds K and what judges, and takes the first rows.
    fn new(
        source: &'a BlackBox<'a, P, S>,
        given: &'a Given<'a>,
        settings: &Settings,
        rounds: &'a Rounds,
        observer: &mut dyn FnMut(&Event<'_>) -> ControlFlow<()>,
    ) -> Result<Self, Errs> {
        let mut settings = settings.clone();
        let alone = settings.integers && settings.search == Search::Alone;
        let whole = alone || source.probing.visits == Visits::Whole;
        settings.integers |= whole;
        let grid = if whole {
            Some(grid(source.reduction)?)
        } else {
            None
        };
        let mut evaluations = 0;
        let mut scores = |x: &[f64]| {
            evaluations += source.positions.len() as u64;
            source.scores_at(x)
        };
        let parts = parts(settings.held_out);
        let (k, k_fit) = if let Some(k) = settings.k {
            (k, None)
        } else {
            let x = source.variables(given.anchor, grid.as_ref());
            let lanes = source.reduction.lanes(&x);
            let found = fit_k(&scores(&x)?, &lanes, settings.loss, parts.0);
            let found = found.map_err(|error| failed(FitError::K(error)))?;
            (found.k, Some(found))
        };
        settings.k = Some(k);
        let mut truth = Truth::new(source.reduction, settings.loss, k, parts);
        if let Some(deviation) = settings.prior {
            let believed = source.variables(given.believed, None);
            let at = scores(&source.variables(given.believed, grid.as_ref()))?;
            truth
                .believing(&at, believed, deviation, given, &settings)
                .map_err(failed)?;
        }
        let x = source.variables(given.start, grid.as_ref());
        let errors = truth.of(&scores(&x)?, &x).map_err(failed)?;
        let start = Point { x, errors };
        let rows = take(source, &start.x, observer)?;
        Ok(Self {
            evaluations: evaluations + rows.evaluations,
            source,
            given,
            rounds,
            truth,
            k_fit,
            grid,
            at: start.clone(),
            start,
            rows,
            held: given.held.to_vec(),
            summary: None,
            done: Vec::new(),
            settings,
        })
    }

    /// Goes on round by round.
    fn run(
        &mut self,
        observer: &mut dyn FnMut(&Event<'_>) -> ControlFlow<()>,
    ) -> Result<End, Errs> {
        let settings = Settings {
            integers: self.grid.is_some(),
            ..self.settings.clone()
        };
        while self.done.len() < self.rounds.most {
            let found = self.fit_rows(&settings, observer)?;
            let weights = if settings.integers {
                &found.written
            } else {
                &found.weights
            };
            let to = self.source.variables(weights, self.grid.as_ref());
            let stopped = found.summary.termination == Termination::Interrupted;
            let iterations = found.summary.iterations;
            self.keep(found);
            if stopped {
                return Ok(End::Interrupted);
            }
            let foretold = self.truth.of(&self.rows.traces, &to).map_err(failed)?;
            let before = self.at.errors.objective;
            let least = self.rounds.decrease * before.abs();
            let promised = before - foretold.objective;
            if promised <= least {
                return Ok(End::Settled);
            }
            let Some(tried) = self.shorten(&to, promised)? else {
                return Ok(End::NoDecrease);
            };
            let (deviation, as_foretold) = self.deviation(&tried);
            self.at = tried.point;
            let Errors {
                error,
                objective,
                held_out,
            } = self.at.errors;
            self.done.push(Round {
                round: self.done.len() + 1,
                bends: self.rows.bends.clone(),
                iterations,
                foretold: foretold.objective,
                step: tried.step,
                error,
                objective,
                held_out_error: held_out,
                deviation,
            });
            let flow = self.done.last().map(|round| observer(&Event::Round(round)));
            if as_foretold && tried.step >= 1.0 {
                return Ok(End::AsForetold);
            }
            if flow == Some(ControlFlow::Break(())) {
                return Ok(End::Interrupted);
            }
            if before - objective <= least {
                return Ok(End::SmallDecrease);
            }
            if self.done.len() < self.rounds.most {
                match take(self.source, &self.at.x, observer) {
                    Ok(rows) => self.rows = rows,
                    Err(errors) if errors == [BlackBoxError::Interrupted] => {
                        return Ok(End::Interrupted);
                    }
                    Err(errors) => return Err(errors),
                }
                self.evaluations += self.rows.evaluations;
            }
        }
        Ok(End::RoundLimit)
    }

    /// The one call of the fit: of the rows, from the best weights so far.
    fn fit_rows(
        &self,
        settings: &Settings,
        observer: &mut dyn FnMut(&Event<'_>) -> ControlFlow<()>,
    ) -> Result<Fit, Errs> {
        let reduction = self.source.reduction;
        let start = reduction.weights(&self.at.x);
        let given = Given {
            start: &start,
            held: &self.held,
            ..*self.given
        };
        fit_believing(
            self.truth.believed_error,
            (&self.rows.traces).into(),
            reduction,
            &given,
            settings,
            &mut |at| observer(&Event::Iteration(at)),
        )
        .map_err(failed)
    }

    /// Keeps the books of a round's fit.
    fn keep(&mut self, found: Fit) {
        self.held = found.held;
        self.summary = Some(match self.summary.take() {
            Some(earlier) => found.summary.after(earlier),
            None => found.summary,
        });
    }

    /// Tries the step to variables, then halves of it, until the true objective
    /// falls, and on as long as it falls further where little of what was
    /// promised came.
    fn shorten(&mut self, to: &[f64], promised: f64) -> Result<Option<Tried>, Errs> {
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
                let good = before - objective >= GOOD * step * promised;
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

    /// Variables on the way to others.
    fn between(&self, to: &[f64], step: f64) -> Vec<f64> {
        if step >= 1.0 {
            return to.to_vec();
        }
        let pairs = self.at.x.iter().zip(to).enumerate();
        pairs
            .map(|(variable, (&from, &to))| {
                let x = from + step * (to - from);
                match &self.grid {
                    Some(grid) => grid.nearest(variable, x),
                    None => x,
                }
            })
            .collect()
    }

    /// Asks for all scores at variables.
    fn try_at(&mut self, x: Vec<f64>, step: f64) -> Result<Tried, Errs> {
        let scores = self.source.scores_at(&x)?;
        self.evaluations += scores.len() as u64;
        let errors = self.truth.of(&scores, &x).map_err(failed)?;
        Ok(Tried {
            step,
            point: Point { x, errors },
            scores,
        })
    }

    /// The largest difference between scores and what rows foretold, and
    /// whether all are as foretold.
    fn deviation(&self, tried: &Tried) -> (f64, bool) {
        let lanes = self.source.reduction.lanes(&tried.point.x);
        let (rows, scores) = (&self.rows.traces, &tried.scores);
        let (mut largest, mut all) = (0.0_f64, true);
        for (row, truth) in rows.rows(0..rows.len()).zip(scores.rows(0..scores.len())) {
            let score = truth.constant();
            let difference = (row.score(&lanes) - score).abs();
            largest = largest.max(difference);
            all &= difference <= AS_FORETOLD * (1.0 + score.abs());
        }
        (largest, all)
    }

    /// Rounds, if asked for, and puts together what was found.
    fn finish(
        mut self,
        mut end: End,
        observer: &mut dyn FnMut(&Event<'_>) -> ControlFlow<()>,
    ) -> Result<Found, Errs> {
        let mut settings = self.settings.clone();
        let stay = &mut |_: &Event<'_>| ControlFlow::Break(());
        let iterations = std::mem::replace(&mut settings.solver.iterations, 0);
        // The weights as they are, and rounded.
        let mut fit = self.fit_rows(&settings, stay)?;
        let mut written = self.at.clone();
        if settings.integers && self.grid.is_none() {
            let grid = grid(self.source.reduction)?;
            let mut best = self.judge(&fit)?;
            settings.solver.iterations = iterations;
            if end != End::Interrupted {
                let again = self.fit_rows(&settings, observer)?;
                if again.summary.termination == Termination::Interrupted {
                    end = End::Interrupted;
                }
                let found = self.judge(&again)?;
                if found.errors.objective < best.errors.objective {
                    (fit, best) = (again, found);
                }
            }
            let start = self
                .source
                .variables(&self.source.reduction.weights(&self.start.x), Some(&grid));
            if start == self.start.x && self.start.errors.objective <= best.errors.objective {
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
            held: self.held,
            ..fit
        };
        Ok(Found {
            fit,
            end,
            rounds: self.done,
            bends: self.rows.bends,
            evaluations: self.evaluations,
        })
    }

    /// The written weights of a fit, by true scores.
    fn judge(&mut self, fit: &Fit) -> Result<Point, Errs> {
        let x = self.source.reduction.start(&fit.written);
        Ok(self.try_at(x, 1.0)?.point)
    }
}

/// Takes rows, watched.
fn take<P: Sync, S: Fn(&[f64], &P) -> f64 + Sync>(
    source: &BlackBox<'_, P, S>,
    x: &[f64],
    observer: &mut dyn FnMut(&Event<'_>) -> ControlFlow<()>,
) -> Result<Quotients, Errs> {
    let of = source.positions.len();
    source.rows_at(x, &mut |done| observer(&Event::Rows { done, of }))
}

/// A failed fit as a mistake among others.
fn failed(error: FitError) -> Errs {
    vec![BlackBoxError::Fit(error)]
}
