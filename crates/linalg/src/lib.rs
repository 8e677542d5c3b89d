//! Dense symmetric systems: factorise, solve, never invert.
//!
//! nalgebra holds matrices and solves within a block; it shows in no signature.
//! [`RankRevealing`] finds what a system leaves undetermined, [`sparse_basis`] says it in few
//! weights.

mod cholesky;
mod null_space;
mod pivoted;
mod product;
mod symmetric;

pub use cholesky::{Cholesky, Failure, InverseFactor};
pub use null_space::{inflation, oriented, sparse_basis};
pub use pivoted::RankRevealing;
pub use product::inner_products;
pub use symmetric::Symmetric;

/// Returns the inner product of two vectors, summed in order.
///
/// # Panics
/// If their lengths differ.
pub fn dot(left: &[f64], right: &[f64]) -> f64 {
    assert_eq!(left.len(), right.len());
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

/// Returns a vector of zeros with a 1 at `index`.
pub fn unit_vector(size: usize, index: usize) -> Vec<f64> {
    let mut vector = vec![0.0; size];
    vector[index] = 1.0;
    vector
}

/// Returns `left` − `right`, element by element; both are of one length.
pub fn difference(left: &[f64], right: &[f64]) -> Vec<f64> {
    left.iter().zip(right).map(|(a, b)| a - b).collect()
}

/// Adds `factor`·`other` to a vector, element by element; both are of one length.
pub fn add_scaled(to: &mut [f64], factor: f64, other: &[f64]) {
    for (value, other) in to.iter_mut().zip(other) {
        *value += factor * other;
    }
}

/// Adds to each element of `sums` the product of the elements of `left` and `right` at its place;
/// all are of one length.
pub fn add_products(sums: &mut [f64], left: &[f64], right: &[f64]) {
    for ((sum, left), right) in sums.iter_mut().zip(left).zip(right) {
        *sum += left * right;
    }
}

/// Returns the largest absolute value of a vector's elements, 0 if it is empty, NaN if an element
/// is NaN.
pub fn max_abs(vector: &[f64]) -> f64 {
    vector.iter().fold(0.0, |max: f64, &v| {
        if v.is_nan() || max.is_nan() {
            f64::NAN
        } else {
            max.max(v.abs())
        }
    })
}
