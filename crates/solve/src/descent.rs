//! Gauss-Newton and Newton with Levenberg-Marquardt damping.

use serde::{Deserialize, Serialize};

use super::polish::{Polish, polish};
use super::saved::{Course, finite};
use super::state::{Findings, State};
use super::step::{Factor, Stepper, Trial};
use super::{Flow, Method, Options, Solver, Termination};
use crate::Curvature;
use crate::linalg::{Symmetric, max_abs};

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

/// After so many steps matrices are exact: where Gauss-Newton's own error is small,
/// as the evaluation explains the results, only exact ones double the digits.
const ROUGH: usize = 3;

/// A matrix is kept while the steps that it still takes to the end, as fast as
/// the last one went, are no more than so many. A new one costs as much as six
/// to nine steps without (`cargo bench -p tuner-core --bench solve`), and needs
/// two steps itself.
const KEEPS: f64 = 6.0;

/// A matrix is kept only if the last step brought what it promised, but for
/// this part of it. Where a weight runs away the curvature falls with every
/// step, and a kept one would take the end to be near.
const FAITHFUL: f64 = 0.1;

/// What the descent knows after a step, beside the point: matrices are not
/// kept, but where they were formed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SecondOrder {
    /// The variables at the start: which are in play, and what the data leave
    /// undetermined, was found there.
    start: Vec<f64>,
    /// Where the curvature matrix in use was formed.
    formed_at: Vec<f64>,
    /// Its kind.
    kind: Curvature,
    /// Whether it was formed from a sample.
    rough: bool,
    /// The damping for the next step, and that before the last one.
    damping: f64,
    damping_before: f64,
    /// What the last step has lowered the value by, and the one before it.
    decrease: f64,
    last: Option<f64>,
    /// What the last step was promised to lower it by.
    #[serde(rename = "predicted")]
    promised: f64,
    /// The value before the last step.
    before: f64,
    /// Scale of the damping of each variable, 0 for those not in play.
    scale: Vec<f64>,
    factor: Option<Factor>,
    /// How far the polish got, once it has begun.
    pub(super) polish: Option<Polish>,
}

impl SecondOrder {
    /// Says what in it cannot be, for so many variables.
    pub(super) fn check(&self, variables: usize) -> Result<(), &'static str> {
        let vectors = [&self.start, &self.formed_at, &self.scale];
        if vectors.iter().any(|v| v.len() != variables || !finite(v)) {
            return Err("a vector is not one number a variable");
        }
        let numbers = [
            self.damping,
            self.damping_before,
            self.before,
            self.promised,
        ];
        let factor = self.factor.map_or(0.0, Factor::least);
        if !finite(&numbers) || numbers[0].min(numbers[1]).min(factor) < 0.0 {
            return Err("a damping is no number from 0 up");
        }
        Ok(())
    }
}

/// A descent on its way.
pub(super) struct Descent {
    pub(super) stepper: Stepper,
    matrix: Symmetric,
    /// Curvature of each variable at the start, for telling what runs away.
    first_diagonal: Vec<f64>,
    pub(super) known: SecondOrder,
}

/// Goes down until there is a reason to stop, from the start or from where a
/// descent was saved.
///
/// *Cost*: per iteration one curvature matrix, its factorisation, and one
/// pass per step tried, nearly always one. Going on from a saved state takes
/// two curvature matrices more, which are not counted.
/// *Source*: K. Madsen, H. Nielsen, O. Tingleff, Methods for non-linear least
/// squares problems, 2nd ed., 2004, §3.2 (gain ratio, damping).
pub(super) fn descend(
    state: &mut State<'_, '_>,
    options: &Options,
    saved: Option<&SecondOrder>,
) -> (Termination, Findings) {
    if let Some(end) = state.cannot_begin() {
        return (end, Findings::default());
    }
    let mut descent = match saved {
        Some(saved) => Descent::restored(state, saved),
        None => Descent::new(state, options),
    };
    let termination = if descent.stepper.indices.is_empty() {
        Termination::NothingToFit
    } else if descent.known.polish.is_some() {
        polish(state, &mut descent)
    } else {
        descent.run(state, options)
    };
    (termination, descent.findings(state))
}

impl Descent {
    /// Forms the curvature at the start.
    fn new(state: &mut State<'_, '_>, options: &Options) -> Self {
        let mut matrix = Symmetric::zeros(state.x.len());
        let kind = Curvature::GaussNewton;
        state.curvature(kind, &mut matrix);
        let known = SecondOrder {
            start: state.x.clone(),
            formed_at: state.x.clone(),
            kind,
            rough: false,
            damping: 0.0,
            damping_before: 0.0,
            decrease: 0.0,
            last: None,
            promised: 0.0,
            before: state.value,
            scale: Vec::new(),
            factor: None,
            polish: None,
        };
        let mut descent = Self::with(state, matrix, known);
        if options.solver == Solver::Newton && !descent.stepper.indices.is_empty() {
            descent.form(Curvature::Newton, false, state);
        }
        descent
    }

    /// Forms again what was not saved.
    fn restored(state: &State<'_, '_>, saved: &SecondOrder) -> Self {
        let mut matrix = Symmetric::zeros(state.x.len());
        let objective = state.problem.objective;
        objective.curvature(&saved.start, Curvature::GaussNewton, &mut matrix);
        let mut descent = Self::with(state, matrix, saved.clone());
        if saved.formed_at != saved.start || saved.kind != Curvature::GaussNewton {
            let (at, kind, matrix) = (&saved.formed_at, saved.kind, &mut descent.matrix);
            if saved.rough {
                objective.rough_curvature(at, kind, matrix);
                descent.complete();
            } else {
                objective.curvature(at, kind, matrix);
            }
        }
        let (scale, factor) = (&saved.scale, saved.factor);
        descent.stepper.restore(&descent.matrix, scale, factor);
        descent
    }

    /// `matrix` is that of Gauss-Newton at the start.
    fn with(state: &State<'_, '_>, matrix: Symmetric, known: SecondOrder) -> Self {
        Self {
            stepper: Stepper::new(&matrix, state.problem.bounds, state.problem.prior),
            first_diagonal: matrix.diagonal(),
            matrix,
            known,
        }
    }

    fn run(&mut self, state: &mut State<'_, '_>, options: &Options) -> Termination {
        loop {
            let done = state.iterations();
            if done > 0
                && let Some(end) = self.end()
            {
                return end;
            }
            if done >= options.iterations {
                return Termination::IterationLimit;
            }
            let near = self.known.decrease < options.near * self.known.before;
            if done > 0 {
                if near && self.comes_near(options) && state.is_stale() {
                    return Termination::Stale;
                }
                // The last factor tells well enough that the end is here; asking
                // it saves forming one more just to learn that.
                let promised = self.stepper.again(&state.x, &state.gradient);
                let promised = promised.as_ref();
                let least = options.decrease * state.value;
                if promised.is_some_and(|t| t.damping <= 1.0 && t.predicted <= least) {
                    return self.close(Termination::SmallDecrease, state, options);
                }
                let kind = if options.solver == Solver::Auto && near {
                    Curvature::Newton
                } else {
                    self.known.kind
                };
                if !promised.is_some_and(|trial| self.keeps(kind, trial.predicted, least)) {
                    self.form(kind, !near && done <= ROUGH, state);
                }
                self.known.last = Some(self.known.decrease);
            }
            match self.iterate(state, options) {
                Ok(Flow::Continue) => {}
                Ok(Flow::Stop) => return Termination::Interrupted,
                Err(end) => return self.close(end, state, options),
            }
        }
    }

    /// Tells whether no step before the last one was so near the optimum.
    fn comes_near(&self, options: &Options) -> bool {
        let known = &self.known;
        known
            .last
            .is_none_or(|last| last >= options.near * known.before)
    }

    /// Tells whether the last step was so little that there will be no better.
    fn end(&self) -> Option<Termination> {
        let known = &self.known;
        if known.decrease > KINK * known.before {
            return None;
        }
        if known.damping > known.damping_before {
            return Some(Termination::Kink);
        }
        let tail = known.last.is_some_and(|last| known.decrease > TAIL * last);
        (known.kind == Curvature::Newton && tail).then_some(Termination::Tail)
    }

    /// Tells whether the matrix in use leads to the end about as soon as a new
    /// one, by what it promises now and what it promised before the last step.
    ///
    /// *Source*: the chord, or simplified Newton, method: P. Deuflhard, Newton
    /// Methods for Nonlinear Problems, 2004, §2.1.2.
    fn keeps(&self, kind: Curvature, promised: f64, least: f64) -> bool {
        let known = &self.known;
        let steps = (least / promised).ln() / (promised / known.promised).ln();
        let faithful = (known.decrease / known.promised - 1.0).abs() < FAITHFUL;
        let usable = !known.rough && known.kind == kind && faithful;
        usable && promised < known.promised && steps <= KEEPS
    }

    /// Takes one step; tries shorter ones until one lowers the value.
    fn iterate(
        &mut self,
        state: &mut State<'_, '_>,
        options: &Options,
    ) -> Result<Flow, Termination> {
        let mut growth = 4.0;
        let mut rejected = false;
        let mut damping = self.known.damping;
        self.known.damping_before = damping;
        loop {
            let Some(trial) = self.stepper.step(&state.x, &state.gradient, damping) else {
                return Err(Termination::NumericalFailure);
            };
            if let Some(reason) = trial.failure {
                state.note(reason);
            }
            if let Some(end) = ends(&trial, options.decrease * state.value, rejected) {
                return Err(end);
            }
            let point = state.evaluate(self.stepper.apply(&state.x, &trial.d));
            let gain = (state.value - point.value) / trial.predicted;
            if gain > LEAST_GAIN && max_abs(&point.gradient).is_finite() {
                self.known.damping = relax(trial.damping, gain);
                self.known.before = state.value;
                self.known.promised = trial.predicted;
                self.known.decrease = state.value - point.value;
                state.take(point);
                let method = match self.known.kind {
                    Curvature::GaussNewton => Method::GaussNewton,
                    Curvature::Newton => Method::Newton,
                };
                return Ok(self.record(state, method, &trial));
            }
            damping = (trial.damping * growth).max(FIRST_DAMPING);
            growth *= 2.0;
            rejected = true;
        }
    }

    /// Ends a descent that has come to its end, with a polish if wanted.
    fn close(
        &mut self,
        end: Termination,
        state: &mut State<'_, '_>,
        options: &Options,
    ) -> Termination {
        if options.polish && end == Termination::SmallDecrease {
            polish(state, self)
        } else {
            end
        }
    }

    /// Forms the curvature matrix here. `far` from the optimum a rough one does:
    /// Gauss-Newton's own error is larger there than that of a sample.
    fn form(&mut self, kind: Curvature, far: bool, state: &mut State<'_, '_>) {
        self.known.rough = far && kind == Curvature::GaussNewton;
        if self.known.rough {
            self.known.rough = state.rough_curvature(kind, &mut self.matrix);
            self.complete();
        } else {
            state.curvature(kind, &mut self.matrix);
        }
        self.stepper.update(&self.matrix);
        self.known.kind = kind;
        self.known.formed_at.clone_from(&state.x);
    }

    /// Gives variables that a sample has hardly any row of at least half of the
    /// curvature that they had at the start, shrunk as that of the others has:
    /// their steps would be far too long.
    fn complete(&mut self) {
        if !self.known.rough {
            return;
        }
        let diagonal = self.matrix.diagonal();
        let first: f64 = self.first_diagonal.iter().sum();
        let shrunk = diagonal.iter().sum::<f64>() / first;
        for (i, (now, first)) in diagonal.iter().zip(&self.first_diagonal).enumerate() {
            let missing = 0.5 * shrunk * first - now;
            if missing > 0.0 {
                self.matrix.add(i, i, missing);
            }
        }
    }

    /// Books a step.
    pub(super) fn record(&self, state: &mut State<'_, '_>, method: Method, trial: &Trial) -> Flow {
        state.record(method, max_abs(&trial.d), trial.damping, &|| {
            Course::SecondOrder(SecondOrder {
                scale: self.stepper.scale(self.first_diagonal.len()),
                factor: self.stepper.factor(),
                ..self.known.clone()
            })
        })
    }

    fn findings(self, state: &mut State<'_, '_>) -> Findings {
        let all = 0..self.first_diagonal.len();
        let unseen = all
            .filter(|&i| self.first_diagonal.get(i) == Some(&0.0))
            .collect();
        let in_play = self.stepper.indices.iter().copied();
        Findings {
            unseen,
            undetermined: Some(self.stepper.undetermined()),
            runaway: state.runaway(&self.first_diagonal, in_play),
            curvature: (!self.known.rough).then_some(self.matrix),
        }
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
