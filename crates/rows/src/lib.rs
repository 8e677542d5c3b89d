//! The traces of a data set: rows in memory and in files.
//!
//! ```
//! use tuner_rows::{RowDraft, RowInfo, Segment, Slot, TraceSet};
//!
//! // A position at a quarter of the material: 5 + 0.25·mg + 0.75·eg, with slot 0
//! // once and slot 1 twice for the other side.
//! let tapered = Segment::same([0.25, 0.75], [(Slot(0), 1), (Slot(1), -2)]);
//! let draft = RowDraft {
//!     constant: 5.0,
//!     segments: vec![tapered],
//!     expression: None,
//! };
//! let mut set = TraceSet::new(2);
//! set.push(&draft, &RowInfo::new(1.0, 0))?;
//! set.finish();
//! let lanes = [100.0, 120.0, 10.0, 20.0]; // mg and eg of each slot
//! assert_eq!(set.score(0, &lanes), 5.0 + 0.25 * 80.0 + 0.75 * 80.0);
//! # Ok::<(), tuner_rows::RowError>(())
//! ```
//!
//! Start with [`RowDraft`], what one position's trace looks like, and
//! [`TraceSet`], where many of them live in a few arrays. [`Compactor`] makes
//! a draft of a traced position. With feature `arrow` there are files of rows
//! larger than memory ([`file`](mod@file)) and traces made in other languages ([`import`]).
//! What kernels read, groups of tokens without a view of each row, is in
//! [`kernel`].
//!
//! Nothing here knows weights' names, losses or solvers.

mod arrange;
mod batch;
mod batch_seconds;
#[cfg(feature = "arrow")]
mod checks;
mod column;
mod compact;
mod culprit;
mod distinct;
mod draft;
mod entries;
#[cfg(feature = "arrow")]
pub mod file;
pub mod import;
pub mod kernel;
mod neighbours;
mod nonlinear;
mod row_fault;
mod shapes;
mod share;
mod slot_sums;
mod steps;
mod stream;
mod table;
mod tokens;
mod trace_set;
mod traces;
mod view;

pub use compact::Compactor;
pub use culprit::{Culprit, Suspects};
pub use draft::{RowDraft, RowError, RowInfo, Segment};
pub use row_fault::RowFault;
pub use table::{Table, TokenSums};
pub use tokens::Token;
pub use trace_set::TraceSet;
pub use traces::{AHEAD, Blocks, Traces};
pub use tuner_base::{LaneId, Slot};
pub use view::{Linearised, Row, Rows, SegmentView, Segments};

#[cfg(test)]
mod tests;
