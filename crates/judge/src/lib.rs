//! What to believe of fitted weights.
//!
//! A number without its error is no number. [`judge()`] says of a run whether its
//! weights are better than those before, by games that neither was fitted to; how
//! far each weight may be off; and which an engine would miss.

mod identifiability;
mod judgement;
mod learning;
mod matrix_free;
mod statistics;
mod variance;
mod verdict;

pub use identifiability::{
    CanonicalForm, Correlation, Direction, Flatness, INFLATED, IdentifiabilityError, LeftOut,
    LeftOutReason, MOST_NEAR_NULL, MovedMean, NamedTerm, PartRows, STEP, STRONG_CORRELATION,
    TermMembers, canonical, correlations, directions, sentences, variance_inflation,
};
pub use judgement::{
    Advice, Estimate, GroupStatement, Judgement, NEGLIGIBLE, WeightStatement, WeightStatus, judge,
};
pub use learning::{
    CrossValidation, Interrupt, LearningCurve, LearningPoint, cross_validate, learning_curve,
};
pub use variance::{ALONE, Alone, Variance, VarianceError, Worth};
pub use verdict::{Difference, NoiseShare, Verdict};
