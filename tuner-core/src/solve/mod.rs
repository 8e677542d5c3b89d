//! The solvers: from an objective and a start to its minimum.
//!
//! Start with [`minimise`]; [`resume`] goes on from what an observer saved. [`Options`] says what can be chosen, [`Summary`]
//! what happened and why it ended. There is no file, no game and no parameter
//! name in here: variables are numbers, and the problem is an
//! [`Objective`](crate::model::Objective).

mod adam;
mod along;
mod box_qp;
mod cg;
mod descent;
mod feasible;
mod gd;
mod lbfgs;
mod minimise;
mod newton_cg;
mod options;
mod polish;
mod problem;
mod saved;
mod search;
mod state;
mod step;
mod summary;
mod truncated;
mod without_matrix;

pub use minimise::{minimise, resume};
pub use options::{Options, Solver};
pub use problem::{Flow, IsStale, Problem, Progress, Solution, kkt_residual};
pub use saved::{Saved, SavedError};
pub use summary::{Fallback, Method, Record, Summary, Termination};

#[cfg(test)]
mod tests;
