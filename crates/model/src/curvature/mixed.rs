//! Rows of which each has factors of its own, added up together: those that
//! are not linear in the weights.
//!
//! The curvature of a row by the two lanes of its first segment is a matrix of
//! 2×2 numbers, so what it adds by columns are three sums side by side.

use super::active::{Active, Term};
use super::batch::{Batch, PART, add_part};
use super::planes::Planes;
use crate::simd::{Kernel, dispatch};
use tuner_rows::TraceSet;

/// Columns that are read side by side: with three sums six registers of
/// AVX-512, twelve of AVX2.
const WIDTH: usize = PART;

/// Rows at a time: a tile of them takes 32 kB, two thirds of a nearest cache.
const ROWS: usize = 256;

/// Rows that wait to be added to the planes.
#[derive(Debug)]
pub(super) struct Mixed {
    /// The number of columns.
    count: usize,
    /// Numbers of a line in the planes.
    width: usize,
    batch: Batch<[f64; 3], WIDTH, ROWS>,
}

impl Mixed {
    /// Makes an empty batch for rows that are not linear, spread out over the columns of `active`:
    /// what the entries of a slot that has a variable count in one lane, or alike in both. It has
    /// no memory where there are no columns, or, as `any` says, no such rows: emptying it would
    /// cost something.
    pub(super) fn new(active: &Active, any: bool) -> Self {
        let columns = active.columns.as_ref().filter(|_| any);
        let count = columns.map_or(0, Vec::len);
        Self {
            count,
            width: active.width(),
            batch: Batch::new(count),
        }
    }

    /// Puts the first segment of a row, which starts at group `offset`, into the batch.
    /// `curvature`: the row's weighted curvature by the lane sums of that segment, lanes 0 and 0, 0
    /// and 1, 1 and 1. A batch that is full is first added to the planes, the sums by pairs of
    /// columns; a column is what the entries of a slot count in one lane, or alike in both.
    #[inline]
    pub(super) fn push(
        &mut self,
        terms: &[Term],
        set: &TraceSet,
        offset: usize,
        curvature: [f64; 3],
        planes: &mut Planes,
    ) {
        if self.batch.is_full() {
            self.flush(terms, set, planes);
        }
        self.batch.push(offset, curvature);
    }

    /// Adds the rows that wait in the batch to the planes, three sums Σ h·c·cᵀ over rows: c are a
    /// row's columns, each what the entries of a slot count in one lane, or alike in both; h is the
    /// row's curvature by lanes 0 and 0, 0 and 1, 1 and 1 of its first segment. Then no row waits.
    pub(super) fn flush(&mut self, terms: &[Term], set: &TraceSet, planes: &mut Planes) {
        if self.batch.is_empty() {
            return;
        }
        // This also empties the list of those that wait.
        self.batch.spread(terms, set);
        // Planes have no memory until the first rows come.
        for plane in &mut planes.all {
            plane.resize(self.count * self.width, 0.0);
        }
        dispatch(AddSpread {
            mixed: self,
            planes,
        });
    }
}

/// Adds the rows that are spread out to the upper triangles of the planes: a column and a tile of
/// columns at a time, over the rows that have the column, with three sums side by side.
struct AddSpread<'w> {
    mixed: &'w Mixed,
    planes: &'w mut Planes,
}

impl Kernel for AddSpread<'_> {
    /// Adds c·cᵀ of all rows of the batch, c their columns, times a row's curvature by lanes 0 and
    /// 0, 0 and 1, 1 and 1, to the three planes: for each column and each tile of columns that is
    /// not before it, over the rows that have the column.
    #[inline(always)] // into kernels, which are compiled for several machines
    fn run(self) {
        let Mixed {
            count,
            width,
            batch,
        } = self.mixed;
        let [first, both, second] = &mut self.planes.all;
        for (tile, rows) in batch.tiles().enumerate() {
            // A line of the upper triangle ends with the last column, so a tile
            // takes part in the lines up to its own last column.
            let lines = ((tile + 1) * WIDTH).min(*count);
            for (column, list) in batch.lists(lines).enumerate() {
                if list.is_empty() {
                    continue;
                }
                let at = column * width + tile * WIDTH;
                // Always found, as the planes have whole lines.
                let line = |plane: &mut [f64]| -> [f64; WIDTH] {
                    plane[at..].first_chunk().copied().unwrap_or([0.0; WIDTH])
                };
                let mut sums = [line(first), line(both), line(second)];
                for share in list {
                    let row = share.line(rows);
                    let [first, both, second] = &mut sums;
                    let [of_first, of_both, of_second] = share.amount;
                    add_part(first, 0, of_first, row);
                    add_part(both, 0, of_both, row);
                    add_part(second, 0, of_second, row);
                }
                for (plane, sum) in [&mut *first, both, second].into_iter().zip(&sums) {
                    plane[at..at + WIDTH].copy_from_slice(sum);
                }
            }
        }
    }
}
