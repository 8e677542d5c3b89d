//! Passes over all rows, wherever they are: what a [`Pass`] adds up of one set,
//! added up over sets.

use super::gradient::Pass;
use super::{Curvature, Loss, Part, Split};
use tuner_rows::{AHEAD, TraceSet, Traces};

/// The rows to read and how to judge them.
///
/// Where rows cannot be read, every sum is NaN: [`Traces::failure`] tells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passes<'a> {
    pub(super) traces: Traces<'a>,
    pub(super) part: Part,
    /// Rows of the part that are read, by their numbers in a set; `None` for all.
    pub(super) sample: Option<Split>,
    pub(super) loss: Loss,
    /// Log-odds per centipawn.
    pub(super) beta: f64,
}

impl Passes<'_> {
    /// The pass over one set.
    pub(super) fn over<'s>(&self, traces: &'s TraceSet) -> Pass<'s> {
        Pass {
            traces,
            part: self.part,
            sample: self.sample,
            loss: self.loss,
            beta: self.beta,
        }
    }

    /// Adds up numbers of sets.
    fn sum(&self, of: impl Fn(Pass<'_>) -> f64 + Sync) -> f64 {
        let mut total = 0.0;
        let whole = self
            .traces
            .each(AHEAD, |set| of(self.over(set)), |part| total += part);
        if whole { total } else { f64::NAN }
    }

    /// Returns the sum of the weights of the rows.
    pub(super) fn total_weight(&self) -> f64 {
        self.sum(|pass| pass.total_weight())
    }

    /// Returns the sum of the penalties at the given lanes.
    pub(super) fn value(&self, lanes: &[f64]) -> f64 {
        self.sum(|pass| pass.value(lanes))
    }

    /// Adds up the gradient by lanes into `gradient`; returns the value.
    pub(super) fn gradient(&self, lanes: &[f64], gradient: &mut [f64]) -> f64 {
        let mut total = 0.0;
        self.vector(
            gradient,
            |pass, sums| pass.gradient(lanes, sums),
            &mut total,
        );
        total
    }

    /// Adds up curvature matrix times `direction`, both in lanes.
    pub(super) fn product(
        &self,
        lanes: &[f64],
        kind: Curvature,
        direction: &[f64],
        product: &mut [f64],
    ) {
        let of = |pass: Pass<'_>, sums: &mut [f64]| {
            pass.product(lanes, kind, direction, sums);
            0.0
        };
        self.vector(product, of, &mut 0.0);
    }

    /// Adds up what `of` writes, and what it returns.
    pub(super) fn vector(
        &self,
        sums: &mut [f64],
        of: impl Fn(Pass<'_>, &mut [f64]) -> f64 + Sync,
        total: &mut f64,
    ) {
        let count = sums.len();
        sums.fill(0.0);
        let map = |set: &TraceSet| {
            let mut part = vec![0.0; count];
            (of(self.over(set), &mut part), part)
        };
        let whole = self.traces.each(AHEAD, map, |(value, part)| {
            *total += value;
            sums.iter_mut().zip(part).for_each(|(sum, p)| *sum += p);
        });
        if !whole {
            *total = f64::NAN;
            sums.fill(f64::NAN);
        }
    }
}
