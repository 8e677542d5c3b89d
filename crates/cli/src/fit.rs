//! `fit`: from positions, or from traces made elsewhere, to weights.

mod rescore;
mod traces;

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use serde_json::json;

use super::args::{FitArgs, PriorArg};
use super::config;
use super::events::EventWriter;
use super::folder::Folder;
use super::interrupt::Interrupt;
use super::play::{self, Arena, FAST_GAMES, silent};
use super::progress::Progress;
use super::project::Project;
use super::report;
use super::run::{checked, least_memory, on_threads, positions, same_program};
#[cfg(feature = "arrow")]
use super::trace;
use super::watch::Watch;
use super::{Failure, memory, output, scale, timings};
use tuner_base::{phase, shell_word};
use tuner_engine::examine::{FittedPositions, FittedPositionsError, fitted_positions};
use tuner_engine::{EngineRows, LinkedSpec};
use tuner_fit::run::{
    CHECKPOINT_FILE, FinishedRun, FitRun, OptionsSnapshot, RowSource, RunConfig, RunEnd, RunError,
    Variables, weight_lines,
};
use tuner_fit::{FitError, WeightGroup};
use tuner_judge::{
    Ablation, Calibration, FitVerdict, Judgement, ablate, calibrate, canonicalise, cross_validate,
    judge, learning_curve,
};
use tuner_record::{FastGamesRecord, NamedValues, PhaseRecord, RunRecord, SpecRecord};
use tuner_report::html;
use tuner_spec::{Layout, Spec};

pub(super) use rescore::rescore;
pub(super) use traces::of_traces;

/// Fits the weights of an engine.
pub(super) fn of_engine(
    project: &Project,
    args: &FitArgs,
    options: OptionsSnapshot,
    events: &EventWriter,
) -> Result<(), Failure> {
    let linked = project.linked_for(&args.data.data)?;
    let whole = project.linked()?;
    let arena = Arena::found(project, &whole)?;
    if arena.is_none() && args.fast_games.is_some_and(|games| games > 0) {
        let words = silent(&project.file.file);
        return Err(Failure::Usage(format!("--fast-games: {words}")));
    }
    same_program(project, &linked, project.data(&args.data.data))?;
    let (linked, variables, config) = config::of_engine(linked, args, options)?;
    let job = FitJob {
        args,
        variables: &variables,
        spec: Some(&linked.spec),
        prior: args.prior.unwrap_or(PriorArg::Evidence),
        engine: Some(FittedEngine {
            project,
            linked: &linked,
            arena: arena.as_ref(),
        }),
        events,
        begun: Instant::now(),
    };
    let rows = |interrupt: &Interrupt, progress: &Progress| {
        let _phase = phase("rows");
        rows(project, &linked, args, interrupt, progress)
    };
    let code = |run: &FinishedRun<'_>, judgement: &Judgement| {
        let errors = args.errors_in_code.then_some(judgement);
        let code = linked.emit(run, args.date.as_deref(), errors)?;
        Ok(Some(("tuned_weights.rs".to_owned(), code)))
    };
    job.run(config, rows, &code)
}

/// A fit whose rows are to be had, and what becomes of its result.
struct FitJob<'a> {
    args: &'a FitArgs,
    variables: &'a Variables,
    /// `None` where weights have no spec.
    spec: Option<&'a Spec>,
    prior: PriorArg,
    /// `None` of rows that were made elsewhere.
    engine: Option<FittedEngine<'a>>,
    events: &'a EventWriter,
    begun: Instant,
}

/// The engine of a fit.
#[derive(Clone, Copy)]
struct FittedEngine<'a> {
    project: &'a Project,
    linked: &'a LinkedSpec,
    /// Where it plays.
    arena: Option<&'a Arena<'a>>,
}

/// Makes the file of fitted weights, with its name; `None` where there is no spec.
type MakeCode<'a> =
    dyn Fn(&FinishedRun<'_>, &Judgement) -> Result<Option<(String, String)>, Failure> + Sync + 'a;

impl FitJob<'_> {
    /// Fits, judges, writes, and says what came of it.
    fn run<'r>(
        &self,
        config: RunConfig,
        rows: impl FnOnce(&Interrupt, &Progress) -> Result<FitRows<'r>, Failure> + Send,
        code: &MakeCode<'_>,
    ) -> Result<(), Failure> {
        let (args, events) = (self.args, self.events);
        let mut beforehand = Watch::new(false, &Interrupt::default(), None, events);
        let run = FitRun::new(self.variables, config, &mut beforehand)?;
        let folder = Folder::new(&args.out)?;
        let interrupt = Interrupt::watch()?;
        on_threads(args.threads, || {
            let shown = !args.json && !args.quiet;
            let reads = shown && self.engine.is_some();
            let progress = Progress::new(reads, &interrupt).with_events(events);
            let mut rows = rows(&interrupt, &progress)?;
            let mut watch = Watch::new(shown, &interrupt, Some(progress.clone()), events);
            let run = run.with_memory(least_memory());
            let run = {
                let _phase = phase("fit");
                run.run(rows.source(), &mut watch)
            };
            let mut run = run.map_err(|error| self.named(error))?;
            let unit = self.spec.map_or("centipawn", Spec::unit);
            let judgement = report(&mut run, rows.source(), unit, args.details)?;
            if args.canonical {
                let (weights, moved) = canonicalise(&run, rows.source(), &judgement)?;
                run.fit.written = weights;
                for sentence in moved {
                    say!("canonical: {sentence}");
                }
            }
            let examined = examined(&mut run, &mut rows, &interrupt, &progress)?;
            if args.details {
                calibrated(&examined.calibration);
            }
            let mut record = self.record(&run, (judgement, examined));
            self.more(&mut record, &run, rows.source(), &interrupt)?;
            let games = self.fast_games(&run, shown, &interrupt)?;
            let refusal = self.refusal(&record.judgement, games.as_ref());
            if let Some((name, code)) = code(&run, &record.judgement)? {
                folder.write(&name, &code, refusal.is_none())?;
            }
            record.fast_games.clone_from(&games);
            record.refused.clone_from(&refusal);
            self.hand_over(&folder, record)?;
            let refusal = refusal.map(|why| failure(&why, games.as_ref(), &interrupt, &folder));
            let next = (!args.quiet).then(|| self.next(games.is_some()));
            end(&run, refusal.transpose()?, next)
        })
    }

    /// Returns the record of a run that has ended.
    fn record(&self, run: &FinishedRun<'_>, judged: (Judgement, FittedPositions)) -> RunRecord {
        let (names, written) = (&self.variables.names, &run.fit.written);
        let exact = self.spec.map(|spec| exact(spec.layout(), written));
        let weights = NamedValues::new(names, exact.as_ref().unwrap_or(written));
        let mut files = &self.args.data.data[..];
        if let Some(engine) = self.engine {
            files = engine.project.data(files);
        }
        let files = files.iter().map(|file| file.display().to_string());
        let (judgement, examined) = judged;
        let mut record = RunRecord::new(run, weights, files.collect(), judgement, examined);
        record.spec = self.spec.map(|spec| SpecRecord {
            name: spec.name().to_owned(),
            hash: spec.hash().to_owned(),
        });
        // What the patch of the sources compares with.
        let source = self
            .engine
            .map(|engine| engine.linked.link.source_weights());
        record.initial = source.map(|weights| NamedValues::new(names, &weights));
        record
    }

    /// Writes the weights as lines, the summary and its page, tells of the judgement, and
    /// prints the summary if asked for.
    fn hand_over(&self, folder: &Folder, mut record: RunRecord) -> Result<(), Failure> {
        let args = self.args;
        let accepted = record.refused.is_none();
        self.events.judged(&record.judgement, accepted);
        record.timings = args.timings.then(PhaseRecord::all);
        {
            let _phase = phase("writing");
            let weights = record.weights.0.iter().map(|(name, value)| (name, *value));
            folder.write("weights.txt", &weight_lines(weights), accepted)?;
            let text = serde_json::to_string_pretty(&record)? + "\n";
            folder.write("summary.json", &text, true)?;
            folder.write("report.html", &html(&record), true)?;
            if args.json {
                output::line(&serde_json::to_string(&record)?)?;
            }
        }
        let written = folder.run()?;
        self.events.write("written", || json!({ "run": written }));
        if args.timings {
            say!("{}", timings::words(self.begun.elapsed()).trim_end());
        }
        Ok(())
    }

    /// Plays the weights that are written against those before, where the engine plays and
    /// they differ.
    fn fast_games(
        &self,
        run: &FinishedRun<'_>,
        shown: bool,
        interrupt: &Interrupt,
    ) -> Result<Option<FastGamesRecord>, Failure> {
        let Some(FittedEngine { linked, arena, .. }) = self.engine else {
            return Ok(None);
        };
        let Some(arena) = arena else {
            say!(
                "strength is not measured: the evaluator plays no games; `serve_playing` lets it, \
                 or `[engine]` in tuner.toml says how the engine itself is built (docs/playing.md)"
            );
            return Ok(None);
        };
        let count = self.args.fast_games.unwrap_or(FAST_GAMES);
        if count == 0 || interrupt.asked_anywhere() || run.fit.written == run.before {
            return Ok(None);
        }
        let _phase = phase("fast games");
        let sides = [&*run.fit.written, &run.before];
        match play::fast_games(arena, linked, sides, count, shown, interrupt) {
            Ok(games) => {
                say!("{}", games.words);
                Ok(Some(games))
            }
            // Where none can be played, as the evaluation panics, say, the fit stands without.
            Err(Failure::Error(reason)) => {
                say!("no fast games: {reason}");
                Ok(None)
            }
            Err(failure) => Err(failure),
        }
    }

    /// Says why the weights do not replace those that were written before, if they do
    /// not.
    fn refusal(&self, judgement: &Judgement, games: Option<&FastGamesRecord>) -> Option<String> {
        if self.args.write_worse {
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
        let better = if self.args.rescore.is_none() && !self.args.data.data.is_empty() {
            "give the positions scores of its own search (`--rescore 1000`), unless these are, or \
             take its own games (`loop`, or `selfplay` and `fit` on its table)"
        } else {
            "take the engine's own games (`loop`, or `selfplay` and `fit` on its table)"
        };
        let data = match judgement.verdict {
            FitVerdict::Better => "explain the data better and ",
            FitVerdict::WithinNoise => "explain the data no better than by chance, and ",
            FitVerdict::Worse | FitVerdict::NotJudged => "",
        };
        Some(format!(
            "the new weights {data}{what}: keep yours. Results and scores \
             of other players teach this engine little: {better}. What only tactics decide, \
             threats and tempo, quiet positions teach wrongly: `--freeze` it"
        ))
    }

    /// Returns the next steps.
    fn next(&self, played: bool) -> String {
        let file = |name: &str| shell_word(&self.args.out.join(name));
        let page = file("report.html");
        let Some(engine) = self.engine else {
            return format!(
                "look at {page}; the weights are in {}, and with --spec in tuned_weights.*; games \
                 tell whether they win: `tuner match ./new ./old`",
                file("weights.txt")
            );
        };
        let (tuner, summary) = (engine.project.command(), file("summary.json"));
        let code = file("tuned_weights.rs");
        let games = if played {
            ""
        } else {
            ". Games tell whether they win: `tuner match ./new ./old`"
        };
        format!(
            "look at {page}; `{tuner} patch {summary} --dry-run` shows what it writes into \
             sources, where weights are generated take {code}{games}"
        )
    }

    /// The error, with the parameters that it is about.
    fn named(&self, error: RunError) -> Failure {
        match (error, self.spec) {
            (RunError::Fit(FitError::TooLarge(error)), Some(spec)) => {
                memory::largest(&error, spec.layout(), &self.variables.reduction).into()
            }
            (RunError::Fit(FitError::Anchor(error)), _) => {
                scale::refused(&error, &self.variables.names[error.weight]).into()
            }
            (error @ RunError::Interrupted, _) => Failure::Interrupted(error.to_string()),
            (other, _) => other.into(),
        }
    }

    /// Fits parts of the games, where that is asked for, for the record.
    fn more(
        &self,
        record: &mut RunRecord,
        run: &FinishedRun<'_>,
        rows: &mut dyn RowSource,
        interrupt: &Interrupt,
    ) -> Result<(), Failure> {
        let args = self.args;
        let groups = (self.prior == PriorArg::Evidence).then_some(&*run.variables.groups);
        let mut ends = || {
            if interrupt.asked_anywhere() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let curve = (args.learning_curve)
            .then(|| learning_curve(run, rows, groups, &mut ends))
            .transpose()?;
        let folds = (args.folds)
            .map(|count| cross_validate(run, rows, groups, count, &mut ends))
            .transpose()?;
        output::say_all(&curve);
        output::say_all(&folds);
        (record.learning_curve, record.folds) = (curve, folds);
        let mut among: Vec<&WeightGroup> = Vec::new();
        for name in &args.ablate {
            let mut groups = run.variables.groups.iter();
            let group = groups.find(|group| group.name == *name);
            let group = group.filter(|group| !among.contains(group));
            among.extend(group);
        }
        if !among.is_empty() {
            let mut each = |ablation: &Ablation| say!("{ablation}");
            let ablations = ablate(run, rows, groups, &among, &mut each, &mut ends)?;
            if ablations.len() < among.len() {
                let (known, all) = (ablations.len(), among.len());
                say!("--ablate: interrupted, {known} of {all} parameters are known");
            }
            record.ablations = ablations;
        }
        Ok(())
    }
}

/// Why traces are not looked at position by position.
const NO_POSITIONS: &str = "traces keep no positions";

/// Examines the positions of a fit; where they cannot be read again, its rows.
fn examined(
    run: &mut FinishedRun<'_>,
    rows: &mut FitRows<'_>,
    interrupt: &Interrupt,
    progress: &Progress,
) -> Result<FittedPositions, Failure> {
    let reason: String = match rows {
        FitRows::Traces(_) => NO_POSITIONS.to_owned(),
        FitRows::Positions(_) if interrupt.asked_anywhere() => "the fit was interrupted".to_owned(),
        FitRows::Positions(rows) => {
            let _phase = phase("positions of the fit");
            let found = fitted_positions(rows, run);
            // It shows that some were read again.
            progress.done();
            match found {
                Ok(found) => return Ok(found),
                Err(
                    reason @ (FittedPositionsError::Unrepeatable
                    | FittedPositionsError::SeveralRanks),
                ) => reason.to_string(),
                Err(reason) => {
                    say!("warning: no look at the positions of the fit: {reason}");
                    reason.to_string()
                }
            }
        }
    };
    let calibration = calibrate(run, rows.source())?;
    Ok(FittedPositions::of_rows(calibration, reason))
}

fn calibrated(calibration: &Calibration) {
    let (before, after) = (&calibration.before, &calibration.after);
    let chance = (after.by_chance).map_or_else(String::new, |c| format!(", {c:.4} by chance"));
    say!(
        "calibration: expected error {:.4} → {:.4}{chance}, on {} {} positions",
        before.expected_error,
        after.expected_error,
        calibration.positions,
        if calibration.held_out {
            "held-out"
        } else {
            "fitted"
        }
    );
}

/// The nearest numbers to weights that have no more digits than the spec gives them;
/// where they have, as they are.
fn exact(layout: &Layout, weights: &[f64]) -> Vec<f64> {
    match layout.counts(weights) {
        Ok(counts) => layout.values(&counts),
        Err(_) => weights.to_vec(),
    }
}

/// Where the rows of a fit come from.
enum FitRows<'a> {
    /// Positions that are traced and checked.
    Positions(Box<EngineRows<'a>>),
    /// A file of traces.
    #[cfg_attr(not(feature = "arrow"), allow(dead_code, reason = "Arrow makes them"))]
    Traces(Box<dyn RowSource + 'a>),
}

impl FitRows<'_> {
    fn source(&mut self) -> &mut dyn RowSource {
        match self {
            Self::Positions(rows) => &mut **rows,
            Self::Traces(rows) => &mut **rows,
        }
    }
}

/// The rows of the data.
fn rows<'a>(
    project: &'a Project,
    linked: &'a LinkedSpec,
    args: &FitArgs,
    interrupt: &Interrupt,
    progress: &Progress,
) -> Result<FitRows<'a>, Failure> {
    let early = || nothing_yet(&args.out, args.resume);
    let evaluation = project.evaluation()?;
    #[cfg(feature = "arrow")]
    if let Some(path) = trace::named(args, project.data(&args.data.data))? {
        let rows = trace::open(evaluation, linked, path)?;
        return if interrupt.asked_anywhere() {
            Err(early())
        } else {
            Ok(FitRows::Traces(Box::new(rows)))
        };
    }
    let positions = positions(project, &args.data, progress)?;
    let found = checked(project, linked, &positions, args.differences, progress);
    if interrupt.asked_anywhere() {
        return Err(early());
    }
    let found = found?;
    found.verdict(args.data.allow_constants)?;
    let rows = EngineRows::new(evaluation, linked, positions, found.collected);
    Ok(FitRows::Positions(Box::new(rows)))
}

/// Returns the failure that a refusal ends the command with.
fn failure(
    why: &str,
    games: Option<&FastGamesRecord>,
    interrupt: &Interrupt,
    folder: &Folder,
) -> Result<Failure, Failure> {
    let why = format!(
        "{why}; weights.txt and tuned_weights.* were not replaced (those of this run are in {}; \
         --write-worse replaces them)",
        folder.run()?.display()
    );
    let is_open = games.is_some_and(|games| !games.are_decided());
    Ok(if is_open && interrupt.asked_anywhere() {
        Failure::Interrupted(format!("in the fast games: {why}"))
    } else {
        Failure::NotPassed(why)
    })
}

/// Judges the run, and tells how it went; fails if there are no weights worth
/// writing.
fn report(
    run: &mut FinishedRun<'_>,
    rows: &mut dyn RowSource,
    unit: &str,
    details: bool,
) -> Result<Judgement, Failure> {
    if !run.is_usable() {
        report::fit(run, unit, details);
        return Err("the fit failed (see above); nothing was written".into());
    }
    let judgement = {
        let _phase = phase("judgement");
        judge(run, rows)?
    };
    output::say_all(judgement.words());
    report::fit(run, unit, details);
    let changed = run.fit.changed_branches;
    if changed > 0 {
        say!("  {}", run.rounds.sentence(changed));
    }
    Ok(judgement)
}

/// Ends: what is left of the run, and what the user is told of it.
fn end(
    run: &FinishedRun<'_>,
    refusal: Option<Failure>,
    next: Option<String>,
) -> Result<(), Failure> {
    let end = run.end()?;
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
                say!("  no factor leads to the scale of --anchor yet: they are not in it");
            }
            let next = if resumable {
                "the same command with --resume continues from here"
            } else {
                "there is no checkpoint to resume from (see above)"
            };
            Err(Failure::Interrupted(format!(
                "after iteration {iteration}; the best weights so far are written; {next}"
            )))
        }
        RunEnd::Limited { resumable: true } => {
            say!("  the same command with --resume and a higher --max-iterations continues");
            Ok(())
        }
        RunEnd::Limited { resumable: false } | RunEnd::Done => {
            if let Some(next) = next {
                say!("next: {next}");
            }
            Ok(())
        }
    }
}

/// Makes the failure of a fit that was interrupted before it had weights.
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
