//! Cholesky's factorisation, with the reason when there is none.

use nalgebra::{DMatrix, DMatrixViewMut, DVector, Dyn};

use super::product::{add_product, product};
use super::symmetric::{PANEL, panels};
use super::{Symmetric, dot};
use tuner_parallel as parallel;

/// A pivot this small against its diagonal element (both of the matrix scaled
/// to a diagonal of ones) is rounding: sums over a million rows leave a
/// relative error of about 1e-13 in the elements. Below it a solution would
/// run along a direction of which the matrix says nothing.
const SMALLEST_PIVOT: f64 = 1e-12;

/// Columns factorised at a time: few against the whole, so that nearly all of
/// the work is a product of matrices, and a block stays in the nearest cache.
const BLOCK: usize = 64;

/// Rows of a strip: of the block of columns that is factorised, each thread takes one at a time;
/// the rows of a product are computed strip by strip.
const STRIP: usize = 256;

/// The factor of a positive definite matrix.
///
/// *Numerics*: the matrix is scaled to a diagonal of ones first, so weights of
/// rare and of frequent features may differ by orders of magnitude.
#[derive(Clone, Debug)]
pub struct Cholesky {
    /// Of the matrix scaled to a diagonal of ones.
    factor: nalgebra::linalg::Cholesky<f64, Dyn>,
    /// 1/√ of each diagonal element of the matrix, by which rows and columns are scaled.
    scale: Vec<f64>,
}

/// Why a matrix has no usable factor.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    /// A value is infinite or not a number.
    #[error("the curvature is not finite")]
    NotFinite,
    /// The matrix is not positive definite.
    #[error("the curvature is not positive definite")]
    Indefinite,
    /// The matrix is positive definite by no more than rounding.
    #[error("the curvature is singular within rounding")]
    NearSingular,
}

impl Cholesky {
    /// Factorises a matrix. *Cost*: size³/6 multiplications on all threads, and a copy.
    ///
    /// # Errors
    /// If the matrix is not finite, not positive definite, or singular within
    /// rounding.
    pub fn new(matrix: &Symmetric) -> Result<Self, Failure> {
        Self::of(matrix.clone())
    }

    /// Factorises a matrix in its own memory. *Cost*: size³/6 multiplications on all threads, and
    /// no copy.
    ///
    /// # Errors
    /// If the matrix is not finite, not positive definite, or singular within rounding.
    pub fn of(matrix: Symmetric) -> Result<Self, Failure> {
        let diagonal = matrix.diagonal();
        if matrix.values().iter().any(|v| !v.is_finite()) {
            return Err(Failure::NotFinite);
        }
        if diagonal.iter().any(|&d| d <= 0.0) {
            return Err(Failure::Indefinite);
        }
        // Rows and columns are scaled so that the diagonal is one of ones.
        let scale: Vec<f64> = diagonal.iter().map(|d| d.sqrt().recip()).collect();
        let size = matrix.size();
        let values = matrix.scaled(&scale).into_values();
        let scaled = DMatrix::from_vec(size, size, values);
        let factor = factorise(scaled).ok_or(Failure::Indefinite)?;
        let lower = factor.l_dirty();
        if (0..size).any(|i| lower[(i, i)].powi(2) < SMALLEST_PIVOT) {
            return Err(Failure::NearSingular);
        }
        Ok(Self { factor, scale })
    }

    /// Returns the solution x of `matrix · x = right`.
    ///
    /// # Panics
    /// If `right` has another length than the matrix.
    pub fn solve(&self, right: &[f64]) -> Vec<f64> {
        // With S the diagonal of the scale: x = S·(S·matrix·S)⁻¹·S·right.
        let scaled = right.iter().zip(&self.scale).map(|(b, s)| b * s);
        let mut solution = DVector::from_iterator(right.len(), scaled);
        self.factor.solve_mut(&mut solution);
        let solution = solution.iter().zip(&self.scale);
        solution.map(|(x, s)| x * s).collect()
    }

    /// Returns the solution x of `matrix · x = right` for each of several right sides; the factor
    /// is read once for 32 of them.
    ///
    /// *Shapes*: one vector of the matrix's size each. *Cost*: size² multiplications for each,
    /// as products of matrices. *Numerics*: the same bits on any number of threads.
    ///
    /// # Panics
    /// If a right side has another length than the matrix.
    pub fn solve_all(&self, rights: &[Vec<f64>]) -> Vec<Vec<f64>> {
        // `true`: by both factors, so that the systems are solved.
        self.by_blocks(rights, true)
    }

    /// Returns M·z for each vector z in `rights`, with M·Mᵀ the inverse of the matrix. If the
    /// numbers of z are random signs or standard normal, M·z has the inverse as its covariance.
    ///
    /// *Shapes*: one vector of the matrix's size each. *Cost*: half that of
    /// [`solve_all`](Self::solve_all), size²/2 multiplications for each.
    ///
    /// # Panics
    /// If a vector has another length than the matrix.
    pub fn half_solve_all(&self, rights: &[Vec<f64>]) -> Vec<Vec<f64>> {
        // `false`: by one of the two factors only.
        self.by_blocks(rights, false)
    }

    /// Solves for several right sides, 32 at a time, each block on one thread. With L·Lᵀ the matrix
    /// scaled by S to a diagonal of ones: if `are_whole` the results are S·L⁻ᵀ·L⁻¹·S·z for each
    /// right side z, which solves the system, else S·L⁻ᵀ·z.
    fn by_blocks(&self, rights: &[Vec<f64>], are_whole: bool) -> Vec<Vec<f64>> {
        let size = self.scale.len();
        assert!(
            rights.iter().all(|right| right.len() == size),
            "right sides of the matrix's size"
        );
        let scaled = |values: &[f64]| -> Vec<f64> {
            values.iter().zip(&self.scale).map(|(v, s)| v * s).collect()
        };
        let rights: Vec<&[Vec<f64>]> = rights.chunks(BLOCK / 2).collect();
        let solved = parallel::map(0..rights.len(), |block| {
            let rights = rights[block];
            let mut columns = DMatrix::from_vec(size, rights.len(), rights.concat());
            if are_whole {
                for mut column in columns.column_iter_mut() {
                    column.copy_from_slice(&scaled(column.as_slice()));
                }
                self.solve_lower(0, columns.as_view_mut());
            }
            self.solve_upper(&mut columns);
            let columns: Vec<Vec<f64>> = (columns.column_iter())
                .map(|column| scaled(column.as_slice()))
                .collect();
            columns
        });
        solved.concat()
    }

    /// Multiplies columns by L⁻¹ from the left, in place, block of rows by block of rows; L is the
    /// factor of the matrix scaled to a diagonal of ones. `columns` has only the rows from row
    /// `start` on, as all above are 0 and stay so.
    fn solve_lower(&self, start: usize, mut columns: DMatrixViewMut<'_, f64>) {
        let (lower, size) = (self.factor.l_dirty(), self.scale.len());
        for first in (start..size).step_by(BLOCK) {
            let last = (first + BLOCK).min(size);
            let (rows, below) = (last - first, size - last);
            let corner = lower.view((first, first), (rows, rows));
            let mut solved = columns.rows(first - start, rows).clone_owned();
            corner.solve_lower_triangular_unchecked_mut(&mut solved);
            // What the solved rows contribute is subtracted from all rows below.
            let across = lower.view((last, first), (below, rows));
            let below = columns.rows_mut(last - start, below);
            add_product(below, -1.0, across, &solved);
            columns.rows_mut(first - start, rows).copy_from(&solved);
        }
    }

    /// Multiplies columns by L⁻ᵀ from the left, in place, block of rows by block of rows from the
    /// last to the first; L is the factor of the matrix scaled to a diagonal of ones.
    fn solve_upper(&self, columns: &mut DMatrix<f64>) {
        let (lower, size) = (self.factor.l_dirty(), self.scale.len());
        for first in (0..size).step_by(BLOCK).rev() {
            let last = (first + BLOCK).min(size);
            let (rows, below) = (last - first, size - last);
            // What the rows below, solved already, contribute is subtracted first.
            let across = lower.view((last, first), (below, rows)).transpose();
            let solved = columns.rows(last, below).clone_owned();
            let mut wanted = columns.rows(first, rows).clone_owned();
            add_product(&mut wanted, -1.0, &across, &solved);
            let corner = lower.view((first, first), (rows, rows));
            corner.tr_solve_lower_triangular_mut(&mut wanted);
            columns.rows_mut(first, rows).copy_from(&wanted);
        }
    }

    /// Returns the inverse of the factor L of the matrix A = L·Lᵀ, from which single elements of
    /// A⁻¹, and forms vᵀ·A⁻¹·v, are computed.
    ///
    /// *Cost*: size³/6 multiplications, as products of matrices.
    pub fn inverse_factor(&self) -> InverseFactor {
        let size = self.scale.len();
        let mut columns = vec![0.0; size * size];
        parallel::for_each_chunk(
            &mut columns,
            // Of a matrix without rows a chunk would have 0 numbers, which is not allowed.
            (PANEL * size).max(1),
            || (),
            |(), panel, columns| {
                // Columns of the unit matrix, each multiplied by the inverse of the factor.
                let (start, width) = (panel * PANEL, columns.len() / size);
                for (place, column) in columns.chunks_exact_mut(size).enumerate() {
                    column[start + place] = 1.0;
                }
                let mut columns = DMatrixViewMut::from_slice(columns, size, width);
                // Above the diagonal the inverse of the factor is 0.
                self.solve_lower(start, columns.rows_range_mut(start..));
            },
        );
        InverseFactor {
            columns: DMatrix::from_vec(size, size, columns),
            scale: self.scale.clone(),
        }
    }

    /// Returns the inverse, of which statistics need all elements; for a system
    /// of equations there is [`solve`](Self::solve).
    ///
    /// *Cost*: size³/3 multiplications, all as products of matrices, and two
    /// matrices of the same size meanwhile.
    /// *Source*: N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
    /// 2002, §14.3 (method B: the inverse of the factor, then its product with
    /// itself).
    pub fn inverse(&self) -> Symmetric {
        let size = self.scale.len();
        let factor = self.inverse_factor().columns;
        let across = factor.transpose();
        Symmetric::by_panels(size, |start, end| {
            let mut panel = DMatrix::zeros(size - start, end - start);
            // The rows of the transpose from `first` on are 0 in the columns before `first`.
            for first in (start..size).step_by(STRIP) {
                let (rows, below) = (STRIP.min(size - first), size - first);
                let left = across.view((first, first), (rows, below));
                let right = factor.view((first, start), (below, end - start));
                add_product(panel.rows_mut(first - start, rows), 1.0, left, right);
            }
            // Back from the matrix scaled to a diagonal of ones.
            for (column, scale) in self.scale[start..end].iter().enumerate() {
                for (value, of_row) in panel
                    .column_mut(column)
                    .iter_mut()
                    .zip(&self.scale[start..])
                {
                    *value *= scale * of_row;
                }
            }
            panel
        })
    }

    /// Returns the natural logarithm of the determinant of the matrix: twice the sum of those of
    /// its factor's diagonal.
    pub fn ln_determinant(&self) -> f64 {
        let size = self.scale.len();
        let squares = (0..size).map(|i| self.lower(i, i).ln());
        2.0 * squares.sum::<f64>()
    }

    /// Returns element (`row`, `column`) of the lower factor *L* of
    /// `matrix = L·Lᵀ`; `row ≥ column`.
    pub fn lower(&self, row: usize, column: usize) -> f64 {
        // What is stored is the factor of the matrix scaled to a diagonal of ones.
        self.factor.l_dirty()[(row, column)] / self.scale[row]
    }
}

/// The inverse L⁻¹ of the lower factor of a matrix A = L·Lᵀ, for single elements of A⁻¹ and forms
/// vᵀ·A⁻¹·v.
#[derive(Clone, Debug)]
pub struct InverseFactor {
    /// L⁻¹ of the matrix scaled to a diagonal of ones; 0 above the diagonal.
    columns: DMatrix<f64>,
    /// 1/√ of each diagonal element of the matrix.
    scale: Vec<f64>,
}

impl InverseFactor {
    /// Returns an element of the inverse A⁻¹ of the matrix, a product of two columns of L⁻¹, with A
    /// = L·Lᵀ. *Cost*: at most size multiplications.
    ///
    /// # Panics
    /// If there is no such row or column.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        // L⁻¹ is 0 above its diagonal, so only the numbers from the larger index on count.
        let [left, right] = [row, column]
            .map(|of| &self.columns.as_slice()[of * self.scale.len()..][row.max(column)..]);
        let count = self.scale.len() - row.max(column);
        self.scale[row] * self.scale[column] * dot(&left[..count], &right[..count])
    }

    /// Returns Σ vᵀ·A⁻¹·v over vectors v, with A the matrix that was factorised.
    ///
    /// *Shapes*: `vectors` holds one vector of the matrix's size after the other. *Cost*: size²/2
    /// multiplications for each. *Numerics*: the same bits on any number of threads.
    pub fn quadratic(&self, vectors: &[f64]) -> f64 {
        let size = self.scale.len();
        // The number of vectors; of a matrix without rows there are no vectors.
        let count = vectors.len().checked_div(size).unwrap_or(0);
        let sums = panels(count, PANEL, |start, end| {
            let parts = vectors[start * size..end * size].chunks_exact(size);
            let scaled = parts.flat_map(|vector| vector.iter().zip(&self.scale));
            let scaled = scaled.map(|(value, scale)| value * scale).collect();
            let scaled = DMatrix::from_vec(size, end - start, scaled);
            // |L⁻¹·v|², strip by strip of its rows; L⁻¹ has only zeros from column `left` on in
            // these rows.
            let strips = (0..size).step_by(STRIP).map(|first| {
                let (rows, left) = (STRIP.min(size - first), size.min(first + STRIP));
                let factor = self.columns.view((first, 0), (rows, left));
                product(factor, scaled.rows(0, left)).norm_squared()
            });
            strips.sum::<f64>()
        });
        sums.iter().sum()
    }
}

/// Factorises a matrix in its own memory, a block of columns after the other: from each the
/// products of the columns before are subtracted first. Column by column, as nalgebra does it, the
/// whole factor would come from memory for each of them. `None` if the matrix is not positive
/// definite.
///
/// Strips of rows go in parallel; as they are of fixed size, the bits are the same on any number of
/// threads. *Source*: G. Golub, C. Van Loan, Matrix Computations, 4th ed., 2013, §4.2.9.
fn factorise(mut matrix: DMatrix<f64>) -> Option<nalgebra::linalg::Cholesky<f64, Dyn>> {
    let size = matrix.nrows();
    for start in (0..size).step_by(BLOCK) {
        let end = (start + BLOCK).min(size);
        let (before, mut columns) = matrix.columns_range_pair_mut(..start, start..end);
        let across = before.rows(start, end - start).transpose();
        let count = (size - start).div_ceil(STRIP);
        let strips = parallel::map(0..count, |number| {
            let first = start + number * STRIP;
            let rows = STRIP.min(size - first);
            let mut strip = columns.rows(first, rows).clone_owned();
            add_product(&mut strip, -1.0, before.rows(first, rows), &across);
            strip
        });
        // The block on the diagonal, factorised by nalgebra.
        let corner = strips[0].rows(0, end - start).clone_owned();
        let corner = nalgebra::linalg::Cholesky::new(corner)?.unpack();
        // The first strip has the corner above the rows that are divided by it.
        let below = parallel::map(0..count, |number| {
            let above = if number == 0 { end - start } else { 0 };
            let mut rows = strips[number].rows_range(above..).clone_owned();
            divide(&mut rows, &corner);
            rows
        });
        let mut first = end;
        for rows in &below {
            columns.rows_mut(first, rows.nrows()).copy_from(rows);
            first += rows.nrows();
        }
        columns.rows_mut(start, end - start).copy_from(&corner);
    }
    Some(nalgebra::linalg::Cholesky::pack_dirty(matrix))
}

/// Multiplies some rows by L⁻ᵀ from the right, in place and column by column: rows of the matrix
/// below a block on its diagonal become rows of the factor. `lower`: L, the factor of that block.
fn divide(rows: &mut DMatrix<f64>, lower: &DMatrix<f64>) {
    for of in 0..lower.nrows() {
        let (before, mut column) = rows.columns_range_pair_mut(..of, of);
        for (number, other) in before.column_iter().enumerate() {
            let factor = lower[(of, number)];
            let (values, others) = (column.as_mut_slice(), other.as_slice());
            pulp::Arch::new().dispatch(|| {
                for (value, other) in values.iter_mut().zip(others) {
                    *value -= factor * other;
                }
            });
        }
        column /= lower[(of, of)];
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::*;

    /// Hilbert-like matrix with a badly scaled diagonal.
    fn matrix() -> Symmetric {
        let mut matrix = Symmetric::zeros(4);
        for i in 0..4 {
            for j in 0..=i {
                let scale = 10_f64.powi(4 * (i + j) as i32 - 12);
                matrix.add(i, j, scale / (i + j + 1) as f64);
            }
        }
        matrix
    }

    #[test]
    fn solves_and_has_the_factor() {
        let matrix = matrix();
        let factor = Cholesky::new(&matrix).unwrap();
        let x = factor.solve(&matrix.multiply(&[1e3, -0.2, 3e-5, 1e-9]));
        for (x, expected) in x.iter().zip([1e3, -0.2, 3e-5, 1e-9]) {
            assert!((x / expected - 1.0).abs() < 1e-9, "{x} against {expected}");
        }
        let logarithms = (0..4).map(|i| factor.lower(i, i).ln());
        assert!((factor.ln_determinant() - 2.0 * logarithms.sum::<f64>()).abs() < 1e-12);
        let product: f64 = (0..=1)
            .map(|k| factor.lower(3, k) * factor.lower(1, k))
            .sum();
        assert!((product / matrix.get(3, 1) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn half_solutions_have_the_inverse_as_their_covariance() {
        let matrix = matrix();
        let factor = Cholesky::new(&matrix).unwrap();
        let unit = |at: usize| (0..4).map(|i| f64::from(u8::from(i == at))).collect();
        let columns = factor.half_solve_all(&(0..4).map(unit).collect::<Vec<Vec<f64>>>());
        let inverse = factor.inverse();
        for row in 0..4 {
            for column in 0..4 {
                let product: f64 = columns.iter().map(|of| of[row] * of[column]).sum();
                let size = (inverse.get(row, row) * inverse.get(column, column)).sqrt();
                assert!((product - inverse.get(row, column)).abs() < 1e-9 * size);
            }
        }
    }

    #[test]
    fn the_inverse_undoes_the_matrix() {
        let matrix = matrix();
        let inverse = Cholesky::new(&matrix).unwrap().inverse();
        let factor = Cholesky::new(&matrix).unwrap().inverse_factor();
        for row in 0..4 {
            let element = factor.get(row, 1) / inverse.get(row, 1);
            assert!((element - 1.0).abs() < 1e-9, "{row}");
            let unit: Vec<f64> = (0..4).map(|i| f64::from(u8::from(i == row))).collect();
            let twice = factor.quadratic(&[&unit[..], &unit].concat()) / inverse.get(row, row);
            assert!((twice - 2.0).abs() < 1e-9, "{row}");
            let product = matrix.multiply(inverse.row(row));
            for (column, value) in product.iter().enumerate() {
                let expected = if row == column { 1.0 } else { 0.0 };
                let scale = (matrix.get(column, column) / matrix.get(row, row)).sqrt();
                assert!(
                    (value - expected).abs() < 1e-9 * scale.max(1.0),
                    "{row} {column}"
                );
            }
        }
    }

    #[test]
    fn the_inverse_of_many_blocks_undoes_the_matrix() {
        let size = 2 * BLOCK + 9;
        let mut matrix = Symmetric::zeros(size);
        for i in 0..size {
            matrix.add(i, i, size as f64 * (1.0 + i as f64));
            for j in 0..i {
                matrix.add(i, j, ((i * 7 + j * 3) as f64).sin());
            }
        }
        let inverse = Cholesky::new(&matrix).unwrap().inverse();
        for row in 0..size {
            for (column, value) in matrix.multiply(inverse.row(row)).iter().enumerate() {
                let expected = if row == column { 1.0 } else { 0.0 };
                assert!((value - expected).abs() < 1e-12, "{row} {column} {value}");
            }
        }
    }

    #[test]
    fn many_blocks_are_one_factor() {
        let size = 2 * BLOCK + 9;
        let mut matrix = Symmetric::zeros(size);
        for i in 0..size {
            matrix.add(i, i, size as f64);
            for j in 0..i {
                matrix.add(i, j, ((i * 7 + j * 3) as f64).sin());
            }
        }
        let factor = Cholesky::new(&matrix).unwrap();
        for (i, j) in [(0, 0), (63, 5), (64, 64), (130, 64), (130, 129)] {
            let product: f64 = (0..=j)
                .map(|k| factor.lower(i, k) * factor.lower(j, k))
                .sum();
            assert!((product - matrix.get(i, j)).abs() < 1e-12, "{i} {j}");
        }
        let x: Vec<f64> = (0..size).map(|i| (i as f64).cos()).collect();
        let found = factor.solve(&matrix.multiply(&x));
        assert!(found.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-12));
        let rights: Vec<Vec<f64>> = (0..BLOCK).map(|i| matrix.row(2 * i).to_vec()).collect();
        for (number, solution) in factor.solve_all(&rights).iter().enumerate() {
            for (i, value) in solution.iter().enumerate() {
                let expected = if i == 2 * number { 1.0 } else { 0.0 };
                assert!((value - expected).abs() < 1e-12, "{number} {i} {value}");
            }
        }
        // Each block is asked whether it is positive definite.
        for place in [10, BLOCK + 1, size - 1] {
            let mut matrix = matrix.clone();
            matrix.add(place, 0, 2.0 * size as f64);
            assert_eq!(Cholesky::new(&matrix).unwrap_err(), Failure::Indefinite);
        }
    }

    #[test]
    fn names_why_there_is_no_factor() {
        let mut matrix = Symmetric::zeros(2);
        matrix.add(0, 0, 1.0);
        matrix.add(1, 1, 1.0);
        matrix.add(0, 1, 2.0);
        assert_eq!(Cholesky::new(&matrix).unwrap_err(), Failure::Indefinite);
        matrix.add(0, 1, -1.0 - 1e-14);
        assert_eq!(Cholesky::new(&matrix).unwrap_err(), Failure::NearSingular);
        matrix.add(0, 1, f64::INFINITY);
        assert_eq!(Cholesky::new(&matrix).unwrap_err(), Failure::NotFinite);
        assert_eq!(
            Cholesky::new(&Symmetric::zeros(1)).unwrap_err(),
            Failure::Indefinite
        );
    }
}
