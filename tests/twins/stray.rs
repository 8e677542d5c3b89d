//! No `mod` names this file: its weights are no weights.

#[tuner_core::tunable]
pub const STRAY: i32 = 1;
