//! Which literals of Rust sources are weights.
//!
//! The macros number the literals of an initialiser, the import writes them
//! into a spec, the patch writes tuned values over them. All three must mean
//! the same literals in the same order, so what counts as one is decided here
//! and nowhere else: [`Leaves`] says what an initialiser holds, [`each_part`]
//! visits the same parts in place.
//!
//! [`Scan`] reads whole files: their consts and statics as plain data, with
//! the bytes at which each weight stands.
//!
//! Not here: which consts hold weights in a crate (the macros follow its
//! modules), and what a traced number is.

mod attributes;
mod entries;
mod extent;
mod groups;
mod inline;
mod leaves;
mod number;
mod scan;
mod text;
mod types;

pub use attributes::{has_attribute, is_test};
pub use entries::Entry;
pub use extent::Extent;
pub use groups::Group;
pub use inline::{inline_weight, inline_weights};
pub use leaves::{Leaf, Leaves, Part, each_part};
pub use number::{Number, range};
pub use scan::{Const, Literal, Place, Scan, Standing};
pub use text::Fault;
pub use types::Holds;
