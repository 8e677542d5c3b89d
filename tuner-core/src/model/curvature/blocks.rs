//! Entry by entry: 2×2 blocks per pair of slots, for any row.
//!
//! Blocks lie in a packed upper triangle, slot by slot.

use std::cmp::Ordering;

use super::active::{Active, Known, NONE};
use crate::linalg::Symmetric;
use crate::model::Reduction;
use crate::model::bent::Bent;
use crate::trace::rows::Row;

/// `[x₀y₀, x₀y₁, x₁y₀, x₁y₁]` for lanes 0 and 1 of slots *x* and *y*.
type Block = [f64; 4];

/// The entries of a row by segment: numbers of slots and coefficients, slots
/// ascending.
#[derive(Debug, Default)]
pub(super) struct Entries {
    all: Vec<(u32, [f64; 2])>,
    ends: Vec<usize>,
}

impl Entries {
    /// Reads the row's entries of which a lane is a variable.
    pub(super) fn read(&mut self, row: &Row<'_>, known: &Known) {
        self.all.clear();
        self.ends.clear();
        for segment in row.segments() {
            for token in segment.tokens() {
                let number = known.numbers[token];
                if number != NONE {
                    self.all.push((number, known.coefficients[token]));
                }
            }
            self.ends.push(self.all.len());
        }
    }

    fn segments(&self) -> impl Iterator<Item = &[(u32, [f64; 2])]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        let ranges = starts.zip(self.ends.iter().copied());
        ranges.map(|(start, end)| &self.all[start..end])
    }
}

/// The triangle of blocks; empty until there is something to add.
#[derive(Debug)]
pub(super) struct Blocks {
    size: usize,
    all: Vec<Block>,
}

impl Blocks {
    /// Blocks of zeros.
    pub(super) fn new(active: &Active) -> Self {
        Self {
            size: active.slots.len(),
            all: Vec::new(),
        }
    }

    /// Adds those of other rows.
    pub(super) fn add(&mut self, other: &Self) {
        if self.all.is_empty() {
            self.all.clone_from(&other.all);
            return;
        }
        let (all, other) = (self.all.as_flattened_mut(), other.all.as_flattened());
        all.iter_mut().zip(other).for_each(|(a, b)| *a += b);
    }

    /// Adds a row: segment by segment, as the block between two segments is
    /// the same for all their entries. `first_known`: the first segment's own
    /// part is elsewhere already.
    pub(super) fn push(&mut self, bent: &Bent, entries: &Entries, first_known: bool) {
        if self.all.is_empty() {
            self.all = vec![[0.0; 4]; self.size * (self.size + 1) / 2];
        }
        for (left, xs) in entries.segments().enumerate() {
            for (right, ys) in entries.segments().enumerate().skip(left) {
                let between = bent.block(left as u32, right as u32);
                let known = first_known && right == 0;
                if known || between.iter().all(|&value| value == 0.0) {
                    continue;
                }
                if left == right {
                    self.add_own(between, xs);
                } else {
                    self.add_between(between, xs, ys);
                }
            }
        }
    }

    /// Adds the pairs of entries of one segment: each pair once, as slots ascend.
    fn add_own(&mut self, [a, b, c, d]: Block, entries: &[(u32, [f64; 2])]) {
        for (i, &(slot, x)) in entries.iter().enumerate() {
            let slot = slot as usize;
            let [ax, bx, cx, dx] = [a * x[0], b * x[0], c * x[1], d * x[1]];
            let start = line_start(slot, self.size);
            let line = &mut self.all[start..start + self.size - slot];
            for (place, &(other, y)) in entries[i..].iter().enumerate() {
                let block = &mut line[other as usize - slot];
                block[0] += ax * y[0];
                block[1] += bx * y[1];
                block[2] += cx * y[0];
                block[3] += dx * y[1];
                // A slot that occurs twice, as its coefficient was too large for
                // one entry: the other order of the two as well.
                if place > 0 && other as usize == slot {
                    block[0] += ax * y[0];
                    block[1] += b * y[0] * x[1];
                    block[2] += c * y[1] * x[0];
                    block[3] += dx * y[1];
                }
            }
        }
    }

    /// Adds the pairs of entries of two segments, both orders of each.
    fn add_between(&mut self, [a, b, c, d]: Block, xs: &[(u32, [f64; 2])], ys: &[(u32, [f64; 2])]) {
        for &(slot, x) in xs {
            let [ax, bx, cx, dx] = [a * x[0], b * x[0], c * x[1], d * x[1]];
            for &(other, y) in ys {
                let block = [ax * y[0], bx * y[1], cx * y[0], dx * y[1]];
                let [p, q, r, s] = block;
                match slot.cmp(&other) {
                    Ordering::Less => self.add_block(slot, other, block),
                    Ordering::Greater => self.add_block(other, slot, [p, r, q, s]),
                    // A slot's own block is whole.
                    Ordering::Equal => {
                        self.add_block(slot, slot, [2.0 * p, q + r, q + r, 2.0 * s]);
                    }
                }
            }
        }
    }

    #[inline]
    fn add_block(&mut self, line: u32, other: u32, block: Block) {
        let (line, other) = (line as usize, other as usize);
        let sums = &mut self.all[line_start(line, self.size) + other - line];
        for (sum, value) in sums.iter_mut().zip(block) {
            *sum += value;
        }
    }

    /// Adds the blocks to the matrix over variables: Jᵀ·B·J, with J the
    /// derivative of lanes by variables.
    pub(super) fn reduce(&self, active: &Active, reduction: &Reduction, matrix: &mut Symmetric) {
        if self.all.is_empty() {
            return;
        }
        let terms = reduction.lane_terms();
        for (a, &slot) in active.slots.iter().enumerate() {
            let line = &self.all[line_start(a, self.size)..][..self.size - a];
            for (block, &other) in line.iter().zip(&active.slots[a..]) {
                for (corner, &value) in block.iter().enumerate() {
                    let (left, right) = (2 * slot + corner / 2, 2 * other + corner % 2);
                    if left > right {
                        continue; // the mirror image within a slot's own block
                    }
                    let (left_term, right_term) = (terms[left], terms[right]);
                    let (Some(row), Some(column)) = (left_term.variable, right_term.variable)
                    else {
                        continue;
                    };
                    let value = value * left_term.factor * right_term.factor;
                    // Two tied lanes meet on the diagonal, as (left, right) and as
                    // (right, left); elsewhere `add` writes both.
                    let twice = row == column && left != right;
                    matrix.add(row, column, if twice { 2.0 * value } else { value });
                }
            }
        }
    }
}

/// Where the blocks (slot, slot), (slot, slot + 1) … start in the triangle.
fn line_start(slot: usize, size: usize) -> usize {
    slot * size - slot * slot.saturating_sub(1) / 2
}
