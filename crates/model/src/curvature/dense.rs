//! Rows that share their factors, added up together.
//!
//! Of rows with the factors f the curvature is Σ h·(c·f)(c·f)ᵀ = S ⊗ ffᵀ with
//! S = Σ h·c·cᵀ: one number per pair of columns instead of four, and the
//! factors come in once for all rows.

use super::active::{Active, Term};
use super::batch::{Batch, Line, PART, add_part};
use super::planes::Planes;
use crate::simd::{Kernel, dispatch};
use tuner_rows::TraceSet;

/// Columns that are read side by side: four registers of AVX-512, eight of AVX2.
const WIDTH: usize = 2 * PART;

/// Rows at a time: a tile of them takes 32 kB, two thirds of a nearest cache.
const ROWS: usize = 128;

const EMPTY: Line<WIDTH> = Line([0.0; WIDTH]);

/// Rows that wait, and S = Σ h·c·cᵀ over rows with equal factors, with c the columns of a row's
/// first segment and h its weighted curvature by z.
#[derive(Debug)]
pub(super) struct Dense {
    /// The number of columns.
    count: usize,
    /// Tiles of [`WIDTH`] columns in a line of S.
    tiles: usize,
    /// The rows that are not in S yet.
    batch: Batch<f64, WIDTH, ROWS>,
    /// The number, in the set, of the factors that all these rows have.
    factors: u32,
    /// S, `tiles` tiles for each column; of use is the upper triangle.
    sums: Vec<Line<WIDTH>>,
    /// Whether S is not zero.
    any: bool,
}

impl Dense {
    /// Makes the sum S = Σ h·c·cᵀ of linear rows, 0 at first, and a batch for rows that wait to be
    /// added to it. h is the second derivative of a row's penalty by its log-odds, times the row's
    /// weight; c are its coefficients by the columns of `active`, which are what the entries of a
    /// slot that has a variable count in one lane, or alike in both. Where there are no columns, S
    /// and the batch are empty.
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

    /// Puts a linear row's first segment, which starts at group `offset`, into the batch, with the
    /// row's weighted `curvature` by z, the log-odds. `factors`: the number of the segment's
    /// factors. All rows of the sum S = Σ h·c·cᵀ have the same factors: where they change, S is
    /// added to the planes, the sums of rows with any factors by pairs of columns, and begins anew.
    /// So rows with equal factors best come one after another.
    #[inline]
    pub(super) fn push(
        &mut self,
        terms: &[Term],
        set: &TraceSet,
        offset: usize,
        factors: u32,
        curvature: f64,
        planes: &mut Planes,
    ) {
        if factors != self.factors {
            self.flush(terms, set, planes);
            self.factors = factors;
        } else if self.batch.is_full() {
            self.multiply(terms, set);
        }
        self.batch.push(offset, curvature);
    }

    /// Adds the sum S = Σ h·c·cᵀ of products of columns, rows that wait in the batch included, to
    /// the three planes, times f₀², f₀·f₁ and f₁² of the factors f that all its rows have; then S
    /// is 0. The planes are sums by pairs of columns too, of rows with any factors, for lanes 0 and
    /// 0, 0 and 1, 1 and 1.
    pub(super) fn flush(&mut self, terms: &[Term], set: &TraceSet, planes: &mut Planes) {
        if !self.batch.is_empty() {
            self.multiply(terms, set);
        }
        if !self.any {
            return;
        }
        self.any = false;
        let [first, second] = set.factors(self.factors);
        let factors = [first * first, first * second, second * second];
        for (plane, factor) in planes.all.iter_mut().zip(factors) {
            plane.resize(self.count * self.tiles * WIDTH, 0.0);
            dispatch(AddToPlane {
                dense: self,
                factor,
                plane,
            });
        }
        self.sums.fill(EMPTY);
    }

    /// Adds the rows that wait in the batch to the sum S = Σ h·c·cᵀ of products of their columns c;
    /// none waits any more.
    fn multiply(&mut self, terms: &[Term], set: &TraceSet) {
        self.any = true;
        self.batch.spread(terms, set);
        dispatch(AddSpread(self));
    }
}

/// Adds the sum S of [`Dense`] times a factor to a plane, of each line the tiles from the diagonal
/// on.
struct AddToPlane<'w> {
    dense: &'w Dense,
    factor: f64,
    plane: &'w mut [f64],
}

impl Kernel for AddToPlane<'_> {
    /// Adds the sum S by pairs of columns times the factor to the plane, which has as many numbers:
    /// line by line, from the tile of the diagonal on.
    #[inline(always)] // into kernels, which are compiled for several machines
    fn run(self) {
        let tiles = self.dense.tiles;
        let width = tiles * WIDTH;
        for (column, lines) in self.dense.sums.chunks_exact(tiles).enumerate() {
            let tile = column / WIDTH;
            let to = &mut self.plane[column * width + tile * WIDTH..(column + 1) * width];
            let (to, _) = to.as_chunks_mut::<WIDTH>();
            for (to, from) in to.iter_mut().zip(&lines[tile..]) {
                for (to, from) in to.iter_mut().zip(&from.0) {
                    *to = self.factor.mul_add(*from, *to);
                }
            }
        }
    }
}

/// Adds the rows that are spread out to the upper triangle of the sum S = Σ h·c·cᵀ: a column and a
/// tile of columns at a time, over the rows that have the column.
struct AddSpread<'w>(&'w mut Dense);

impl Kernel for AddSpread<'_> {
    /// Adds h·c·cᵀ of all rows of the batch, c their columns, to S: for each column and each tile
    /// of columns that is not before it, over the rows that have the column.
    #[inline(always)] // into kernels, which are compiled for several machines
    fn run(self) {
        let Dense {
            batch,
            sums,
            tiles,
            count,
            ..
        } = self.0;
        for (tile, rows) in batch.tiles().enumerate() {
            // A line of the upper triangle ends with the last column, so a tile
            // takes part in the lines up to its own last column.
            let lines = ((tile + 1) * WIDTH).min(*count);
            for (column, list) in batch.lists(lines).enumerate() {
                if list.is_empty() {
                    continue;
                }
                let line = &mut sums[column * *tiles + tile];
                // As many registers as a row's numbers can be multiplied into at once. Twice as
                // many, for rows of even and odd place, were one too many for AVX2: the one that
                // was kept on the stack cost as much as all others where its place crossed a line
                // of the cache.
                let mut sum = line.0;
                for share in list {
                    let row = share.line(rows);
                    add_part(&mut sum, 0, share.amount, row);
                    add_part(&mut sum, PART, share.amount, row);
                }
                line.0 = sum;
            }
        }
    }
}
