//! The files that a fit, a loop and a match leave on disk.
//!
//! - [`RunRecord`]: `summary.json` of a fit.
//! - [`LoopRecord`]: `loop.json` of a loop of play, fit and test.
//! - [`MatchHead`]: what the first line of a match's file says of it;
//!   [`StandingRecord`]: what games have come to.
//!
//! Each type is written and read: what a fit hands to a script is what a page is made
//! of. Nothing is computed here that was not when the record was made, but for the Elo of
//! a loop ([`LoopRecord::elo`]). Start reading at `run`.

mod error;
mod games;
mod loop_record;
mod named;
mod run;
mod solver;

pub use error::RunRecordError;
pub use games::{FastGamesRecord, MatchHead, NodeTime, StandingRecord, TermRecord, TermWorth};
pub use loop_record::{LOOP_FORMAT, LoopElo, LoopEngine, LoopFit, LoopRecord, LoopRound};
pub use named::NamedValues;
pub use run::{
    DataFileRecord, DataRecord, PhaseRecord, RUN_FORMAT, RunRecord, SearchRecord, SourcesRecord,
    SpecRecord,
};
pub use tuner_fit::{
    AgainstResults, Anchored, ChosenPrior, EvidencePrior, GroupDeviation, Strength, Trial,
};

pub use solver::{OpenWeights, SolverRecord};
