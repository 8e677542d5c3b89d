//! The third phase: tokens of the twin, from the model and what was inferred.
//!
//! [`twin`] writes items and the module around them, [`rewrite`] their
//! bodies, [`imports`] the names that they need, [`registry`] the weights.

pub(crate) mod imports;
pub(crate) mod registry;
mod rewrite;
mod scored;
pub(crate) mod twin;
mod types;
