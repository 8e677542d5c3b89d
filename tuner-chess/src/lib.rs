//! Chess for Tuner.
