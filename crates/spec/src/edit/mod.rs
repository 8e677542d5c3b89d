//! Texts that are changed in place: edits by bytes, columns that stay columns,
//! values as TOML.

mod align;
mod changes;
#[cfg(feature = "source")]
mod diff;
mod toml;

pub(crate) use align::{align, is_aligned};
pub(crate) use changes::{Edit, apply};
#[cfg(feature = "source")]
pub use diff::unified_diff;
pub(crate) use toml::{cells, quoted, table, widths};
