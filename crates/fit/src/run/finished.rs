//! A run that has ended: what is known of it, and what is written of it.

use super::fit_run::last_rows;
use super::iteration_files::IterationFiles;
use super::{
    ChosenTargets, Init, OptionsSnapshot, Retracing, RowFacts, RowSource, RunError, Variables,
};
use crate::model::Sigmoid;
use crate::{ChosenPrior, Fit, Settings};
use tuner_rows::{TraceSet, Traces};
use tuner_solve::{Prior, PriorSpec, Reduction, Termination};

/// A run that has ended, for whatever reason.
#[derive(Debug)]
pub struct FinishedRun<'a> {
    /// The variables that were fitted.
    pub variables: &'a Variables,
    /// The weights and what is known of them.
    pub fit: Fit,
    /// Whether K is that of the weights it started from, or of the spec.
    pub k_handed_on: bool,
    /// The settings as they were in the end: with the prior that was chosen.
    pub settings: Settings,
    /// The targets, and how they were found.
    pub targets: ChosenTargets,
    /// The options that decide on the result.
    pub options: OptionsSnapshot,
    /// The weights that it is compared with: the initial ones or, where it started
    /// from a file or none are declared, the start.
    pub before: Vec<f64>,
    /// The prior mean of each weight.
    pub prior_mean: Vec<f64>,
    /// The standard deviations of single weights and of neighbours, as they were
    /// chosen.
    pub prior: PriorSpec,
    /// The rows of the last round of tracing again, if there was one.
    pub retraced: Option<TraceSet>,
    /// How the strength of the prior was chosen; `None` if it was not.
    pub chosen_prior: Option<ChosenPrior>,
    /// The rounds of tracing again.
    pub retracing: Retracing,
    /// Where the run began; of one that resumed, where that began.
    pub init: Init,
    /// Facts about the rows.
    pub facts: RowFacts,
    /// How many rows there are.
    pub positions: usize,
    /// How many games the rows are of.
    pub games: usize,
    /// Whether the rows are read again for every pass.
    pub streamed: bool,
    pub(super) files: Option<IterationFiles>,
}

/// How a run ended, and what is left of it once its results are safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// The run is done, and its checkpoint removed.
    Done,
    /// The run ended at the limit of iterations, or with weights that are not
    /// [usable](FinishedRun::is_usable).
    Limited {
        /// Whether there is a checkpoint to resume from.
        resumable: bool,
    },
    /// The observer ended it.
    Interrupted {
        /// Iterations until then.
        iteration: usize,
        /// Whether there is a checkpoint to resume from.
        resumable: bool,
        /// Whether a weight was to be anchored, and the weights are not in the
        /// new scale yet.
        unscaled: bool,
    },
}

impl FinishedRun<'_> {
    /// Tells whether there are weights worth writing: not where numbers failed, the data allow no
    /// optimum, or E is not finite.
    pub fn is_usable(&self) -> bool {
        let failed = matches!(
            self.fit.summary.termination,
            Termination::NotFinite | Termination::NumericalFailure | Termination::NoOptimum
        );
        !failed && self.fit.error.is_finite()
    }

    /// Returns the sigmoid and the weights by which positions are scored: those of before the fit
    /// if `before`, else those that the fit has written.
    pub fn scored_by(&self, before: bool) -> (Sigmoid, &[f64]) {
        let (k, weights) = if before {
            (self.fit.k_before(), &self.before)
        } else {
            (self.fit.k, &self.fit.written)
        };
        (Sigmoid::new(k), weights)
    }

    /// Returns the rows that were fitted last: those of the last round of tracing again, or those
    /// of `source`, which is the source of the run, if there was no such round.
    pub fn last_rows<'s>(&'s self, source: &'s dyn RowSource) -> Traces<'s> {
        last_rows(self.retraced.as_ref(), source)
    }

    /// Tells whether every position came with the id of its game.
    pub fn all_with_game(&self) -> bool {
        self.facts.with_game == self.positions as u64
    }

    /// Returns the prior of the fit, in the scale that an anchor asked for, over the variables of
    /// `reduction`, which may be some of those that were fitted; `None` if the fit had no prior.
    pub fn prior_of(&self, reduction: &Reduction) -> Option<Prior> {
        let (deviation, unit) = (self.settings.prior?, self.fit.prior_unit?);
        let factor = self.fit.anchored.map_or(1.0, |anchored| anchored.factor);
        let mean = self.prior_mean.iter().map(|weight| factor * weight);
        let mean: Vec<f64> = mean.collect();
        let prior = Prior::new(reduction.start(&mean), factor * deviation, unit);
        Some(prior.with(&self.prior.scaled(factor), reduction, unit))
    }

    /// Returns the name of the weight with a number.
    pub fn name(&self, weight: usize) -> String {
        self.variables.names[weight].clone()
    }

    /// Tells whether all written weights are whole numbers.
    pub fn is_whole(&self) -> bool {
        self.fit.written.iter().all(|value| value.fract() == 0.0)
    }

    /// Ends the run, once its results are written, and tells how. Removes the checkpoint, unless
    /// the run may be resumed from it: after an interruption, at the limit of iterations, and where
    /// weights are not usable.
    ///
    /// # Errors
    /// If the checkpoint cannot be removed.
    pub fn end(&self) -> Result<RunEnd, RunError> {
        let files = self.files.as_ref();
        let resumable = files.is_some_and(IterationFiles::has_checkpoint);
        match self.fit.summary.termination {
            Termination::Interrupted => Ok(RunEnd::Interrupted {
                iteration: self.fit.summary.iterations,
                resumable,
                unscaled: self.settings.anchor.is_some() && self.fit.anchored.is_none(),
            }),
            Termination::IterationLimit => Ok(RunEnd::Limited { resumable }),
            // What a failed descent saved is the only way back to its start.
            _ if !self.is_usable() => Ok(RunEnd::Limited { resumable }),
            _ => {
                files.map_or(Ok(()), IterationFiles::remove_checkpoint)?;
                Ok(RunEnd::Done)
            }
        }
    }

    /// Returns which weights the prior is around, in words: those of `--prior-mean` if it was
    /// given, else those where the run began.
    pub fn prior_mean_in_words(&self) -> String {
        let given = self.options.get("--prior-mean");
        let mean = given.map_or_else(|| self.init.clone(), |name| Init::from(name.to_owned()));
        match mean {
            Init::Spec => "the initial values".to_owned(),
            Init::Zero => "zero".to_owned(),
            Init::File(path) => format!("those of {}", path.display()),
        }
    }

    /// Says what was chosen beyond loss and K, a line each: for the header of
    /// generated weights.
    pub fn choices(&self) -> Vec<String> {
        let fit = &self.fit;
        let mut words = self.targets.words();
        if fit.links > 0 {
            let pairs = fit.links;
            words.push(format!("prior: {pairs} pairs of neighbours are alike"));
        }
        words.extend(self.chosen_prior.as_ref().map(ChosenPrior::words));
        if let Some(anchored) = &fit.anchored {
            words.push(anchored.sentence(&self.variables.names[anchored.weight], fit.k));
        }
        if let Some(errors) = fit.against_results {
            let error = errors.error;
            words.push(format!("training error against results: {error:.10}"));
            if let Some(error) = errors.held_out_error {
                words.push(format!("held-out error against results: {error:.10}"));
            }
        }
        words
    }
}
