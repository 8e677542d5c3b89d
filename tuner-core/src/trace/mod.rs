//! How one position's score depends on the weights.

#[cfg(feature = "arrow")]
pub mod arrow;
#[cfg(feature = "fit")]
pub mod rows;
