//! The procedural macros of Tuner.
