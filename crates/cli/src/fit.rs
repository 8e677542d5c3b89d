//! `fit`: from positions, or from traces made elsewhere, to weights.

mod rescore;
mod traces;

use std::fmt::Display;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::json;

use super::args::{EngineFitArgs, FitArgs, PriorArg};
use super::events::EventWriter;
use super::folder::Folder;
use super::interrupt::Interrupt;
use super::play::{self, Arena, FAST_GAMES, FastGames, silent};
use super::progress::Progress;
use super::project::Project;
use super::report;
use super::run::{checked, least_memory, on_threads, positions, same_program};
#[cfg(feature = "arrow")]
use super::trace;
use super::watch::Watch;
use super::{Failure, config, memory, output, scale, timings};
use tuner_base::{phase, shell_word};
use tuner_engine::examine::{FittedPositions, FittedPositionsError, fitted_positions};
use tuner_engine::{EngineRows, LinkedSpec};
use tuner_fit::FitError;
use tuner_fit::run::{
    CHECKPOINT_FILE, FinishedRun, FitRun, OptionsSnapshot, RowSource, RunEnd, RunError, Variables,
    weight_lines,
};
use tuner_judge::{
    Ablation, Calibration, FitVerdict, Judgement, ablate, calibrate, canonicalise, cross_validate,
    judge, learning_curve,
};
use tuner_record::{NamedValues, PhaseRecord, RunRecord, SpecRecord};
use tuner_report::html;
use tuner_spec::{Layout, Spec};

pub(super) use rescore::rescore;
pub(super) use traces::{of_traces, prior as traces_prior};

/// Fits the weights of an engine.
pub(super) fn of_engine(
    project: &Project,
    args: &EngineFitArgs,
    options: OptionsSnapshot,
    events: &EventWriter,
) -> Result<(), Failure> {
    let linked = project.linked()?;
    let whole = project.linked()?;
    let arena = Arena::found(project, &whole)?;
    if arena.is_none() && args.fast_games.is_some_and(|games| games > 0) {
        let words = silent(&project.file.file);
        return Err(Failure::Usage(format!("--fast-games: {words}")));
    }
    let data = project.data(&args.data.data);
    same_program(project, &linked, data)?;
    let choice = args.choice.choice(linked.spec.layout(), &args.fit.init)?;
    let linked = linked.choose(choice);
    let linked = linked.map_err(|error| Failure::Usage(format!("--{error}")))?;
    let variables = linked.variables()?;
    let layout = linked.spec.layout();
    let config = config::of_engine(args, &variables, layout, options)?;
    let run = FitRun::new(&variables, config, &mut Watch::beforehand(events))?;
    let folder = Folder::new(&args.fit.out)?;
    let interrupt = Interrupt::watch()?;
    let begun = Instant::now();
    on_threads(args.fit.threads, || {
        let shown = !args.fit.json && !args.fit.quiet;
        let progress = Progress::new(shown, &interrupt).with_events(events);
        let mut rows = {
            let _phase = phase("rows");
            rows(project, &linked, args, &interrupt, &progress)?
        };
        let mut watch = Watch::new(shown, &interrupt, Some(progress.clone()), events);
        let run = run.with_memory(least_memory());
        let run = {
            let _phase = phase("fit");
            run.run(rows.source(), &mut watch)
        };
        let mut run = run.map_err(|error| named(error, &variables, Some(layout)))?;
        let judgement = report(
            &mut run,
            rows.source(),
            linked.spec.unit(),
            args.fit.details,
        )?;
        if args.canonical {
            for words in canonicalise(&mut run, rows.source(), &judgement)? {
                say!("canonical: {words}");
            }
        }
        let details = args.fit.details;
        let examined = match &mut rows {
            FitRows::Traces(rows) => by_rows(&mut run, &mut **rows, &NO_POSITIONS, details)?,
            FitRows::Positions(rows) if interrupt.asked_anywhere() => {
                by_rows(&mut run, &mut **rows, &"the fit was interrupted", details)?
            }
            FitRows::Positions(rows) => examined(&mut run, rows, details, &progress)?,
        };
        let mut record = record(&run, Some(&linked.spec), data, (judgement, examined));
        // What the patch of the sources compares with.
        let initial = linked.link.source_weights();
        record.initial = Some(NamedValues::new(&variables.names, &initial));
        let rows = rows.source();
        more(
            &mut record,
            &run,
            rows,
            &args.fit,
            PriorArg::Evidence,
            &interrupt,
        )?;
        let games = fast_games(arena.as_ref(), (&linked, &run), args, shown, &interrupt)?;
        let scores_help = args.rescore.is_none() && !args.data.data.is_empty();
        let refusal = refusal(&record.judgement, games.as_ref(), &args.fit, scores_help);
        let errors = args.errors_in_code.then_some(&record.judgement);
        let code = linked.emit(&run, args.date.as_deref(), errors)?;
        folder.write("tuned_weights.rs", &code, refusal.is_none())?;
        record.fast_games = games.as_ref().map(FastGames::record);
        record.refused.clone_from(&refusal);
        hand_over(&folder, &args.fit, record, begun, events)?;
        end(
            &run,
            refusal.map(|why| failure(why, games.as_ref(), &interrupt)),
            &folder,
            (!args.fit.quiet).then(|| next(&project.command(), &args.fit.out, games.is_some())),
        )
    })
}

/// Plays the weights that are written against those before, where the engine plays and
/// they differ.
fn fast_games(
    arena: Option<&Arena<'_>>,
    (linked, run): (&LinkedSpec, &FinishedRun<'_>),
    args: &EngineFitArgs,
    shown: bool,
    interrupt: &Interrupt,
) -> Result<Option<FastGames>, Failure> {
    let Some(arena) = arena else {
        say!(
            "strength is not measured: the evaluator plays no games; `serve_playing` lets it, or \
             `[engine]` in tuner.toml says how the engine itself is built (docs/playing.md)"
        );
        return Ok(None);
    };
    let count = args.fast_games.unwrap_or(FAST_GAMES);
    if count == 0 || interrupt.asked_anywhere() || run.fit.written == run.before {
        return Ok(None);
    }
    let _phase = phase("fast games");
    let sides = [&*run.fit.written, &run.before];
    let games = played(play::fast_games(
        arena, linked, sides, count, shown, interrupt,
    ))?;
    if let Some(games) = &games {
        say!("{}", games.words());
    }
    Ok(games)
}

/// What fast games came to. Where none can be played, as the evaluation panics, say,
/// the fit stands without them.
fn played(games: Result<FastGames, Failure>) -> Result<Option<FastGames>, Failure> {
    match games {
        Ok(games) => Ok(Some(games)),
        Err(Failure::Error(reason)) => {
            say!("no fast games: {reason}");
            Ok(None)
        }
        Err(failure) => Err(failure),
    }
}

/// What is known of a run that has ended; `spec` says how many digits weights have.
fn record(
    run: &FinishedRun<'_>,
    spec: Option<&Spec>,
    files: &[PathBuf],
    judged: (Judgement, FittedPositions),
) -> RunRecord {
    let written = &run.fit.written;
    let weights = match spec {
        Some(spec) => exact(spec.layout(), written),
        None => written.clone(),
    };
    let weights = NamedValues::new(&run.variables.names, &weights);
    let files = files.iter().map(|file| file.display().to_string());
    let mut record = RunRecord::new(run, weights, files.collect(), judged);
    record.spec = spec.map(|spec| SpecRecord {
        name: spec.name().to_owned(),
        hash: spec.hash().to_owned(),
    });
    record
}

/// Why traces are not looked at position by position.
const NO_POSITIONS: &str = "traces keep no positions";

/// What the positions of a fit say of it; where they cannot be read again, what its
/// rows say.
fn examined(
    run: &mut FinishedRun<'_>,
    rows: &mut EngineRows<'_>,
    details: bool,
    progress: &Progress,
) -> Result<FittedPositions, Failure> {
    let _phase = phase("positions of the fit");
    let found = fitted_positions(rows, run);
    // It shows that some were read again.
    progress.done();
    match found {
        Ok(found) => {
            if details {
                calibrated(&found.calibration);
            }
            Ok(found)
        }
        Err(reason) => {
            let is_no_surprise = matches!(
                reason,
                FittedPositionsError::Unrepeatable | FittedPositionsError::SeveralRanks
            );
            if !is_no_surprise {
                say!("warning: no look at the positions of the fit: {reason}");
            }
            by_rows(run, rows, &reason, details)
        }
    }
}

/// The calibration by score, and why there is nothing else.
fn by_rows(
    run: &mut FinishedRun<'_>,
    rows: &mut dyn RowSource,
    reason: &dyn Display,
    details: bool,
) -> Result<FittedPositions, Failure> {
    let calibration = calibrate(run, rows)?;
    if details {
        calibrated(&calibration);
    }
    Ok(FittedPositions::of_rows(calibration, reason.to_string()))
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
    args: &EngineFitArgs,
    interrupt: &Interrupt,
    progress: &Progress,
) -> Result<FitRows<'a>, Failure> {
    let early = || nothing_yet(&args.fit.out, args.fit.resume);
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

/// Says why the weights do not replace those that were written before, if they do
/// not.
fn refusal(
    judgement: &Judgement,
    games: Option<&FastGames>,
    args: &FitArgs,
    scores_help: bool,
) -> Option<String> {
    if args.write_worse {
        return None;
    }
    if judgement.verdict == FitVerdict::Worse {
        let advice = judgement.advice.as_deref().unwrap_or_default();
        return Some(format!("worse than before: {advice}"));
    }
    games.filter(|games| !games.are_won()).map(|games| {
        if !games.are_decided() {
            return "the fast games do not decide whether the new weights win: keep yours; more \
                    --fast-games do"
                .to_owned();
        }
        let what = if games.are_lost() {
            "lose games"
        } else {
            "do not surely win games"
        };
        let better = if scores_help {
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
        format!(
            "the new weights {data}{what}: keep yours. Results and scores \
             of other players teach this engine little: {better}. What only tactics decide, \
             threats and tempo, quiet positions teach wrongly: `--freeze` it"
        )
    })
}

/// What a refusal ends the command with.
fn failure(why: String, games: Option<&FastGames>, interrupt: &Interrupt) -> Failure {
    let is_open = games.is_some_and(|games| !games.are_decided());
    if is_open && interrupt.asked_anywhere() {
        return Failure::Interrupted(format!("in the fast games: {why}"));
    }
    Failure::NotPassed(why)
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
    for words in judgement.words() {
        say!("{words}");
    }
    report::fit(run, unit, details);
    let changed = run.fit.changed_branches;
    if changed > 0 {
        say!("  {}", run.rounds.sentence(changed));
    }
    Ok(judgement)
}

/// Fits parts of the games, where that is asked for, for the record. `prior`: the one that is
/// meant where none was typed.
fn more(
    record: &mut RunRecord,
    run: &FinishedRun<'_>,
    rows: &mut dyn RowSource,
    args: &FitArgs,
    prior: PriorArg,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let evidence = args.prior.unwrap_or(prior) == PriorArg::Evidence;
    let groups = evidence.then_some(&*run.variables.groups);
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
    let words =
        (curve.iter().map(ToString::to_string)).chain(folds.iter().map(ToString::to_string));
    for words in words {
        say!("{words}");
    }
    let mut among = Vec::new();
    for (number, name) in args.ablate.iter().enumerate() {
        if args.ablate[..number].contains(name) {
            continue;
        }
        let group = (run.variables.groups.iter()).find(|group| group.name == *name);
        among.push(group.ok_or_else(|| unknown_group(name, run.variables))?);
    }
    (record.learning_curve, record.folds) = (curve, folds);
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

pub(super) fn unknown_group(name: &str, variables: &Variables) -> Failure {
    let names: Vec<String> = (variables.groups.iter())
        .map(|group| group.name.clone())
        .collect();
    Failure::Usage(format!(
        "--ablate {name}: no parameter of that name; did you mean {}?",
        scale::near(name, &names).join(" or ")
    ))
}

/// Writes the weights as lines, the summary and its page, tells of the judgement, and
/// prints the summary if asked for.
fn hand_over(
    folder: &Folder,
    args: &FitArgs,
    mut record: RunRecord,
    begun: Instant,
    events: &EventWriter,
) -> Result<(), Failure> {
    let accepted = record.refused.is_none();
    events.judged(&record.judgement, accepted);
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
    events.write("written", || json!({ "run": written }));
    if args.timings {
        say!("{}", timings::words(begun.elapsed()));
    }
    Ok(())
}

/// What to do now; `tuner` is what a command begins with.
fn next(tuner: &str, folder: &Path, played: bool) -> String {
    let file = |name: &str| shell_word(&folder.join(name));
    let (page, summary) = (file("report.html"), file("summary.json"));
    let code = file("tuned_weights.rs");
    let games = if played {
        ""
    } else {
        ". Games tell whether they win: `tuner match ./new ./old`"
    };
    format!(
        "look at {page}; `{tuner} patch {summary} --dry-run` shows what it writes into sources, \
         where weights are generated take {code}{games}"
    )
}

/// Ends: what is left of the run, and what the user is told of it.
fn end(
    run: &FinishedRun<'_>,
    refusal: Option<Failure>,
    folder: &Folder,
    next: Option<String>,
) -> Result<(), Failure> {
    let end = run.end()?;
    if let Some(refusal) = refusal {
        let run = folder.run()?;
        let in_full = |why: String| {
            format!(
                "{why}; weights.txt and tuned_weights.* were not replaced (those of this run are in \
                 {}; --write-worse replaces them)",
                run.display()
            )
        };
        return Err(match refusal {
            Failure::Interrupted(why) => Failure::Interrupted(in_full(why)),
            Failure::NotPassed(why) => Failure::NotPassed(in_full(why)),
            other => other,
        });
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

/// The error, with the parameters that it is about.
fn named(error: RunError, variables: &Variables, layout: Option<&Layout>) -> Failure {
    match (error, layout) {
        (RunError::Fit(FitError::TooLarge(error)), Some(layout)) => {
            memory::largest(&error, layout, &variables.reduction).into()
        }
        (RunError::Fit(FitError::Anchor(error)), _) => {
            scale::refused(&error, &variables.names[error.weight]).into()
        }
        (error @ RunError::Interrupted, _) => Failure::Interrupted(error.to_string()),
        (other, _) => other.into(),
    }
}

/// What to say where a fit was interrupted before there was one.
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
