//! The common parts of commands on data: the spec and its link to the source, the
//! inputs, reading with checks, threads.

use std::path::{Path, PathBuf};

use super::args::DataArgs;
use super::options::typed_words;
use super::progress::Progress;
use super::project::Project;
use super::ranks::{self, ranks};
use super::report;
use super::weights::fingerprint;
use super::{Failure, output};
use tuner_base::{Fingerprint, available_memory};
use tuner_data::Input;
use tuner_engine::{
    CheckedTraces, Collected, LinkedSpec, NO_INPUT, Positions, Resolve, Tracing, check_words,
};

/// Finds out whether all ranks are the same program with the same spec, and can read the
/// same files.
pub(super) fn same_program(
    project: &Project,
    linked: &LinkedSpec,
    files: &[PathBuf],
) -> Result<(), Failure> {
    ranks::refuse_stdin(files.iter().map(|file| file.as_os_str()))?;
    let evaluation = project.evaluation()?;
    ranks::agree(&[
        ("version of Tuner", env!("CARGO_PKG_VERSION").to_owned()),
        ("engine", evaluation.name().to_owned()),
        ("evaluator", evaluation.about().build.clone()),
        ("program", program()?),
        ("spec", linked.spec.hash().to_owned()),
        (
            "list of weights in the source",
            fingerprint(&linked.link.source_weights()),
        ),
        ("command", typed_words().join(" ")),
    ])
}

/// Fingerprint of the file of this program.
fn program() -> Result<String, Failure> {
    if ranks().is_alone() {
        return Ok(String::new());
    }
    let bytes = std::env::current_exe().and_then(std::fs::read)?;
    Ok(format!("{:016x}", Fingerprint::of_bytes(&bytes)))
}

/// Memory that there is, on the rank that has least.
pub(super) fn least_memory() -> Option<u64> {
    let here = available_memory().map_or(f64::INFINITY, |bytes| bytes as f64);
    let least = ranks().least(here);
    least.is_finite().then_some(least as u64)
}

/// Reads, traces and checks; tells the user what it found.
pub(super) fn checked(
    project: &Project,
    linked: &LinkedSpec,
    positions: &Positions,
    sample: usize,
    progress: &Progress,
) -> Result<CheckedTraces, Failure> {
    let evaluation = project.evaluation()?;
    evaluation.traces()?;
    if positions.resolve == Resolve::Quiescence {
        evaluation.resolves()?;
    }
    let tracing = positions.tracing(evaluation, &linked.link, &[]);
    let collected = tracing.collect(sample);
    progress.done();
    compared(&tracing, linked, collected?, sample, progress)
}

/// Compares derivatives on so many of the positions that were kept; tells the user what was found.
pub(super) fn compared(
    tracing: &Tracing<'_>,
    linked: &LinkedSpec,
    collected: Collected,
    compared: usize,
    progress: &Progress,
) -> Result<CheckedTraces, Failure> {
    report::reading(&collected.report);
    progress.doing("comparing derivatives");
    let found = CheckedTraces::new(tracing, collected, compared);
    progress.done();
    let found = found?;
    let (agreement, layout) = (&found.collected.agreement, linked.spec.layout());
    output::say_all(check_words(agreement, &found.differences, layout));
    Ok(found)
}

/// Tells whether a file is one of the inputs.
pub(super) fn is_among(inputs: &[Input], file: &Path) -> bool {
    let Ok(file) = std::fs::canonicalize(file) else {
        return false;
    };
    inputs.iter().any(|input| match input {
        Input::File(path) => std::fs::canonicalize(path).is_ok_and(|path| path == file),
        _ => false,
    })
}

/// The positions that were named, or those of tuner.toml, and how they are read.
pub(super) fn positions(
    project: &Project,
    args: &DataArgs,
    progress: &Progress,
) -> Result<Positions, Failure> {
    let files = project.data(&args.data);
    super::trace::refuse(files)?;
    let (inputs, options) = (args.reading).inputs(project.game()?, files, progress)?;
    if inputs.is_empty() {
        return Err(NO_INPUT.into());
    }
    Ok(Positions {
        inputs,
        options,
        resolve: args.resolve.into(),
        drawn: None,
        ranks: ranks(),
    })
}

/// Runs `f` on as many threads as asked for.
pub(super) fn on_threads<R: Send>(
    threads: Option<u16>,
    f: impl FnOnce() -> Result<R, Failure> + Send,
) -> Result<R, Failure> {
    let count = threads.map(usize::from).or_else(ranks::threads);
    let count = count.unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build()?;
    pool.install(f)
}
