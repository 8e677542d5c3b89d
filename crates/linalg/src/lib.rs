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
pub use null_space::{inflation, oriented, sparse_basis, subtract};
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

/// Adds to each element the product of those of `left` and `right`; all are of one length.
pub fn add_products(sums: &mut [f64], left: &[f64], right: &[f64]) {
    for ((sum, left), right) in sums.iter_mut().zip(left).zip(right) {
        *sum += left * right;
    }
}

/// Returns the largest absolute value, 0 for an empty vector, NaN if any is.
pub fn max_abs(vector: &[f64]) -> f64 {
    vector.iter().fold(0.0, |max: f64, &v| {
        if v.is_nan() || max.is_nan() {
            f64::NAN
        } else {
            max.max(v.abs())
        }
    })
}
