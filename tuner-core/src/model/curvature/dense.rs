//! Rows that share their factors, added up together.
//!
//! Of rows with the factors f the curvature is Σ h·(c·f)(c·f)ᵀ = S ⊗ ffᵀ with
//! S = Σ h·c·cᵀ: one number per pair of columns instead of four, and the
//! factors come in once for all rows. S of a hundred rows is a product of two
//! matrices, one of which is sparse: for each column the list of rows that have
//! it, each with h·c, and for each row all columns side by side. So a line of S
//! stays in registers while its list is read.

use super::active::{Active, Term};
use crate::linalg::Symmetric;
use crate::model::Reduction;
use crate::trace::rows::TraceSet;
use crate::trace::rows::stream::{Code, GROUP};

/// Columns that are read side by side: four registers of AVX-512, eight of AVX2.
const WIDTH: usize = 32;

/// Rows at a time: a tile of them takes 32 kB, two thirds of a nearest cache.
const ROWS: usize = 128;

/// Some columns of a row, where loading them is quickest.
#[repr(align(64))]
#[derive(Clone, Copy, Debug)]
struct Line([f64; WIDTH]);

const EMPTY: Line = Line([0.0; WIDTH]);

/// Room for the rows of a column. Four more than there are, as lists a power of
/// two apart would all be in the same few places of a cache.
const ROOM: usize = ROWS + 4;

/// A row and its h·c.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    row: u32,
    amount: f64,
}

/// What the rows of a chunk add up to: Σ f₀²·S, Σ f₀f₁·S, Σ f₁²·S, upper
/// triangles over columns. Empty until there is something to add.
#[derive(Debug, Default)]
pub(super) struct Planes {
    all: [Vec<f64>; 3],
}

/// Rows that wait, and sums of those that share their factors.
#[derive(Debug)]
pub(super) struct Dense {
    /// Columns.
    count: usize,
    tiles: usize,
    /// Offset and curvature of rows that wait.
    waiting: Vec<(usize, f64)>,
    /// The number of their factors.
    factors: u32,
    /// Tile by tile the columns of the rows.
    rows: Vec<Line>,
    /// Of each column the rows that have it, and how many these are; of no column
    /// only what came last.
    lists: Vec<[Share; ROOM]>,
    lengths: Vec<u32>,
    /// S, line by line.
    sums: Vec<Line>,
    /// Whether S is not zero.
    any: bool,
}

impl Dense {
    /// Buffers for the columns of `active`; none if there are none.
    pub(super) fn new(active: &Active) -> Self {
        let count = active.columns.as_ref().map_or(0, Vec::len);
        // One more, for what takes no part.
        let tiles = if count == 0 {
            0
        } else {
            (count + 1).div_ceil(WIDTH)
        };
        Self {
            count,
            tiles,
            waiting: Vec::with_capacity(ROWS),
            factors: 0,
            rows: vec![EMPTY; tiles * ROWS],
            lists: vec![[Share::default(); ROOM]; count + 1],
            lengths: vec![0; count + 1],
            sums: vec![EMPTY; count * tiles],
            any: false,
        }
    }

    /// Adds the first segment of a row.
    #[inline(always)] // into kernels
    pub(super) fn push<C: Code>(
        &mut self,
        (terms, set): (&[Term], &TraceSet),
        groups: &[[C; GROUP]],
        offset: usize,
        curvature: f64,
        planes: &mut Planes,
    ) {
        let factors = C::header(groups[offset]).factors;
        if factors != self.factors {
            self.flush((terms, set), groups, planes);
            self.factors = factors;
        } else if self.waiting.len() == ROWS {
            self.multiply(terms, groups);
        }
        self.waiting.push((offset, curvature));
    }

    /// Adds what waits to the planes.
    #[inline(always)] // into kernels
    pub(super) fn flush<C: Code>(
        &mut self,
        (terms, set): (&[Term], &TraceSet),
        groups: &[[C; GROUP]],
        planes: &mut Planes,
    ) {
        if !self.waiting.is_empty() {
            self.multiply(terms, groups);
        }
        if !self.any {
            return;
        }
        self.any = false;
        let [first, second] = set.factors(self.factors);
        let factors = [first * first, first * second, second * second];
        let width = self.tiles * WIDTH;
        for (plane, factor) in planes.all.iter_mut().zip(factors) {
            plane.resize(self.count * width, 0.0);
            for (column, lines) in self.sums.chunks_exact(self.tiles).enumerate() {
                let tile = column / WIDTH;
                let to = &mut plane[column * width + tile * WIDTH..(column + 1) * width];
                let (to, _) = to.as_chunks_mut::<WIDTH>();
                for (to, from) in to.iter_mut().zip(&lines[tile..]) {
                    for (to, from) in to.iter_mut().zip(&from.0) {
                        *to = factor.mul_add(*from, *to);
                    }
                }
            }
        }
        self.sums.fill(EMPTY);
    }

    /// Adds the waiting rows to S.
    #[inline(always)] // into kernels
    fn multiply<C: Code>(&mut self, terms: &[Term], groups: &[[C; GROUP]]) {
        self.any = true;
        self.spread(terms, groups);
        for (tile, rows) in self.rows.chunks_exact(ROWS).enumerate() {
            let (rows, _) = rows.as_chunks::<ROWS>();
            let rows = &rows[0];
            // A line of the upper triangle ends with the last column, so a tile
            // takes part in the lines up to its own last column.
            let lines = ((tile + 1) * WIDTH).min(self.count);
            let lists = self.lists.iter().zip(&self.lengths).take(lines);
            for (column, (list, &length)) in lists.enumerate() {
                if length == 0 {
                    continue;
                }
                let line = &mut self.sums[column * self.tiles + tile];
                // Two sums side by side, so that none waits for the other.
                let (mut even, mut odd) = (line.0, EMPTY.0);
                let (pairs, rest) = list[..(length as usize).min(ROWS)].as_chunks::<2>();
                for [first, second] in pairs {
                    let first_row = &rows[first.row as usize % ROWS].0;
                    let second_row = &rows[second.row as usize % ROWS].0;
                    for (sum, value) in even.iter_mut().zip(first_row) {
                        *sum = first.amount.mul_add(*value, *sum);
                    }
                    for (sum, value) in odd.iter_mut().zip(second_row) {
                        *sum = second.amount.mul_add(*value, *sum);
                    }
                }
                for share in rest {
                    let row = &rows[share.row as usize % ROWS].0;
                    for (sum, value) in even.iter_mut().zip(row) {
                        *sum = share.amount.mul_add(*value, *sum);
                    }
                }
                for ((to, even), odd) in line.0.iter_mut().zip(&even).zip(&odd) {
                    *to = even + odd;
                }
            }
        }
        self.waiting.clear();
    }

    /// Spreads the waiting rows out over columns, and lists them by column. A
    /// row has a column at most once: see [`Active::known`].
    #[inline(always)] // into kernels
    fn spread<C: Code>(&mut self, terms: &[Term], groups: &[[C; GROUP]]) {
        self.lengths.fill(0);
        let (rows, lists) = (self.rows.as_mut_slice(), self.lists.as_mut_slice());
        let lengths = self.lengths.as_mut_slice();
        for (number, &(offset, curvature)) in self.waiting.iter().enumerate() {
            // Row by row, so that what follows finds its places in the nearest cache.
            for row in rows.iter_mut().skip(number).step_by(ROWS) {
                *row = EMPTY;
            }
            let count = C::header(groups[offset]).groups;
            for group in &groups[offset + 1..offset + 1 + count] {
                for code in group {
                    let term = terms[code.number()];
                    for share in 0..2 {
                        let coefficient = f64::from(term.coefficients[share]);
                        let column = usize::from(term.columns[share]);
                        rows[column / WIDTH * ROWS + number].0[column % WIDTH] = coefficient;
                        let length = &mut lengths[column];
                        lists[column][*length as usize % ROWS] = Share {
                            row: number as u32,
                            amount: curvature * coefficient,
                        };
                        *length += 1;
                        // Most entries have one column.
                        if term.coefficients[1] == 0 {
                            break;
                        }
                    }
                }
            }
        }
    }
}

impl Planes {
    /// Adds those of other rows.
    pub(super) fn add(&mut self, other: &Self) {
        for (plane, other) in self.all.iter_mut().zip(&other.all) {
            if plane.is_empty() {
                plane.clone_from(other);
            } else {
                plane.iter_mut().zip(other).for_each(|(a, b)| *a += b);
            }
        }
    }

    /// Adds the planes to the matrix over variables.
    pub(super) fn reduce(&self, active: &Active, reduction: &Reduction, matrix: &mut Symmetric) {
        let Some(columns) = active.columns.as_ref().filter(|_| !self.all[0].is_empty()) else {
            return;
        };
        let terms = reduction.lane_terms();
        let count = columns.len();
        let width = self.all[0].len() / count;
        for (i, left) in columns.iter().enumerate() {
            for (j, right) in columns.iter().enumerate().skip(i) {
                for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    // Of a column's own square each pair of lanes once.
                    if !left.lanes[a] || !right.lanes[b] || (i == j && a > b) {
                        continue;
                    }
                    let (from, to) = (2 * left.slot + a, 2 * right.slot + b);
                    let (Some(row), Some(column)) = (terms[from].variable, terms[to].variable)
                    else {
                        continue;
                    };
                    let value = self.all[a + b][i * width + j];
                    let value = value * terms[from].factor * terms[to].factor;
                    // Both orders of two different entries meet on the diagonal.
                    let twice = row == column && (i != j || a != b);
                    matrix.add(row, column, if twice { 2.0 * value } else { value });
                }
            }
        }
    }
}
