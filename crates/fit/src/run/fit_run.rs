//! The rounds of a run, with a checkpoint after every iteration.

use std::path::Path;

use super::checkpoint::{CHECKPOINT_FILE, RunCheckpoint, by_name};
use super::iteration_files::IterationFiles;
use super::resume::{CurrentFit, Identity, Verdict, decide, fingerprint_of};
use super::{
    ChosenTargets, FinishedRun, Init, PriorChoice, Retracing, RowFacts, RowSource, RunConfig,
    RunError, RunEvent, RunObserver, Variables,
};
use crate::model::counted;
use crate::{
    ChosenPrior, Fit, FitBeginning, FitError, FitInputs, FitProgress, FitTask, Search, Settings,
    SourceWeights,
};
use tuner_base::{Fingerprint, break_if, phase};
use tuner_rows::{TraceSet, Traces};
use tuner_solve::{PriorSpec, Termination};

/// A run that has not begun: its configuration, its weights, and the checkpoint
/// that it resumes from.
#[derive(Debug)]
pub struct FitRun<'a> {
    pub(super) variables: &'a Variables,
    config: RunConfig,
    /// Whether K was asked for, and is not that of a file or the spec.
    k_given: bool,
    weights: Weights,
    checkpoint: Option<RunCheckpoint>,
}

/// Weights of which a run makes use, one of each name.
#[derive(Clone, Debug)]
struct Weights {
    /// The weights as they are declared, 0 where they are not.
    initial: Vec<f64>,
    /// From where the first descent starts, unless the run resumes.
    start: Vec<f64>,
    /// The prior mean of each weight.
    prior_mean: Vec<f64>,
    /// K of the file of the start, if it has one.
    k: Option<f64>,
}

impl Weights {
    /// Returns the weights that the result is compared with, and where K is fitted: those of the
    /// file that the run started from, else the initial ones. `state` tells where the run began,
    /// also before it was interrupted and resumed.
    fn before(&self, state: &RunCheckpoint) -> Vec<f64> {
        match state.identity.init {
            Init::File(_) => state.start.clone(),
            _ => self.initial.clone(),
        }
    }
}

impl<'a> FitRun<'a> {
    /// Makes the run of a configuration, before any position is read: reads the checkpoint, if it
    /// is to resume, and the weights to start from.
    ///
    /// # Errors
    /// If the run is to resume and there is no usable checkpoint, weights cannot
    /// be read, or nothing says on which scale scores are.
    pub fn new(
        variables: &'a Variables,
        mut config: RunConfig,
        observer: &mut dyn RunObserver,
    ) -> Result<Self, RunError> {
        let mut checkpoint = None;
        if let Some(files) = &config.files {
            let path = files.folder.join(CHECKPOINT_FILE);
            if files.resume {
                checkpoint = Some(RunCheckpoint::read_among(config.ranks, &files.folder)?);
            } else if path.exists() {
                observer.event(&RunEvent::CheckpointFound(&path));
            }
        }
        let weights = weights(variables, &config, checkpoint.as_ref(), observer)?;
        let k_given = config.settings.k.is_some();
        // A run that resumes has its K in the checkpoint.
        if !(k_given || config.fit_k || checkpoint.is_some()) {
            config.settings.k = weights.k.or(config.spec_k);
        }
        let blank = weights.start.iter().all(|&weight| weight == 0.0);
        let unknown = variables.initial.is_none() && blank;
        if unknown && config.settings.k.is_none() && checkpoint.is_none() {
            let words = "found neither K nor initial weights, so scores have no unit; give --k 1, which \
                         makes it the centipawn (a score of 400 is ten to one), or --init FILE";
            return Err(words.into());
        }
        Ok(Self {
            variables,
            config,
            k_given,
            weights,
            checkpoint,
        })
    }

    /// Returns the run with another limit of [memory](Settings::memory), as rows that were read in
    /// the meantime take some.
    #[must_use]
    pub fn with_memory(mut self, memory: Option<u64>) -> Self {
        self.config.settings.memory = memory;
        self
    }

    /// Finds how much each source of the rows is to count, so that a fit explains games of one
    /// source best. It starts from the declared weights in any case, so a run that resumes finds
    /// the same. `source`: the number of each row's source; `trusted`: the source whose games
    /// decide.
    ///
    /// # Errors
    /// If targets are impossible with the rows, the observer interrupts it, a fit fails, rows are
    /// streamed, no game of the trusted source is there to decide, or there are more weights than
    /// matrices are formed for.
    pub fn weigh_sources(
        &self,
        rows: &dyn RowSource,
        source: &[u32],
        trusted: u32,
        observer: &mut dyn RunObserver,
    ) -> Result<SourceWeights, RunError> {
        let (variables, config) = (self.variables, &self.config);
        let mut settings = config.settings;
        // K of a file or the spec is of the weights there: here it is fitted, unless it was asked
        // for.
        settings.k = settings.k.filter(|_| self.k_given);
        let games = rows.facts().with_game > 0;
        let chosen = ChosenTargets::new(&config.targets, rows.rows(), settings.held_out, games)?;
        let rows = (chosen.targets.of(rows.rows())).map_err(FitError::from)?;
        let initial = &self.weights.initial;
        let inputs = self.inputs(initial, &variables.prior, initial);
        let task = FitTask::new(rows.traces(), &variables.reduction, &inputs, &settings);
        let found = task.weigh_sources(source, trusted, &mut |_| {
            observer.event(&RunEvent::Weighing);
            break_if(observer.is_interrupted())
        });
        observer.event(&RunEvent::StageEnded);
        if observer.is_interrupted() {
            return Err(RunError::Interrupted("files were weighed"));
        }
        Ok(found?)
    }

    /// Fits the rows of a source, and again those of positions that are traced
    /// again at its weights, as long as that is worth it.
    ///
    /// In this order: what is impossible is refused, ranks and checkpoint are compared with this
    /// run, rows are taken at the weights that the result is compared with, targets are found, and
    /// then comes one stage after the other until there is a fit.
    ///
    /// *Numerics*: the same bits on any number of threads, and whether it was
    /// interrupted and resumed or not.
    ///
    /// # Errors
    /// If a fit fails, the checkpoint is of another run, targets are impossible
    /// with the rows, or positions cannot be traced again. Where the observer
    /// ends the run, the best weights so far are the result; only while
    /// strengths of the prior are tried there are none.
    pub fn run(
        mut self,
        source: &mut dyn RowSource,
        observer: &mut dyn RunObserver,
    ) -> Result<FinishedRun<'a>, RunError> {
        let mut facts = source.facts().clone();
        let positions = source.rows().len();
        // Rows that cannot be traced again have no such round, whatever the configuration allows.
        let max_retraces = (source.can_retrace()).then_some(self.config.max_retraces);
        let max_retraces = max_retraces.unwrap_or(0);
        if self.config.resolve_every.is_some() && max_retraces == 0 {
            let words = "--resolve-every: positions are not traced again here (--retrace 0, or an \
                         input that can be read only once); leave it out, or give files";
            return Err(words.into());
        }
        let identity = self.identity(&facts, positions);
        self.agree(&identity)?;
        let retracing = Retracing::new(positions as u64, max_retraces);
        let start = self.weights.start.clone();
        let limit = self.config.settings.solver.iterations;
        let mut state = RunCheckpoint::new(identity, start, limit, retracing);
        if let Some(checkpoint) = self.checkpoint.take() {
            self.resume(checkpoint, &mut state, observer)?;
        }
        let anchor = self.config.settings.anchor;
        state.scale = anchor.and_then(|anchor| anchor.factor);
        let before = self.weights.before(&state);
        (source.begin_at(&before)).map_err(|error| error.to_string())?;
        // Of several ranks the first alone writes.
        let files = self.config.files.as_ref();
        let files = files.filter(|_| self.config.ranks.is_first());
        let files = files.map(IterationFiles::new).transpose()?;
        let held_out = self.config.settings.held_out;
        let games = facts.with_game > 0;
        let targets = ChosenTargets::new(&self.config.targets, source.rows(), held_out, games)?;
        if !targets.words().is_empty() {
            observer.event(&RunEvent::TargetsChosen(&targets));
        }
        let mut under_way = UnderWay {
            prior: self.variables.prior.clone(),
            settings: self.config.settings,
            run: &self,
            before: &before,
            targets: &targets,
            source,
            observer,
            files,
            retraced: None,
            is_prior_chosen: false,
            beginning: None,
            state,
        };
        let fit = loop {
            if let Some(fit) = under_way.stage()? {
                break fit;
            }
        };
        let UnderWay {
            settings,
            prior,
            files,
            retraced,
            state,
            ..
        } = under_way;
        // `begin_at` may have taken the rows again since the facts were copied.
        let traces = source.rows();
        if let Some(set) = traces.in_memory() {
            facts.bytes = traces.ranks().total(set.bytes() as u64);
        }
        // K of a file or of the spec, neither asked for nor fitted here.
        let k_handed_on = !self.k_given && fit.k_fit.is_none();
        let games = counted(traces, traces.games()).map_err(FitError::from)?;
        let streamed = traces.are_streamed();
        Ok(FinishedRun {
            variables: self.variables,
            fit,
            k_handed_on,
            settings,
            targets,
            before,
            prior_mean: self.weights.prior_mean,
            prior,
            retraced,
            chosen_prior: state.prior,
            retracing: state.retracing,
            options: state.identity.settings,
            init: state.identity.init,
            facts,
            positions,
            games,
            streamed,
            files,
        })
    }

    /// Returns the identity of the run, by which a checkpoint is told to be of the same fit: the
    /// fingerprints of data, rows and variables, where it starts, and the options that must be the
    /// same in a run that resumes (no options where nothing is saved on the way).
    fn identity(&self, facts: &RowFacts, positions: usize) -> Identity {
        let (reduction, prior) = (&self.variables.reduction, &self.variables.prior);
        let files = self.config.files.as_ref();
        Identity {
            data: facts.data.clone(),
            positions: positions as u64,
            traces: facts.rows.clone(),
            variables: fingerprint_of(reduction, &self.weights.prior_mean, prior),
            init: self.config.init.clone(),
            settings: (files.map(|files| files.options.clone())).unwrap_or_default(),
        }
    }

    /// Resumes from the checkpoint `old`: `state`, that of a new run, becomes the state in it, or,
    /// where parameters were added, removed or renamed, gets only its weights by name, its prior,
    /// and K. An anchor gets the factor of scale that was found before. Fails if the checkpoint is
    /// of another fit.
    fn resume(
        &mut self,
        mut old: RunCheckpoint,
        state: &mut RunCheckpoint,
        observer: &mut dyn RunObserver,
    ) -> Result<(), RunError> {
        // A run that resumes always has files: the checkpoint was read from their folder.
        let files = self.config.files.as_ref();
        let folder = files.map_or(Path::new(""), |files| &files.folder);
        let path = folder.join(CHECKPOINT_FILE);
        let current = CurrentFit {
            identity: &state.identity,
            names: &self.variables.names,
            initial: &self.weights.initial,
            renamed: files.map_or(&[], |files| &files.renamed),
        };
        let verdict = decide(&old, &current, &path, observer)?;
        state.identity.init = old.identity.init.clone();
        // Whether the checkpoint's prior is of the parameters of this run.
        let mut fits = true;
        // Parameters in the checkpoint's prior get the names that they have now.
        if let Some(ChosenPrior::Evidence(evidence)) = &mut old.prior {
            for own in evidence.groups.iter_mut().chain(&mut evidence.pools) {
                let mut renamed = files.iter().flat_map(|files| &files.renamed);
                if let Some(renamed) = renamed.find(|renamed| renamed.old == own.name) {
                    own.name.clone_from(&renamed.new);
                }
            }
            fits = evidence.is_of(&self.variables.prior, &self.variables.groups);
        }
        let factor = match verdict {
            Verdict::Exactly if !fits => {
                let words = "its prior is of other parameters; fit without --resume";
                return Err(format!("--resume: {}: {words}", path.display()).into());
            }
            Verdict::Exactly => {
                if old.was_limited() && old.limit != state.limit {
                    observer.event(&RunEvent::OtherLimit {
                        path: &path,
                        then: old.limit,
                        now: state.limit,
                    });
                }
                let fresh = std::mem::replace(state, old);
                // Names in options, the limit and the version may differ from those of the
                // checkpoint.
                (state.identity, state.limit) = (fresh.identity, fresh.limit);
                state.tuner = fresh.tuner;
                state.scale
            }
            Verdict::WarmStart(start) => {
                let factor = old.factor();
                // The prior is chosen again if it is not of these parameters.
                (state.start, state.prior) = (start, old.prior.filter(|_| fits));
                self.config.settings.k = old.fit.map(|fit| fit.k);
                // The checkpoint's weights and K are in the scale that this factor led to.
                factor
            }
        };
        if let Some(anchor) = &mut self.config.settings.anchor {
            anchor.factor = factor;
        }
        Ok(())
    }

    /// Returns the inputs of a fit of this run. `before`: the weights where K is fitted; `prior`:
    /// the deviations of its prior, around the prior means of the run; `start`: the weights where
    /// the descent starts.
    pub(super) fn inputs<'f>(
        &'f self,
        before: &'f [f64],
        prior: &'f PriorSpec,
        start: &'f [f64],
    ) -> FitInputs<'f> {
        FitInputs {
            anchor: before,
            prior_mean: &self.weights.prior_mean,
            prior,
            ..FitInputs::at(start)
        }
    }

    /// Compares fingerprints of data, start and variables with those of all ranks; fails, on every
    /// rank, if they are not about to run the same fit.
    fn agree(&self, identity: &Identity) -> Result<(), RunError> {
        let ranks = self.config.ranks;
        if ranks.is_alone() {
            return Ok(());
        }
        let weights = &self.weights;
        let mut start = Fingerprint::new();
        for weights in [&weights.initial, &weights.start, &weights.prior_mean] {
            start.list(weights.iter().map(|weight| weight.to_bits()));
        }
        let about = [
            ("data", identity.data.clone()),
            ("weights to start from", start.hex()),
            ("weights and bounds", identity.variables.clone()),
        ];
        for (what, value) in about {
            let all = ranks.gather_bytes(value.as_bytes());
            if let Some(rank) = all.iter().position(|there| *there != all[0]) {
                let words = format!(
                    "rank {rank} has other {what} than rank 0: all ranks need the same files; \
                     nothing was fitted"
                );
                return Err(words.into());
            }
        }
        Ok(())
    }
}

/// Finds the weights of a run: the initial ones, those to start from, and the prior means; tells
/// the observer where a file has not exactly the names of the weights. The prior means are those
/// that the configuration names, or else the start. A run that resumes has its start in the
/// checkpoint: without named ones its prior means are that start, or, if it began at declared
/// initial values or the checkpoint has another number of weights, the initial values.
fn weights(
    variables: &Variables,
    config: &RunConfig,
    checkpoint: Option<&RunCheckpoint>,
    observer: &mut dyn RunObserver,
) -> Result<Weights, RunError> {
    let names = &variables.names;
    let initial = (variables.initial.clone()).unwrap_or_else(|| vec![0.0; names.len()]);
    let init = &config.init;
    let (start, read) = match checkpoint {
        Some(_) => (initial.clone(), None),
        None => init.weights(names, &initial)?,
    };
    let k = read.as_ref().and_then(|read| read.k);
    if let Some(read) = read.filter(|read| !read.notes().is_empty()) {
        observer.event(&RunEvent::WeightsRead(&read));
    }
    let declared = variables.initial.is_some();
    let prior_mean = match (&config.prior_mean, checkpoint) {
        (Some(from), _) => from.weights(names, &initial)?.0,
        (None, None) => start.clone(),
        (None, Some(old)) if declared && old.identity.init == Init::Spec => initial.clone(),
        (None, Some(old)) if old.start.len() == start.len() => old.start.clone(),
        (None, Some(_)) => initial.clone(),
    };
    Ok(Weights {
        initial,
        start,
        prior_mean,
        k,
    })
}

/// Returns the rows that are to be fitted: `retraced`, those of the last round of tracing again, or
/// those of the source if there was no round.
pub(super) fn last_rows<'s>(
    retraced: Option<&'s TraceSet>,
    source: &'s dyn RowSource,
) -> Traces<'s> {
    match retraced {
        Some(retraced) => Traces::from(retraced).among(source.ranks()),
        None => source.rows(),
    }
}

/// A run between two of its stages.
pub(super) struct UnderWay<'r> {
    pub(super) run: &'r FitRun<'r>,
    /// The weights that the result is compared with, and where K is fitted.
    pub(super) before: &'r [f64],
    /// With the prior's strength as chosen, once it is.
    pub(super) settings: Settings,
    /// The prior with its strength as chosen, once it is.
    pub(super) prior: PriorSpec,
    pub(super) targets: &'r ChosenTargets,
    pub(super) source: &'r mut dyn RowSource,
    pub(super) observer: &'r mut dyn RunObserver,
    files: Option<IterationFiles>,
    /// The rows of this round, where they are not those of the source.
    pub(super) retraced: Option<TraceSet>,
    is_prior_chosen: bool,
    /// Results that are known of the start, until the first descent.
    beginning: Option<FitBeginning>,
    /// The state of the run.
    pub(super) state: RunCheckpoint,
}

impl UnderWay<'_> {
    /// Runs the first stage that is due, as things stand; returns the fit if the run ends with it.
    ///
    /// Rows are fitted again for one of four reasons. [`Retracing::next`] tells three of them: too
    /// many branches changed at the end of a fit, a descent broke off for them, or positions are
    /// resolved every few iterations. The fourth is of a source that knows true scores: rows were
    /// taken where a step led that lowers the error, and are fitted (`verified`).
    ///
    /// A fifth reason, after which positions are traced again, is told by `Retracing::next` as
    /// well. There it counts a round, and returns an event of its own, which `cli: terminal` lists
    /// among those that it shows as details. [`fit_rows`](Self::fit_rows) has to say which fit is
    /// kept after such a round, as it does for resolved positions: else `Retracing::choose` judges
    /// every round by its changed branches. State that the reason needs is in [`Retracing`], so
    /// that the checkpoint saves it; a new field there needs a default for serde, as older
    /// checkpoints are without it. A reason to fit the same rows once more is another matter, as
    /// each round has rows of its own: it takes a stage of its own, one more line here, and a state
    /// in [`RunCheckpoint`] that says when it is due.
    ///
    /// A stage has its passes timed by [`phase()`], then says [`StageEnded`](RunEvent::StageEnded),
    /// asks on every rank whether the run is interrupted, and says what it changed by an event.
    /// What it leaves in [`RunCheckpoint`] is saved with the next iteration, and what [`FitTask`]
    /// counts is of all ranks.
    ///
    /// Parts of one fit are in [`FitTask`]: without variables that the data separate, in another
    /// scale, rounding, the search for integers.
    fn stage(&mut self) -> Result<Option<Fit>, RunError> {
        // The first stage changes the prior. *Cost*: by the evidence some passes and matrices, by
        // validation a descent for each strength.
        if !self.is_prior_chosen {
            return self.choose_prior();
        }
        // The second changes the rows: there is a fit before this round, and no rows at its weights
        // yet. *Cost*: a pass, and a trace of each position with a changed branch, or of all where
        // they are resolved.
        if self.state.previous_fit.is_some() && self.retraced.is_none() {
            return self.trace_again();
        }
        // The last changes the weights, and decides whether there is another round. *Cost*: as the
        // summary of its fit says.
        self.fit_rows()
    }

    /// Traces positions again at the weights that the fit of the round before wrote. Returns that
    /// fit, as the result, if the observer ends the run meanwhile; else `None`, and the next stage
    /// follows.
    fn trace_again(&mut self) -> Result<Option<Fit>, RunError> {
        // The stage is due only where there is a fit before this round.
        let Some(mut fit) = self.state.previous_fit.take() else {
            return Ok(None);
        };
        self.retraced = self.rows_at(&fit.written)?;
        if self.retraced.is_none() {
            fit.summary.termination = Termination::Interrupted;
            return Ok(Some(fit));
        }
        self.state.previous_fit = Some(fit);
        Ok(None)
    }

    /// Returns the rows of the positions, traced again at weights in the order of the reduction;
    /// `None` if the observer ends the run meanwhile, which is asked once all are traced, behind
    /// the event that this stage has ended.
    pub(super) fn rows_at(&mut self, weights: &[f64]) -> Result<Option<TraceSet>, RunError> {
        let retraced = {
            let _phase = phase("tracing again");
            self.source.retrace(weights)
        };
        self.observer.event(&RunEvent::StageEnded);
        if self.observer.is_interrupted() {
            return Ok(None);
        }
        Ok(Some(retraced.map_err(|error| error.to_string())?))
    }

    /// Fits the rows of this round. Returns the fit if the run ends with it; `None` if there is
    /// another round, which starts from it. Whether there is one is decided by the true scores,
    /// where the source knows them, else by how many branches have changed.
    fn fit_rows(&mut self) -> Result<Option<Fit>, RunError> {
        let mut next = self.descend()?;
        if self.source.knows_scores() {
            return self.verified(next);
        }
        let previous = self.state.previous_fit.as_ref();
        let traced = previous.map_or(self.before, |fit| &fit.written);
        if *traced == *self.run.weights.initial && next.written == traced {
            // The rows were traced at these very weights: a branch that seems to have changed is
            // one where truncation, which rows do not know, decides.
            next.changed_branches = 0;
        }
        let stopped = next.summary.termination == Termination::Interrupted;
        let resolves = self.run.config.resolve_every.is_some();
        let retracing = &mut self.state.retracing;
        let mut fit = match self.state.previous_fit.take() {
            None => next,
            // A round after a number of iterations is one more part of the descent, and always
            // kept; else changed branches decide.
            Some(before) if resolves => next.after(before),
            Some(before) => retracing.choose(before, next, self.observer),
        };
        if stopped || self.observer.is_interrupted() {
            fit.summary.termination = Termination::Interrupted;
            return Ok(Some(fit));
        }
        let Some(reason) = retracing.next(&fit, resolves) else {
            return Ok(Some(fit));
        };
        self.observer.event(&reason);
        self.retraced = None;
        // The matrix is of the old rows; a run that is resumed has no matrix either.
        fit.curvature = None;
        self.state.previous_fit = Some(fit);
        Ok(None)
    }

    /// Chooses the strength of the prior, if it is to be chosen, or takes that of the checkpoint,
    /// and puts it into the settings. Always returns `None`, as a run does not end with this stage.
    fn choose_prior(&mut self) -> Result<Option<Fit>, RunError> {
        self.is_prior_chosen = true;
        let choice = self.run.config.prior_choice;
        let _phase = phase("strength of the prior");
        if choice == PriorChoice::Declared || self.settings.prior.is_none() {
            return Ok(None);
        }
        let chosen = if let Some(chosen) = self.state.prior.take() {
            self.observer.event(&RunEvent::PriorResumed);
            chosen
        } else {
            self.chosen_prior(choice)?
        };
        self.observer.event(&RunEvent::PriorChosen(&chosen));
        match &chosen {
            ChosenPrior::Validation(strength) => {
                let factor = strength.factor;
                self.settings.prior = self.settings.prior.map(|deviation| deviation * factor);
                self.prior = self.prior.scaled(factor);
            }
            ChosenPrior::Evidence(evidence) => {
                self.settings.prior_unit = Some(evidence.unit);
                self.prior = evidence.prior(&self.prior, &self.run.variables.groups);
            }
        }
        self.state.prior = Some(chosen);
        Ok(None)
    }

    /// Chooses the prior on the rows of the source, by the evidence or by validation. What the
    /// evidence found out of the start (K and the curvature) is kept for the first descent. Fails
    /// where the observer ends the run, as there are no weights yet.
    fn chosen_prior(&mut self, choice: PriorChoice) -> Result<ChosenPrior, RunError> {
        let variables = self.run.variables;
        let limit = self.state.limit;
        let start = self.state.start.clone();
        let mut beginning = None;
        let chosen = (self.targets.targets.of(self.source.rows())).map_err(FitError::from);
        let chosen = chosen.and_then(|rows| {
            let inputs = self.run.inputs(self.before, &self.prior, &start);
            let task = FitTask::new(rows.traces(), &variables.reduction, &inputs, &self.settings);
            if choice == PriorChoice::Evidence {
                let found = task.choose_by_evidence(&variables.groups)?;
                beginning = Some(found.1);
                return Ok(ChosenPrior::Evidence(found.0));
            }
            let observer = &mut *self.observer;
            let strength = task.choose(&mut |at| {
                let record = at.record;
                observer.event(&RunEvent::Iteration { record, limit });
                break_if(observer.is_interrupted())
            });
            strength.map(ChosenPrior::Validation)
        });
        self.beginning = beginning;
        self.observer.event(&RunEvent::StageEnded);
        if self.observer.is_interrupted() {
            return Err(RunError::Interrupted("strengths of the prior were tried"));
        }
        Ok(chosen?)
    }

    /// Runs the fit of this round on its rows: from the start, from the end of the round before, or
    /// from the state that the checkpoint saved; writes files after each iteration. Where positions
    /// are resolved every few iterations, the fit ends after so many, unless no round is left. Else
    /// it ends near the optimum if too many branches have changed there, except where a fit that
    /// breaks off is of no use.
    fn descend(&mut self) -> Result<Fit, RunError> {
        let (run, state) = (self.run, &mut self.state);
        let (saved, beginning) = (state.fit.take(), self.beginning.take());
        let (start, previous) = (state.start.clone(), state.previous_fit.clone());
        let inputs = FitInputs {
            saved: saved.as_ref(),
            beginning: beginning.as_ref(),
            ..run.inputs(self.before, &self.prior, &start)
        };
        let rows = last_rows(self.retraced.as_ref(), &*self.source);
        let mut task = FitTask::new(rows, &run.variables.reduction, &inputs, &self.settings);
        let before = previous.as_ref().map_or(0, |fit| fit.summary.iterations);
        if let Some(fit) = &previous {
            task = task.following(fit);
        }
        let (limit, retracing, settings) = (state.limit, &state.retracing, &mut task.settings);
        if let Some(every) = run.config.resolve_every
            && retracing.are_left()
        {
            settings.solver.iterations = limit.min(every);
        } else if settings.anchor.is_none()
            && settings.search == Search::Promising
            && !self.source.knows_scores()
        {
            // A change of scale, or a search by single steps, needs a descent that goes to its end.
            settings.max_changed_branches = retracing.max_changed_branches();
        }
        let names = &run.variables.names;
        let (files, observer) = (&mut self.files, &mut *self.observer);
        let mut observe = |at: &FitProgress<'_>| {
            let record = at.record;
            observer.event(&RunEvent::Iteration { record, limit });
            if let Some(files) = files {
                let _phase = phase("checkpoints");
                let (saved, weights) = (at.save(), at.weights());
                state.iteration = saved.iteration();
                state.fit = Some(saved);
                state.weights = by_name(names, &weights);
                // Before the checkpoint: a run that resumes from it does not write them again.
                files.write_weights(before + state.iteration, names, &weights, observer);
                // JSON holds finite numbers only, and from others nothing can be resumed.
                if record.objective.is_finite() && record.gradient.is_finite() {
                    files.write_checkpoint(state, observer);
                }
            }
            break_if(observer.is_interrupted())
        };
        let fit = self.targets.targets.fit(&task, &mut observe);
        self.state.fit = None;
        self.observer.event(&RunEvent::StageEnded);
        Ok(fit?)
    }
}
