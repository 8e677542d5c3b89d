//! When a curvature matrix is formed, and from how many rows.

use super::curvature_matrix::CurvatureMatrix;
use super::history::History;

/// After more steps than this matrices are exact: where Gauss-Newton's own error is small,
/// as the evaluation explains the results, only exact ones double the digits.
const ROUGH: usize = 3;

/// A matrix is kept while the steps that it still takes to the end, as fast as
/// the last one went, are no more than so many. A new one costs as much as six
/// to nine steps without (`cargo bench -p tuner-core --bench solve`), and needs
/// two steps itself.
const KEEPS: f64 = 6.0;

/// A matrix is kept only if the last step brought what it predicted, but for
/// this part of it. Where a weight is separated the curvature falls with every
/// step, and a kept one would take the end to be near.
const FAITHFUL: f64 = 0.1;

/// Tells whether a sample of the rows is enough for the next matrix, as Gauss-Newton's own error is
/// larger than that of a sample: not `near` the optimum, and not after the first steps, when more
/// than [`ROUGH`] `iterations` were made.
pub(super) fn samples(near: bool, iterations: usize) -> bool {
    !near && iterations <= ROUGH
}

/// Tells whether the matrix in use leads to the end about as soon as a new one would: within
/// [`KEEPS`] steps, each of which lowers the predicted decrease as the last one did, from that
/// predicted before it to `predicted`, now. `least`: the predicted decrease that ends the descent.
/// False of a matrix of a sample, and where the decrease of the last step was not near the
/// predicted one.
///
/// *Source*: the chord, or simplified Newton, method: P. Deuflhard, Newton Methods for Nonlinear
/// Problems, 2004, §2.1.2.
pub(super) fn keeps(matrix: &CurvatureMatrix, last: &History, predicted: f64, least: f64) -> bool {
    let steps = (least / predicted).ln() / (predicted / last.predicted).ln();
    let faithful = (last.decrease / last.predicted - 1.0).abs() < FAITHFUL;
    let usable = !matrix.formed.rough && faithful;
    usable && predicted < last.predicted && steps <= KEEPS
}
