//! Writes `tuned_weights.rs`.
