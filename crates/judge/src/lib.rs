//! What to believe of fitted weights.

mod statistics;
mod variance;
mod verdict;

pub use variance::{ALONE, Alone, Variance, VarianceError, Worth};
pub use verdict::{Difference, NoiseShare, Verdict};
