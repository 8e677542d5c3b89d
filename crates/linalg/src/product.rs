//! Products of matrices, compiled once more for AVX2, which is taken where the machine has it.
//!
//! Nothing is fused, so that the bits are the same on all machines. The loops are such as the
//! compiler vectorises at level 2.

use nalgebra::{DMatrix, DMatrixView, DMatrixViewMut};

use super::symmetric::{PANEL, panels};

/// Rows of a block of the left matrix, which stays in the nearest cache.
const TALL: usize = 64;
/// Columns of such a block.
const DEEP: usize = 32;

/// Columns of the product that are summed in one pass over a block.
const WIDE: usize = 2;

/// Columns of a block that are added to both at once.
const STEP: usize = 4;

/// Returns `left·right`.
pub(super) fn product<'a>(
    left: impl Into<DMatrixView<'a, f64>>,
    right: impl Into<DMatrixView<'a, f64>>,
) -> DMatrix<f64> {
    let (left, right) = (left.into(), right.into());
    let mut product = DMatrix::zeros(left.nrows(), right.ncols());
    add_product(&mut product, 1.0, left, right);
    product
}

/// Returns the inner products of vectors with some others: a value for each of these, vector
/// after vector.
///
/// *Shapes*: `vectors` holds one after the other, of the length of each of `others`. *Numerics*:
/// the same bits on any number of threads.
///
/// # Panics
/// If there are no others, or of different lengths.
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

/// Adds `factor·left·right`, each element summed in order first.
pub(super) fn add_product<'a>(
    to: impl Into<DMatrixViewMut<'a, f64>>,
    factor: f64,
    left: impl Into<DMatrixView<'a, f64>>,
    right: impl Into<DMatrixView<'a, f64>>,
) {
    let (mut to, left, right) = (to.into(), left.into(), right.into());
    let (rows, inner) = left.shape();
    assert_eq!((inner, to.shape()), (right.nrows(), (rows, right.ncols())));
    // Of each block's columns one pair after the other; what is missing is 0.
    let pairs = right.ncols().div_ceil(WIDE).max(1);
    let mut factors = vec![[[0.0; DEEP]; WIDE]; pairs * inner.div_ceil(DEEP)];
    for (number, column) in right.column_iter().enumerate() {
        for (block, values) in column.as_slice().chunks(DEEP).enumerate() {
            let copies = &mut factors[block * pairs + number / WIDE][number % WIDE];
            for (copy, value) in copies.iter_mut().zip(values) {
                *copy = factor * value;
            }
        }
    }
    for top in (0..rows).step_by(TALL) {
        let tall = TALL.min(rows - top);
        let mut sums = vec![[[0.0; TALL]; WIDE]; pairs];
        for (start, factors) in (0..inner).step_by(DEEP).zip(factors.chunks(pairs)) {
            let columns = left.view((top, start), (tall, DEEP.min(inner - start)));
            let mut block = [[0.0; TALL]; DEEP];
            for (copy, column) in block.iter_mut().zip(columns.column_iter()) {
                copy[..tall].copy_from_slice(column.as_slice());
            }
            pulp::Arch::new().dispatch(|| {
                for (sums, factors) in sums.iter_mut().zip(factors) {
                    add_pair(sums, &block, factors);
                }
            });
        }
        for (mut column, sums) in to.column_iter_mut().zip(sums.as_flattened()) {
            for (value, sum) in column.as_mut_slice()[top..top + tall].iter_mut().zip(sums) {
                *value += sum;
            }
        }
    }
}

/// Adds the product of a block and the factors of two columns to the sums of these columns.
#[inline(always)] // what is not inlined is compiled for the oldest processor
fn add_pair(
    [left, right]: &mut [[f64; TALL]; WIDE],
    block: &[[f64; TALL]; DEEP],
    [of_left, of_right]: &[[f64; DEEP]; WIDE],
) {
    let of_left = of_left.as_chunks::<STEP>().0;
    let factors = of_left.iter().zip(of_right.as_chunks::<STEP>().0);
    for ([a, b, c, d], (l, r)) in block.as_chunks::<STEP>().0.iter().zip(factors) {
        for (i, (left, right)) in left.iter_mut().zip(&mut *right).enumerate() {
            *left = *left + a[i] * l[0] + b[i] * l[1] + c[i] * l[2] + d[i] * l[3];
            *right = *right + a[i] * r[0] + b[i] * r[1] + c[i] * r[2] + d[i] * r[3];
        }
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
        for (rows, inner, columns) in [(0, 3, 2), (3, 0, 2), (3, 2, 0), (1, 1, 1), (130, 67, 5)] {
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
