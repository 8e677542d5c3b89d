//! Minimisation: from an objective and a start to its minimum.
//!
//! Start with [`minimise`]; [`resume`] continues from a [`Checkpoint`]. [`Options`]
//! says what can be chosen, [`Summary`] what happened and why it ended. There is no
//! file, no game and no parameter name in here: variables are numbers, and the
//! problem is an [`Objective`](crate::model::Objective).
//!
//! `minimise` holds the loop over iterations, `method` the interface that a method
//! implements for it. `second_order` is Gauss-Newton and Newton with a dense matrix,
//! `matrix_free` everything else.

mod checkpoint;
mod matrix_free;
mod method;
mod minimise;
mod options;
mod problem;
mod second_order;
mod separation;
mod state;
mod summarise;
mod summary;

pub use checkpoint::{Checkpoint, CheckpointError};
pub use minimise::{minimise, resume};
pub use options::{Options, Solver};
pub use problem::{NeedsRetrace, Problem, Progress, Solution, kkt_residual};
pub use summary::{Fallback, Method, Record, Summary, Termination};
