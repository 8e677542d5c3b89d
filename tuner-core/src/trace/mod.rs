//! How one position's score depends on the weights.

#[cfg(feature = "fit")]
pub mod rows;
