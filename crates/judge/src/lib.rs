//! How far to trust fitted weights.
//!
//! A number means little without its error. [`judge()`] says of a run whether its
//! weights are better than those before, by games that neither was fitted to; how
//! far each weight may be off; and which an engine would miss.
//!
//! [`fit_wdl`] tells win, draw and loss by score and material.
//!
//! Of weights that need come from no fit: where the residuals of their scores
//! gather ([`BinTable`], [`score_tests`]), E along one weight ([`profile()`]), and features
//! that no weight reads ([`suggest`]).

mod beta;
mod bins;
mod calibration;
mod contrast;
mod frozen;
mod game_sums;
mod identifiability;
mod judgement;
mod learning;
mod matrix_free;
mod not_computed;
mod profile;
mod score_test;
mod statistics;
mod suggestion;
mod variance;
mod verdict;
mod wdl;

pub use bins::{Bin, BinMeans, BinTable, Bins, LossChange, Residual};
pub use calibration::{
    Calibration, CalibrationAt, CalibrationFeature, CalibrationSums, RowScores, ScoredRow,
    calibrate, examined_part,
};
pub use contrast::{EntryStatement, TableStatement};
pub use frozen::FrozenStatement;
pub use game_sums::GameSums;
pub use identifiability::{Direction, Flatness, NamedTerm, TermMembers};
pub use judgement::{
    Advice, GroupStatement, Judgement, NEGLIGIBLE, StatementCounts, WeightEstimate,
    WeightStatement, WeightStatus, canonicalise, judge,
};
pub use learning::{
    Ablation, CrossValidation, Interrupt, LearningCurve, LearningPoint, ablate, cross_validate,
    learning_curve,
};
pub use matrix_free::{FREQUENT, SomeErrors, some_errors};
pub use not_computed::NotComputed;
pub use profile::{ProfilePoint, ProfileRange, WeightProfile, profile};
pub use score_test::{ScoreTest, score_tests};
pub use statistics::{LEVEL, discoveries};
pub use suggestion::{FeatureTest, Suggestions, suggest};
pub use variance::{Variance, Worth};
pub use verdict::{ErrorDifference, FitVerdict, NoiseShare};
pub use wdl::{NORMAL_MATERIAL, WdlError, WdlModel, WdlPoint, WdlSample, fit_wdl};
