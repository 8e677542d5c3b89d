//! The descents of a fit, with a checkpoint after every iteration.

use std::ops::ControlFlow;
use std::path::Path;

use super::Failure;
use super::args::FitArgs;
use super::checkpoint::{self, Checkpoint, Constant, Keeper};
use super::folder::Folder;
use super::interrupt::Interrupt;
use super::progress::Progress;
use super::resume::{Here, Identity, Verdict, decide};
use super::retrace::Rounds;
use crate::fit::{self, Fit, FitError, Given, Settings, fit};
use crate::model::Reduction;
use crate::solve::{Flow, Termination};
use crate::trace::rows::TraceSet;

/// What is fitted and how.
#[derive(Debug)]
pub(super) struct Basis<'a> {
    pub(super) args: &'a FitArgs,
    pub(super) reduction: &'a Reduction,
    pub(super) names: &'a [String],
    pub(super) settings: Settings,
    pub(super) folder: &'a Folder,
    pub(super) interrupt: &'a Interrupt,
}

/// Weights of which a fit makes use, one of each name.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    /// Where K is fitted.
    pub(super) anchor: Vec<f64>,
    /// From where the first descent starts.
    pub(super) start: Vec<f64>,
    /// What the prior is about.
    pub(super) believed: Vec<f64>,
}

/// A fit on its way.
#[derive(Debug)]
pub(super) struct Course<'a> {
    basis: Basis<'a>,
    weights: Weights,
    identity: Identity,
    keeper: Keeper,
    rounds: Rounds,
    /// The fit before this round of tracing again.
    found: Option<Fit>,
    /// Where this round's fit was interrupted.
    saved: Option<fit::Saved>,
}

/// Reads the checkpoint, if the fit is to go on from it.
pub(super) fn interrupted(args: &FitArgs) -> Result<Option<Checkpoint>, Failure> {
    if args.resume {
        return Checkpoint::read(&args.out).map(Some);
    }
    let path = args.out.join(checkpoint::FILE);
    if path.exists() {
        eprintln!(
            "{}: of an interrupted fit, and will be written over; --resume goes on with it",
            path.display()
        );
    }
    Ok(None)
}

impl<'a> Course<'a> {
    /// Sets out, or takes up what was interrupted.
    ///
    /// # Errors
    /// If what was interrupted is another fit.
    pub(super) fn new(
        mut basis: Basis<'a>,
        mut weights: Weights,
        mut identity: Identity,
        rounds: Rounds,
        checkpoint: Option<Checkpoint>,
    ) -> Result<Self, Failure> {
        let path = basis.folder.path(checkpoint::FILE);
        let (mut rounds, mut found, mut saved) = (rounds, None, None);
        if let Some(old) = checkpoint {
            let here = Here {
                identity: &identity,
                names: basis.names,
                initial: &weights.believed,
                renamed: &basis.args.renamed,
            };
            let verdict = decide(&old, &here, &path)?;
            identity.init = old.identity.init;
            match verdict {
                Verdict::Exactly => {
                    weights.start = old.start;
                    weights.anchor = old.anchor;
                    (rounds, found, saved) = (old.rounds, old.found, Some(old.fit));
                }
                Verdict::From(start) => {
                    weights.start = start;
                    basis.settings.k = Some(old.fit.k());
                }
            }
        }
        Ok(Self {
            basis,
            weights,
            identity,
            keeper: Keeper::new(path),
            rounds,
            found,
            saved,
        })
    }

    /// `--init` as it was typed when the fit began.
    pub(super) fn init(&self) -> &str {
        &self.identity.init
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.basis.settings
    }

    pub(super) fn rounds(&self) -> &Rounds {
        &self.rounds
    }

    /// Runs the fit, and again on positions that are traced again at its
    /// weights, as long as that is worth it.
    pub(super) fn run(
        &mut self,
        traces: &TraceSet,
        trace_again: impl Fn(&[f64]) -> Result<TraceSet, Failure>,
        named: impl Fn(FitError) -> Failure,
    ) -> Result<Fit, Failure> {
        loop {
            let before = self.found.as_ref();
            let again = before.map(|found| trace_again(&found.written)).transpose();
            if self.basis.interrupt.asked()
                && let Some(mut found) = self.found.take()
            {
                found.summary.termination = Termination::Interrupted;
                return Ok(found);
            }
            let again = again?;
            let next = self.descend(again.as_ref().unwrap_or(traces));
            if let ControlFlow::Break(found) = self.after(next.map_err(&named)?) {
                return Ok(found);
            }
        }
    }

    /// Runs the fit of this round on its traces.
    fn descend(&mut self, traces: &TraceSet) -> Result<Fit, FitError> {
        let Basis {
            args,
            reduction,
            names,
            ref settings,
            interrupt,
            ..
        } = self.basis;
        let (weights, found) = (&self.weights, self.found.as_ref());
        let saved = self.saved.take();
        let given = Given {
            anchor: &weights.anchor,
            start: found.map_or(&weights.start, |found| &found.weights),
            believed: &weights.believed,
            held: found.map_or(&[], |found| &found.held),
            saved: saved.as_ref(),
        };
        // K is fitted once, where the scores have their meaning.
        let settings = Settings {
            k: found.map_or(settings.k, |found| Some(found.k)),
            ..settings.clone()
        };
        let constant = Constant {
            identity: &self.identity,
            names,
            start: &weights.start,
            anchor: &weights.anchor,
            rounds: &self.rounds,
            found,
        };
        let keeper = &mut self.keeper;
        let progress = Progress::new(!args.json);
        let found = fit(traces, reduction, &given, &settings, &mut |at| {
            progress.iteration(at.record, args.max_iterations);
            keeper.keep(&constant, at);
            if interrupt.asked() {
                Flow::Stop
            } else {
                Flow::Continue
            }
        });
        progress.done();
        found
    }

    /// Takes the fit of a round: either it is the end, or there is another round.
    fn after(&mut self, next: Fit) -> ControlFlow<Fit> {
        let stopped = next.summary.termination == Termination::Interrupted;
        let mut found = match self.found.take() {
            None => next,
            Some(before) => self.rounds.choose(before, next),
        };
        if stopped || self.basis.interrupt.asked() {
            found.summary.termination = Termination::Interrupted;
        } else if self.rounds.go_on(found.flipped) {
            eprintln!(
                "{} positions take another branch at these weights: all are traced again",
                found.flipped
            );
            self.found = Some(found);
            return ControlFlow::Continue(());
        }
        ControlFlow::Break(found)
    }

    /// Ends: what is left of the fit, and what the user is told of it.
    pub(super) fn end(&self, found: &Fit) -> Result<(), Failure> {
        let again = self.keeper.has_kept();
        match found.summary.termination {
            Termination::Interrupted => {
                let next = if again {
                    "the same command with --resume goes on from here"
                } else {
                    "there is no checkpoint to go on from (see above)"
                };
                Err(Failure::Interrupted(format!(
                    "after iteration {}; the best weights so far are written; {next}",
                    found.summary.iterations
                )))
            }
            Termination::IterationLimit => {
                if again {
                    eprintln!(
                        "  the same command with --resume and a higher --max-iterations goes on"
                    );
                }
                Ok(())
            }
            _ => self.keeper.done(),
        }
    }
}

/// What to say where a fit was interrupted before there was one.
pub(super) fn nothing_yet(folder: &Path, resume: bool) -> Failure {
    Failure::Interrupted(if resume {
        let path = folder.join(checkpoint::FILE);
        format!(
            "before the fit went on; {} is as it was, and --resume works again",
            path.display()
        )
    } else {
        "before the fit began; nothing was written".to_owned()
    })
}
