//! Weights that the data separate.
//!
//! Where every position with a weight has the same result, the error falls for
//! ever as the weight grows: there is no optimum (quasi-complete separation). So it does
//! along a combination of weights by which results are predicted.
//!
//! *Source*: A. Albert, J. Anderson, On the existence of maximum likelihood
//! estimates in logistic regression models, Biometrika 71, 1984.

use super::state::State;
use crate::linalg::{Symmetric, dot, max_abs};
use crate::{Curvature, PassResult};

/// A variable is separated when its curvature has fallen to this part of what it
/// was: σ′² there means odds of ten thousand to one in every position.
const SEPARATED: f64 = 1e-8;

/// Weights that moved by this part of the largest move are those of a combination that grows for
/// ever: it is the larger the longer it is followed.
const MOVED: f64 = 0.1;

/// Only where the curvature along that move is less than this part of what it would be were the
/// weights uncorrelated it may have vanished, which then takes two passes to tell.
const SUSPECTED: f64 = 1e-6;

/// A variable that had more than this part of its curvature left some steps before the end is not
/// separated: each step of Newton's takes it down to an eighth.
const LEFT: f64 = 1e-4;

/// Where a descent began: the variables, and what was known of the curvature there.
pub(super) struct Beginning<'a> {
    /// Where the descent started.
    pub(super) x: &'a [f64],
    /// Gauss-Newton's diagonal.
    pub(super) diagonal: &'a [f64],
    /// A matrix from near the end, where there is one.
    pub(super) near: Option<&'a Symmetric>,
}

/// Returns which of the variables in play are separated by the data, alone or in combination: their
/// curvature is next to nothing of what it was at the start, as results are predicted ever more
/// surely. With a prior no variable is. *Cost*: without a prior a pass, unless the matrix near the
/// end says that nothing has vanished, and up to two more.
pub(super) fn separated(
    state: &mut State<'_>,
    begun: &Beginning<'_>,
    in_play: impl Iterator<Item = usize>,
) -> PassResult<Vec<usize>> {
    if state.problem.prior.is_some() {
        return Ok(Vec::new());
    }
    let in_play: Vec<usize> = in_play.collect();
    // The combination that may grow for ever: the moves since the start, without small ones.
    let mut moves = vec![0.0; begun.x.len()];
    for &i in &in_play {
        moves[i] = state.point.x[i] - begun.x[i];
    }
    let largest = max_abs(&moves);
    let least = MOVED * largest;
    for moved in &mut moves {
        if moved.abs() < least {
            *moved = 0.0;
        }
    }
    // No pass where a matrix near the end still has curvature of each variable and of the
    // combination.
    if let Some(near) = begun.near.map(Symmetric::diagonal) {
        let is_left = |&i: &usize| near[i].abs() > LEFT * begun.diagonal[i];
        if in_play.iter().all(is_left) && begun.has_curvature(&moves, &near) {
            return Ok(Vec::new());
        }
    }
    let diagonal = state.diagonal(Curvature::GaussNewton)?;
    let grows = largest > 0.0 && has_vanished(state, begun, &diagonal, &moves)?;
    let is_separated =
        |&i: &usize| diagonal[i] < SEPARATED * begun.diagonal[i] || (grows && moves[i].abs() > 0.0);
    Ok(in_play.into_iter().filter(is_separated).collect())
}

impl Beginning<'_> {
    /// Tells whether the matrix near the end has curvature along `moves`: more than [`SUSPECTED`]
    /// times what it would be were the variables uncorrelated. `false` where there is no such
    /// matrix. `diagonal`: the curvature of each variable alone.
    fn has_curvature(&self, moves: &[f64], diagonal: &[f64]) -> bool {
        let near = self.near.map(|near| dot(moves, &near.multiply(moves)));
        near.is_some_and(|near| near.abs() > SUSPECTED * alone(moves, diagonal))
    }
}

/// Returns the curvature along a move d, Σ h·d², that there would be were the variables
/// uncorrelated, with h the curvature of each, in `diagonal`.
fn alone(moves: &[f64], diagonal: &[f64]) -> f64 {
    (moves.iter().zip(diagonal)).map(|(d, h)| d * d * h).sum()
}

/// Tells whether the curvature along a move was there at the start and is gone at the state's
/// point, less than [`SEPARATED`] of it being left. `diagonal`: the curvature of each variable at
/// the state's point.
///
/// *Cost*: no pass where a matrix from near the end says that there is some, else up to two.
fn has_vanished(
    state: &mut State<'_>,
    begun: &Beginning<'_>,
    diagonal: &[f64],
    moves: &[f64],
) -> PassResult<bool> {
    if begun.has_curvature(moves, diagonal) {
        return Ok(false);
    }
    // With more curvature than this it has surely not vanished.
    let most = SUSPECTED * alone(moves, diagonal);
    let now = dot(moves, &state.product(Curvature::GaussNewton, moves)?);
    if now > most {
        return Ok(false);
    }
    let objective = state.problem.objective;
    let product = objective.curvature_product(begun.x, Curvature::GaussNewton, moves)?;
    let before = dot(moves, &product);
    // Where there was next to no curvature at the start, the data did not determine the move.
    Ok(before > SUSPECTED * alone(moves, begun.diagonal) && now < SEPARATED * before)
}
