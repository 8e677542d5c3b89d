//! Positions that are read, traced and checked.

use std::path::{Path, PathBuf};

use crate::{Failure, Job, Project, Result, fingerprint};
use tuner_base::Fingerprint;
use tuner_data::{
    AnyGame, FirstReading, Format, Input, InputError, InputOptions, OnBadLine, Perspective,
    ReadOptions, ReadReport, StatedScores,
};
use tuner_engine::{
    COMPARED, CheckedTraces, Collected, Evaluation, LinkedSpec, NO_INPUT, NO_POSITIONS, Positions,
    Resolve, Tracing, bytes_to_read, check_notes, check_words,
};

/// How data are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadingConfig {
    /// The name of their format; `None`: it is recognised by the first lines.
    pub format: Option<String>,
    /// Which player's view results and scores have.
    pub perspective: Perspective,
    /// Which player's view scores have, if not that of results, and their unit.
    pub scores: StatedScores,
    /// What to do about lines and games that cannot be read.
    pub on_bad_line: OnBadLine,
}

/// Positions by their files, and how they are read, traced and checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionsConfig {
    /// The files, each perhaps with options: `FILE:limit=1000`. None: those of `tuner.toml`.
    pub data: Vec<PathBuf>,
    /// How they are read.
    pub reading: ReadingConfig,
    /// Whether the position itself is traced, or the end of its quiescence search.
    pub resolve: Resolve,
    /// Whether parts of the score that no weight explains are accepted.
    pub allow_constants: bool,
    /// Number of positions on which all derivatives are compared with differences.
    pub differences: usize,
}

impl Default for PositionsConfig {
    /// The files of tuner.toml, read with the defaults; the positions themselves are traced, and
    /// parts of the score without weights are not accepted.
    fn default() -> Self {
        Self {
            data: Vec::new(),
            reading: ReadingConfig::default(),
            resolve: Resolve::None,
            allow_constants: false,
            differences: COMPARED,
        }
    }
}

impl ReadingConfig {
    /// Returns the inputs that `files` name, each perhaps with options of its own, and how they are
    /// read. `notation`: the game of the positions. `is_shown`: whether the observer of the job is
    /// to show the progress of the reading, as nothing else shows how far the job got.
    ///
    /// # Errors
    /// If an option of a file or the name of the format is unknown.
    pub fn inputs(
        &self,
        job: &Job,
        notation: &AnyGame,
        files: &[PathBuf],
        is_shown: bool,
    ) -> Result<(Vec<Input>, ReadOptions)> {
        let named = files.iter().map(|file| Input::with_options(notation, file));
        let named: Vec<_> = named.collect::<Result<_, _>>().map_err(Failure::Usage)?;
        let (inputs, own): (Vec<_>, Vec<_>) = named.into_iter().unzip();
        let named = |name: &String| Format::named(notation, name);
        let format = self.format.as_ref().map(named).transpose();
        let mut options = ReadOptions {
            format: format.map_err(|error| Failure::Usage(format!("--format: {error}")))?,
            perspective: self.perspective,
            scores: self.scores,
            on_bad_line: self.on_bad_line,
            inputs: own,
            observer: None,
            // A later reading with these options fails if the data have changed since the first.
            first: Some(FirstReading::default()),
        };
        let size = bytes_to_read(&inputs, &options);
        options.observer = job.observer.reading(size, is_shown);
        Ok((inputs, options))
    }
}

impl PositionsConfig {
    /// Returns the files of positions that the configuration names, or those of tuner.toml if it
    /// names none, and how they are read. Nothing is read yet.
    ///
    /// # Errors
    /// If there are none, they are named wrongly, or one of them is a file of traces.
    pub fn positions(&self, job: &Job, project: &Project) -> Result<Positions> {
        let files = project.data(&self.data);
        crate::trace::refuse(files)?;
        // `true`: the observer shows the progress of the reading.
        let (inputs, options) = (self.reading).inputs(job, project.game()?, files, true)?;
        if inputs.is_empty() {
            return Err(NO_INPUT.into());
        }
        Ok(Positions {
            inputs,
            options,
            resolve: self.resolve,
            // The results are those of the data, and not drawn in place of them.
            drawn: None,
            ranks: job.ranks,
        })
    }

    /// Reads positions, traces them and checks the traces, and says what it found. Returns the
    /// positions, which can be read again, and the checked traces, with a sample of the positions
    /// as texts: as many as the configuration says in `differences`, or `kept` if that is more.
    pub(crate) fn checked(
        &self,
        job: &Job,
        project: &Project,
        linked: &LinkedSpec,
        kept: usize,
    ) -> Result<(Positions, CheckedTraces)> {
        let sample = self.differences;
        let positions = self.positions(job, project)?;
        let evaluation = project.evaluation()?;
        if positions.resolve == Resolve::Quiescence {
            evaluation.resolves()?;
            job.say(
                "resolving: while positions are read, the quiescence search of each is run, and where \
                 it ends is traced; so it is whenever they are traced again",
            );
        }
        project.say_game()?;
        probe(job, evaluation, linked, &positions)?;
        // An empty list of values means the weights of the source.
        let tracing = positions.tracing(evaluation, &linked.link, &[]);
        let collected = tracing.collect(sample.max(kept));
        job.reading_ended();
        let checked = compared(job, &tracing, linked, collected?, sample)?;
        Ok((positions, checked))
    }
}

/// Finds out, on `positions`, how the rows of a fit are made from scores alone, if the evaluation
/// gives scores and no traces, and says so. If it gives traces, does nothing.
pub(crate) fn probe(
    job: &Job,
    evaluation: &Evaluation,
    linked: &LinkedSpec,
    positions: &Positions,
) -> Result<()> {
    if !evaluation.only_scores() {
        return Ok(());
    }
    let probed = evaluation.probe(&linked.link, positions);
    job.reading_ended();
    probed?;
    job.say_all(evaluation.probing());
    Ok(())
}

/// Fails unless all ranks run the same program with the same evaluator, spec, weights and command.
/// `files`: the data; standard input among them is refused, as only one rank could read it. A
/// process that is alone is not checked.
pub(crate) fn same_program(
    job: &Job,
    project: &Project,
    linked: &LinkedSpec,
    files: &[PathBuf],
) -> Result<()> {
    if job.ranks.is_alone() {
        return Ok(());
    }
    if files.iter().any(|file| file.as_os_str() == "-") {
        misuse!("-: standard input comes to one process only; name files that all ranks can read");
    }
    let evaluation = project.evaluation()?;
    let program = std::env::current_exe().and_then(std::fs::read)?;
    job.agree(&[
        ("version of Tuner", env!("CARGO_PKG_VERSION").to_owned()),
        ("engine", evaluation.name().to_owned()),
        ("evaluator", evaluation.about().build.clone()),
        (
            "program",
            format!("{:016x}", Fingerprint::of_bytes(&program)),
        ),
        ("spec", linked.spec.hash().to_owned()),
        (
            "list of weights in the source",
            fingerprint(&linked.link.source_weights()),
        ),
        ("command", job.command.to_string()),
    ])
}

/// Compares the derivatives of traces with differences of scores, on `compared` of the positions
/// that `collected` keeps as a sample, and says what the check found in all. Fails where no
/// position was read, unless there are several ranks, of which one may have none.
pub(crate) fn compared(
    job: &Job,
    tracing: &Tracing<'_>,
    linked: &LinkedSpec,
    collected: Collected,
    compared: usize,
) -> Result<CheckedTraces> {
    job.say_reading(&collected.report);
    if collected.agreement.positions == 0 && job.ranks.is_alone() {
        fail!("{NO_POSITIONS}");
    }
    job.doing("comparing derivatives");
    let found = CheckedTraces::new(tracing, collected, compared);
    job.reading_ended();
    let found = found?;
    let (agreement, layout) = (&found.collected.agreement, linked.spec.layout());
    job.say_all(check_words(agreement, &found.differences, layout));
    job.say_details(check_notes(agreement, layout));
    Ok(found)
}

impl Job {
    /// Says what a reading of data found: positions, and lines that could not be read.
    pub fn say_reading(&self, report: &ReadReport) {
        self.say_all(report.words());
        self.say_all(report.bad_line_words());
    }
}

/// Tells whether a file is among the inputs, by whichever path both name it; `false` where there is
/// no such file yet.
pub(crate) fn is_among(inputs: &[Input], file: &Path) -> bool {
    let Ok(file) = std::fs::canonicalize(file) else {
        return false;
    };
    inputs.iter().any(|input| match input {
        Input::File(path) => std::fs::canonicalize(path).is_ok_and(|path| path == file),
        _ => false,
    })
}

/// Fails if files of data are missing. It is called before an evaluator is built, which takes long.
/// `named`: paths, each perhaps with options, `FILE:limit=1000`; where an option is unknown nothing
/// is said of the file, as the reader says it later.
///
/// # Errors
/// If files are missing: a line for each.
pub fn check_files(named: &[PathBuf]) -> Result<()> {
    let mut missing = Vec::new();
    for argument in named {
        let (path, options) = Input::parted(argument);
        let all_known = (options.iter()).all(|(name, _)| InputOptions::NAMES.contains(name));
        if let Input::File(file) = Input::from_argument(path)
            && all_known
            && let Err(source) = file.metadata()
        {
            missing.push(InputError::unopened(&file, &source).to_string());
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    Err(missing.join("\n").into())
}
