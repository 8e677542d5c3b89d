//! What factorisations take.

use std::time::Instant;

use tuner_solve::linalg::{Cholesky, RankRevealing, Symmetric};

/// Names the sizes to measure.
pub(crate) const SIZES: &str = "FACTOR";

/// A combination of so many weights is undetermined.
const UNDETERMINED: usize = 24;

/// Prints the seconds that the rank and Cholesky's factor of a matrix take, size by size.
pub(crate) fn print(sizes: &str) {
    for size in sizes.split(',').filter_map(|size| size.trim().parse().ok()) {
        let matrix = matrix(size);
        let began = Instant::now();
        let rank = RankRevealing::new(&matrix).rank;
        let ranks = began.elapsed().as_secs_f64();
        let damped = matrix.damped(1e-8, &vec![1.0; size]);
        let began = Instant::now();
        let factor = Cholesky::new(&damped).is_ok();
        let factorised = began.elapsed().as_secs_f64();
        println!(
            "{size} weights: rank {rank} in {ranks:.2} s, Cholesky ({factor}) in {factorised:.2} s"
        );
    }
}

/// A matrix with a diagonal of about 1 and a known rank: D + V·Vᵀ, where the last rows are
/// copies of the first.
fn matrix(size: usize) -> Symmetric {
    let distinct = size - UNDETERMINED;
    let value = |i: usize, k: usize| ((i * 31 + k * 17) as f64).sin();
    let mut matrix = Symmetric::zeros(size);
    for i in 0..size {
        let left = i % distinct;
        for j in 0..=i {
            let right = j % distinct;
            let products: f64 = (0..3).map(|k| value(left, k) * value(right, k)).sum();
            let diagonal = if left == right { 1.0 } else { 0.0 };
            matrix.add(i, j, 0.1 * products + diagonal);
        }
    }
    matrix
}
