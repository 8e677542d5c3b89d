//! The traces of a data set: rows in memory and in files.
//!
//! Start with [`RowDraft`], what one position's trace looks like, and
//! [`TraceSet`], where many of them live in a few arrays. [`Compactor`] makes
//! a draft of a traced position. With feature `arrow` there are files of rows
//! larger than memory ([`file`]) and traces made in other languages ([`arrow`]).
//!
//! Nothing here knows weights' names, losses or solvers.

mod arrange;
#[cfg(feature = "arrow")]
pub mod arrow;
mod column;
mod compact;
mod counts;
mod dictionary;
mod draft;
mod entries;
#[cfg(feature = "arrow")]
pub mod file;
mod kernel;
mod nonlinear;
#[cfg(feature = "arrow")]
mod plain;
mod steps;
pub mod stream;
mod table;
mod tokens;
mod trace_set;
mod traces;
mod view;

pub use compact::Compactor;
pub use counts::LaneCount;
pub use draft::{RowDraft, RowError, RowInfo, Segment};
pub use table::{Cells, Table, TokenSums};
pub use tokens::{LARGE, Token};
pub use trace_set::TraceSet;
pub use traces::{AHEAD, Blocks, Traces};
pub use tuner_base::{LaneId, Slot};
pub use view::{Linearised, Row, Rows, SegmentView, Segments, gather, scatter};

#[cfg(test)]
mod tests;
