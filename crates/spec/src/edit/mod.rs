//! Texts that are changed in place: edits by bytes, columns that stay columns,
//! values as TOML.

mod align;
mod diff;
mod toml;

pub(crate) use align::align;
#[cfg(feature = "source")]
pub(crate) use align::is_aligned;
pub(crate) use diff::{Edit, apply, unified};
pub(crate) use toml::{quoted, table};
