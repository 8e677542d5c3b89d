//! The descents of a fit, with a checkpoint after every iteration.

use std::ops::ControlFlow;
use std::path::Path;

use super::Failure;
use super::args::{FitArgs, PriorArg};
use super::checkpoint::{self, Checkpoint, Constant, Keeper};
use super::folder::Folder;
use super::interrupt::Interrupt;
use super::progress::Progress;
use super::resume::{Here, Identity, Verdict, decide};
use super::retrace::Rounds;
use super::saved_weights::WeightsSaver;
use super::strength;
use tuner_fit as fit;
use tuner_fit::{
    Anchor, Fit, FitError, Given, Search, Settings, Strength, Targets, TracesMut, choose,
};
use tuner_rows::TraceSet;
use tuner_solve::PriorSpec;
use tuner_solve::Reduction;
use tuner_solve::Termination;

/// What is fitted and how.
#[derive(Debug)]
pub(super) struct Basis<'a> {
    pub(super) args: &'a FitArgs,
    pub(super) reduction: &'a Reduction,
    pub(super) names: &'a [String],
    /// With the prior's strength as chosen, once it is.
    pub(super) beliefs: PriorSpec,
    /// The same.
    pub(super) settings: Settings,
    pub(super) folder: &'a Folder,
    pub(super) interrupt: &'a Interrupt,
    /// Iterations after which positions are resolved again, if they are.
    pub(super) every: Option<usize>,
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
    /// Who writes the weights of every iteration, if they are wanted.
    saver: Option<WeightsSaver>,
    /// How the prior's strength was chosen, if it was.
    strength: Option<Strength>,
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
        say!(
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
        let (mut rounds, mut found, mut saved, mut strength) = (rounds, None, None, None);
        let limit = basis.settings.solver.iterations;
        if let Some(old) = checkpoint {
            let here = Here {
                identity: &identity,
                names: basis.names,
                initial: &weights.believed,
                renamed: &basis.args.renamed,
            };
            let verdict = decide(&old, &here, &path)?;
            let (limited, factor) = (old.was_limited(), old.factor());
            let anchor = &mut basis.settings.anchor;
            identity.init = old.identity.init;
            strength = old.strength;
            match verdict {
                Verdict::Exactly => {
                    if limited && old.limit != limit {
                        say!(
                            "{}: --max-iterations was {}, where a descent before this one ended; \
                             that one does not go on, so the end is not that of a fit with {limit} \
                             from the beginning",
                            path.display(),
                            old.limit
                        );
                    }
                    if let Some(anchor) = anchor {
                        anchor.factor = old.scale;
                    }
                    weights.start = old.start;
                    weights.anchor = old.anchor;
                    (rounds, found, saved) = (old.rounds, old.found, Some(old.fit));
                }
                Verdict::From(start) => {
                    weights.start = start;
                    basis.settings.k = Some(old.fit.k());
                    // The weights, and K, are in the scale that was found.
                    if let Some(anchor) = anchor {
                        anchor.factor = factor;
                    }
                }
            }
        }
        let saver = (basis.args.save_weights)
            .map(|format| WeightsSaver::new(basis.folder, format))
            .transpose()?;
        Ok(Self {
            saver,
            basis,
            weights,
            identity,
            keeper: Keeper::new(path),
            strength,
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

    pub(super) fn strength(&self) -> Option<&Strength> {
        self.strength.as_ref()
    }

    pub(super) fn rounds(&self) -> &Rounds {
        &self.rounds
    }

    /// Runs the fit, and again on positions that are traced again at its
    /// weights, as long as that is worth it.
    pub(super) fn run(
        &mut self,
        mut traces: TracesMut<'_>,
        targets: &Targets,
        trace_again: impl Fn(&[f64]) -> Result<TraceSet, Failure>,
        named: impl Fn(FitError) -> Failure,
    ) -> Result<Fit, Failure> {
        self.choose_prior(traces.reborrow(), targets, &named)?;
        loop {
            let before = self.found.as_ref();
            let again = before.map(|found| trace_again(&found.written)).transpose();
            if self.basis.interrupt.asked()
                && let Some(mut found) = self.found.take()
            {
                found.summary.termination = Termination::Interrupted;
                return Ok(found);
            }
            let mut again = again?;
            let rows = match &mut again {
                Some(again) => again.into(),
                None => traces.reborrow(),
            };
            let next = self.descend(rows, targets);
            if let ControlFlow::Break(found) = self.after(next.map_err(&named)?) {
                return Ok(found);
            }
        }
    }

    /// Tries strengths of the prior, if they are to be tried and have not been.
    fn choose_prior(
        &mut self,
        traces: TracesMut<'_>,
        targets: &Targets,
        named: impl Fn(FitError) -> Failure,
    ) -> Result<(), Failure> {
        let Basis {
            args,
            reduction,
            beliefs,
            settings,
            interrupt,
            ..
        } = &mut self.basis;
        if args.prior != Some(PriorArg::Auto) {
            return Ok(());
        }
        if self.strength.is_some() {
            say!("prior: strengths were tried when the fit began, and are not tried again");
        } else {
            let given = Given {
                anchor: &self.weights.anchor,
                start: &self.weights.start,
                believed: &self.weights.believed,
                beliefs,
                held: &[],
                saved: None,
            };
            let progress = Progress::new(!args.json);
            let tried = targets.with(traces, |traces| {
                choose(traces, reduction, &given, settings, &mut |at| {
                    progress.iteration(at.record, settings.solver.iterations);
                    if interrupt.asked() {
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    }
                })
            });
            progress.done();
            if interrupt.asked() {
                return Err(Failure::Interrupted(
                    "while strengths of the prior were tried, before the fit began; nothing was \
                     written, and the same command tries them again from the first on"
                        .to_owned(),
                ));
            }
            self.strength = Some(tried.map_err(named)?);
        }
        if let Some(strength) = &self.strength {
            strength::tell(strength);
            let factor = strength.best().factor;
            settings.prior = settings.prior.map(|deviation| deviation * factor);
            *beliefs = beliefs.scaled(factor);
        }
        Ok(())
    }

    /// Runs the fit of this round on its traces.
    fn descend(&mut self, traces: TracesMut<'_>, targets: &Targets) -> Result<Fit, FitError> {
        let Basis {
            args,
            reduction,
            names,
            ref beliefs,
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
            beliefs,
            held: found.map_or(&[], |found| &found.held),
            saved: saved.as_ref(),
        };
        let scale = settings.anchor.and_then(|anchor| anchor.factor);
        let limit = settings.solver.iterations;
        let mut settings = found.map_or_else(|| settings.clone(), |found| later(found, settings));
        if let Some(every) = self.basis.every
            && self.rounds.are_left()
        {
            settings.solver.iterations = limit.min(every);
        } else if settings.anchor.is_none() && settings.search == Search::Promising {
            // Scale and single steps are of the end, and of nothing before it.
            settings.few = self.rounds.few();
        }
        let constant = Constant {
            identity: &self.identity,
            names,
            start: &weights.start,
            anchor: &weights.anchor,
            limit,
            strength: self.strength.as_ref(),
            scale,
            rounds: &self.rounds,
            found,
        };
        let (keeper, saver) = (&mut self.keeper, &mut self.saver);
        let before = found.map_or(0, |found| found.summary.iterations);
        let progress = Progress::new(!args.json);
        let found = targets.fit(traces, reduction, &given, &settings, &mut |at| {
            progress.iteration(at.record, limit);
            keeper.keep(&constant, at);
            if let Some(saver) = saver {
                saver.save(before + at.save().iteration(), names, &at.weights());
            }
            if interrupt.asked() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        progress.done();
        found
    }

    /// Takes the fit of a round: either it is the end, or there is another round.
    fn after(&mut self, next: Fit) -> ControlFlow<Fit> {
        let stopped = next.summary.termination == Termination::Interrupted;
        // Ended early, for positions to be resolved again.
        let paused = next.summary.termination == Termination::IterationLimit
            && self.basis.every.is_some()
            && self.rounds.are_left();
        let mut found = match self.found.take() {
            None => next,
            Some(before) if self.basis.every.is_some() => next.after(before),
            Some(before) => self.rounds.choose(before, next),
        };
        if stopped || self.basis.interrupt.asked() {
            found.summary.termination = Termination::Interrupted;
        } else if paused {
            self.rounds.count();
            say!(
                "iteration {}: all positions are resolved and traced again",
                found.summary.iterations
            );
            self.found = Some(found);
            return ControlFlow::Continue(());
        } else if self.rounds.go_on(&found) {
            say!(
                "{} positions take another branch: all are traced again",
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
                if self.basis.settings.anchor.is_some() && found.anchored.is_none() {
                    say!("  no factor leads to the scale of --anchor yet: they are not in it");
                }
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
                    say!("  the same command with --resume and a higher --max-iterations goes on");
                }
                Ok(())
            }
            _ => self.keeper.done(),
        }
    }
}

/// The settings of a fit that goes on from another: K is fitted once, where the
/// scores have their meaning, and the scale is changed once.
fn later(found: &Fit, settings: &Settings) -> Settings {
    Settings {
        k: Some(found.k),
        anchor: settings.anchor.map(|anchor| Anchor {
            factor: found.anchored.map(|anchored| anchored.factor),
            ..anchor
        }),
        ..settings.clone()
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
