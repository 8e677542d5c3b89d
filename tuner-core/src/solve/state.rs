//! The point that a method has reached, and the books that are kept on the way.

use std::time::Instant;

use super::saved::Course;
use super::{
    Fallback, Flow, Method, Problem, Progress, Record, Saved, Solution, Summary, Termination,
    kkt_residual,
};
use crate::linalg::{Symmetric, max_abs};
use crate::model::{Curvature, Objective as _, Penalised};

/// The point reached and the books kept.
pub(super) struct State<'a, 'o> {
    pub(super) problem: &'a Problem<'a>,
    observer: &'o mut dyn FnMut(&Progress<'_>) -> Flow,
    began: Instant,
    /// Seconds of the runs before this one.
    seconds: f64,
    pub(super) x: Vec<f64>,
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
    curvature_evaluations: usize,
    passes: usize,
    fallbacks: Vec<Fallback>,
    records: Vec<Record>,
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

/// What a method found out about variables, for the summary.
#[derive(Clone, Debug, Default)]
pub(super) struct Findings {
    pub(super) unseen: Vec<usize>,
    pub(super) undetermined: usize,
    pub(super) runaway: Vec<usize>,
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
            observer,
            began,
            seconds: 0.0,
            x,
            value,
            gradient,
            curvature_evaluations: 0,
            passes: 1,
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
            observer,
            began: Instant::now(),
            seconds: saved.seconds,
            x: saved.x.clone(),
            value: saved.value,
            gradient: saved.gradient.clone(),
            curvature_evaluations: saved.curvature_evaluations,
            passes: saved.passes,
            fallbacks: saved.fallbacks.clone(),
            records: saved.records.clone(),
        }
    }

    /// Steps taken so far.
    pub(super) fn iterations(&self) -> usize {
        self.records.len().saturating_sub(1)
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

    /// Writes the diagonal of the curvature here, without the prior's part:
    /// one pass.
    pub(super) fn diagonal(&mut self, kind: Curvature) -> Vec<f64> {
        let mut diagonal = vec![0.0; self.x.len()];
        let objective = self.problem.objective;
        objective.diagonal(&self.x, kind, &mut diagonal);
        self.passes += 1;
        diagonal
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
        let summary = Summary {
            initial_error: self
                .records
                .first()
                .map_or_else(|| self.error(), |record| record.error),
            error: self.error(),
            objective: self.value,
            held_out_error: self.records.last().and_then(|record| record.held_out_error),
            termination,
            iterations: self.iterations(),
            curvature_evaluations: self.curvature_evaluations,
            passes: self.passes,
            seconds: self.elapsed(),
            gradient: self.residual(),
            unseen: findings.unseen,
            undetermined: findings.undetermined,
            runaway: findings.runaway,
            at_bound,
            fallbacks: self.fallbacks,
            records: self.records,
        };
        Solution { x: self.x, summary }
    }
}
