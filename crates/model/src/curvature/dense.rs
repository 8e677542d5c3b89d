//! Rows that share their factors, added up together.
//!
//! Of rows with the factors f the curvature is Σ h·(c·f)(c·f)ᵀ = S ⊗ ffᵀ with
//! S = Σ h·c·cᵀ: one number per pair of columns instead of four, and the
//! factors come in once for all rows.

use super::active::{Active, Term};
use super::batch::{Batch, Line, PART, add_part};
use super::planes::Planes;
use tuner_rows::TraceSet;
use tuner_rows::kernel::{Code, GROUP};

/// Columns that are read side by side: four registers of AVX-512, eight of AVX2.
const WIDTH: usize = 2 * PART;

/// Rows at a time: a tile of them takes 32 kB, two thirds of a nearest cache.
const ROWS: usize = 128;

const EMPTY: Line<WIDTH> = Line([0.0; WIDTH]);

/// Rows that wait, and sums of those that share their factors.
#[derive(Debug)]
pub(super) struct Dense {
    /// Columns.
    count: usize,
    tiles: usize,
    batch: Batch<f64, WIDTH, ROWS>,
    /// The number of their factors.
    factors: u32,
    /// S, line by line.
    sums: Vec<Line<WIDTH>>,
    /// Whether S is not zero.
    any: bool,
}

impl Dense {
    /// Buffers for the columns of `active`; none if there are none.
    pub(super) fn new(active: &Active) -> Self {
        let count = active.columns.as_ref().map_or(0, Vec::len);
        let tiles = active.width() / WIDTH;
        Self {
            count,
            tiles,
            batch: Batch::new(count),
            factors: 0,
            sums: vec![EMPTY; count * tiles],
            any: false,
        }
    }

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
        } else if self.batch.is_full() {
            self.multiply(terms, groups);
        }
        self.batch.push(offset, curvature);
    }

    /// Adds what waits to the planes.
    #[inline(always)] // into kernels
    pub(super) fn flush<C: Code>(
        &mut self,
        (terms, set): (&[Term], &TraceSet),
        groups: &[[C; GROUP]],
        planes: &mut Planes,
    ) {
        if !self.batch.is_empty() {
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
        self.batch.spread(terms, groups);
        for (tile, rows) in self.batch.tiles().enumerate() {
            // A line of the upper triangle ends with the last column, so a tile
            // takes part in the lines up to its own last column.
            let lines = ((tile + 1) * WIDTH).min(self.count);
            for (column, list) in self.batch.lists(lines).enumerate() {
                if list.is_empty() {
                    continue;
                }
                let line = &mut self.sums[column * self.tiles + tile];
                // Two sums side by side, so that none waits for the other.
                let (mut even, mut odd) = (line.0, EMPTY.0);
                let (pairs, rest) = list.as_chunks::<2>();
                for [first, second] in pairs {
                    let first_row = first.line(rows);
                    let second_row = second.line(rows);
                    add_part(&mut even, 0, first.amount, first_row);
                    add_part(&mut even, PART, first.amount, first_row);
                    add_part(&mut odd, 0, second.amount, second_row);
                    add_part(&mut odd, PART, second.amount, second_row);
                }
                for share in rest {
                    let row = share.line(rows);
                    for (sum, value) in even.iter_mut().zip(row) {
                        *sum = share.amount.mul_add(*value, *sum);
                    }
                }
                for ((to, even), odd) in line.0.iter_mut().zip(&even).zip(&odd) {
                    *to = even + odd;
                }
            }
        }
    }
}
