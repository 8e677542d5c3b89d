//! Rounding and held-out error.
