//! The objective: losses, the scaling constant, free variables.
//!
//! [`Objective`] is all that a solver sees; [`Regression`] is the one that the
//! fit uses: traces, a [`Loss`], a [`Sigmoid`], a [`Reduction`] and the part
//! of the games that counts.

mod beliefs;
mod bent;
mod block;
mod curvature;
mod exponential;
mod gradient;
mod k;
mod line;
mod loss;
mod objective;
mod ordered;
pub(crate) mod passes;
mod penalised;
mod power;
mod prior;
mod reduction;
mod reduction_error;
mod regression;
mod retargeted;
mod scores;
mod sigmoid;
mod simd;
mod split;
mod targets;
mod weighing;

pub use beliefs::{Beliefs, Neighbours};
pub use k::{KError, KFit, fit_k, fit_score_k};
pub use line::{Along, ByGradient, Line};
pub use loss::{Loss, Penalty};
pub use objective::{Curvature, Objective, PassError};
pub use penalised::Penalised;
pub use power::Power;
pub use prior::Prior;
pub use reduction::{Parts, Reduction, Tie};
pub use reduction_error::ReductionError;
pub use regression::{NoRows, Regression, RegressionError};
pub use retargeted::Retargeted;
pub use sigmoid::Sigmoid;
pub use split::{Part, Split};
pub use targets::Mix;
pub use weighing::{Weighing, effective_games};
