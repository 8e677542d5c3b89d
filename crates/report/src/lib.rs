//! The record of a run for a person: a page, the lines that matter most, and two
//! runs next to each other.
//!
//! ```
//! let record = tuner_report::RunRecord::from_json(
//!     r#"{"weights": {"TEMPO.mg": 14}, "initial": {"TEMPO.mg": 10}}"#,
//! )?;
//! assert!(tuner_report::html(&record).contains("TEMPO.mg"));
//! assert!(tuner_report::terminal(&record, 80).contains("10 → 14"));
//! # Ok::<(), tuner_report::RunRecordError>(())
//! ```
//!
//! - [`RunRecord`]: what `summary.json` says.
//! - [`html()`]: one page of it, from which nothing else is loaded.
//! - [`terminal()`]: its best 25 lines.
//! - [`compare()`], [`compare_terminal()`]: two runs.
//! - [`match_page()`], [`loop_page()`], [`spec_page()`]: the games of a match, the rounds
//!   of a loop, the weights of a spec.
//!
//! Nothing is fitted or judged in this crate: it shows what a record says, and
//! leaves out what a record does not. Start reading at `digest`, which has what
//! pages and lines are made of.

mod compare;
mod digest;
mod html;
mod loop_page;
mod match_page;
mod record;
mod spec_page;
mod terminal;
mod text;
mod words;

pub use compare::{compare, compare_terminal};
pub use html::html;
pub use loop_page::{
    LoopEngineRecord, LoopFitRecord, LoopMatchRecord, LoopRecord, LoopRoundRecord, loop_page,
};
pub use match_page::{MatchEnd, MatchPoint, MatchRecord, MatchTest, match_page};
pub use record::{
    AblationRecord, AnchorRecord, CalibrationAtRecord, CalibrationBinRecord, CalibrationRecord,
    CalibrationTableRecord, ContrastTableRecord, DataProfileBinRecord, DataProfileRecord,
    DataRecord, DifferenceRecord, EstimateRecord, ExaminedRecord, FastGamesRecord, FoldsRecord,
    GroupRecord, IterationRecord, JudgementRecord, LearningCurveRecord, LearningPointRecord,
    NamedValues, NoiseRecord, PositionsOfGameRecord, PriorChoiceRecord, PriorGroupRecord,
    PriorTrialRecord, RoundingRecord, RunRecord, RunRecordError, SolverRecord, SpecRecord,
    TargetRecord, WeightRecord, Word, WorstPositionRecord, WorthRecord,
};
pub use spec_page::{SpecPageRecord, SpecParameterRecord, spec_page};
pub use terminal::{TerminalStyles, terminal, terminal_styled};
pub use text::{clean, is_acted_on};
