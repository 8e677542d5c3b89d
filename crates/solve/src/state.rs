//! The point that a method has reached, and what it took to get there.

use std::ops::ControlFlow;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::checkpoint::MethodState;
use super::method::Step;
use super::{Checkpoint, Cost, Fallback, Method, Options, Problem, Progress, Record, Termination};
use crate::linalg::{Failure, Symmetric, max_abs};
use crate::{Curvature, Objective as _, PassResult, Penalised};

/// The point reached, the counts of passes, and the records.
pub(super) struct State<'a> {
    pub(super) problem: &'a Problem<'a>,
    pub(super) options: Options,
    /// The function to be minimised: the problem's objective and prior. Who makes passes through it
    /// adds them to `cost`.
    pub(super) function: Penalised<'a>,
    observer: &'a mut dyn FnMut(&Progress<'_>) -> ControlFlow<()>,
    began: Instant,
    pub(super) point: Point,
    /// The cost so far; its time is that of the runs before this one.
    pub(super) cost: Cost,
    pub(super) fallbacks: Vec<Fallback>,
    pub(super) records: Vec<Record>,
}

/// A point reached or tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Point {
    pub(super) x: Vec<f64>,
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
}

impl Point {
    /// Computes value and gradient of the function at `x`, the prior included: one pass.
    pub(super) fn at(problem: &Problem<'_>, x: Vec<f64>) -> PassResult<Self> {
        let mut gradient = vec![0.0; x.len()];
        let value = problem.penalised().gradient(&x, &mut gradient)?;
        Ok(Self { x, value, gradient })
    }

    /// Makes a point at which the first pass failed: value and gradient are NaN.
    pub(super) fn unknown(x: Vec<f64>) -> Self {
        Self {
            value: f64::NAN,
            gradient: vec![f64::NAN; x.len()],
            x,
        }
    }

    /// Tells whether value and gradient are finite, so that no sum has overflown and a step may
    /// lead to this point.
    pub(super) fn is_finite(&self) -> bool {
        self.value.is_finite() && max_abs(&self.gradient).is_finite()
    }
}

impl<'a> State<'a> {
    /// Makes the state at the start, from its point. The pass that computed value and gradient
    /// there is counted.
    pub(super) fn new(
        problem: &'a Problem<'a>,
        options: &Options,
        point: Point,
        observer: &'a mut dyn FnMut(&Progress<'_>) -> ControlFlow<()>,
    ) -> Self {
        Self {
            problem,
            options: *options,
            function: problem.penalised(),
            observer,
            began: Instant::now(),
            point,
            cost: Cost::of_passes(1),
            fallbacks: Vec::new(),
            records: Vec::new(),
        }
    }

    /// Makes the state from a checkpoint, with its point, cost and records; problem, options and
    /// observer are not saved in it. *Cost*: no pass.
    pub(super) fn restored(
        problem: &'a Problem<'a>,
        options: &Options,
        checkpoint: &Checkpoint,
        observer: &'a mut dyn FnMut(&Progress<'_>) -> ControlFlow<()>,
    ) -> Self {
        Self {
            cost: checkpoint.cost,
            fallbacks: checkpoint.fallbacks.clone(),
            records: checkpoint.records.clone(),
            ..Self::new(problem, options, checkpoint.point.clone(), observer)
        }
    }

    /// Returns why no step can be taken from the start, `None` where one can: there is no variable,
    /// or the value, gradient or point is not finite.
    pub(super) fn cannot_begin(&self) -> Option<Termination> {
        let numbers = [
            self.point.value,
            max_abs(&self.point.gradient),
            max_abs(&self.point.x),
        ];
        if self.point.x.is_empty() {
            Some(Termination::NothingToFit)
        } else if numbers.iter().any(|number| !number.is_finite()) {
            Some(Termination::NotFinite)
        } else {
            None
        }
    }

    /// Returns the number of steps taken so far.
    pub(super) fn iterations(&self) -> usize {
        self.records.len().saturating_sub(1)
    }

    /// Tells whether the lowest value of the last `steps` records is not below that of all records
    /// before them; not where there are no earlier ones.
    pub(super) fn has_stalled(&self, steps: usize) -> bool {
        let first = self.records.len().saturating_sub(steps);
        let (before, last) = self.records.split_at(first);
        let lowest = |records: &[Record]| {
            let values = records.iter().map(|record| record.objective);
            values.fold(f64::INFINITY, f64::min)
        };
        !before.is_empty() && lowest(last) >= lowest(before)
    }

    /// Notes why the next iteration needs more damping than it asked for; a reason that comes twice
    /// running in one iteration is noted once.
    pub(super) fn note(&mut self, reason: Failure) {
        let iteration = self.iterations() + 1;
        let fallback = Fallback { iteration, reason };
        if self.fallbacks.last() != Some(&fallback) {
            self.fallbacks.push(fallback);
        }
    }
}

/// Passes over the data.
impl State<'_> {
    /// Computes value and gradient at `x` without moving there: one pass, which is counted.
    pub(super) fn evaluate(&mut self, x: Vec<f64>) -> PassResult<Point> {
        self.cost.passes += 1;
        Point::at(self.problem, x)
    }

    /// Writes the curvature matrix at the state's point, without the prior's part: one pass, which
    /// is counted.
    pub(super) fn curvature(&mut self, kind: Curvature, matrix: &mut Symmetric) -> PassResult<()> {
        let objective = self.problem.objective;
        objective.curvature(&self.point.x, kind, matrix)?;
        self.cost.curvature_evaluations += 1;
        self.cost.passes += 1;
        Ok(())
    }

    /// Writes a curvature matrix at the state's point that is good enough far from the optimum,
    /// without the prior's part; returns `true` if it is of a sample of the rows. Counts as one
    /// pass.
    pub(super) fn rough_curvature(
        &mut self,
        kind: Curvature,
        to: &mut Symmetric,
    ) -> PassResult<bool> {
        self.cost.curvature_evaluations += 1;
        self.cost.passes += 1;
        let objective = self.problem.objective;
        objective.rough_curvature(&self.point.x, kind, to)
    }

    /// Returns the diagonal of the curvature matrix at the state's point, without the prior's part:
    /// one pass, which is counted.
    pub(super) fn diagonal(&mut self, kind: Curvature) -> PassResult<Vec<f64>> {
        let diagonal = (self.problem.objective).diagonal(&self.point.x, kind)?;
        self.cost.passes += 1;
        Ok(diagonal)
    }

    /// Returns the product of the curvature matrix at the state's point, the prior's part included,
    /// and a vector: one pass, which is counted.
    pub(super) fn product(&mut self, kind: Curvature, vector: &[f64]) -> PassResult<Vec<f64>> {
        let product = self
            .function
            .curvature_product(&self.point.x, kind, vector)?;
        self.cost.passes += 1;
        Ok(product)
    }

    /// Returns the least decrease of the function that is worth a step, in units of E: the options'
    /// `decrease` times the value at the state's point, or the options' `worth` if that is more.
    pub(super) fn least(&self) -> f64 {
        (self.options.decrease * self.point.value).max(self.options.worth)
    }

    /// Tells whether the least decrease that is worth a step is the options' `worth`, which is what
    /// the data can tell, and not their `decrease` times the value, which is near rounding.
    pub(super) fn ends_by_worth(&self) -> bool {
        self.options.worth > self.options.decrease * self.point.value
    }

    /// Asks the problem whether, at the state's point, its function no longer resembles the one
    /// that it approximates, as rows do not once positions take other branches; `false` where the
    /// problem does not say.
    pub(super) fn needs_retrace(&self) -> PassResult<bool> {
        (self.problem.needs_retrace).map_or(Ok(false), |needs_retrace| needs_retrace(&self.point.x))
    }

    /// Records the start and shows it to the observer.
    pub(super) fn record_start(&mut self) -> Result<(), Termination> {
        let start = Step {
            method: Method::Start,
            length: 0.0,
            damping: 0.0,
        };
        self.record(start, &|| MethodState::Start)
    }

    /// Records the iteration that has led to the state's point by `step` and shows it to the
    /// observer, who may save a checkpoint. `method_state` gives the method's part of the
    /// checkpoint, and is called only if one is saved; a descent that resumes from it begins with
    /// the next iteration. *Cost*: where there are held-out games a pass over them, which the cost
    /// of the descent does not count.
    ///
    /// # Errors
    /// If the observer ends the descent, or data cannot be read.
    pub(super) fn record(
        &mut self,
        step: Step,
        method_state: &dyn Fn() -> MethodState,
    ) -> Result<(), Termination> {
        let cost = self.cost();
        let held_out = self.problem.held_out;
        let held_out_error = held_out.map(|held_out| held_out.value(&self.point.x));
        let record = Record {
            iteration: self.records.len(),
            method: step.method,
            error: self.error(),
            objective: self.point.value,
            held_out_error: held_out_error.transpose()?,
            step: step.length,
            gradient: self.residual(),
            damping: step.damping,
            cost,
        };
        self.records.push(record.clone());
        let save = || Checkpoint {
            point: self.point.clone(),
            cost,
            fallbacks: self.fallbacks.clone(),
            records: self.records.clone(),
            method: method_state(),
        };
        let flow = (self.observer)(&Progress {
            record: &record,
            x: &self.point.x,
            save: &save,
        });
        if flow.is_break() {
            return Err(Termination::Interrupted);
        }
        Ok(())
    }

    /// Returns the cost so far, earlier runs included.
    pub(super) fn cost(&self) -> Cost {
        Cost {
            seconds: self.cost.seconds + self.began.elapsed().as_secs_f64(),
            ..self.cost
        }
    }

    /// Returns the error E at the state's point: the value without the prior's part.
    pub(super) fn error(&self) -> f64 {
        let prior = self.problem.prior.map_or(0.0, |p| p.value(&self.point.x));
        self.point.value - prior
    }

    /// Returns the largest absolute optimality residual at the state's point: 0 at an optimum, in
    /// units of E per unit of a variable.
    pub(super) fn residual(&self) -> f64 {
        max_abs(&self.problem.residual(&self.point.x, &self.point.gradient))
    }
}
