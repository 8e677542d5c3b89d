//! Minimisation: from an objective and a start to its minimum.
//!
//! Start with [`minimise`]; [`resume`] continues from a [`Checkpoint`]. [`Options`]
//! says what can be chosen, [`Summary`] what happened and why it ended. There is no
//! file, no game and no parameter name in here: variables are numbers, and the
//! problem is an [`Objective`].
//!
//! `minimise` holds the loop over iterations, `method` the interface that a method
//! implements for it. `second_order` is Gauss-Newton and Newton with a dense matrix,
//! `matrix_free` everything else. Of the problem, [`Reduction`] says which weights
//! are variables, and [`Prior`] what is known of them beforehand.

mod active_set;
mod checkpoint;
mod constraint;
mod line;
mod matrix_free;
mod method;
mod minimise;
mod objective;
mod options;
mod penalised;
mod pool;
mod preconditioner;
mod prior;
mod prior_spec;
mod problem;
mod reduction;
mod sampled_start;
mod second_order;
mod separation;
mod state;
mod subset;
mod summarise;
mod summary;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use constraint::{LinearConstraint, feasible};
pub use line::{ByGradient, Line, LinePoint};
pub use minimise::{minimise, resume};
pub use objective::{Curvature, Objective, PassError, PassResult, SampledObjective};
pub use options::{Options, Solver};
pub use penalised::Penalised;
pub use pool::{PoolParts, PoolPrior, PoolTerm};
pub use preconditioner::{Preconditioner, most_frequent};
pub use prior::Prior;
pub use prior_spec::{LaplacePrior, Neighbours, PriorSpec};
pub use problem::{KnownCurvature, NeedsRetrace, Problem, Progress, Solution, kkt_residual};
pub use reduction::{Lane, Reduction, ReductionError, ReductionParts};
pub use subset::Subset;
pub use summary::{Cost, Fallback, Method, Record, Summary, Termination};
pub use tuner_base::{Constraint, LaneId, Tie, VariableId, WeightId};
pub use tuner_linalg as linalg;
