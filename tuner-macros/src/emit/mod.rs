//! The third phase: tokens of the twin, from the model and what was inferred.
//!
//! [`twin`] writes items, [`rewrite`] their bodies, [`module`] what is around
//! them, [`imports`] the names that they need, [`registry`] the weights.

pub(crate) mod imports;
pub(crate) mod module;
mod operators;
pub(crate) mod registry;
mod rewrite;
mod scored;
pub(crate) mod twin;
mod types;
