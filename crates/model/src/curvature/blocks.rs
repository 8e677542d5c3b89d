//! Entry by entry: 2×2 blocks per pair of slots, for any row.
//!
//! Blocks lie in a packed upper triangle, slot by slot. It is larger than a
//! near cache, and the pairs of one row are all over it: so rows wait until
//! there are many, and then each line of the triangle takes what all of them
//! have for it.

use std::ops::Range;

use super::active::{Active, NONE, TokenMap};
use super::gradients::Gradients;
use super::places::Places;
use crate::simd::{Kernel, dispatch};
use tuner_parallel as parallel;
use tuner_rows::SegmentView;
use tuner_solve::Reduction;
use tuner_solve::linalg::Symmetric;

/// `[x₀y₀, x₀y₁, x₁y₀, x₁y₁]` for lanes 0 and 1 of slots *x* and *y*.
pub(super) type Block = [f64; 4];

/// Rows that wait at most: what is known of them takes some 400 kB, half of a
/// second cache.
const ROWS: usize = 512;

/// Lines of a large triangle that a thread adds to at a time.
const LINES: usize = 16;

/// An entry of a row that waits.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The number of its slot among the active ones.
    number: u32,
    /// The number of its segment among those that wait.
    segment: u32,
    /// Its coefficients in the two lanes, small integers.
    coefficients: [f32; 2],
}

/// A segment of a row that waits.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    /// Where its entries end; they begin where those of the segment before end.
    end: u32,
    /// Where its blocks with segments of its row end; they begin where those of the segment before
    /// end.
    blocks: u32,
}

/// The curvature between active slots, a triangle of blocks that is empty until there is something
/// to add, and the rows that wait to be added.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// The number of active slots.
    size: usize,
    /// Whether rows wait until all threads add them to one triangle: of a large one each thread
    /// would have another, and most of the time would go to emptying and adding these.
    is_large: bool,
    /// The packed upper triangle, line by line.
    all: Vec<Block>,
    /// Of each row that waits, where its entries end.
    rows: Vec<u32>,
    /// All segments of the rows that wait.
    segments: Vec<Waiting>,
    /// The entries of the rows that wait, segment by segment, slots ascending in each.
    entries: Vec<Entry>,
    /// Segment by segment, the blocks that are not 0 between it and a segment of its row, with the
    /// number of the latter.
    between: Vec<(u32, Block)>,
    /// The entries of the rows that wait, by slot.
    places: Places,
    /// The rows that wait and whose curvature is h·g·gᵀ, with g the derivatives of their score.
    gradients: Gradients,
}

impl Blocks {
    /// Makes sums by pairs of active slots, which are those that have a variable: of no row yet,
    /// and without memory for their triangle.
    pub(super) fn new(active: &Active) -> Self {
        Self {
            size: active.slots.len(),
            is_large: active.is_large(),
            ..Self::default()
        }
    }

    /// Ends a chunk of rows. Adds the rows that wait to the triangle, the sums by pairs of slots,
    /// and keeps that alone. Where the triangle is large it only lists the waiting rows by slot,
    /// for [`add`](Self::add) to add them to the total's triangle by all threads.
    pub(super) fn finish(mut self) -> Self {
        if self.is_large {
            self.gradients.find(self.size);
            self.find();
            return self;
        }
        self.flush();
        let Self { size, all, .. } = self;
        Self {
            size,
            all,
            ..Self::default()
        }
    }

    /// Adds the sums of a chunk that has [finished](Self::finish). If rows still wait in it, as
    /// where sums are large, all threads add them to this triangle, each to [`LINES`] lines at a
    /// time; else the triangle of the chunk is added.
    pub(super) fn add(&mut self, other: Self) {
        if !other.rows.is_empty() || !other.gradients.is_empty() {
            self.begin();
            // The triangle, cut into parts of some lines: what no part has yet is the rest.
            let (size, mut rest) = (self.size, self.all.as_mut_slice());
            let parts = (0..size).step_by(LINES).map(|first| {
                let numbers = first..(first + LINES).min(size);
                let [start, end] = [numbers.start, numbers.end].map(|n| line_start(n, size));
                let (lines, below) = std::mem::take(&mut rest).split_at_mut(end - start);
                rest = below;
                (numbers, lines)
            });
            parallel::for_each_part(parts, |(numbers, lines)| {
                other.gradients.add_to(size, numbers.clone(), lines);
                other.add_to(numbers, lines);
            });
            return;
        }
        if self.all.is_empty() {
            self.all = other.all;
            return;
        }
        let (all, other) = (self.all.as_flattened_mut(), other.all.as_flattened());
        all.iter_mut().zip(other).for_each(|(a, b)| *a += b);
    }

    /// Puts in a row whose curvature is h·g·gᵀ, with g the derivatives of its score by the lanes;
    /// it waits for others, to be added to the triangle with them. `segments`: its segments, with
    /// the factors by which their lane sums change the score; `known`: by token, the number of its
    /// slot among those that have a variable, and its coefficients.
    pub(super) fn push_gradient<'a>(
        &mut self,
        segments: impl Iterator<Item = SegmentView<'a>>,
        h: f64,
        known: &TokenMap,
    ) {
        self.gradients.push(segments, h, known);
        // A small triangle is this chunk's own (a chunk: rows that one thread adds up), and takes
        // rows when enough wait. A large one exists once: its rows wait until the chunk has ended,
        // and then all threads add them.
        if !self.is_large && self.gradients.is_full() {
            self.begin();
            self.gradients.flush(self.size, &mut self.all);
        }
    }

    /// Puts in a row, which waits for others, to be added to the triangle with them. `segments`:
    /// those of its segments that have curvature; `between`: for each pair of them, the second
    /// running faster, the curvature by the lane sums of both, 2×2 numbers; `known`: by token, the
    /// number of its slot among those that have a variable, and its coefficients.
    pub(super) fn push<'a>(
        &mut self,
        segments: impl Iterator<Item = SegmentView<'a>>,
        mut between: impl Iterator<Item = Block>,
        known: &TokenMap,
    ) {
        let start = self.segments.len();
        for (segment, view) in (start as u32..).zip(segments) {
            for token in view.tokens() {
                let number = known.numbers[token];
                // A slot without a variable has no curvature to add.
                if number != NONE {
                    self.entries.push(Entry {
                        number,
                        segment,
                        coefficients: known.coefficients[token],
                    });
                }
            }
            let end = self.entries.len() as u32;
            self.segments.push(Waiting { end, blocks: 0 }); // `blocks` is set below
        }
        // The blocks between each segment and all segments of the row, those of zeros left out.
        let end = self.segments.len();
        for segment in start..end {
            for (other, block) in (start..end).zip(&mut between) {
                if block.iter().any(|&value| value != 0.0) {
                    self.between.push((other as u32, block));
                }
            }
            self.segments[segment].blocks = self.between.len() as u32;
        }
        self.rows.push(self.entries.len() as u32);
        // A small triangle is this chunk's own (a chunk: rows that one thread adds up), and takes
        // rows when enough wait. A large one exists once: its rows wait until the chunk has ended,
        // and then all threads add them.
        if !self.is_large && self.rows.len() == ROWS {
            self.flush();
        }
    }

    /// Makes the triangle, the sums by pairs of slots, with zeros, if there is none yet.
    fn begin(&mut self) {
        if self.all.is_empty() {
            self.all = vec![[0.0; 4]; self.size * (self.size + 1) / 2];
        }
    }

    /// Adds all rows that wait to the triangle, the sums by pairs of slots; no row waits then.
    fn flush(&mut self) {
        if self.rows.is_empty() && self.gradients.is_empty() {
            return;
        }
        self.begin();
        self.gradients.flush(self.size, &mut self.all);
        self.find();
        // Taken out meanwhile, as the waiting rows are borrowed from `self` too.
        let mut all = std::mem::take(&mut self.all);
        self.add_to(0..self.size, &mut all);
        self.all = all;
        self.rows.clear();
        self.segments.clear();
        self.entries.clear();
        self.between.clear();
    }

    /// Lists the entries of the waiting rows by slot, as [`add_to`](Self::add_to) reads them.
    fn find(&mut self) {
        let numbers = self.entries.iter().map(|entry| entry.number);
        let ends = self.rows.iter().copied();
        self.places.find(self.size, numbers, ends);
    }

    /// Adds the waiting rows to `lines`, which are the lines of the slots `numbers` of the
    /// triangle. [`find`](Self::find) must have listed the rows' entries by slot.
    fn add_to(&self, numbers: Range<usize>, lines: &mut [Block]) {
        if !self.rows.is_empty() {
            dispatch(AddWaiting {
                waiting: self,
                numbers,
                lines,
            });
        }
    }

    /// Adds the triangle B of sums by pairs of slots to the matrix over variables: Jᵀ·B·J, with J
    /// the derivatives of lanes by variables.
    pub(super) fn reduce(&self, active: &Active, reduction: &Reduction, matrix: &mut Symmetric) {
        if self.all.is_empty() {
            return;
        }
        let terms = reduction.lane_terms();
        for (a, &slot) in active.slots.iter().enumerate() {
            let line = &self.all[line_start(a, self.size)..][..self.size - a];
            for (block, &other) in line.iter().zip(&active.slots[a..]) {
                // Lanes 0 and 0, 0 and 1, 1 and 0, 1 and 1 of the two slots.
                for (corner, &value) in block.iter().enumerate() {
                    let (left, right) = (2 * slot + corner / 2, 2 * other + corner % 2);
                    if slot == other && left > right {
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
                    let value = if twice { 2.0 * value } else { value };
                    matrix.add(row.index(), column.index(), value);
                }
            }
        }
    }
}

/// Adds the rows that wait to some lines of the triangle. For each entry of a line's slot it takes
/// the blocks between its segment and those of its row, and of these segments all entries from this
/// slot on.
struct AddWaiting<'w> {
    waiting: &'w Blocks,
    numbers: Range<usize>,
    lines: &'w mut [Block],
}

impl Kernel for AddWaiting<'_> {
    /// Adds, for each of the lines' slots, all pairs of an entry of that slot and an entry of the
    /// same row whose slot is not before it: the 2×2 curvature between their segments times their
    /// coefficients. The pairs are found by the curvatures that are not 0 between the segment of
    /// the first entry and the segments of its row: in each of these segments slots ascend, so the
    /// second entries are from one place on.
    #[inline(always)] // into kernels, which are compiled for several machines
    fn run(self) {
        let waiting = self.waiting;
        let first = line_start(self.numbers.start, waiting.size);
        // Where a segment's entries and blocks start: where those of the one before end.
        let start = |segment: u32| match segment {
            0 => Waiting { end: 0, blocks: 0 },
            _ => waiting.segments[segment as usize - 1],
        };
        for number in self.numbers {
            let at = line_start(number, waiting.size) - first;
            let line = &mut self.lines[at..at + waiting.size - number];
            for &(_, entry) in waiting.places.of(number) {
                let left = waiting.entries[entry as usize];
                let x = left.coefficients.map(f64::from);
                let blocks = start(left.segment).blocks..start(left.segment + 1).blocks;
                let blocks = &waiting.between[blocks.start as usize..blocks.end as usize];
                for &(segment, [a, b, c, d]) in blocks {
                    let from = [a * x[0], b * x[0], c * x[1], d * x[1]];
                    let entries = start(segment).end as usize..start(segment + 1).end as usize;
                    let entries = &waiting.entries[entries];
                    let first = entries.partition_point(|e| e.number < left.number);
                    // Entries of equal slot are among them: the pair of two such entries counts in
                    // both orders.
                    for right in &entries[first..] {
                        let y = right.coefficients.map(f64::from);
                        let sums = &mut line[right.number as usize - number];
                        add(sums, product(from, y));
                    }
                }
            }
        }
    }
}

/// Returns where the line of a slot starts in a packed upper triangle over `size` slots: its pairs
/// (slot, slot), (slot, slot + 1) and so on.
pub(super) fn line_start(slot: usize, size: usize) -> usize {
    slot * size - slot * slot.saturating_sub(1) / 2
}

/// Multiplies a block, by lanes 0 and 0, 0 and 1, 1 and 0, 1 and 1 of two entries, by the
/// coefficients of the second entry in its two lanes; those of the first are in it already.
#[inline(always)] // into kernels, which are compiled for several machines
fn product([a, b, c, d]: Block, [first, second]: [f64; 2]) -> Block {
    [a * first, b * second, c * first, d * second]
}

/// Adds the four numbers of a block to those of `sums`.
#[inline(always)] // into kernels, which are compiled for several machines
fn add(sums: &mut Block, block: Block) {
    for (sum, value) in sums.iter_mut().zip(block) {
        *sum += value;
    }
}
