//! The solvers: from an objective and a start to its minimum.
//!
//! Start with [`minimise`]; [`resume`] goes on from what an observer saved. [`Options`] says what can be chosen, [`Summary`]
//! what happened and why it ended. There is no file, no game and no parameter
//! name in here: variables are numbers, and the problem is an
//! [`Objective`](crate::Objective).

mod adam;
mod along;
mod box_qp;
mod cg;
mod descent;
mod feasible;
mod gd;
mod lbfgs;
pub mod linalg;
mod line;
mod minimise;
mod newton_cg;
mod objective;
mod options;
mod penalised;
mod polish;
mod prior;
mod prior_spec;
mod problem;
mod reduction;
mod saved;
mod search;
mod state;
mod step;
mod subset;
mod summary;
mod truncated;
mod without_matrix;

pub use line::{Along, ByGradient, Line};
pub use minimise::{minimise, resume};
pub use objective::{Curvature, Objective};
pub use options::{Options, Solver};
pub use penalised::Penalised;
pub use prior::Prior;
pub use prior_spec::{Neighbours, PriorSpec};
pub use problem::{Flow, IsStale, Problem, Progress, Solution, kkt_residual};
pub use reduction::{Lane, Parts, Reduction, ReductionError, VariableId};
pub use saved::{Saved, SavedError};
pub use subset::Subset;
pub use summary::{Fallback, Method, Record, Summary, Termination};
pub use tuner_base::{LaneId, Tie, WeightId};
