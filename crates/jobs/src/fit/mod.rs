//! A fit: from positions, or from rows made elsewhere, to weights.

mod config;
mod names;
mod rescore;
mod sources;
mod subject;
mod terms;
mod words;

use std::path::{Path, PathBuf};

pub use config::{FitConfig, RescoreConfig, RowsConfig};
pub use names::one_weight;
pub use subject::FitInput;
pub use words::equivalents;

use crate::folder::Folder;
use crate::games::{FAST_GAMES, fast_games, no_games};
use crate::job::FitObserver;
use crate::rounds::StepRunner;
use crate::{Failure, Job, Result};
use subject::{FitRows, FitSubject, ReadRows};
use tuner_base::{break_if, phase, shell_word};
use tuner_engine::examine::{FittedPositions, FittedPositionsError, fitted_positions};
use tuner_engine::some_names;
use tuner_fit::run::{
    CHECKPOINT_FILE, FileFacts, FinishedRun, FitRun, RowFacts, RowSource, RunEnd, RunError,
    Variables, weight_lines,
};
use tuner_fit::{FitError, WeightGroup};
use tuner_judge::{
    Ablation, FitVerdict, Judgement, ablate, calibrate, canonicalise, cross_validate, judge,
    learning_curve,
};
use tuner_record::{
    DataFileRecord, FastGamesRecord, NamedValues, PhaseRecord, RunRecord, SolverRecord, SpecRecord,
    TermWorth,
};
use tuner_report::html;
use tuner_spec::Spec;
use tuner_spec::codegen::Language;

/// The result of a fit.
#[derive(Debug)]
pub struct FitResult {
    /// Its record, which is written as well.
    pub record: RunRecord,
    /// How long each phase took, that of writing included.
    pub phases: Vec<PhaseRecord>,
    /// What to do next, a line each.
    pub next: Vec<String>,
    /// Whether it ended as it was to, with weights that replace those before.
    pub end: Result<()>,
}

/// Fits the weights of `input`, judges them, plays them against those before where the engine
/// plays, and writes weights, code, record and page into `config.out`. `steps` runs the commands
/// that `config.rescore` asks for. Weights that do not replace those before are a result too:
/// [`FitResult::end`] then has the failure.
///
/// # Errors
/// If there is no result, or it cannot be written.
pub fn fit(
    job: &Job,
    input: FitInput<'_>,
    mut config: FitConfig,
    steps: &dyn StepRunner,
) -> Result<FitResult> {
    if config.out.as_os_str().is_empty() {
        config.out = "tuner-run".into();
    }
    // `--weigh-sources` names one of the data's own files, before files of new scores replace them.
    let trusted = sources::trusted(job, &input, &config)?;
    let config = rescore::rescored(job, &input, config, steps)?;
    let linked = input.linked(&config)?;
    let (mut subject, traces) = FitSubject::new(job, input, linked.as_ref(), &config)?;
    let variables = subject.variables()?;
    if variables.reduction.variables() == 0 {
        fail!(
            "no weight is free to be fitted; leave out --freeze, name others by --only or --free, or \
             free some in the spec"
        );
    }
    let run = config.run(job, &variables, subject.spec())?;
    let run = FitRun::new(&variables, run, &mut FitObserver(job))?;
    subject.find_arena(&config)?;
    let fit = FitJob {
        job,
        config: &config,
        trusted,
        subject,
        variables: &variables,
    };
    let folder = Folder::new(job, &config.out)?;
    job.observer.listen()?;
    job.on_threads(|| fit.run(run, traces, &folder))
}

/// A fit on its way.
struct FitJob<'a> {
    job: &'a Job,
    config: &'a FitConfig,
    /// The number of the file whose games decide how much each file counts, and the names of all;
    /// `None` where files are not weighed.
    trusted: Option<(usize, Vec<String>)>,
    subject: FitSubject<'a>,
    variables: &'a Variables,
}

impl FitJob<'_> {
    /// Fits, judges, plays fast games, writes, and says what came of it. `read`: the rows of a fit
    /// of rows that were made elsewhere; `None` for an engine, whose positions are read now.
    fn run(
        &self,
        run: FitRun<'_>,
        read: Option<ReadRows>,
        folder: &Folder<'_>,
    ) -> Result<FitResult> {
        let (job, config) = (self.job, self.config);
        let mut rows = self.subject.rows(job, config, read)?;
        let sources = self.weigh_sources(&run, &mut rows)?;
        let run = run.with_memory(job.least_memory());
        let run = {
            let _phase = phase("fit");
            run.run(rows.source(), &mut FitObserver(job))
        };
        let mut run = run.map_err(|error| self.named(error))?;
        let judgement = self.judged(&run, rows.source())?;
        // The means of tables move into the weights that they stand for; scores stay as they are.
        if config.canonical {
            let (weights, moved) = canonicalise(&run, rows.source(), &judgement)?;
            run.fit.written = weights;
            let moved = moved.iter();
            job.say_all(moved.map(|sentence| format!("canonical: {sentence}")));
        }
        let examined = self.examined(&run, &mut rows)?;
        words::say_calibration(job, &examined.calibration);
        let mut record = self.record(&run, judgement, examined);
        record.sources = sources;
        self.parts(&mut record, &run, rows.source())?;
        self.play_terms(&mut record, &run)?;
        let games = self.fast_games(&run)?;
        // A refusal is why the new weights do not replace those before; weights and code are then
        // written into the folder of this run alone.
        let refusal = self.refusal(&record.judgement, games.as_ref());
        let code = self.subject.code(&run, &record.judgement, config)?;
        if let Some((name, code)) = code {
            folder.write(&name, &code, refusal.is_none())?;
        }
        record.fast_games.clone_from(&games);
        record.refused.clone_from(&refusal);
        let end = self.write(folder, &mut record, &run)?;
        let refusal = refusal.map(|_| self.failure(games.as_ref(), folder));
        let next = if refusal.is_none() {
            self.next()
        } else {
            Vec::new()
        };
        let end = self.end(end, refusal.transpose()?);
        // Phases are timed by thread, and the caller of the fit is on another thread.
        let phases = PhaseRecord::all();
        Ok(FitResult {
            record,
            phases,
            next,
            end,
        })
    }

    /// Judges the weights of the run, and tells the user how the fit went. Fails if there are no
    /// weights worth writing, as numbers failed or the data allow no optimum, and first names those
    /// that the data leave open.
    fn judged(&self, run: &FinishedRun<'_>, rows: &dyn RowSource) -> Result<Judgement> {
        let job = self.job;
        // Without a spec the scores are taken to be in centipawns.
        let unit = self.subject.spec().map_or("centipawn", Spec::unit);
        if !run.is_usable() {
            let termination = &run.fit.summary.termination;
            for weights in SolverRecord::new(run).open() {
                let names = some_names(weights.names.iter().cloned());
                job.say(format_args!("{}: {names}", weights.sentence()));
            }
            fail!("the fit failed: {termination}; nothing was written");
        }
        let judgement = {
            let _phase = phase("judgement");
            judge(run, rows)?
        };
        job.say_details(judgement.words());
        words::say_fit(job, run, unit);
        let changed = run.fit.changed_branches;
        if changed > 0 {
            job.say_detail(format_args!("  {}", run.retracing.sentence(changed)));
        }
        Ok(judgement)
    }

    /// Examines the positions of a fit: how well it predicts their results, and which it predicts
    /// worst. Where positions cannot be read again, it returns how well the rows are predicted, and
    /// the reason. A reason that is a failure is told to the user.
    fn examined(&self, run: &FinishedRun<'_>, rows: &mut FitRows<'_>) -> Result<FittedPositions> {
        let job = self.job;
        let reason: String = match rows {
            FitRows::Traces(_) => "traces keep no positions".to_owned(),
            FitRows::Positions(_) if job.is_interrupted_anywhere() => {
                "the fit was interrupted".to_owned()
            }
            FitRows::Positions(rows) => {
                let _phase = phase("positions of the fit");
                let found = fitted_positions(rows, run);
                // The line that shows how far that reading got is not shown any more.
                job.reading_ended();
                match found {
                    Ok(found) => return Ok(found),
                    Err(
                        reason @ (FittedPositionsError::Unrepeatable
                        | FittedPositionsError::SeveralRanks),
                    ) => reason.to_string(),
                    Err(reason) => {
                        job.say(format_args!(
                            "warning: no look at the positions of the fit: {reason}"
                        ));
                        reason.to_string()
                    }
                }
            }
        };
        let calibration = calibrate(run, rows.source())?;
        Ok(FittedPositions::of_rows(calibration, reason))
    }

    /// Returns the names of the files of the data, each with how many of its positions were read
    /// and rejected: from `facts.files`, or for a single file from the totals, of which `positions`
    /// are those read. The counts are `None` where they are not known by file.
    fn files(&self, facts: &RowFacts, positions: u64) -> Vec<DataFileRecord> {
        let names = self.subject.files(self.config);
        // A single file has all positions that were read.
        let all = [FileFacts {
            positions,
            rejected: facts.rejected,
        }];
        let mut counts = [&facts.files[..], &all].into_iter();
        // Counts that are one for each file.
        let counts = counts.find(|counts| counts.len() == names.len());
        let file = |(number, name): (usize, &PathBuf)| DataFileRecord {
            positions: counts.map(|counts| counts[number].positions),
            rejected: counts.map(|counts| counts[number].rejected),
            name: name.display().to_string(),
        };
        names.iter().enumerate().map(file).collect()
    }

    /// Returns the record of a run that has ended. The caller adds what further fits and games
    /// find. `examined`: how the positions are predicted.
    fn record(
        &self,
        run: &FinishedRun<'_>,
        judgement: Judgement,
        examined: FittedPositions,
    ) -> RunRecord {
        let (names, written) = (&self.variables.names, &run.fit.written);
        let spec = self.subject.spec();
        // With a spec the floats nearest to multiples of their steps, which print with the fewest
        // digits. If one weight is not a multiple, all stay as they are.
        let layout = spec.map(Spec::layout);
        let exact = layout.and_then(|layout| Some(layout.values(&layout.counts(written).ok()?)));
        let weights = NamedValues::new(names, exact.as_ref().unwrap_or(written));
        let files = self.files(&run.facts, run.positions as u64);
        let mut record = RunRecord::new(run, weights, files, judgement, examined);
        record.command = self.job.command.to_string();
        record.spec = spec.map(|spec| SpecRecord {
            name: spec.name().to_owned(),
            hash: spec.hash().to_owned(),
        });
        // `patch` changes a literal only if it still has the value that it had when the evaluation
        // was traced.
        record.initial = (self.subject.engine())
            .map(|engine| NamedValues::new(names, &engine.linked.link.source_weights()));
        record
    }

    /// Makes the further fits that were asked for: of fractions of the games (`--learning-curve`),
    /// of folds (`--folds`), and without each parameter of `--ablate`. What they show is said and
    /// added to the record. Where the fit chose the strengths of its prior by the evidence, each
    /// further fit chooses them anew.
    fn parts(
        &self,
        record: &mut RunRecord,
        run: &FinishedRun<'_>,
        rows: &dyn RowSource,
    ) -> Result<()> {
        let (job, config) = (self.job, self.config);
        // Groups of weights, each with a strength of the prior, for fits that choose the strengths.
        let groups = config.is_by_evidence().then_some(&*run.variables.groups);
        let mut ends = || break_if(job.is_interrupted_anywhere());
        record.learning_curve = (config.learning_curve)
            .then(|| learning_curve(run, rows, groups, &mut ends))
            .transpose()?;
        record.folds = (config.folds)
            .map(|count| cross_validate(run, rows, groups, count, &mut ends))
            .transpose()?;
        job.say_all(&record.learning_curve);
        job.say_all(&record.folds);
        let mut among: Vec<&WeightGroup> = Vec::new();
        for name in &config.ablate {
            for group in config::named(name, run.variables) {
                if !among.contains(&group) {
                    among.push(group);
                }
            }
        }
        if !among.is_empty() {
            let mut each = |ablation: &Ablation| job.say(ablation);
            record.ablations = ablate(run, rows, groups, &among, &mut each, &mut ends)?;
            let (known, all) = (record.ablations.len(), among.len());
            if known < all {
                job.say(format_args!(
                    "--ablate: interrupted, {known} of {all} parameters are known"
                ));
            }
        }
        Ok(())
    }

    /// Plays the fits without each parameter of `--ablate` against the fit with all of them, where
    /// `--ablate-games` asks for that, and records what each parameter is worth in Elo. Does
    /// nothing for rows that were made elsewhere.
    fn play_terms(&self, record: &mut RunRecord, run: &FinishedRun<'_>) -> Result<()> {
        let (Some(games), Some(subject)) = (self.config.ablate_games, self.subject.engine()) else {
            return Ok(());
        };
        let _phase = phase("games without parameters");
        let (job, depth) = (self.job, self.config.fast_depth);
        record.terms = terms::play(job, subject, run, &record.ablations, games, depth)?;
        job.say_all(&record.terms);
        for (worth, words) in [
            (TermWorth::Needed, "win games"),
            (TermWorth::NotMissed, "could be left out, one at a time"),
        ] {
            let these = record.terms.iter().filter(|term| term.worth == Some(worth));
            let these: Vec<&str> = these.map(|term| &*term.group).collect();
            if !these.is_empty() {
                job.say(format_args!("{words}: {}", these.join(", ")));
            }
        }
        if record.terms.len() > 1 {
            job.say(TermWorth::OF_ALL);
        }
        Ok(())
    }

    /// Plays the weights of the fit against those before, and returns what the games came to.
    /// `None` for rows that were made elsewhere, where `--fast-games 0` wants no games, where the
    /// weights do not differ, and after an interruption; also where nobody plays or games failed,
    /// which the user is told. The error is an interruption of the games, or what else ends the
    /// fit.
    fn fast_games(&self, run: &FinishedRun<'_>) -> Result<Option<FastGamesRecord>> {
        let job = self.job;
        let count = self.config.fast_games.unwrap_or(FAST_GAMES);
        let Some(engine) = self.subject.engine().filter(|_| count > 0) else {
            return Ok(None);
        };
        let Some(arena) = &engine.arena else {
            let words = no_games(engine.project.is_rust());
            job.say(format_args!("strength is not measured: {words}"));
            return Ok(None);
        };
        if job.is_interrupted_anywhere() || run.fit.written == run.before {
            return Ok(None);
        }
        let _phase = phase("fast games");
        let sides = [&*run.fit.written, &run.before];
        let depth = self.config.fast_depth;
        match fast_games(job, arena, engine.linked, sides, count, depth) {
            Ok(games) => {
                job.say_detail(&games.words);
                Ok(Some(games))
            }
            // Games that cannot be played, as where the evaluation panics, do not fail the fit.
            Err(Failure::Error(reason)) => {
                // The message names the option of other commands; this command calls it otherwise.
                let cure = if reason.contains("--depth N") {
                    "; here --fast-depth N"
                } else {
                    ""
                };
                job.say(format_args!("no fast games: {reason}{cure}"));
                Ok(None)
            }
            Err(failure) => Err(failure),
        }
    }

    /// Returns why the new weights do not replace those before, in words for the user; `None` if
    /// they do, or `--write-worse` has them replace those in any case. `games`: the fast games, if
    /// some were played.
    fn refusal(&self, judgement: &Judgement, games: Option<&FastGamesRecord>) -> Option<String> {
        let config = self.config;
        if config.write_worse {
            return None;
        }
        if judgement.verdict == FitVerdict::Worse {
            let advice = judgement.advice.as_deref().unwrap_or_default();
            return Some(format!("worse than before: {advice}"));
        }
        let games = games.filter(|games| !games.passed)?;
        if !games.are_decided() {
            return Some(
                "the fast games do not decide whether the new weights win: keep yours; more \
                 --fast-games do"
                    .to_owned(),
            );
        }
        let what = if games.are_lost() {
            "lose games"
        } else {
            "do not surely win games"
        };
        // Where the fit read positions with scores of others, the first advice is to search them
        // anew.
        let better = if config.rescore.is_none() && !config.data.data.is_empty() {
            "scores are not its own, give the positions those of its search (`--rescore 1000`); where \
             games are not, take"
        } else {
            "games are not its own, take"
        };
        let data = match judgement.verdict {
            FitVerdict::Better => "explain the data better and ",
            FitVerdict::WithinNoise => "explain the data no better than by chance, and ",
            FitVerdict::Worse | FitVerdict::NotJudged | FitVerdict::Predicted => "",
        };
        Some(format!(
            "the new weights {data}{what}: keep yours. Results and scores \
             of other players teach this engine little: where {better} its games (`loop`, or \
             `selfplay` and `fit` on its table). Where all are its own, these positions teach no \
             more. What only tactics decide, threats and tempo, quiet positions teach wrongly: \
             `--freeze` it"
        ))
    }

    /// Writes the weights as lines, the page, and last the summary, and removes the checkpoint of a
    /// run that is done. The inner result says how the run ended, the outer error is that of a
    /// file.
    fn write(
        &self,
        folder: &Folder<'_>,
        record: &mut RunRecord,
        run: &FinishedRun<'_>,
    ) -> Result<Result<RunEnd, RunError>> {
        record.timings = self.config.timings.then(PhaseRecord::all);
        let _phase = phase("writing");
        let weights = record.weights.0.iter().map(|(name, value)| (name, *value));
        let lines = weight_lines(Some(record.k), weights);
        folder.write("weights.txt", &lines, record.refused.is_none())?;
        // `true`: the page is that of the last run, also where its weights are refused.
        folder.write("report.html", &html(record), true)?;
        let text = serde_json::to_string_pretty(record)? + "\n";
        // The checkpoint is removed before the summary is there: a fit that is killed in between is
        // fitted again, but one that has its summary has no checkpoint left.
        let end = run.end();
        folder.end(&text)?;
        Ok(end)
    }

    /// Returns the failure of a fit whose weights do not replace those before: an interruption,
    /// where one left the fast games undecided, else that the weights did not pass. The outer error
    /// is about the folder.
    fn failure(&self, games: Option<&FastGamesRecord>, folder: &Folder<'_>) -> Result<Failure> {
        let (replaced, replaces) = if self.config.out.join("weights.txt").exists() {
            ("replaced", "replaces")
        } else {
            ("written", "writes")
        };
        let why = format!(
            "weights.txt and tuned_weights.* were not {replaced} (those of this run are in {}; \
             --write-worse {replaces} them)",
            folder.run()?.display()
        );
        let is_open = games.is_some_and(|games| !games.are_decided());
        Ok(if is_open && self.job.is_interrupted_anywhere() {
            Failure::Interrupted(format!("in the fast games: {why}"))
        } else {
            Failure::NotPassed(why)
        })
    }

    /// Returns what the user may do next, a line each: look at the page, and where weights and code
    /// are.
    fn next(&self) -> Vec<String> {
        let file = |name: &str| shell_word(&self.config.out.join(name));
        let (page, by_name) = (file("report.html"), file("weights.txt"));
        let look = format!("look at {page}");
        let Some(engine) = self.subject.engine() else {
            let code = match self.subject.spec() {
                Some(_) => "as code in tuned_weights.*",
                None => "with --spec and --to also as code",
            };
            return vec![look, format!("the weights are in {by_name}, and {code}")];
        };
        let (tuner, summary) = (engine.project.command(), file("summary.json"));
        let language = engine.linked.language;
        let code = file(&format!("tuned_weights.{}", language.extension()));
        let how = match language {
            Language::Rust => {
                return vec![
                    look,
                    format!(
                        "`{tuner} patch {summary} --dry-run` shows what it writes into sources"
                    ),
                    format!("{code}, where weights are generated"),
                ];
            }
            Language::C | Language::Cpp => "includes it in the place of its tables",
            Language::Json => "reads it",
        };
        vec![
            look,
            format!("the weights are in {code}, for an engine that {how}"),
            format!("by name they are in {by_name}"),
        ]
    }

    /// Returns how the command ends: by a failure of the run (`end`), by `refusal`, the failure of
    /// weights that do not replace those before, by an interruption, or well. Tells the user how a
    /// run that stopped early continues.
    fn end(&self, end: Result<RunEnd, RunError>, refusal: Option<Failure>) -> Result<()> {
        let (job, end) = (self.job, end?);
        if let Some(refusal) = refusal {
            return Err(refusal);
        }
        match end {
            RunEnd::Interrupted {
                iteration,
                resumable,
                unscaled,
            } => {
                if unscaled {
                    job.say("  no factor leads to the scale of --anchor yet: they are not in it");
                }
                let next = if resumable {
                    "the same command with --resume continues from here"
                } else {
                    "there is no checkpoint to resume from (see above)"
                };
                return Err(Failure::Interrupted(format!(
                    "after iteration {iteration}; the best weights so far are written; {next}"
                )));
            }
            RunEnd::Limited { resumable: true } => {
                job.say("  the same command with --resume and a higher --max-iterations continues");
            }
            RunEnd::Limited { resumable: false } | RunEnd::Done => {}
        }
        Ok(())
    }

    /// Turns the error of a run into a failure, with the names of the variables or of the weight
    /// that it is about.
    fn named(&self, error: RunError) -> Failure {
        match (error, self.subject.spec()) {
            (RunError::Fit(FitError::TooLarge(error)), Some(spec)) => {
                words::largest(&error, spec.layout(), &self.variables.reduction).into()
            }
            (RunError::Fit(FitError::Anchor(error)), _) => {
                let name = &self.variables.names[error.weight];
                format!("--anchor {name}={}: {}", error.value, error.reason).into()
            }
            (error @ RunError::Interrupted(_), _) => Failure::Interrupted(error.to_string()),
            (other, _) => other.into(),
        }
    }
}

/// Returns the failure of a fit that was interrupted before it had weights. `folder`: that of the
/// results; `resume`: whether the fit was to continue from a checkpoint there.
fn nothing_yet(folder: &Path, resume: bool) -> Failure {
    Failure::Interrupted(if resume {
        let path = folder.join(CHECKPOINT_FILE);
        format!(
            "before the fit resumed; {} is as it was, and --resume works again",
            path.display()
        )
    } else {
        "before the fit began; nothing was written".to_owned()
    })
}
