//! How one position's score depends on the weights.
//!
//! The twin of an evaluation computes with [`Tr`] where the production
//! evaluation computes with integers. Each operation leaves a node on a
//! thread-local tape (`tape`); a reverse sweep (`sweep`) turns the tape
//! into a few linear forms with small integer coefficients, a [`Trace`].
//! [`Declared`] and [`Registry`] say which weights the macro found in the
//! source. This much is all that an engine links.
//!
//! With feature `fit`, [`rows`] keeps the traces of a data set compactly.
//!
//! Not here: what the coefficients are used for (`model`), and which weights
//! the author declared (`param`).

#[cfg(feature = "arrow")]
pub mod arrow;
mod bits;
mod combination;
#[cfg(feature = "fit")]
mod compact;
mod curve;
mod derived;
mod expression;
#[cfg(feature = "arrow")]
pub mod file;
mod flat;
mod hatch;
mod leaves;
mod lift;
mod linear;
mod lower;
pub mod nonlinear;
mod packed;
mod predict;
mod primitive;
mod registry;
#[cfg(feature = "fit")]
pub mod rows;
mod scalar;
#[cfg(feature = "fit")]
mod second;
#[cfg(feature = "fit")]
mod steps;
mod sweep;
mod tape;

#[cfg(feature = "fit")]
pub use compact::Compactor;
pub use curve::Curve;
pub use derived::derived;
pub use expression::{Evaluation, Expression, Relation, Step};
pub use lift::{Lift, cast, lift_at};
pub use predict::Predicted;
pub use primitive::{Float, Primitive};
pub use registry::{Declared, Registry};
pub use scalar::Tr;
pub use sweep::{Form, Recorder, Trace};
pub use tape::Site;
