//! The point that a method has reached, and the books that are kept on the way.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::saved::Course;
use super::{
    Fallback, Flow, Method, Problem, Progress, Record, Saved, Solution, Summary, Termination,
    kkt_residual,
};
use crate::linalg::{Symmetric, max_abs};
use crate::{Curvature, Line, Objective as _, Penalised};

/// A weight runs away when its curvature has fallen to this part of what it
/// was: σ′² there means odds of ten thousand to one in every position.
const RUNAWAY: f64 = 1e-8;

/// The point reached and the books kept.
pub(super) struct State<'a, 'o> {
    pub(super) problem: &'a Problem<'a>,
    /// What is minimised: the problem's objective and prior.
    function: Penalised<'a>,
    observer: &'o mut dyn FnMut(&Progress<'_>) -> Flow,
    began: Instant,
    /// Seconds of the runs before this one.
    seconds: f64,
    pub(super) x: Vec<f64>,
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
    curvature_evaluations: usize,
    passes: usize,
    score_passes: usize,
    fallbacks: Vec<Fallback>,
    records: Vec<Record>,
}

/// A point tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Point {
    pub(super) x: Vec<f64>,
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
}

impl Point {
    fn at(problem: &Problem<'_>, x: Vec<f64>) -> Self {
        let mut gradient = vec![0.0; x.len()];
        let value = function(problem).gradient(&x, &mut gradient);
        Self { x, value, gradient }
    }

    /// Tells whether it can be gone on from.
    pub(super) fn is_finite(&self) -> bool {
        self.value.is_finite() && max_abs(&self.gradient).is_finite()
    }
}

/// What is minimised.
fn function<'a>(problem: &Problem<'a>) -> Penalised<'a> {
    Penalised {
        objective: problem.objective,
        prior: problem.prior,
    }
}

/// What a method found out about variables, for the summary.
#[derive(Clone, Debug, Default)]
pub(super) struct Findings {
    pub(super) unseen: Vec<usize>,
    /// `None` if nobody looked.
    pub(super) undetermined: Option<usize>,
    pub(super) runaway: Vec<usize>,
    /// See [`Solution::curvature`].
    pub(super) curvature: Option<Symmetric>,
}

impl<'a, 'o> State<'a, 'o> {
    pub(super) fn new(
        problem: &'a Problem<'a>,
        x: Vec<f64>,
        observer: &'o mut dyn FnMut(&Progress<'_>) -> Flow,
    ) -> Self {
        let began = Instant::now();
        let Point { x, value, gradient } = Point::at(problem, x);
        Self {
            problem,
            function: function(problem),
            observer,
            began,
            seconds: 0.0,
            x,
            value,
            gradient,
            curvature_evaluations: 0,
            passes: 1,
            score_passes: 0,
            fallbacks: Vec::new(),
            records: Vec::new(),
        }
    }

    /// The state that was saved. *Cost*: no pass.
    pub(super) fn restored(
        problem: &'a Problem<'a>,
        saved: &Saved,
        observer: &'o mut dyn FnMut(&Progress<'_>) -> Flow,
    ) -> Self {
        Self {
            problem,
            function: function(problem),
            observer,
            began: Instant::now(),
            seconds: saved.seconds,
            x: saved.x.clone(),
            value: saved.value,
            gradient: saved.gradient.clone(),
            curvature_evaluations: saved.curvature_evaluations,
            passes: saved.passes,
            score_passes: saved.score_passes,
            fallbacks: saved.fallbacks.clone(),
            records: saved.records.clone(),
        }
    }

    /// Steps taken so far.
    pub(super) fn iterations(&self) -> usize {
        self.records.len().saturating_sub(1)
    }

    /// Tells whether none of the last steps reached a lower value than all
    /// before them.
    pub(super) fn stalled(&self, steps: usize) -> bool {
        let (before, last) = self
            .records
            .split_at(self.records.len().saturating_sub(steps));
        let lowest = |records: &[Record]| {
            let values = records.iter().map(|record| record.objective);
            values.fold(f64::INFINITY, f64::min)
        };
        !before.is_empty() && lowest(last) >= lowest(before)
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

    /// Forms the curvature matrix here, without the prior's part: one pass.
    pub(super) fn curvature(&mut self, kind: Curvature, matrix: &mut Symmetric) {
        self.problem.objective.curvature(&self.x, kind, matrix);
        self.curvature_evaluations += 1;
        self.passes += 1;
    }

    /// Forms a curvature matrix here that is good enough far out; tells whether
    /// it is of a sample. Counts as one pass.
    pub(super) fn rough_curvature(&mut self, kind: Curvature, matrix: &mut Symmetric) -> bool {
        self.curvature_evaluations += 1;
        self.passes += 1;
        let objective = self.problem.objective;
        objective.rough_curvature(&self.x, kind, matrix)
    }

    /// Writes the diagonal of the curvature here, without the prior's part:
    /// one pass.
    pub(super) fn diagonal(&mut self, kind: Curvature) -> Vec<f64> {
        let mut diagonal = vec![0.0; self.x.len()];
        let objective = self.problem.objective;
        objective.diagonal(&self.x, kind, &mut diagonal);
        self.passes += 1;
        diagonal
    }

    /// Writes the product of the curvature here, the prior's part included,
    /// and a vector: one pass.
    pub(super) fn product(&mut self, kind: Curvature, vector: &[f64], product: &mut [f64]) {
        self.function
            .curvature_product(&self.x, kind, vector, product);
        self.passes += 1;
    }

    /// Returns the line from here in a direction; [`count`](Self::count) what
    /// it cost.
    pub(super) fn line(&self, d: &[f64]) -> Box<dyn Line + '_> {
        self.function.line(&self.x, d)
    }

    /// Counts passes, and readings of kept scores.
    pub(super) fn count(&mut self, (passes, score_passes): (usize, usize)) {
        self.passes += passes;
        self.score_passes += score_passes;
    }

    /// Says why there is nothing to do here, if that is so.
    pub(super) fn cannot_begin(&self) -> Option<Termination> {
        let numbers = [self.value, max_abs(&self.gradient), max_abs(&self.x)];
        if self.x.is_empty() {
            Some(Termination::NothingToFit)
        } else if numbers.iter().any(|number| !number.is_finite()) {
            Some(Termination::NotFinite)
        } else {
            None
        }
    }

    /// Returns which of the variables in play have run away since the start,
    /// where they had the given curvature: a pass. With a prior none can.
    pub(super) fn runaway(
        &mut self,
        first_diagonal: &[f64],
        in_play: impl Iterator<Item = usize>,
    ) -> Vec<usize> {
        if self.problem.prior.is_some() {
            return Vec::new();
        }
        let diagonal = self.diagonal(Curvature::GaussNewton);
        in_play
            .filter(|&i| diagonal[i] < RUNAWAY * first_diagonal[i])
            .collect()
    }

    /// Keeps the reason why the next iteration could not do as wanted.
    pub(super) fn note(&mut self, reason: crate::linalg::Failure) {
        let iteration = self.iterations() + 1;
        let fallback = Fallback { iteration, reason };
        if self.fallbacks.last() != Some(&fallback) {
            self.fallbacks.push(fallback);
        }
    }

    /// Books an iteration and asks the observer, who may save the state with
    /// what the method adds to it.
    ///
    /// A method that goes on from a saved state begins behind this call.
    pub(super) fn record(
        &mut self,
        method: Method,
        step: f64,
        damping: f64,
        course: &dyn Fn() -> Course,
    ) -> Flow {
        let seconds = self.elapsed();
        let held_out = self.problem.held_out;
        self.records.push(Record {
            iteration: self.records.len(),
            method,
            error: self.error(),
            objective: self.value,
            held_out_error: held_out.map(|held_out| held_out.value(&self.x)),
            step,
            gradient: self.residual(),
            damping,
            curvature_evaluations: self.curvature_evaluations,
            passes: self.passes,
            score_passes: self.score_passes,
            seconds,
        });
        let Self {
            observer, records, ..
        } = self;
        let save = || Saved {
            x: self.x.clone(),
            value: self.value,
            gradient: self.gradient.clone(),
            curvature_evaluations: self.curvature_evaluations,
            passes: self.passes,
            score_passes: self.score_passes,
            seconds,
            fallbacks: self.fallbacks.clone(),
            records: records.clone(),
            course: course(),
        };
        records.last().map_or(Flow::Continue, |record| {
            observer(&Progress {
                record,
                x: &self.x,
                save: &save,
            })
        })
    }

    /// Wall-clock time, that of earlier runs included.
    fn elapsed(&self) -> f64 {
        self.seconds + self.began.elapsed().as_secs_f64()
    }

    /// E, that is the value without the prior.
    fn error(&self) -> f64 {
        let prior = self.problem.prior.map_or(0.0, |p| p.value(&self.x));
        self.value - prior
    }

    /// Asks whether the function has ceased to be the one meant.
    pub(super) fn is_stale(&self) -> bool {
        self.problem.stale.is_some_and(|stale| stale(&self.x))
    }

    fn residual(&self) -> f64 {
        max_abs(&kkt_residual(&self.x, &self.gradient, self.problem.bounds))
    }

    /// Draws up the summary.
    pub(super) fn finish(self, termination: Termination, findings: Findings) -> Solution {
        let bounds = self.problem.bounds;
        let held = |&i: &usize| {
            (self.x[i] <= bounds[i].0 && self.gradient[i] > 0.0)
                || (self.x[i] >= bounds[i].1 && self.gradient[i] < 0.0)
        };
        let at_bound = (0..self.x.len()).filter(held).collect();
        let last = self.records.last();
        let held_out_error = match self.problem.held_out {
            // The best point need not be the last.
            Some(held_out) if last.is_some_and(|last| self.value < last.objective) => {
                Some(held_out.value(&self.x))
            }
            _ => last.and_then(|record| record.held_out_error),
        };
        let summary = Summary {
            initial_error: self
                .records
                .first()
                .map_or_else(|| self.error(), |record| record.error),
            error: self.error(),
            objective: self.value,
            held_out_error,
            termination,
            iterations: self.iterations(),
            curvature_evaluations: self.curvature_evaluations,
            passes: self.passes,
            score_passes: self.score_passes,
            seconds: self.elapsed(),
            gradient: self.residual(),
            unseen: findings.unseen,
            undetermined: findings.undetermined,
            runaway: findings.runaway,
            at_bound,
            fallbacks: self.fallbacks,
            records: self.records,
        };
        Solution {
            x: self.x,
            summary,
            curvature: findings.curvature,
        }
    }
}
