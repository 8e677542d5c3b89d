//! How one position's score depends on the weights.
//!
//! ```
//! use tuner_trace::{Leaf, Recorder, Tr, Trace};
//!
//! let mut trace = Trace::default();
//! // The twin of `2 * ROOK - PAWN`, with leaves 0 and 1 at 500 and 100.
//! let twin = || Tr::weight(500_i32, 0) * 2 - Tr::weight(100_i32, 1);
//! Recorder::new().record(twin, &mut trace);
//! assert_eq!(trace.score, 900.0);
//! trace.forms[0].terms.sort_unstable();
//! assert_eq!(trace.forms[0].terms, [(Leaf(0), 2), (Leaf(1), -1)]);
//! ```
//!
//! The twin of an evaluation computes with [`Tr`] where the production
//! evaluation computes with integers. Each operation leaves a node on a
//! thread-local tape (`tape`); a reverse sweep (`sweep`) turns the tape
//! into a few linear forms with small integer coefficients, a [`Trace`].
//! [`Declared`] and [`Registry`] say which weights the macro found in the
//! source. This much is all that an engine links.
//!
//! Not here: what the coefficients are used for (crate `tuner-fit`), which
//! weights the author declared (`tuner-spec`), and the traces of a whole data
//! set (`tuner-rows`).

mod bits;
mod combination;
mod derived;
mod escape;
mod expression;
mod flat;
mod in_force;
mod leaves;
mod lift;
mod linear;
mod lower;
pub mod nonlinear;
mod nonlinear_op;
mod packed;
mod predict;
mod primitive;
mod ranges;
mod recorded;
mod registry;
mod scalar;
mod second;
mod sweep;
mod tape;

pub use derived::derived;
pub use expression::{Expression, ExpressionValues, Relation, Step};
pub use lift::{HasTwin, Lift, cast, lift_at};
pub use nonlinear_op::NonlinearOp;
pub use predict::Predicted;
pub use primitive::{Float, Primitive};
pub use recorded::RecordedTape;
pub use registry::{Declared, Leaf, Registry};
pub use scalar::Tr;
pub use second::Tangents;
pub use sweep::{Form, Recorder, Trace};
pub use tape::Site;
