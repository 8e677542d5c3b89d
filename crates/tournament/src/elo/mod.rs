//! The strength that games show: counts of pairs, Elo with its error, the
//! sequential test.
//!
//! Games are played in pairs, one opening with both colours. The two games of a pair are not
//! independent draws, so it is pairs that are counted: five frequencies, by the half points (0 … 4)
//! of the side whose results are counted.

mod frequencies;
mod sprt;

pub use frequencies::{Estimate, Frequencies, NELO_PER_T, Pentanomial, is_even};
pub use sprt::{EloUnit, Sprt, SprtError, Verdict};
