//! A dense symmetric matrix.

use super::product::product;
use super::{add_scaled, dot};
use nalgebra::{DMatrix, DMatrixView};
use tuner_parallel as parallel;

/// Columns of a product that one task computes.
pub(super) const PANEL: usize = 128;

/// A symmetric matrix of *n* rows and *n* columns, both triangles stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Symmetric {
    size: usize,
    /// Row by row, which for a symmetric matrix is also column by column.
    values: Vec<f64>,
}

impl Symmetric {
    /// Makes a matrix of zeros. *Cost*: 8·size² bytes.
    pub fn zeros(size: usize) -> Self {
        Self {
            size,
            values: vec![0.0; size * size],
        }
    }

    /// Returns Σ (v − mean)(v − mean)ᵀ over vectors of which `mean` is the mean.
    ///
    /// *Shapes*: `vectors` holds one vector of `mean.len()` values after the
    /// other. *Cost*: half a multiplication for each vector and each element of
    /// the matrix. *Numerics*: the same bits on any number of threads.
    ///
    /// # Panics
    /// If the length of `vectors` is not a multiple of that of `mean`.
    #[must_use]
    pub fn gram(vectors: &[f64], mean: &[f64]) -> Self {
        let size = mean.len();
        let count = vectors.len().checked_div(size).unwrap_or(0);
        assert_eq!(vectors.len(), size * count, "whole vectors");
        let all = DMatrixView::from_slice(vectors, size, count);
        Self::by_panels(size, |start, end| {
            let across = all.rows(start, end - start).transpose();
            let mut panel = product(all.rows(start, size - start), &across);
            for (column, of) in (start..end).enumerate() {
                for row in start..size {
                    panel[(row - start, column)] -= count as f64 * mean[row] * mean[of];
                }
            }
            panel
        })
    }

    /// Returns `left·self·left` for a symmetric `left`.
    ///
    /// *Cost*: 1.5·size³ multiplications, and a matrix of the same size
    /// meanwhile.
    ///
    /// # Panics
    /// If the sizes differ.
    #[must_use]
    pub fn between(&self, left: &Self) -> Self {
        let size = self.size;
        assert_eq!(left.size, size, "matrices of one size");
        let [middle, outer] =
            [self, left].map(|matrix| DMatrixView::from_slice(&matrix.values, size, size));
        let panels: Vec<DMatrix<f64>> = panels(size, PANEL, |start, end| {
            product(middle, outer.columns(start, end - start))
        });
        Self::by_panels(size, |start, _| {
            product(outer.rows(start, size - start), &panels[start / PANEL])
        })
    }

    /// Makes a matrix from its lower triangle, on all threads. `panel` is called with the numbers
    /// of the first and behind the last of up to 128 columns; it returns these columns, from the
    /// row with the number of the first one on. Anything above the diagonal is not read.
    pub(super) fn by_panels(
        size: usize,
        panel: impl Fn(usize, usize) -> DMatrix<f64> + Sync,
    ) -> Self {
        let mut matrix = Self::zeros(size);
        parallel::for_each_chunk(
            &mut matrix.values,
            // Of a matrix without rows a chunk would have 0 numbers, which is not allowed.
            (PANEL * size).max(1),
            || (),
            |(), number, lines| {
                let start = number * PANEL;
                let panel = panel(start, start + lines.len() / size);
                // A column of the panel becomes a row of `values`, from the diagonal on.
                let lines = lines.chunks_exact_mut(size).zip(panel.column_iter());
                for (column, (line, values)) in lines.enumerate() {
                    line[start + column..].copy_from_slice(&values.as_slice()[column..]);
                }
            },
        );
        matrix.mirror();
        matrix
    }

    /// Makes the matrix symmetric: copies each element (row, column) of `values` with column > row,
    /// which was filled in, to (column, row); block by block, as the two lie far apart in memory.
    fn mirror(&mut self) {
        let size = self.size;
        for first in (0..size).step_by(PANEL) {
            let (above, lines) = self.values.split_at_mut(first * size);
            let count = PANEL.min(size - first);
            // Blocks left of the diagonal come from the rows above.
            for left in (0..first).step_by(PANEL) {
                for row in 0..count {
                    for column in left..left + PANEL {
                        lines[row * size + column] = above[column * size + first + row];
                    }
                }
            }
            // The block on the diagonal has both halves in the same rows.
            for row in 0..count {
                for column in 0..row {
                    lines[row * size + first + column] = lines[column * size + first + row];
                }
            }
        }
    }

    /// Returns the number of rows.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns all values, row by row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Returns all values, row by row, in the memory that they have.
    pub(super) fn into_values(self) -> Vec<f64> {
        self.values
    }

    /// Returns the values of a row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.size..(row + 1) * self.size]
    }

    /// Returns the value in a row and a column.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.size + column]
    }

    /// Adds `value` to the element in a row and a column, and to the one with row and column
    /// exchanged; on the diagonal only once.
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        self.values[row * self.size + column] += value;
        if row != column {
            self.values[column * self.size + row] += value;
        }
    }

    /// Returns the upper triangle with the diagonal, row by row: size·(size + 1)/2 values.
    pub fn packed(&self) -> Vec<f64> {
        (0..self.size)
            .flat_map(|row| &self.row(row)[row..])
            .copied()
            .collect()
    }

    /// Sets all values from an upper triangle with the diagonal, row by row. *Shapes*: `packed` has
    /// size·(size + 1)/2 values.
    pub fn set_packed(&mut self, packed: &[f64]) {
        let mut packed = packed.iter();
        for row in 0..self.size {
            for (column, &value) in (row..self.size).zip(packed.by_ref()) {
                self.values[row * self.size + column] = value;
                self.values[column * self.size + row] = value;
            }
        }
    }

    /// Sets all values to 0.
    pub fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// Multiplies all values by a number.
    pub fn scale(&mut self, factor: f64) {
        for value in &mut self.values {
            *value *= factor;
        }
    }

    /// Returns the sum of two matrices.
    ///
    /// # Panics
    /// If their sizes differ.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        assert_eq!(self.size, other.size, "matrices of one size");
        let pairs = self.values.iter().zip(&other.values);
        Self {
            size: self.size,
            values: pairs.map(|(a, b)| a + b).collect(),
        }
    }

    /// Returns the trace of the product with another symmetric matrix, Σ aᵢⱼ·bᵢⱼ over all elements.
    ///
    /// *Numerics*: eight sums side by side, each in order, as each addition to a single sum would
    /// wait for the one before. *Cost*: size² products.
    ///
    /// # Panics
    /// If the sizes differ.
    pub fn trace_of_product(&self, other: &Self) -> f64 {
        const SIDE_BY_SIDE: usize = 8;
        assert_eq!(self.size, other.size, "matrices of one size");
        let mut sums = [0.0; SIDE_BY_SIDE];
        let (left, left_rest) = self.values.as_chunks::<SIDE_BY_SIDE>();
        let (right, right_rest) = other.values.as_chunks::<SIDE_BY_SIDE>();
        for (left, right) in left.iter().zip(right) {
            for (sum, (a, b)) in sums.iter_mut().zip(left.iter().zip(right)) {
                *sum += a * b;
            }
        }
        sums.iter().sum::<f64>() + dot(left_rest, right_rest)
    }

    /// Returns the diagonal.
    pub fn diagonal(&self) -> Vec<f64> {
        (0..self.size).map(|i| self.get(i, i)).collect()
    }

    /// Returns the product with a vector. *Shapes*: `vector` has `size` values.
    ///
    /// *Numerics*: each value is summed in the order of the columns. As a row is also a column,
    /// four of them are read at once and added to all values.
    ///
    /// # Panics
    /// If it has another number of values.
    pub fn multiply(&self, vector: &[f64]) -> Vec<f64> {
        const TOGETHER: usize = 4;
        let (size, mut product) = (self.size, vec![0.0; self.size]);
        assert_eq!(vector.len(), size, "one value a column");
        let (whole, rest) = vector.as_chunks::<TOGETHER>();
        let columns = self.values.chunks_exact((TOGETHER * size).max(1));
        let rest_of_columns = columns.remainder().chunks_exact(size.max(1));
        for (columns, factors) in columns.zip(whole) {
            if factors.iter().all(|factor| factor.abs() <= 0.0) {
                // Most columns, where few weights take part in a direction.
                continue;
            }
            let [a, b, c, d] = std::array::from_fn(|i| &columns[i * size..(i + 1) * size]);
            for (i, sum) in product.iter_mut().enumerate() {
                *sum = *sum
                    + a[i] * factors[0]
                    + b[i] * factors[1]
                    + c[i] * factors[2]
                    + d[i] * factors[3];
            }
        }
        for (column, factor) in rest_of_columns.zip(rest) {
            add_scaled(&mut product, *factor, column);
        }
        product
    }

    /// Returns the products with several vectors. *Shapes*: each has `size` values.
    ///
    /// # Panics
    /// If one has another length.
    pub fn multiply_all(&self, vectors: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let size = self.size;
        assert!(vectors.iter().all(|vector| vector.len() == size));
        let matrix = DMatrixView::from_slice(&self.values, size, size);
        let vectors: Vec<&[Vec<f64>]> = vectors.chunks(PANEL).collect();
        let products = parallel::map(0..vectors.len(), |panel| {
            let vectors = vectors[panel];
            let flat = vectors.concat();
            let product = product(matrix, DMatrixView::from_slice(&flat, size, vectors.len()));
            let columns = product.column_iter();
            let columns = columns.map(|column| column.iter().copied().collect());
            columns.collect::<Vec<_>>()
        });
        products.concat()
    }

    /// Returns the matrix of the rows with some indices and of the same columns, in the order of
    /// the indices.
    #[must_use]
    pub fn select(&self, indices: &[usize]) -> Self {
        let mut values = Vec::with_capacity(indices.len() * indices.len());
        for &i in indices {
            let row = self.row(i);
            values.extend(indices.iter().map(|&j| row[j]));
        }
        Self {
            size: indices.len(),
            values,
        }
    }

    /// Returns the matrix in which element (i, j) is multiplied by `factors[i]` and `factors[j]`.
    ///
    /// # Panics
    /// If there is not a factor for each row.
    #[must_use]
    pub fn scaled(mut self, factors: &[f64]) -> Self {
        assert_eq!(factors.len(), self.size, "one factor a row");
        let lines = self.values.chunks_exact_mut(self.size.max(1));
        for (line, of_row) in lines.zip(factors) {
            for (value, of_column) in line.iter_mut().zip(factors) {
                *value = of_column * *value * of_row;
            }
        }
        self
    }

    /// Returns the matrix with `amount·scale[i]` added to its diagonal element i, for a `scale` of
    /// one value a row.
    #[must_use]
    pub fn damped(&self, amount: f64, scale: &[f64]) -> Self {
        let mut damped = self.clone();
        for (i, scale) in scale.iter().enumerate() {
            damped.values[i * self.size + i] += amount * scale;
        }
        damped
    }
}

/// Runs a job for each panel of `width` neighbouring columns, the last one maybe narrower, of
/// `size` columns, on all threads, and returns the results in the order of the panels. The job gets
/// the numbers of the first column of the panel and of the one behind its last.
pub(super) fn panels<T: Send>(
    size: usize,
    width: usize,
    job: impl Fn(usize, usize) -> T + Sync,
) -> Vec<T> {
    parallel::map(0..size.div_ceil(width), |panel| {
        job(panel * width, ((panel + 1) * width).min(size))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix of no structure, over several panels.
    fn matrix(size: usize, seed: usize) -> Symmetric {
        let mut matrix = Symmetric::zeros(size);
        for i in 0..size {
            for j in 0..=i {
                matrix.add(i, j, ((i * 7 + j * 3 + seed) as f64).sin());
            }
        }
        matrix
    }

    #[test]
    fn products_are_those_of_their_elements() {
        let size = 2 * PANEL + 3;
        let (middle, left) = (matrix(size, 1), matrix(size, 2));
        let product = middle.between(&left);
        for (i, j) in [
            (0, 0),
            (5, 2 * PANEL),
            (PANEL, PANEL - 1),
            (size - 1, size - 1),
        ] {
            let expected = super::super::dot(left.row(i), &middle.multiply(left.row(j)));
            assert!((product.get(i, j) - expected).abs() < 1e-9, "{i} {j}");
            assert!((product.get(j, i) - expected).abs() < 1e-9, "{j} {i}");
        }
    }

    #[test]
    fn many_products_are_those_one_by_one() {
        let matrix = matrix(PANEL + 5, 3);
        let vector = |seed: usize| (0..PANEL + 5).map(|i| ((i * seed) as f64).cos()).collect();
        let vectors: Vec<Vec<f64>> = (0..PANEL + 2).map(vector).collect();
        for (vector, product) in vectors.iter().zip(matrix.multiply_all(&vectors)) {
            for (a, b) in matrix.multiply(vector).iter().zip(product) {
                assert!((a - b).abs() < 1e-12);
            }
        }
        assert!(matrix.multiply_all(&[]).is_empty());
    }

    #[test]
    fn a_gram_matrix_is_about_the_mean() {
        let vectors = [1.0, 2.0, 3.0, 6.0, 5.0, 1.0];
        let gram = Symmetric::gram(&vectors, &[3.0, 3.0]);
        assert_eq!(gram.values(), [8.0, -2.0, -2.0, 14.0]);
        assert_eq!(Symmetric::gram(&[], &[]).size(), 0);
    }
}
