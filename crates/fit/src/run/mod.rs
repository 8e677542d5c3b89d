//! The run of a fit: everything between a configuration and weights.
//!
//! [`fit()`](crate::fit) is one fit of rows that do not change. A run puts it
//! together with what a nonlinear evaluation asks for: positions that are
//! traced again where the fitted weights take other branches of the evaluation,
//! a prior whose strength is chosen, targets, checkpoints, resuming, an end
//! that somebody asks for, and the summary.
//!
//! What goes in:
//! - [`Variables`]: what is fitted, with names;
//! - [`RunConfig`]: what is meant, all defaults resolved, no word of a command
//!   line to interpret;
//! - a [`RowSource`]: rows, and whether positions can be traced again. The
//!   engine crate implements it for an engine and its positions;
//!   [`FixedRows`] is one for rows in a file or from elsewhere, [`ClosureRows`] for
//!   an evaluation that can only be called;
//! - a [`RunObserver`]: it is told what happens, in [`RunEvent`]s that print as
//!   sentences, and says when to end. `()` is one that is silent.
//!
//! The result is a [`FinishedRun`]: the [`Fit`](crate::Fit), the settings
//! as they were in the end, the fields of `summary.json`, and the checkpoint
//! to be removed once the results are safe.
//!
//! Start reading with [`FitRun::run`]; [`Retracing`] decides when positions are
//! traced again. Not here: reading of arguments, printing, progress bars,
//! signals.
//!
//! ```
//! use tuner_base::Slot;
//! use tuner_fit::model::Sigmoid;
//! use tuner_fit::run::{FitRun, FixedRows, RunConfig, Variables};
//! use tuner_rows::{RowDraft, RowInfo, Segment, TraceSet};
//!
//! // 500 positions that count one feature, with results that weight 90 explains.
//! let mut rows = TraceSet::new(1);
//! for game in 0..500_u32 {
//!     let count = (game % 7) as i16 - 3;
//!     let outcome = Sigmoid::new(1.0).expectation(90.0 * f64::from(count));
//!     let segments = vec![Segment::same([1.0, 0.0], vec![(Slot(0), count)])];
//!     let draft = RowDraft { segments, ..RowDraft::default() };
//!     rows.push(&draft, &RowInfo::new(outcome, game))?;
//! }
//!
//! let variables = Variables::of_features(1); // weights feature[0].mg and .eg
//! let mut config = RunConfig::default();
//! config.settings.k = Some(1.0);
//! config.settings.prior = None;
//! let run = FitRun::new(&variables, config, &mut ())?;
//! let finished = run.run(&mut FixedRows::in_memory(rows, true), &mut ())?;
//! assert_eq!(finished.fit.written[0], 90.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod checkpoint;
mod closure;
mod config;
mod error;
mod event;
mod finished;
mod fit_run;
mod init;
mod iteration_files;
mod options;
mod resume;
mod retracing;
mod source;
mod targets;
mod verified;

pub use checkpoint::CHECKPOINT_FILE;
pub use closure::{ClosureRows, ProbedPosition};
pub use config::{HELD_OUT, MAX_RETRACES, PriorChoice, RunConfig, RunFiles, Variables};
pub use error::RunError;
pub use event::{RunEvent, RunObserver};
pub use finished::{FinishedRun, RunEnd};
pub use fit_run::FitRun;
pub use init::{Init, NamedNumbers, NamedWeights, named_values, weight_lines};
pub use iteration_files::WeightsFormat;
pub use options::{NOT_GIVEN, OptionsSnapshot};
pub use resume::Renamed;
pub use retracing::Retracing;
pub use source::{FileFacts, FixedRows, RetraceError, RowFacts, RowSource};
pub use targets::{BlendedTargets, ChosenTargets, TargetConfig};
