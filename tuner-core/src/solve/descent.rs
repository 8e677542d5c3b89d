//! Gauss-Newton and Newton with Levenberg-Marquardt damping.

use std::time::Instant;

use super::polish::polish;
use super::step::{Stepper, Trial};
use super::{
    Fallback, Flow, Method, Options, Problem, Progress, Record, Solution, Solver, Summary,
    Termination, kkt_residual,
};
use crate::linalg::{Symmetric, max_abs};
use crate::model::{Curvature, Objective, Penalised};

/// Least part of the promised decrease that a step must bring to be taken.
/// Any small number does; this is that of Moré 1978.
const LEAST_GAIN: f64 = 1e-4;

/// The damping after the first step that failed without any.
const FIRST_DAMPING: f64 = 1e-3;

/// Damping below this is none: it would only slow the end down.
const NO_DAMPING: f64 = 1e-7;

/// A step that needed more damping than the one before and yet brings no more
/// than this part of the objective is the end. Where a score is smooth the last steps are undamped and square the
/// error; at the kinks of `max` and `clamp` they are neither, and go on for ever
/// (chess example, 189,541 positions: 1e-11 of the objective a step).
const KINK: f64 = 1e-9;

/// Newton's steps square the error. One that brings no more than [`KINK`] of
/// the objective, and yet more than this part of what the step before brought,
/// walks down the tail of a combination of weights with which the data foretell
/// their results: that has no end (a chess engine of 1,309 weights, 10,000
/// positions, no prior: 70 of 83 iterations).
const TAIL: f64 = 0.5;

/// A weight runs away when its curvature has fallen to this part of what it
/// was: σ′² there means odds of ten thousand to one in every position.
const RUNAWAY: f64 = 1e-8;

/// Minimises a problem from a start within its bounds.
///
/// The observer is called with the start and after every step; its answer
/// [`Flow::Stop`] ends the descent with the best variables so far.
///
/// *Numerics*: deterministic; no absolute tolerance.
/// *Cost*: per iteration one curvature matrix, its factorisation, and one
/// pass per step tried, nearly always one.
/// *Source*: K. Madsen, H. Nielsen, O. Tingleff, Methods for non-linear least
/// squares problems, 2nd ed., 2004, §3.2 (gain ratio, damping).
///
/// # Panics
/// If start or bounds have another length than the objective, or a lower
/// bound is above its upper bound.
pub fn minimise(
    problem: &Problem<'_>,
    start: &[f64],
    options: &Options,
    observer: &mut dyn FnMut(&Progress<'_>) -> Flow,
) -> Solution {
    assert_eq!(
        start.len(),
        problem.objective.len(),
        "one start per variable"
    );
    assert_eq!(
        problem.bounds.len(),
        start.len(),
        "one pair of bounds per variable"
    );
    let x: Vec<f64> = start
        .iter()
        .zip(problem.bounds)
        .map(|(x, b)| x.clamp(b.0, b.1))
        .collect();
    let mut state = State::new(problem, x, observer);
    let mut stepper = None;
    let termination = state.descend(options, &mut stepper);
    state.finish(termination, stepper)
}

/// The point reached and the books kept.
pub(super) struct State<'a, 'o> {
    problem: &'a Problem<'a>,
    observer: &'o mut dyn FnMut(&Progress<'_>) -> Flow,
    began: Instant,
    pub(super) x: Vec<f64>,
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
    curvature_evaluations: usize,
    passes: usize,
    fallbacks: Vec<Fallback>,
    records: Vec<Record>,
    /// Curvature of each variable at the start, for telling what runs away.
    first_diagonal: Vec<f64>,
}

/// A point tried.
pub(super) struct Point {
    pub(super) x: Vec<f64>,
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
}

impl Point {
    fn at(problem: &Problem<'_>, x: Vec<f64>) -> Self {
        let mut gradient = vec![0.0; x.len()];
        let penalised = Penalised {
            objective: problem.objective,
            prior: problem.prior,
        };
        let value = penalised.gradient(&x, &mut gradient);
        Self { x, value, gradient }
    }
}

impl<'a, 'o> State<'a, 'o> {
    fn new(
        problem: &'a Problem<'a>,
        x: Vec<f64>,
        observer: &'o mut dyn FnMut(&Progress<'_>) -> Flow,
    ) -> Self {
        let began = Instant::now();
        let Point { x, value, gradient } = Point::at(problem, x);
        Self {
            problem,
            observer,
            began,
            x,
            value,
            gradient,
            curvature_evaluations: 0,
            passes: 1,
            fallbacks: Vec::new(),
            records: Vec::new(),
            first_diagonal: Vec::new(),
        }
    }

    /// Goes down until there is a reason to stop.
    fn descend(&mut self, options: &Options, kept: &mut Option<Stepper>) -> Termination {
        if self.record(Method::Start, 0.0, 0.0) == Flow::Stop {
            return Termination::Interrupted;
        }
        if self.x.is_empty() {
            return Termination::NothingToFit;
        }
        let numbers = [self.value, max_abs(&self.gradient), max_abs(&self.x)];
        if numbers.iter().any(|number| !number.is_finite()) {
            return Termination::NotFinite;
        }
        let mut matrix = Symmetric::zeros(self.x.len());
        let mut kind = Curvature::GaussNewton;
        self.curvature(kind, &mut matrix);
        self.first_diagonal = matrix.diagonal();
        let stepper = kept.insert(Stepper::new(
            &matrix,
            self.problem.bounds,
            self.problem.prior,
        ));
        if stepper.indices.is_empty() {
            return Termination::NothingToFit;
        }
        if options.solver == Solver::Newton {
            kind = Curvature::Newton;
            self.curvature(kind, &mut matrix);
            stepper.update(&matrix);
        }
        let mut damping = 0.0;
        let mut last = f64::INFINITY;
        for iteration in 1..=options.iterations {
            let (before, damping_before) = (self.value, damping);
            match self.iterate(stepper, kind, iteration, &mut damping, options) {
                Ok(Flow::Continue) => {}
                Ok(Flow::Stop) => return Termination::Interrupted,
                Err(end) => return self.close(end, stepper, options),
            }
            let decrease = before - self.value;
            if decrease <= KINK * before {
                if damping > damping_before {
                    return Termination::Kink;
                }
                if kind == Curvature::Newton && decrease > TAIL * last {
                    return Termination::Tail;
                }
            }
            last = decrease;
            if iteration == options.iterations {
                break;
            }
            // The last factor tells well enough that the end is here; asking it
            // saves forming one more just to learn that.
            let promised = stepper.again(&self.x, &self.gradient);
            let least = options.decrease * self.value;
            if promised.is_some_and(|t| t.damping <= 1.0 && t.predicted <= least) {
                return self.close(Termination::SmallDecrease, stepper, options);
            }
            let near = decrease < options.near * before;
            if options.solver == Solver::Auto && near {
                kind = Curvature::Newton;
            }
            self.curvature(kind, &mut matrix);
            stepper.update(&matrix);
        }
        Termination::IterationLimit
    }

    /// Takes one step; tries shorter ones until one lowers the value.
    fn iterate(
        &mut self,
        stepper: &mut Stepper,
        kind: Curvature,
        iteration: usize,
        damping: &mut f64,
        options: &Options,
    ) -> Result<Flow, Termination> {
        let mut growth = 4.0;
        let mut rejected = false;
        loop {
            let Some(trial) = stepper.step(&self.x, &self.gradient, *damping) else {
                return Err(Termination::NumericalFailure);
            };
            self.note(iteration, &trial);
            if let Some(end) = ends(&trial, options.decrease * self.value, rejected) {
                return Err(end);
            }
            let point = self.evaluate(stepper.apply(&self.x, &trial.d));
            let gain = (self.value - point.value) / trial.predicted;
            if gain > LEAST_GAIN && max_abs(&point.gradient).is_finite() {
                *damping = relax(trial.damping, gain);
                self.take(point);
                let method = match kind {
                    Curvature::GaussNewton => Method::GaussNewton,
                    Curvature::Newton => Method::Newton,
                };
                return Ok(self.record(method, max_abs(&trial.d), trial.damping));
            }
            *damping = (trial.damping * growth).max(FIRST_DAMPING);
            growth *= 2.0;
            rejected = true;
        }
    }

    /// Ends a descent that has come to its end, with a polish if wanted.
    fn close(&mut self, end: Termination, stepper: &mut Stepper, options: &Options) -> Termination {
        if options.polish && end == Termination::SmallDecrease {
            polish(self, stepper)
        } else {
            end
        }
    }

    /// Computes value and gradient somewhere: one pass.
    pub(super) fn evaluate(&mut self, x: Vec<f64>) -> Point {
        self.passes += 1;
        Point::at(self.problem, x)
    }

    /// Moves to a point.
    pub(super) fn take(&mut self, point: Point) {
        self.x = point.x;
        self.value = point.value;
        self.gradient = point.gradient;
    }

    fn curvature(&mut self, kind: Curvature, matrix: &mut Symmetric) {
        self.problem.objective.curvature(&self.x, kind, matrix);
        self.curvature_evaluations += 1;
        self.passes += 1;
    }

    /// Keeps the reason why a step needed more damping than wanted.
    fn note(&mut self, iteration: usize, trial: &Trial) {
        if let Some(reason) = trial.failure {
            let fallback = Fallback { iteration, reason };
            if self.fallbacks.last() != Some(&fallback) {
                self.fallbacks.push(fallback);
            }
        }
    }

    /// Books an iteration and asks the observer.
    pub(super) fn record(&mut self, method: Method, step: f64, damping: f64) -> Flow {
        let record = Record {
            iteration: self.records.len(),
            method,
            error: self.error(),
            objective: self.value,
            held_out_error: self
                .problem
                .held_out
                .map(|held_out| held_out.value(&self.x)),
            step,
            gradient: self.residual(),
            damping,
            curvature_evaluations: self.curvature_evaluations,
            passes: self.passes,
            seconds: self.began.elapsed().as_secs_f64(),
        };
        let flow = (self.observer)(&Progress {
            record: &record,
            x: &self.x,
        });
        self.records.push(record);
        flow
    }

    /// E, that is the value without the prior.
    fn error(&self) -> f64 {
        let prior = self.problem.prior.map_or(0.0, |p| p.value(&self.x));
        self.value - prior
    }

    fn residual(&self) -> f64 {
        max_abs(&kkt_residual(&self.x, &self.gradient, self.problem.bounds))
    }

    /// Draws up the summary.
    fn finish(mut self, termination: Termination, stepper: Option<Stepper>) -> Solution {
        let bounds = self.problem.bounds;
        let all = 0..self.x.len();
        let unseen = all
            .clone()
            .filter(|&i| self.first_diagonal.get(i) == Some(&0.0))
            .collect();
        let held = |&i: &usize| {
            (self.x[i] <= bounds[i].0 && self.gradient[i] > 0.0)
                || (self.x[i] >= bounds[i].1 && self.gradient[i] < 0.0)
        };
        let at_bound = all.clone().filter(held).collect();
        let mut runaway = Vec::new();
        if let (Some(stepper), None) = (&stepper, self.problem.prior) {
            let mut diagonal = vec![0.0; self.x.len()];
            let kind = Curvature::GaussNewton;
            self.problem
                .objective
                .diagonal(&self.x, kind, &mut diagonal);
            self.passes += 1;
            let ran = |&&i: &&usize| diagonal[i] < RUNAWAY * self.first_diagonal[i];
            runaway = stepper.indices.iter().filter(ran).copied().collect();
        }
        let summary = Summary {
            initial_error: self
                .records
                .first()
                .map_or_else(|| self.error(), |record| record.error),
            error: self.error(),
            objective: self.value,
            held_out_error: self.records.last().and_then(|record| record.held_out_error),
            termination,
            iterations: self.records.len().saturating_sub(1),
            curvature_evaluations: self.curvature_evaluations,
            passes: self.passes,
            seconds: self.began.elapsed().as_secs_f64(),
            gradient: self.residual(),
            unseen,
            undetermined: stepper.map_or(0, |stepper| stepper.undetermined()),
            runaway,
            at_bound,
            fallbacks: self.fallbacks,
            records: self.records,
        };
        Solution { x: self.x, summary }
    }
}

/// Tells whether a step is not worth trying, and what that means.
fn ends(trial: &Trial, least: f64, rejected: bool) -> Option<Termination> {
    if trial.predicted > least {
        None
    } else if trial.predicted.is_nan() {
        Some(Termination::NumericalFailure)
    } else if rejected {
        // Only ever shorter steps were promised to help, and none did.
        Some(Termination::NoFurtherDecrease)
    } else if trial.damping <= 1.0 {
        Some(Termination::SmallDecrease)
    } else {
        None // it promises little because it is damped so much: try it
    }
}

/// Returns the damping for the next iteration after a step that brought
/// `gain` times what was promised.
fn relax(damping: f64, gain: f64) -> f64 {
    let next = match gain {
        gain if gain > 0.75 => damping * 0.1,
        gain if gain < 0.25 => (damping * 2.0).max(FIRST_DAMPING),
        _ => damping,
    };
    if next < NO_DAMPING { 0.0 } else { next }
}
