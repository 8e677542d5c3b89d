//! Products of matrices, compiled once more for AVX2, which is taken where the machine has it.
//!
//! Nothing is fused, so that the bits are the same on all machines. The loops are such as the
//! compiler vectorises at level 2.

use nalgebra::{DMatrix, DMatrixView, DMatrixViewMut};

use super::symmetric::{PANEL, panels};

/// Rows and columns of a part of the product that stays in registers.
const HIGH: usize = 8;
const WIDE: usize = 5;

/// Rows, and columns of the left matrix, of a block that stays in the near caches.
const TALL: usize = 64;
const DEEP: usize = 256;

/// Returns the matrix product left·right.
pub(super) fn product<'a>(
    left: impl Into<DMatrixView<'a, f64>>,
    right: impl Into<DMatrixView<'a, f64>>,
) -> DMatrix<f64> {
    let (left, right) = (left.into(), right.into());
    let mut product = DMatrix::zeros(left.nrows(), right.ncols());
    add_product(&mut product, 1.0, left, right);
    product
}

/// Returns the inner products of each of some vectors with all `others`: those of the first vector,
/// in the order of `others`, then those of the second, and so on.
///
/// *Shapes*: `vectors` holds one after the other, of the length of each of `others`. *Numerics*:
/// the same bits on any number of threads.
///
/// # Panics
/// If there are no others, or one is shorter than the first.
pub fn inner_products(vectors: &[f64], others: &[Vec<f64>]) -> Vec<f64> {
    let size = others[0].len();
    let count = vectors.len().checked_div(size).unwrap_or(0);
    let all = DMatrixView::from_slice(vectors, size, count);
    let others = DMatrix::from_fn(others.len(), size, |row, column| others[row][column]);
    let of_panel = |start, end| product(&others, all.columns(start, end - start));
    let panels: Vec<DMatrix<f64>> = panels(count, PANEL, of_panel);
    let values = panels.iter().flat_map(DMatrix::as_slice);
    values.copied().collect()
}

/// Adds `factor·left·right` to `to`, in cache-sized blocks. *Numerics*: the products of an element
/// are summed in the order of the inner index before `to` is added, so the bits do not depend on
/// the blocks.
pub(super) fn add_product<'a>(
    to: impl Into<DMatrixViewMut<'a, f64>>,
    factor: f64,
    left: impl Into<DMatrixView<'a, f64>>,
    right: impl Into<DMatrixView<'a, f64>>,
) {
    // The sums of a tile of `HIGH` (8) rows and `WIDE` (5) columns stay in registers; `TALL` (64)
    // rows and `DEEP` (256) columns of the left matrix stay in the near caches, and are used for
    // all columns of the right one.
    let (mut to, left, right) = (to.into(), left.into(), right.into());
    let (rows, inner) = left.shape();
    assert_eq!((inner, to.shape()), (right.nrows(), (rows, right.ncols())));
    let groups = right.ncols().div_ceil(WIDE).max(1);
    // The right matrix times the factor: for each `DEEP` of its rows the groups of `WIDE` columns
    // one behind the other, in a group row by row.
    let factors = packed(right, factor, groups);
    // A block of the left matrix, copied: groups of `HIGH` rows one behind the other, in a group
    // column by column. Rows that the last group lacks keep numbers from before; their sums are not
    // added to `to`.
    let mut block = vec![[0.0; HIGH]; TALL / HIGH * DEEP.min(inner)];
    for top in (0..rows).step_by(TALL) {
        let tall = TALL.min(rows - top);
        let strips = tall.div_ceil(HIGH);
        // The sums of tiles of `HIGH` rows and `WIDE` columns.
        let mut sums = vec![[[0.0; HIGH]; WIDE]; groups * strips];
        for (start, factors) in (0..inner).step_by(DEEP).zip(factors.chunks(groups * DEEP)) {
            let deep = DEEP.min(inner - start);
            let columns = left.view((top, start), (tall, deep));
            for (place, column) in columns.column_iter().enumerate() {
                let (whole, rest) = column.as_slice().as_chunks::<HIGH>();
                for (strip, values) in whole.iter().enumerate() {
                    block[strip * deep + place] = *values;
                }
                if !rest.is_empty() {
                    block[whole.len() * deep + place][..rest.len()].copy_from_slice(rest);
                }
            }
            // A group of columns of the right matrix with each strip of rows of the left one: a
            // tile.
            for (sums, factors) in sums.chunks_mut(strips).zip(factors.chunks(deep)) {
                for (sums, block) in sums.iter_mut().zip(block.chunks(deep)) {
                    pulp::Arch::new().dispatch(Tile(sums, block, factors));
                }
            }
        }
        for (number, mut column) in to.column_iter_mut().enumerate() {
            // The sums are whole now: they are added to the rows from `top` on.
            let parts = column.as_mut_slice()[top..top + tall].chunks_mut(HIGH);
            for (part, sums) in parts.zip(&sums[number / WIDE * strips..]) {
                for (value, sum) in part.iter_mut().zip(sums[number % WIDE]) {
                    *value += sum;
                }
            }
        }
    }
}

/// Returns the right matrix of a product times `factor`, in the order in which tiles read it: for
/// each block of `DEEP` (256) rows its groups of `WIDE` (5) columns one behind the other, in a
/// group row by row; columns that the last group lacks are 0. `groups`: how many groups of columns.
fn packed(right: DMatrixView<'_, f64>, factor: f64, groups: usize) -> Vec<[f64; WIDE]> {
    let mut factors = vec![[0.0; WIDE]; groups * right.nrows()];
    for (number, column) in right.column_iter().enumerate() {
        for (block, values) in column.as_slice().chunks(DEEP).enumerate() {
            // All blocks before have `DEEP` rows, the last one may have fewer.
            let first = block * groups * DEEP + number / WIDE * values.len();
            for (copies, value) in factors[first..].iter_mut().zip(values) {
                copies[number % WIDE] = factor * value;
            }
        }
    }
    factors
}

/// A tile of a product: its sums, column by column, and for each inner index its [`HIGH`] values of
/// the left matrix and its [`WIDE`] values of the right one.
struct Tile<'a>(
    &'a mut [[f64; HIGH]; WIDE],
    &'a [[f64; HIGH]],
    &'a [[f64; WIDE]],
);

impl pulp::NullaryFnOnce for Tile<'_> {
    type Output = ();

    /// Adds to the sums of the tile (field 0, column by column) the products of the left matrix'
    /// values (field 1, 8 rows for each inner index) and the right one's (field 2, 5 columns for
    /// each), in the order of the inner index.
    #[inline(always)] // what is not inlined is compiled for the oldest processor
    fn call(self) {
        let mut tile = *self.0;
        for (rows, columns) in self.1.iter().zip(self.2) {
            for (sums, column) in tile.iter_mut().zip(columns) {
                for (sum, row) in sums.iter_mut().zip(rows) {
                    *sum += row * column;
                }
            }
        }
        *self.0 = tile;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_all_shapes_are_sums_of_their_elements() {
        let matrix = |rows, columns, seed: usize| {
            DMatrix::from_fn(rows, columns, |i, j| ((i * 7 + j * 3 + seed) as f64).sin())
        };
        for (rows, inner, columns) in [(0, 3, 2), (3, 0, 2), (3, 2, 0), (1, 1, 1), (131, 300, 7)] {
            let (left, right) = (matrix(rows, inner, 1), matrix(inner, columns, 2));
            let mut found = matrix(rows, columns, 3);
            add_product(&mut found, -2.0, &left, &right);
            for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
                let sum: f64 = (0..inner).map(|k| left[(i, k)] * right[(k, j)]).sum();
                let expected = ((i * 7 + j * 3 + 3) as f64).sin() - 2.0 * sum;
                assert!((found[(i, j)] - expected).abs() < 1e-12, "{i} {j}");
            }
        }
    }
}
