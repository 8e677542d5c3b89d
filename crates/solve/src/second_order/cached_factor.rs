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
    /// The damping asked for.
    pub(super) asked: f64,
    /// The damping that it took.
    pub(super) damping: f64,
    /// Why it took more.
    pub(super) failure: Option<Failure>,
}
