//! Which literals of Rust sources are weights.
//!
//! The macros number the literals of an initialiser, the import writes them
//! into a spec, the patch writes tuned values over them. All three must mean
//! the same literals in the same order, so what counts as one is decided here
//! and nowhere else: [`Leaves`] says what an initialiser holds, [`each_part`]
//! visits the same parts in place.
//!
//! Not here: which consts hold weights in a crate (the macros follow its
//! modules), and what a traced number is.

mod extent;
mod leaves;
mod number;

pub use extent::Extent;
pub use leaves::{Leaf, Leaves, Part, each_part};
pub use number::{Number, range};
