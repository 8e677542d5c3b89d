//! Cholesky with pivoting: the rank of a matrix and a basis of its null space.

use nalgebra::{DMatrix, DVector};

use super::null_space::larger;
use super::product::{add_product, product};
use super::symmetric::panels;
use super::{Symmetric, add_scaled, dot, unit_vector};
use tuner_parallel as parallel;

/// Pivots that are chosen before their part is subtracted from the rest of the matrix: few against
/// the whole, so that nearly all of the work is a product of matrices.
const BLOCK: usize = 64;

/// A factorisation that tells which variables a positive semidefinite matrix determines.
///
/// *Source*: N. J. Higham, Accuracy and Stability of Numerical Algorithms,
/// 2nd ed., 2002, §10.3 (complete pivoting on the diagonal); C. Lucas, LAPACK-style
/// codes for level 2 and 3 pivoted Cholesky factorizations, LAPACK Working Note 161,
/// 2004 (blocks of pivots).
#[derive(Clone, Debug)]
pub struct RankRevealing {
    /// The number of directions that the matrix determines.
    pub rank: usize,
    /// An orthonormal basis of the directions that the matrix, as it was given and not as it was
    /// scaled, does not determine.
    pub null_space: Vec<Vec<f64>>,
    /// The largest pivot that counts as 0, of the matrix scaled to a diagonal of ones.
    smallest: f64,
}

impl RankRevealing {
    /// Factorises a matrix until what is left is rounding.
    ///
    /// *Numerics*: on the matrix scaled to a diagonal of ones, pivots below
    /// `100·size·ε` count as 0. Rows of zeros are null directions too. The same
    /// bits on any number of threads.
    /// *Cost*: size²·rank/2 multiplications, nearly all of them in products of
    /// matrices, and two copies of the matrix.
    pub fn new(matrix: &Symmetric) -> Self {
        let size = matrix.size();
        let root = |d: f64| if d > 0.0 { d.sqrt().recip() } else { 0.0 };
        let scale: Vec<f64> = matrix.diagonal().into_iter().map(root).collect();
        let smallest = 100.0 * size as f64 * f64::EPSILON;
        let mut order = Vec::with_capacity(size);
        // Row i of the lower factor, in the order of the pivots.
        let mut lower: Vec<Vec<f64>> = vec![Vec::new(); size];
        let mut remainder = Remainder::of(matrix, &scale);
        loop {
            let block = remainder.pivots(smallest);
            for (place, &index) in remainder.indices.iter().enumerate() {
                // A pivot's row of the factor ends with its own column, any other has all columns
                // of the block.
                let chosen = block.pivots.iter().position(|&pivot| pivot == place);
                let count = chosen.map_or(block.pivots.len(), |step| step + 1);
                let row = block.factor.row(place);
                lower[index].extend(row.iter().take(count));
            }
            order.extend(block.pivots.iter().map(|&place| remainder.indices[place]));
            if block.pivots.len() < BLOCK {
                break;
            }
            remainder = remainder.without(&block);
        }
        let rank = order.len();
        let mut is_pivot = vec![false; size];
        for &pivot in &order {
            is_pivot[pivot] = true;
        }
        // Behind the pivots come the other indices, one for each null direction.
        order.extend((0..size).filter(|&index| !is_pivot[index]));
        Self {
            rank,
            null_space: null_space(&order, rank, &lower, &scale),
            smallest,
        }
    }

    /// Returns t such that, with A the matrix, |(A·v)ᵢ| ≤ t·√aᵢᵢ·√(Σ aⱼⱼ·vⱼ²) for each v of the
    /// null space, up to rounding of the product: a vector whose product is larger is not in it.
    ///
    /// What the pivots leave of the matrix scaled to a diagonal of ones has no element above the
    /// largest pivot that counts as 0; the root is of the number of elements that v adds up of it.
    pub fn tolerance(&self) -> f64 {
        self.smallest * (self.null_space.len() as f64).sqrt()
    }

    /// Takes out of a vector its part along the null space of the matrix A: of all vectors v with
    /// the same A·v, the shortest in the Euclidean norm remains.
    pub fn shorten(&self, vector: &mut [f64]) {
        for direction in &self.null_space {
            let along = dot(direction, vector);
            add_scaled(vector, -along, direction);
        }
    }
}

/// The matrix, scaled to a diagonal of ones, less the part that the pivots chosen so far explain,
/// over the indices that are not pivots. A place is a number among these indices.
struct Remainder {
    /// The index in the matrix of each place.
    indices: Vec<usize>,
    /// The lower triangle by panels of [`BLOCK`] columns, each from its first column's row on.
    panels: Vec<DMatrix<f64>>,
    /// The diagonal, by place.
    diagonal: Vec<f64>,
}

/// Some pivots of a remainder, and their columns of the factor.
struct PivotBlock {
    /// Their places in the remainder, in the order chosen; fewer than [`BLOCK`] if what is left
    /// then is rounding.
    pivots: Vec<usize>,
    /// A row for each place, a column for each pivot.
    factor: DMatrix<f64>,
    /// The diagonal of the remainder less the squares of `factor`, by place; −∞ at the pivots.
    diagonal: Vec<f64>,
}

impl Remainder {
    /// Makes the remainder, what pivots have not explained yet, before the first pivot: the whole
    /// matrix, with each element times the scales of its row and of its column. A scale of 0 marks
    /// a row of zeros. Its diagonal is 1, or 0 for such a row.
    fn of(matrix: &Symmetric, scale: &[f64]) -> Self {
        let size = matrix.size();
        let panels = panels(size, BLOCK, |start, end| {
            DMatrix::from_fn(size - start, end - start, |row, column| {
                let (row, column) = (start + row, start + column);
                scale[row] * matrix.get(column, row) * scale[column]
            })
        });
        let ones = scale.iter().map(|&s| if s > 0.0 { 1.0 } else { 0.0 });
        Self {
            indices: (0..size).collect(),
            panels,
            diagonal: ones.collect(),
        }
    }

    /// Returns an element of the remainder (what pivots have not explained of the matrix), by the
    /// places of its row and its column among the indices that are left, in either order: only the
    /// lower triangle is stored.
    fn get(&self, left: usize, right: usize) -> f64 {
        let (row, column) = (left.max(right), left.min(right));
        let start = column / BLOCK * BLOCK;
        self.panels[column / BLOCK][(row - start, column - start)]
    }

    /// Chooses the next pivots, 64 ([`BLOCK`]) at most, the largest diagonal element of the
    /// remainder first, until none is above `smallest`; returns them with their columns of the
    /// factor. The remainder stays as it is: [`without`](Self::without) subtracts what they
    /// explain.
    fn pivots(&self, smallest: f64) -> PivotBlock {
        let size = self.indices.len();
        let mut factor = DMatrix::zeros(size, BLOCK.min(size));
        let mut diagonal = self.diagonal.clone();
        let mut pivots: Vec<usize> = Vec::new();
        while pivots.len() < factor.ncols() {
            // The first of equals, so that the order is fixed.
            let largest = (0..size).reduce(larger(|&place: &usize| diagonal[place]));
            let Some(pivot) = largest.filter(|&best| diagonal[best] > smallest) else {
                break;
            };
            let step = pivots.len();
            let root = diagonal[pivot].sqrt();
            // The pivot's column less what the pivots of this block explain of it, over the pivot's
            // root.
            let mut column = DVector::from_fn(size, |place, _| self.get(place, pivot));
            let across = factor.row(pivot).columns(0, step).transpose();
            column.gemv(-1.0, &factor.columns(0, step), &across, 1.0);
            column /= root;
            // 0 exactly at the pivots before, where rounding has left something.
            for &before in &pivots {
                column[before] = 0.0;
            }
            column[pivot] = root;
            for (left, value) in diagonal.iter_mut().zip(column.iter()) {
                *left -= value * value;
            }
            diagonal[pivot] = f64::NEG_INFINITY; // chosen once
            factor.set_column(step, &column);
            pivots.push(pivot);
        }
        PivotBlock {
            pivots,
            factor,
            diagonal,
        }
    }

    /// Returns the remainder, what pivots have not explained of the matrix, without the pivots of a
    /// block: the elements over the other places, less the products of the pivots' columns of the
    /// factor (the Schur complement).
    fn without(&self, block: &PivotBlock) -> Self {
        let places: Vec<usize> = (0..self.indices.len())
            .filter(|place| !block.pivots.contains(place))
            .collect();
        let factor = block.factor.select_rows(&places);
        let panels = panels(places.len(), BLOCK, |start, end| {
            let mut panel = DMatrix::from_fn(places.len() - start, end - start, |row, column| {
                self.get(places[start + row], places[start + column])
            });
            let across = factor.rows(start, end - start).transpose();
            let rows = factor.rows(start, places.len() - start);
            add_product(&mut panel, -1.0, rows, &across);
            panel
        });
        Self {
            panels,
            indices: places.iter().map(|&place| self.indices[place]).collect(),
            diagonal: places.iter().map(|&place| block.diagonal[place]).collect(),
        }
    }
}

/// Returns an orthonormal basis of the null space of the matrix. For each index that is not a pivot
/// it first makes a vector: 1 at the index, 0 at the other indices that are not pivots, and at the
/// pivots the y that solves L₁₁·L₁₁ᵀ·y = −(column of the index), where L₁₁ are the pivots' rows of
/// the factor L. `order`: the `rank` pivots, then the other indices; `lower`: the rows of L, the
/// factor of the matrix scaled to a diagonal of ones; `scale`: 1/√ of the matrix' diagonal, 0 for
/// rows of zeros.
fn null_space(order: &[usize], rank: usize, lower: &[Vec<f64>], scale: &[f64]) -> Vec<Vec<f64>> {
    let solve = |&free: &usize| {
        let mut vector = unit_vector(order.len(), free);
        if scale[free] > 0.0 {
            // L₁₁ᵀ·y = −(row of L at the index), as that row is L₁₁⁻¹·column; from the last pivot
            // to the first.
            let mut y: Vec<f64> = lower[free].iter().map(|v| -v).collect();
            for k in (0..rank).rev() {
                y[k] /= lower[order[k]][k];
                let value = y[k];
                for (j, other) in y[..k].iter_mut().enumerate() {
                    *other -= lower[order[k]][j] * value;
                }
            }
            for (k, value) in y.iter().enumerate() {
                vector[order[k]] = value * scale[order[k]] / scale[free];
            }
        }
        vector
    };
    let vectors = parallel::map(rank..order.len(), |place| solve(&order[place]));
    let mut basis = DMatrix::from_vec(order.len(), vectors.len(), vectors.concat());
    orthonormalise(&mut basis);
    (basis.column_iter())
        .map(|column| column.iter().copied().collect())
        .collect()
}

/// Makes the columns of a matrix orthonormal, which must be independent, block by block: each block
/// first against the columns before it, then its columns among themselves, and both a second time.
///
/// *Source*: Gram-Schmidt twice is enough (N. J. Higham, Accuracy and Stability of Numerical
/// Algorithms, 2nd ed., 2002, §19.8).
fn orthonormalise(basis: &mut DMatrix<f64>) {
    for start in (0..basis.ncols()).step_by(BLOCK) {
        let end = (start + BLOCK).min(basis.ncols());
        let (before, mut block) = basis.columns_range_pair_mut(..start, start..end);
        let across = before.transpose();
        for _ in 0..2 {
            let along = product(&across, block.as_view());
            add_product(block.as_view_mut(), -1.0, before.as_view(), &along);
            for column in 0..end - start {
                let (others, mut vector) = block.columns_range_pair_mut(..column, column);
                for other in others.column_iter() {
                    let along = other.dot(&vector);
                    vector.axpy(-along, &other, 1.0);
                }
                let length = vector.norm();
                vector /= length;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gram matrix of the columns given.
    fn gram(columns: &[[f64; 4]]) -> Symmetric {
        let mut matrix = Symmetric::zeros(columns.len());
        for i in 0..columns.len() {
            for j in 0..=i {
                matrix.add(i, j, dot(&columns[i], &columns[j]));
            }
        }
        matrix
    }

    #[test]
    fn finds_sums_and_zeros() {
        let matrix = gram(&[
            [1.0, 0.0, 2.0, 0.0],
            [1000.0, 3000.0, 0.0, 1000.0],
            [1001.0, 3000.0, 2.0, 1000.0], // the sum of the two before
            [0.0; 4],
            [0.0, 0.0, 1e-3, 2e-3],
        ]);
        let found = RankRevealing::new(&matrix);
        assert_eq!((found.rank, found.null_space.len()), (3, 2));
        for direction in &found.null_space {
            assert!((dot(direction, direction) - 1.0).abs() < 1e-12);
            assert!(super::super::max_abs(&matrix.multiply(direction)) < 1e-6);
        }
        let mut vector = vec![1.0, 1.0, -1.0, 5.0, 0.0];
        found.shorten(&mut vector);
        assert!(super::super::max_abs(&vector) < 1e-9, "{vector:?}");
    }

    #[test]
    fn many_blocks_are_one_factor() {
        // Vectors of fewer dimensions than there are of them; the last is 0.
        let (size, dimensions) = (3 * BLOCK + 11, 2 * BLOCK + 5);
        let value = |i: usize, k: usize| {
            let waves = ((i * 31 + k * 17) as f64).sin() + ((i * k) as f64).cos();
            if i + 1 == size { 0.0 } else { waves }
        };
        let mut matrix = Symmetric::zeros(size);
        for i in 0..size {
            for j in 0..=i {
                let products = (0..dimensions).map(|k| value(i, k) * value(j, k));
                matrix.add(i, j, products.sum());
            }
        }
        let found = RankRevealing::new(&matrix);
        let null = &found.null_space;
        assert_eq!((found.rank, null.len()), (dimensions, size - dimensions));
        for (number, direction) in null.iter().enumerate() {
            assert!(super::super::max_abs(&matrix.multiply(direction)) < 1e-8);
            for (other, against) in null.iter().enumerate() {
                let expected = if number == other { 1.0 } else { 0.0 };
                assert!((dot(direction, against) - expected).abs() < 1e-12);
            }
        }
        // Of all rank, over several blocks.
        let full = RankRevealing::new(&matrix.damped(1.0, &vec![1.0; size]));
        assert_eq!(full.rank, size);
    }

    #[test]
    fn full_rank_leaves_vectors_alone() {
        let found = RankRevealing::new(&gram(&[[1.0, 0.0, 0.0, 0.0], [1.0, 1e-3, 0.0, 0.0]]));
        assert_eq!(found.rank, 2);
        assert!(found.null_space.is_empty());
    }
}
