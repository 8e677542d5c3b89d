//! Cholesky with pivoting: the rank of a matrix and a basis of its null space.

use super::{Symmetric, dot};

/// What a positive semidefinite matrix determines, and what it does not.
///
/// *Source*: N. J. Higham, Accuracy and Stability of Numerical Algorithms,
/// 2nd ed., 2002, §10.3 (complete pivoting on the diagonal).
#[derive(Clone, Debug)]
pub struct RankRevealing {
    rank: usize,
    /// An orthonormal basis of the null space, vector by vector.
    null: Vec<Vec<f64>>,
}

impl RankRevealing {
    /// Factorises a matrix until what is left is rounding.
    ///
    /// *Numerics*: on the matrix scaled to a diagonal of ones, pivots below
    /// `100·size·ε` count as 0. Rows of zeros are null directions too.
    /// *Cost*: size²·rank/2 multiplications and a copy of the matrix.
    pub fn new(matrix: &Symmetric) -> Self {
        let size = matrix.size();
        let scale: Vec<f64> = matrix
            .diagonal()
            .iter()
            .map(|&d| if d > 0.0 { d.sqrt().recip() } else { 0.0 })
            .collect();
        let mut order: Vec<usize> = (0..size).collect();
        // Row i of the lower factor, in the order of the pivots.
        let mut lower: Vec<Vec<f64>> = vec![Vec::new(); size];
        let mut left: Vec<f64> = scale
            .iter()
            .map(|&s| if s > 0.0 { 1.0 } else { 0.0 })
            .collect();
        let smallest = 100.0 * size as f64 * f64::EPSILON;
        let mut rank = 0;
        while rank < size {
            let mut best = rank;
            for k in rank + 1..size {
                if left[order[k]] > left[order[best]] {
                    best = k; // the first of equals, so that the order is fixed
                }
            }
            if left[order[best]] <= smallest {
                break;
            }
            order.swap(rank, best);
            let pivot = order[rank];
            let root = left[pivot].sqrt();
            let pivot_row = lower[pivot].clone();
            for &i in &order[rank + 1..] {
                let element = scale[i] * matrix.get(i, pivot) * scale[pivot];
                let value = (element - dot(&lower[i], &pivot_row)) / root;
                lower[i].push(value);
                left[i] -= value * value;
            }
            lower[pivot].push(root);
            rank += 1;
        }
        let null = null_space(&order, rank, &lower, &scale);
        Self { rank, null }
    }

    /// Returns the number of directions that the matrix determines.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Returns an orthonormal basis of the directions that it does not.
    pub fn null_space(&self) -> &[Vec<f64>] {
        &self.null
    }

    /// Takes out of a vector its part along the null space: of all vectors
    /// with the same product, the shortest remains.
    pub fn shorten(&self, vector: &mut [f64]) {
        for direction in &self.null {
            let along = dot(direction, vector);
            for (v, d) in vector.iter_mut().zip(direction) {
                *v -= along * d;
            }
        }
    }
}

/// Solves for the pivots, for each column that is not one, and orthonormalises.
fn null_space(order: &[usize], rank: usize, lower: &[Vec<f64>], scale: &[f64]) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for &free in &order[rank..] {
        let mut vector = vec![0.0; order.len()];
        vector[free] = 1.0;
        if scale[free] > 0.0 {
            // L₁₁ᵀ·y = −(row of the factor), from the last pivot to the first.
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
        // Gram-Schmidt twice is enough (Higham §19.8).
        for _ in 0..2 {
            for other in &basis {
                let along = dot(other, &vector);
                vector
                    .iter_mut()
                    .zip(other)
                    .for_each(|(v, o)| *v -= along * o);
            }
        }
        let length = dot(&vector, &vector).sqrt();
        for value in &mut vector {
            *value /= length;
        }
        basis.push(vector);
    }
    basis
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
        assert_eq!((found.rank(), found.null_space().len()), (3, 2));
        for direction in found.null_space() {
            assert!((dot(direction, direction) - 1.0).abs() < 1e-12);
            assert!(super::super::max_abs(&matrix.multiply(direction)) < 1e-6);
        }
        let mut vector = vec![1.0, 1.0, -1.0, 5.0, 0.0];
        found.shorten(&mut vector);
        assert!(super::super::max_abs(&vector) < 1e-9, "{vector:?}");
    }

    #[test]
    fn full_rank_leaves_vectors_alone() {
        let found = RankRevealing::new(&gram(&[[1.0, 0.0, 0.0, 0.0], [1.0, 1e-3, 0.0, 0.0]]));
        assert_eq!(found.rank(), 2);
        assert!(found.null_space().is_empty());
    }
}
