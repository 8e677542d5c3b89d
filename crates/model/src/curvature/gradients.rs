//! Rows whose curvature is h·g·gᵀ, with g the derivatives of their score by slot: linear
//! ones, and of Gauss and Newton all. What a slot counts in several segments is one
//! derivative, so no segment is asked for between two of them.
//!
//! As with [`Blocks`](super::blocks), rows wait until there are many.

use std::ops::Range;

use super::active::{NONE, TokenMap};
use super::blocks::{Block, line_start};
use super::places::Places;
use crate::simd::{Kernel, dispatch};
use tuner_rows::SegmentView;

/// Rows that wait at most: their derivatives take some 800 kB, a second cache. Of fewer the
/// triangle, which is larger, would be read as often more.
const ROWS: usize = 512;

/// The derivatives of a score by the two lanes of a slot.
#[derive(Clone, Copy, Debug)]
struct Derivative {
    /// The number of the slot among the active ones.
    number: u32,
    by_lane: [f64; 2],
}

/// Rows that wait to be added to a triangle of blocks.
#[derive(Debug, Default)]
pub(super) struct Gradients {
    /// Row by row its derivatives, slots ascending, each once.
    all: Vec<Derivative>,
    /// Of each row, where its derivatives end, and its weighted curvature h by z.
    rows: Vec<(u32, f64)>,
    /// The derivatives of the rows by slot, once [`find`](Self::find) has listed them.
    places: Places,
}

impl Gradients {
    /// Tells whether no row waits to be added to the triangle.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Tells whether [`ROWS`] rows wait, so that they are to be added to the triangle.
    pub(super) fn is_full(&self) -> bool {
        self.rows.len() == ROWS
    }

    /// Puts in a row whose curvature is h·g·gᵀ, with g the derivatives of its score by lanes and h
    /// its weighted curvature by z, the log-odds; it waits to be added to the triangle. `segments`
    /// have the factors by which their lane sums change the score: over them the derivatives are
    /// added up by slot.
    pub(super) fn push<'a>(
        &mut self,
        segments: impl Iterator<Item = SegmentView<'a>>,
        h: f64,
        known: &TokenMap,
    ) {
        let start = self.all.len();
        for segment in segments {
            let [first, second] = segment.factors;
            for token in segment.tokens() {
                let number = known.numbers[token];
                if number != NONE {
                    let [c, d] = known.coefficients[token].map(f64::from);
                    let by_lane = [c * first, d * second];
                    self.all.push(Derivative { number, by_lane });
                }
            }
        }
        let row = &mut self.all[start..];
        row.sort_by_key(|derivative| derivative.number); // stable: sums in a fixed order
        // Equal slots, which are neighbours now, are added up in place.
        let mut last = start;
        for next in start..self.all.len() {
            let derivative = self.all[next];
            if next > start && self.all[last].number == derivative.number {
                self.all[last].by_lane[0] += derivative.by_lane[0];
                self.all[last].by_lane[1] += derivative.by_lane[1];
            } else {
                last += usize::from(next > start);
                self.all[last] = derivative;
            }
        }
        // A row without a slot that has a variable adds no derivative.
        let is_empty = self.all.len() == start;
        self.all.truncate(if is_empty { start } else { last + 1 });
        self.rows.push((self.all.len() as u32, h));
    }

    /// Adds the waiting rows to a whole triangle of sums by pairs of slots, of which there are
    /// `size`; no row waits any more.
    pub(super) fn flush(&mut self, size: usize, triangle: &mut [Block]) {
        if self.rows.is_empty() {
            return;
        }
        self.find(size);
        self.add_to(size, 0..size, triangle);
        self.rows.clear();
        self.all.clear();
    }

    /// Lists the waiting rows by slot, of which there are `size`, as [`add_to`](Self::add_to) reads
    /// them.
    pub(super) fn find(&mut self, size: usize) {
        let numbers = self.all.iter().map(|derivative| derivative.number);
        let ends = self.rows.iter().map(|row| row.0);
        self.places.find(size, numbers, ends);
    }

    /// Adds the waiting rows to `lines`, the lines of the slots `numbers` of a triangle of sums by
    /// pairs of slots, of which there are `size`. [`find`](Self::find) must have listed the rows by
    /// slot; they still wait afterwards, for other lines.
    pub(super) fn add_to(&self, size: usize, numbers: Range<usize>, lines: &mut [Block]) {
        if !self.rows.is_empty() {
            dispatch(AddWaiting {
                gradients: self,
                size,
                numbers,
                lines,
            });
        }
    }
}

/// Adds the rows that wait to some lines of the triangle: for each row that has a line's slot,
/// h·x·y of its derivatives x there and y there and behind.
struct AddWaiting<'w> {
    gradients: &'w Gradients,
    size: usize,
    numbers: Range<usize>,
    lines: &'w mut [Block],
}

impl Kernel for AddWaiting<'_> {
    /// Adds, for each of the lines' slots and each row that has it, h·x·y for the derivatives x by
    /// that slot and y by each slot of the row that is not before it, by pairs of their lanes.
    #[inline(always)] // into kernels, which are compiled for several machines
    fn run(self) {
        let Gradients { all, rows, places } = self.gradients;
        let first = line_start(self.numbers.start, self.size);
        for number in self.numbers {
            let at = line_start(number, self.size) - first;
            let line = &mut self.lines[at..at + self.size - number];
            for &(row, place) in places.of(number) {
                let (end, h) = rows[row as usize];
                // From the derivative by this slot, which is always there, to the last one of its
                // row, slots ascending.
                let derivatives = &all[place as usize..end as usize];
                let Some(left) = derivatives.first() else {
                    continue;
                };
                let [x0, x1] = left.by_lane.map(|x| h * x);
                for right in derivatives {
                    let [y0, y1] = right.by_lane;
                    let sums = &mut line[right.number as usize - number];
                    sums[0] += x0 * y0;
                    sums[1] += x0 * y1;
                    sums[2] += x1 * y0;
                    sums[3] += x1 * y1;
                }
            }
        }
    }
}
