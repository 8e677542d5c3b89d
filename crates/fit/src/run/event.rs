//! The events of a run.

use std::io;
use std::path::Path;

use super::{ChosenTargets, NamedWeights};
use crate::ChosenPrior;
use tuner_solve::Record;

/// Watches a run.
pub trait RunObserver {
    /// Is told of each event of the run, in their order; by default it does nothing.
    fn event(&mut self, _event: &RunEvent<'_>) {}

    /// Tells whether the run is to end with the best weights so far; asked after
    /// every iteration, and after positions were traced again.
    fn is_interrupted(&self) -> bool {
        false
    }
}

/// Says nothing, and interrupts nothing.
impl RunObserver for () {}

/// Something that happened. All but [`Iteration`](Self::Iteration) and
/// [`StageEnded`](Self::StageEnded), which are for progress bars, print as
/// sentences.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub enum RunEvent<'a> {
    /// There is a checkpoint, which will be written over, as the run does not
    /// resume from it.
    #[error(
        "{}: of an interrupted fit, and will be written over; --resume continues it",
        .0.display()
    )]
    CheckpointFound(&'a Path),
    /// Weights were read from a file, and its names are not exactly those here.
    #[error("{}", .0.notes().join("\n"))]
    WeightsRead(&'a NamedWeights),
    /// The checkpoint was written by another version of Tuner.
    #[error(
        "{} was written by tuner {version:?}, this is {}: the last digits may come out otherwise",
        path.display(),
        env!("CARGO_PKG_VERSION")
    )]
    OtherVersion {
        /// The checkpoint.
        path: &'a Path,
        /// The version that wrote it.
        version: &'a str,
    },
    /// The run resumes from the very state of the checkpoint.
    #[error("{}: resumed after iteration {iteration}", path.display())]
    Resumed {
        /// The checkpoint.
        path: &'a Path,
        /// The iteration after which it was written.
        iteration: usize,
    },
    /// The run starts from the weights of a checkpoint of other parameters.
    #[error(
        "{}: other parameters than then, so the fit starts from its weights after iteration \
         {iteration}, and does not end as it would have: {carried} weights carried over by name, \
         {new} new ones at their initial values, {dropped} dropped; what else changed in the \
         evaluation is not known",
        path.display()
    )]
    CarriedOver {
        /// The checkpoint.
        path: &'a Path,
        /// The iteration after which it was written.
        iteration: usize,
        /// Weights that are in both, by name.
        carried: usize,
        /// Weights that the checkpoint does not have.
        new: usize,
        /// Weights that only the checkpoint has.
        dropped: usize,
    },
    /// A descent before the saved one ended at another limit of iterations.
    #[error(
        "{}: --max-iterations was {then}, where a descent before this one ended; that one is not \
         continued, so the end is not that of a fit with {now} from the beginning",
        path.display()
    )]
    OtherLimit {
        /// The checkpoint.
        path: &'a Path,
        /// The limit of then.
        then: usize,
        /// The limit of now.
        now: usize,
    },
    /// The targets are other ones than results at equal weights.
    #[error("{}", .0.words().join("\n"))]
    TargetsChosen(&'a ChosenTargets),
    /// The strength of the prior is in the checkpoint.
    #[error("prior: its strength was chosen when the fit began, and is not chosen again")]
    PriorResumed,
    /// The strength of the prior that was chosen.
    #[error("{0}")]
    PriorChosen(&'a ChosenPrior),
    /// A fit to find how much files count has gone a step further.
    #[error("weighing files")]
    Weighing,
    /// An iteration has ended.
    #[error("iteration {}: E {}", record.iteration, record.error)]
    Iteration {
        /// The iteration.
        record: &'a Record,
        /// Most iterations of this descent.
        limit: usize,
    },
    /// A descent, or a pass over positions, has ended.
    #[error("")]
    StageEnded,
    /// So many iterations are done: all positions are traced again, where their
    /// search ends now.
    #[error("iteration {0}: all positions are resolved and traced again")]
    ResolvingAgain(usize),
    /// So many rows take another branch that positions are traced again.
    #[error("{0} positions take another branch: they are traced again")]
    Retracing(u64),
    /// So many rows take another branch after a round, more than before it; its
    /// weights are not taken.
    #[error("{0} positions take another branch after it, more than before: it is left out")]
    RoundLeftOut(u64),
    /// The true error at weights that rows led to, or part of the way there.
    #[error(
        "{}: E {:.10} → {:.10}, {:.10} predicted{}",
        if *step >= 1.0 { "measured".to_owned() } else { format!("measured at {step} of the step") },
        errors[0], errors[2], errors[1],
        if *falls { "" } else { ": not taken" }
    )]
    Verified {
        /// The part of the step.
        step: f64,
        /// E before it, as it is predicted for the whole step, and as it is.
        errors: [f64; 3],
        /// Whether the step is taken.
        falls: bool,
    },
    /// A checkpoint could not be written; said once.
    #[error(
        "{}: {}; the fit continues, but what is not written cannot be resumed",
        .0.display(), .1
    )]
    CheckpointNotWritten(&'a Path, &'a io::Error),
    /// The weights of an iteration could not be written; said once.
    #[error("{}: {}; the fit continues without", .0.display(), .1)]
    WeightsNotWritten(&'a Path, &'a io::Error),
}
