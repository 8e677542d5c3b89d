//! Weights that the data separate.
//!
//! Where every position with a weight has the same result, the error falls for
//! ever as the weight grows: there is no optimum (quasi-complete separation).
//!
//! *Source*: A. Albert, J. Anderson, On the existence of maximum likelihood
//! estimates in logistic regression models, Biometrika 71, 1984.

use super::state::State;
use crate::{Curvature, PassResult};

/// A variable is separated when its curvature has fallen to this part of what it
/// was: σ′² there means odds of ten thousand to one in every position.
const SEPARATED: f64 = 1e-8;

/// Returns which of the variables in play are separated, by the curvature that
/// they had at the start. With a prior none is. *Cost*: a pass without a prior.
pub(super) fn separated(
    state: &mut State<'_>,
    first_diagonal: &[f64],
    in_play: impl Iterator<Item = usize>,
) -> PassResult<Vec<usize>> {
    if state.problem.prior.is_some() {
        return Ok(Vec::new());
    }
    let diagonal = state.diagonal(Curvature::GaussNewton)?;
    Ok(in_play
        .filter(|&i| diagonal[i] < SEPARATED * first_diagonal[i])
        .collect())
}
