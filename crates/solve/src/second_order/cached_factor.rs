//! A factorisation that serves several steps.

use serde::{Deserialize, Serialize};

use super::box_qp::Factored;
use crate::linalg::{Failure, Symmetric};

/// The last factorisation of a matrix, at one damping.
#[derive(Clone, Debug)]
pub(super) struct CachedFactor {
    pub(super) origin: FactorOrigin,
    pub(super) damped: Symmetric,
    pub(super) factored: Option<Factored>,
}

/// How a factorisation came about: enough to repeat it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FactorOrigin {
    /// The damping that was asked for, in parts of the scale.
    pub(super) asked: f64,
    /// The damping that it was factorised with.
    pub(super) damping: f64,
    /// Why it needed more damping than was asked for; `None` if it did not.
    pub(super) failure: Option<Failure>,
}
