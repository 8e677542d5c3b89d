//! What the commands of Tuner do, below its command line.
//!
//! Each job is a function of a typed configuration, which returns a result: [`check()`],
//! [`fit()`] of an engine or of rows made elsewhere, [`trace()`] into a file, [`run_match`],
//! [`selfplay`], [`spsa`], [`run_loop`] of several, [`label_positions`],
//! [`transform_positions`] and [`split_positions`]. A [`Job`] says who watches it
//! ([`JobObserver`], `()` where nobody does), who shares it, and on how many threads; a
//! [`Project`] is the engine of a `tuner.toml`, built and started once it is needed.
//!
//! What goes wrong is a [`JobFailure`], in the words that a user of the command line sees.
//!
//! Not here: reading of arguments, printing, progress bars, signals. Start reading at `job`.

#[macro_use]
mod failure;

mod check;
mod copies;
mod doctor;
mod fit;
mod folder;
mod games;
mod job;
mod kept;
mod labels;
mod mirror;
mod new;
mod positions;
mod project;
mod rebuild;
mod rounds;
mod shard;
#[cfg(feature = "arrow")]
mod trace;
#[cfg(not(feature = "arrow"))]
#[path = "without_arrow.rs"]
mod trace;
mod transform;
mod weights;

pub use check::{CheckSummary, TraceSummary, check};
pub use copies::copy_sources;
pub use doctor::examine;
pub use failure::{JobFailure, JobResult};
pub use fit::{
    FitConfig, FitInput, FitResult, RescoreConfig, RowsConfig, equivalents, fit, one_weight,
};
pub use folder::{LedgerRun, ledger};
pub use games::{
    BOOK_PLIES, GamesConfig, GamesStanding, MatchConditions, MatchConfig, MatchResult, MatchSide,
    MovedOption, OpeningSource, Perturbation, PgnResults, RANDOM_PLIES, ResultFormat,
    SelfPlayConfig, SelfPlaySummary, SpsaConfig, SpsaSummary, Treatment, engine_at, is_match,
    is_weights, opponents, read_match, run_match, selfplay, spsa,
};
pub use job::{Job, JobEvent, JobObserver};
pub use kept::KeptSummary;
pub use labels::{LabelConfig, LabelQuestion, label_positions};
pub use mirror::{AsymmetricPosition, MirrorSummary};
pub use new::{Board, NewConfig, new_engine};
pub use positions::{PositionsConfig, ReadingConfig, check_files};
pub use project::Project;
pub use rebuild::{RebuildSummary, RebuiltScore};
pub use rounds::{LoopConfig, StepRunner, run_loop};
pub use shard::Shard;
pub use trace::trace;
pub use transform::{
    EvaluatorAt, InputSet, InputsConfig, LineOutput, SplitConfig, TransformConfig,
    TransformSummary, nothing_out, split_positions, transform_positions,
};
pub use weights::{NamedSet, fingerprint, summary_of, weights_of_file};

use failure::{JobFailure as Failure, JobResult as Result};
