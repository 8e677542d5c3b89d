//! Why a part of a judgement is not computed.

use thiserror::Error;
use tuner_fit::FitError;
use tuner_solve::PassError;

/// Why a part of a judgement is not computed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotComputed {
    /// Rows cannot be read, so there is no judgement at all.
    #[error(transparent)]
    Pass(#[from] PassError),
    /// It is left out for this reason.
    #[error("{0}")]
    LeftOut(String),
}

/// A part of a judgement, or why it is not computed.
pub(crate) type Computed<T> = Result<T, NotComputed>;

impl NotComputed {
    /// Makes the error that says why a part of a judgement is left out.
    pub(crate) fn reason(why: impl Into<String>) -> Self {
        Self::LeftOut(why.into())
    }

    /// Returns what was computed, or the reason why it is left out as the inner `Err`; the outer
    /// one is that rows cannot be read.
    pub(crate) fn or_reason<T>(result: Result<T, Self>) -> Result<Result<T, String>, FitError> {
        match result {
            Ok(computed) => Ok(Ok(computed)),
            Err(Self::Pass(error)) => Err(error.into()),
            Err(Self::LeftOut(why)) => Ok(Err(why)),
        }
    }
}
