//! First-order kernels: value, gradient and products, one pass each.
//!
//! Everything here is in lanes and unscaled: sums over rows, derivatives by z.
//! [`Regression`](super::Regression) scales and reduces to variables.

use super::bent::Bent;
use super::ordered::{CHUNK, WAVE, ordered};
use super::{Curvature, Loss, Part};
use crate::trace::rows::{Linearised, Row, SegmentView, TraceSet, entry};

/// The rows to read and how to judge them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass<'a> {
    pub(super) traces: &'a TraceSet,
    pub(super) part: Part,
    pub(super) loss: Loss,
    /// Log-odds per centipawn.
    pub(super) beta: f64,
}

impl Pass<'_> {
    /// Returns the sum of the weights of the rows.
    pub(super) fn total_weight(&self) -> f64 {
        let mut total = 0.0;
        let sum = |rows| self.rows(rows).map(|row| row.weight()).sum::<f64>();
        ordered(self.traces.len(), CHUNK, WAVE, sum, |part| total += part);
        total
    }

    /// Returns the sum of the penalties at the given lanes.
    pub(super) fn value(&self, lanes: &[f64]) -> f64 {
        let (pairs, _) = lanes.as_chunks::<2>();
        let mut total = 0.0;
        let chunk = |rows| {
            let mut linearised = Linearised::default();
            let penalty = |row: Row<'_>| {
                let z = self.beta * linearised.at(&row, pairs);
                row.weight() * self.loss.penalty(z, row.outcome()).value
            };
            self.rows(rows).map(penalty).sum::<f64>()
        };
        ordered(self.traces.len(), CHUNK, WAVE, chunk, |part| total += part);
        total
    }

    /// Adds up the gradient by lanes into `gradient`; returns the value.
    pub(super) fn gradient(&self, lanes: &[f64], gradient: &mut [f64]) -> f64 {
        let (pairs, _) = lanes.as_chunks::<2>();
        let mut total = 0.0;
        gradient.fill(0.0);
        let chunk = |rows| {
            let mut sums = vec![[0.0; 2]; pairs.len()];
            let mut value = 0.0;
            let mut linearised = Linearised::default();
            for row in self.rows(rows) {
                let z = self.beta * linearised.at(&row, pairs);
                let penalty = self.loss.penalty(z, row.outcome());
                let weight = row.weight();
                value += weight * penalty.value;
                scatter(&linearised, &row, weight * penalty.slope, &mut sums);
            }
            (value, sums)
        };
        ordered(self.traces.len(), CHUNK, WAVE, chunk, |(value, sums)| {
            total += value;
            gradient
                .iter_mut()
                .zip(sums.as_flattened())
                .for_each(|(g, s)| *g += s);
        });
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
        let (pairs, _) = lanes.as_chunks::<2>();
        let (along, _) = direction.as_chunks::<2>();
        product.fill(0.0);
        let chunk = |rows| {
            let mut sums = vec![[0.0; 2]; pairs.len()];
            let mut linearised = Linearised::default();
            let mut bent = Bent::default();
            let (mut changes, mut amounts) = (Vec::new(), Vec::new());
            for row in self.rows(rows) {
                if bent.at(self, &mut linearised, &row, pairs, kind) {
                    changes.clear();
                    changes.extend(row.segments().map(|segment| segment.sums(along)));
                    bent.times(&changes, &mut amounts);
                    for (segment, &factors) in row.segments().zip(&amounts) {
                        scatter_segment(&segment, factors, &mut sums);
                    }
                    continue;
                }
                let curvature = self.row_curvature(&mut linearised, &row, pairs, kind);
                let change: f64 = linearised
                    .segments(&row)
                    .map(|segment| {
                        let sums = segment.sums(along);
                        segment.factors[0] * sums[0] + segment.factors[1] * sums[1]
                    })
                    .sum();
                scatter(&linearised, &row, curvature * change, &mut sums);
            }
            sums
        };
        ordered(self.traces.len(), CHUNK, WAVE, chunk, |sums| {
            product
                .iter_mut()
                .zip(sums.as_flattened())
                .for_each(|(p, s)| *p += s);
        });
    }

    /// Moves to a row and returns its weight times its curvature by z.
    #[inline]
    pub(super) fn row_curvature(
        &self,
        linearised: &mut Linearised,
        row: &Row<'_>,
        pairs: &[[f64; 2]],
        kind: Curvature,
    ) -> f64 {
        let z = self.beta * linearised.at(row, pairs);
        row.weight() * self.loss.curvature(kind, z, row.outcome())
    }

    /// Iterates over the rows of the part.
    #[inline]
    pub(super) fn rows(&self, rows: std::ops::Range<usize>) -> impl Iterator<Item = Row<'_>> {
        self.traces
            .rows(rows)
            .filter(|row| self.part.contains(row.game()))
    }
}

/// Adds `amount` times the derivative by lanes of the row moved to last.
#[inline]
fn scatter(linearised: &Linearised, row: &Row<'_>, amount: f64, sums: &mut [[f64; 2]]) {
    for segment in linearised.segments(row) {
        let factors = segment.factors.map(|factor| amount * factor);
        scatter_segment(&segment, factors, sums);
    }
}

/// Adds the entries of a segment times `factors`.
#[inline]
fn scatter_segment(segment: &SegmentView<'_>, factors: [f64; 2], sums: &mut [[f64; 2]]) {
    let sums = &mut sums[segment.base..];
    for &word in segment.words {
        let (slot, c) = entry(word);
        let sum = &mut sums[slot];
        sum[0] += c * factors[0];
        sum[1] += c * factors[1];
    }
}
