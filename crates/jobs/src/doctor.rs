//! What would stop the commands of a folder, found by what these commands do first.

use std::path::{Path, PathBuf};

use crate::games::{Arena, no_games};
use crate::{Job, PositionsConfig, Project, ReadingConfig, Result, check, check_files};
use tuner_base::{break_if, joined};
use tuner_data::{Input, OnBadLine, Sample, read_blocks};
use tuner_fit::model::KError;
use tuner_spec::Spec;
use tuner_spec::source::{Patch, Run, Sources};

/// The option that limits each file of the data to its first positions.
const CHECKED: &str = "limit=100";

/// Finds what would stop `check`, `fit`, games and `patch`. Returns a line for each finding: the
/// names of the commands that it stops, the reason, and a cure. Where tuner.toml leaves out what it
/// need not say (data and sources, which commands can name, or how the engine plays), the line
/// begins with `note: `. Where the evaluator cannot be built, or the spec is wrong or is about
/// other weights than the source has, nothing is looked at that depends on evaluator or spec.
///
/// *Cost*: a build of the evaluator, and of the engine where that plays; a check of 100 positions
/// of each file, and a reading of the data until two results differ.
pub fn examine(job: &Job, project: &Project) -> Vec<String> {
    let mut found = Vec::new();
    let file = &project.file;
    let name = file.file.display();
    let files = noted(&mut found, "check, fit", check_files(&file.data));
    let has_data = files.is_some() && !file.data.is_empty();
    noted(&mut found, "fit", folder_of_fits());
    if file.data.is_empty() {
        let words = "names no data; write `data = [\"FILE\"]`, or name the files in each command";
        note(&mut found, "note: check, fit", &format!("{name} {words}"));
    }
    // Without a spec in tuner.toml, `patch` is not looked at.
    let spec = file.spec.as_ref().map(|path| Spec::load(path)).transpose();
    match &spec {
        Ok(Some(spec)) if !file.sources.is_empty() => {
            noted(&mut found, "patch", literals(&file.sources, spec));
        }
        Ok(_) => {}
        Err(errors) => note(&mut found, "check, fit, patch", &errors.to_string()),
    }
    // All that follows needs the evaluator and its weights.
    let of_all = "check, fit, games";
    if noted(&mut found, of_all, project.evaluation()).is_none() || spec.is_err() {
        return found;
    }
    let Some(linked) = noted(&mut found, of_all, project.linked()) else {
        return found;
    };
    if has_data {
        noted(&mut found, "check, fit", checked(job, project));
    }
    if has_data && let Ok(Some(result)) = only_result(job, project) {
        note(&mut found, "fit", &KError::OneResult(result).to_string());
    }
    let is_rust = project.is_rust();
    if is_rust && file.sources.is_empty() {
        let words = "names no sources; write `sources = [\"src\"]`, or name them in the command";
        note(&mut found, "note: patch", &format!("{name} {words}"));
    }
    // Whether somebody plays, the evaluator or the engine; the engine is built for that.
    match noted(&mut found, "games", Arena::found(project, &linked)) {
        Some(Some(arena)) => drop(noted(&mut found, "games", arena.build(job, &linked))),
        Some(None) => note(&mut found, "note: games", &no_games(is_rust)),
        None => {}
    }
    found
}

/// Adds a finding in one line, `COMMANDS: WORDS`: the commands that it would stop, and why. Lines
/// of `words` are joined by `; `.
fn note(found: &mut Vec<String>, commands: &str, words: &str) {
    let words = joined(words.lines().map(str::trim), "; ");
    found.push(format!("{commands}: {words}"));
}

/// Returns what `result` holds. If it is a failure, adds that to `found` as what stops `commands`,
/// and returns `None`.
fn noted<T>(found: &mut Vec<String>, commands: &str, result: Result<T>) -> Option<T> {
    let done = result.map_err(|failure| note(found, commands, failure.words()));
    done.ok()
}

/// Fails, with a cure, if no file can be made in the folder `tuner-run`, where fits write, or in
/// the current folder if `tuner-run` does not exist yet.
fn folder_of_fits() -> Result<()> {
    let folder = Path::new("tuner-run");
    let at = if folder.exists() {
        folder
    } else {
        Path::new(".")
    };
    tempfile::tempfile_in(at).map_err(|error| {
        format!("tuner-run: {error}; move it away, or name another folder with --out")
    })?;
    Ok(())
}

/// Fails unless the sources have a literal for each weight of the spec, into which its initial
/// value can be written. Nothing is written.
fn literals(sources: &[PathBuf], spec: &Spec) -> Result<()> {
    // `true`: values are rounded to whole numbers where the literal is one.
    Patch::new(&Sources::read(sources)?, &Run::of_spec(spec.layout()), true)?;
    Ok(())
}

/// Runs `check`, without other weights but with colours swapped, on the first positions of each
/// file of the data: 100, or as many as an option `limit` of the file says. Fails with the verdict
/// of that check, if that is a failure.
fn checked(job: &Job, project: &Project) -> Result<()> {
    let mut data = project.file.data.clone();
    for file in &mut data {
        let (_, options) = Input::parted(file);
        if options.iter().all(|(option, _)| *option != "limit") {
            file.as_mut_os_string().push(format!(":{CHECKED}"));
        }
    }
    let config = PositionsConfig {
        data,
        ..PositionsConfig::default()
    };
    let (_, verdict) = check(job, project, &config, false, true)?;
    Ok(verdict?)
}

/// Returns the result that all positions of the data have in common, 1, 0.5 or 0 for the first
/// player; `None` where results differ or there are no positions. To data with one result no
/// scaling constant K can be fitted. Lines that cannot be read are passed over.
fn only_result(job: &Job, project: &Project) -> Result<Option<f64>> {
    let config = PositionsConfig {
        reading: ReadingConfig {
            on_bad_line: OnBadLine::Skip,
            ..ReadingConfig::default()
        },
        ..PositionsConfig::default()
    };
    let positions = config.positions(job, project)?;
    // A block of positions becomes the list of its results, each once.
    let each = |block: &mut Vec<f64>, sample: Sample| {
        let result = sample.labelled.outcome.value();
        if !block.contains(&result) {
            block.push(result);
        }
        Ok(())
    };
    // The reading ends at the second result.
    let mut found = Vec::new();
    let gather = |block: Vec<f64>| {
        found.extend(block);
        found.dedup();
        break_if(found.len() > 1)
    };
    let game = project.game()?;
    let (inputs, options) = (&positions.inputs, &positions.options);
    let read = || Ok(read_blocks(inputs, options, game, Vec::new, each, gather).is_ok());
    // An error is passed over: that the data cannot be read is a finding of the check already, and
    // a reading that ends early counts as one.
    job.on_threads(read)?;
    Ok(found.first().copied().filter(|_| found.len() == 1))
}
