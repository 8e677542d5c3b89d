//! Second-order kernels: the curvature matrix as 2×2 blocks per pair of slots,
//! and its diagonal.
//!
//! Only slots with a variable take part. Blocks lie in a packed upper
//! triangle, slot by slot; they are reduced to variables after the pass, so
//! ties cost nothing per row.

use std::cmp::Ordering;
use std::ops::Range;

use super::bent::Bent;
use super::gradient::Pass;
use super::ordered::{CHUNK, ordered};
use super::{Curvature, Reduction};
use crate::linalg::Symmetric;
use crate::trace::rows::{Linearised, Row};

/// `[x₀y₀, x₀y₁, x₁y₀, x₁y₁]` for lanes 0 and 1 of slots *x* and *y*.
type Block = [f64; 4];

/// The entries of a row by segment: slots and coefficients, slots ascending.
#[derive(Debug, Default)]
struct Entries {
    all: Vec<(u32, f64)>,
    ends: Vec<usize>,
}

impl Entries {
    fn segments(&self) -> impl Iterator<Item = &[(u32, f64)]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        let ranges = starts.zip(self.ends.iter().copied());
        ranges.map(|(start, end)| &self.all[start..end])
    }
}

/// Slot without a variable.
const NONE: u32 = u32::MAX;

/// The slots that have a variable, numbered densely.
#[derive(Clone, Debug)]
pub(super) struct Active {
    /// Dense number of each slot, or [`NONE`].
    number: Vec<u32>,
    slots: Vec<usize>,
}

impl Active {
    /// Finds the slots of which a lane is a variable.
    pub(super) fn new(reduction: &Reduction) -> Self {
        let mut active = Self {
            number: Vec::new(),
            slots: Vec::new(),
        };
        for (slot, lanes) in reduction.lane_terms().chunks(2).enumerate() {
            let free = lanes.iter().any(|lane| lane.variable.is_some());
            active.number.push(if free {
                active.slots.len() as u32
            } else {
                NONE
            });
            if free {
                active.slots.push(slot);
            }
        }
        active
    }

    /// Blocks in the triangle.
    fn blocks(&self) -> usize {
        self.slots.len() * (self.slots.len() + 1) / 2
    }

    /// Memory of a triangle.
    pub(super) fn bytes(&self) -> u64 {
        (self.blocks() as u64).saturating_mul(size_of::<Block>() as u64)
    }

    /// Writes the row's entries of which a lane is a variable.
    fn entries(&self, row: &Row<'_>, entries: &mut Entries) {
        entries.all.clear();
        entries.ends.clear();
        for segment in row.segments() {
            for (slot, c) in segment.entries() {
                if self.number[slot] != NONE {
                    entries.all.push((self.number[slot], f64::from(c)));
                }
            }
            entries.ends.push(entries.all.len());
        }
    }

    /// Writes the row's derivative by lanes, slot by slot in ascending order,
    /// each slot once.
    fn merge(&self, linearised: &Linearised, row: &Row<'_>, terms: &mut Vec<(u32, [f64; 2])>) {
        terms.clear();
        let mut ascending = true;
        for segment in linearised.segments(row) {
            for (slot, c) in segment.entries() {
                let number = self.number[slot];
                if number != NONE {
                    ascending &= terms.last().is_none_or(|last| last.0 < number);
                    terms.push((number, segment.factors.map(|factor| factor * f64::from(c))));
                }
            }
        }
        if !ascending {
            terms.sort_by_key(|term| term.0); // stable: the order of sums is fixed
            terms.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1 = [kept.1[0] + next.1[0], kept.1[1] + next.1[1]];
                }
                same
            });
        }
    }
}

/// Adds up the curvature of all rows and reduces it to variables; unscaled.
///
/// *Cost*: one pass; 16·m·(m + 1) bytes per thread for m active slots.
pub(super) fn matrix(
    pass: &Pass<'_>,
    lanes: &[f64],
    kind: Curvature,
    active: &Active,
    reduction: &Reduction,
    matrix: &mut Symmetric,
) {
    let (pairs, _) = lanes.as_chunks::<2>();
    let mut total: Vec<Block> = vec![[0.0; 4]; active.blocks()];
    let threads = rayon::current_num_threads();
    let chunk = |rows| accumulate(pass, pairs, kind, active, rows);
    ordered(
        pass.traces.len(),
        chunk_rows(active.blocks()),
        threads,
        chunk,
        |part| {
            let (total, part) = (total.as_flattened_mut(), part.as_flattened());
            total.iter_mut().zip(part).for_each(|(t, p)| *t += p);
        },
    );
    reduce(&total, active, reduction, matrix);
}

/// Rows that one triangle is accumulated over. Emptying a triangle and adding
/// it to the total must cost little against filling it: filling takes about
/// 500 multiplications a row, so with this many rows they are below a tenth.
/// A fixed function of the problem, never of the threads.
fn chunk_rows(blocks: usize) -> usize {
    (blocks / 8).next_multiple_of(CHUNK).max(CHUNK)
}

/// Fills one triangle from a range of rows.
fn accumulate(
    pass: &Pass<'_>,
    pairs: &[[f64; 2]],
    kind: Curvature,
    active: &Active,
    rows: Range<usize>,
) -> Vec<Block> {
    let size = active.slots.len();
    let mut blocks: Vec<Block> = vec![[0.0; 4]; active.blocks()];
    let mut terms = Vec::new();
    let mut linearised = Linearised::default();
    let (mut bent, mut entries) = (Bent::default(), Entries::default());
    for row in pass.rows(rows) {
        if bent.at(pass, &mut linearised, &row, pairs, kind) {
            active.entries(&row, &mut entries);
            add_bent(&bent, &entries, size, &mut blocks);
            continue;
        }
        let weight = pass.row_curvature(&mut linearised, &row, pairs, kind);
        active.merge(&linearised, &row, &mut terms);
        for (i, &(slot, x)) in terms.iter().enumerate() {
            let slot = slot as usize;
            let [x0, x1] = [weight * x[0], weight * x[1]];
            let line = &mut blocks[line_start(slot, size)..][..size - slot];
            for &(other, y) in &terms[i..] {
                let block = &mut line[other as usize - slot];
                block[0] += x0 * y[0];
                block[1] += x0 * y[1];
                block[2] += x1 * y[0];
                block[3] += x1 * y[1];
            }
        }
    }
    blocks
}

/// Adds a row that is not linear: segment by segment, as the block between two
/// segments is the same for all their entries.
fn add_bent(bent: &Bent, entries: &Entries, size: usize, blocks: &mut [Block]) {
    for (left, xs) in entries.segments().enumerate() {
        for (right, ys) in entries.segments().enumerate().skip(left) {
            let between = bent.block(left as u32, right as u32);
            if between.iter().all(|&value| value == 0.0) {
                continue;
            }
            let [a, b, c, d] = between;
            let turned = [a, c, b, d];
            let mut add = |line: u32, other: u32, both: f64, block: Block| {
                let (line, other) = (line as usize, other as usize);
                let sums = &mut blocks[line_start(line, size) + other - line];
                for (sum, value) in sums.iter_mut().zip(block) {
                    *sum += both * value;
                }
            };
            for (i, &(slot, x)) in xs.iter().enumerate() {
                // Within a segment each pair counts once, and slots ascend.
                let others = if left == right { &ys[i..] } else { ys };
                for &(other, y) in others {
                    match slot.cmp(&other) {
                        Ordering::Less => add(slot, other, x * y, between),
                        Ordering::Greater => add(other, slot, x * y, turned),
                        // A slot's own block is whole: both orders of two entries.
                        Ordering::Equal => {
                            add(slot, slot, x * y, between);
                            if left != right {
                                add(slot, slot, x * y, turned);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Where the blocks (slot, slot), (slot, slot + 1) … start in the triangle.
fn line_start(slot: usize, size: usize) -> usize {
    slot * size - slot * slot.saturating_sub(1) / 2
}

/// Maps blocks over lanes to the matrix over variables: Jᵀ·B·J, with J the
/// derivative of lanes by variables.
fn reduce(blocks: &[Block], active: &Active, reduction: &Reduction, matrix: &mut Symmetric) {
    matrix.clear();
    let terms = reduction.lane_terms();
    let size = active.slots.len();
    for (a, &slot) in active.slots.iter().enumerate() {
        let line = &blocks[line_start(a, size)..][..size - a];
        for (block, &other) in line.iter().zip(&active.slots[a..]) {
            for (corner, &value) in block.iter().enumerate() {
                let (left, right) = (2 * slot + corner / 2, 2 * other + corner % 2);
                if left > right {
                    continue; // the mirror image within a slot's own block
                }
                let (left_term, right_term) = (terms[left], terms[right]);
                let (Some(row), Some(column)) = (left_term.variable, right_term.variable) else {
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

/// Adds up the diagonal over variables; unscaled.
pub(super) fn diagonal(
    pass: &Pass<'_>,
    lanes: &[f64],
    kind: Curvature,
    reduction: &Reduction,
    diagonal: &mut [f64],
) {
    let (pairs, _) = lanes.as_chunks::<2>();
    let terms = reduction.lane_terms();
    let count = diagonal.len();
    diagonal.fill(0.0);
    let chunk = |rows| {
        let mut sums = vec![0.0; count];
        let mut values = vec![0.0; count];
        let mut touched = Vec::new();
        let mut linearised = Linearised::default();
        let (mut bent, mut parts) = (Bent::default(), Vec::new());
        for row in pass.rows(rows) {
            if bent.at(pass, &mut linearised, &row, pairs, kind) {
                add_bent_diagonal(&bent, &row, reduction, &mut parts, &mut sums);
                continue;
            }
            let weight = pass.row_curvature(&mut linearised, &row, pairs, kind);
            // Tied weights meet in one variable: add them up before squaring.
            for segment in linearised.segments(&row) {
                for (slot, c) in segment.entries() {
                    for (side, factor) in segment.factors.iter().enumerate() {
                        let term = terms[2 * slot + side];
                        if let Some(variable) = term.variable {
                            values[variable] += f64::from(c) * factor * term.factor;
                            touched.push(variable);
                        }
                    }
                }
            }
            for variable in touched.drain(..) {
                let value = std::mem::take(&mut values[variable]);
                sums[variable] += weight * value * value;
            }
        }
        sums
    };
    ordered(
        pass.traces.len(),
        CHUNK,
        super::ordered::WAVE,
        chunk,
        |sums| {
            diagonal.iter_mut().zip(sums).for_each(|(d, s)| *d += s);
        },
    );
}

/// A part of a variable in a row: the variable, segment and lane, how often.
type Share = (usize, u32, usize, f64);

/// Adds a row that is not linear to the diagonal.
fn add_bent_diagonal(
    bent: &Bent,
    row: &Row<'_>,
    reduction: &Reduction,
    parts: &mut Vec<Share>,
    sums: &mut [f64],
) {
    let terms = reduction.lane_terms();
    parts.clear();
    for (number, segment) in row.segments().enumerate() {
        for (slot, c) in segment.entries() {
            for side in 0..2 {
                let term = terms[2 * slot + side];
                if let Some(variable) = term.variable {
                    parts.push((variable, number as u32, side, f64::from(c) * term.factor));
                }
            }
        }
    }
    parts.sort_by_key(|part| part.0); // stable: the order of sums is fixed
    for same in parts.chunk_by(|a, b| a.0 == b.0) {
        for &(variable, left, x, c) in same {
            for &(_, right, y, d) in same {
                sums[variable] += c * d * bent.block(left, right)[2 * x + y];
            }
        }
    }
}
