//! What would stop the commands of a folder, found by what these commands do first.

use std::path::{Path, PathBuf};

use crate::games::{Arena, no_games};
use crate::{Failure, Job, PositionsConfig, Project, ReadingConfig, check, check_files};
use tuner_base::break_if;
use tuner_data::{Input, OnBadLine, Sample, read_blocks};
use tuner_fit::model::KError;
use tuner_spec::Spec;
use tuner_spec::source::{Patch, Run, Sources};

/// The option that limits each file of the data to its first positions.
const CHECKED: &str = "limit=100";

/// Finds what would stop `check`, `fit`, games and `patch`: a line each, which begins with their
/// names and ends with a cure. Where the evaluator cannot be built, or the spec is wrong or of
/// other weights, what depends on these is not looked at.
///
/// *Cost*: a build of the evaluator, and of the engine where that plays; a check of 100 positions
/// of each file, and a reading of the data until two results differ.
pub fn examine(job: &Job, project: &Project) -> Vec<String> {
    let mut found = Vec::new();
    let file = &project.file;
    let name = file.file.display();
    let mut note = |commands: &str, words: &str| {
        let lines: Vec<&str> = words.lines().map(str::trim).collect();
        found.push(format!("{commands}: {}", lines.join("; ")));
    };
    let has_data = match check_files(&file.data) {
        Ok(()) => !file.data.is_empty(),
        Err(failure) => {
            note("check, fit", failure.words());
            false
        }
    };
    if let Err(words) = folder_of_fits() {
        note("fit", &words);
    }
    if file.data.is_empty() {
        let words = "names no data; write `data = [\"FILE\"]`, or name the files in each command";
        note("check, fit", &format!("{name} {words}"));
    }
    let spec = file.spec.as_ref().map(|path| Spec::load(path)).transpose();
    match &spec {
        Ok(Some(spec)) if !file.sources.is_empty() => {
            if let Err(words) = literals(file.sources.as_slice(), spec) {
                note("patch", &words);
            }
        }
        Ok(_) => {}
        Err(errors) => note("check, fit, patch", &errors.to_string()),
    }
    if let Err(failure) = project.evaluation() {
        note("check, fit, games", failure.words());
        return found;
    }
    if spec.is_err() {
        return found;
    }
    let linked = match project.linked() {
        Ok(linked) => linked,
        Err(failure) => {
            note("check, fit, games", failure.words());
            return found;
        }
    };
    if has_data && let Err(words) = checked(job, project) {
        note("check, fit", &words);
    }
    if has_data && let Ok(Some(result)) = only_result(job, project) {
        note("fit", &KError::OneResult(result).to_string());
    }
    let is_rust = project.is_rust();
    if is_rust && file.sources.is_empty() {
        let words = "names no sources; write `sources = [\"src\"]`, or name them in the command";
        note("patch", &format!("{name} {words}"));
    }
    match Arena::found(project, &linked) {
        Ok(Some(arena)) => {
            if let Err(failure) = arena.build(job, &linked) {
                note("games", failure.words());
            }
        }
        Ok(None) => note("games", &no_games(is_rust)),
        Err(failure) => note("games", failure.words()),
    }
    found
}

/// Fails, with a cure, if nothing can be written in the folder `tuner-run`, or in the current
/// folder where that does not exist yet.
fn folder_of_fits() -> Result<(), String> {
    let folder = Path::new("tuner-run");
    let at = if folder.exists() {
        folder
    } else {
        Path::new(".")
    };
    let written = tempfile::tempfile_in(at).map(|_| ());
    written.map_err(|error| {
        format!("tuner-run: {error}; move it away, or name another folder with --out")
    })
}

/// Fails unless the sources have a literal for each weight of the spec.
fn literals(sources: &[PathBuf], spec: &Spec) -> Result<(), String> {
    let sources = Sources::read(sources).map_err(|error| error.to_string())?;
    let run = Run::of_spec(spec.layout());
    let patch = Patch::new(&sources, &run, true);
    patch.map(|_| ()).map_err(|error| error.to_string())
}

/// Checks the first positions of each file of the data, 100 or as many as the file's own `limit`
/// says, as `check` does; fails with its verdict.
fn checked(job: &Job, project: &Project) -> Result<(), String> {
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
    match check(job, project, &config, false, true) {
        Ok((_, verdict)) => verdict.map_err(str::to_owned),
        Err(failure) => Err(failure.words().to_owned()),
    }
}

/// The result of all positions of the data, of which no scaling constant can be fitted, if all have
/// one and the same; `None` where results differ or there are no positions.
fn only_result(job: &Job, project: &Project) -> Result<Option<f64>, Failure> {
    let config = PositionsConfig {
        reading: ReadingConfig {
            on_bad_line: OnBadLine::Skip,
            ..ReadingConfig::default()
        },
        ..PositionsConfig::default()
    };
    let positions = config.positions(job, project)?;
    let each = |block: &mut Vec<f64>, sample: Sample| {
        let result = sample.labelled.outcome.value();
        if !block.contains(&result) {
            block.push(result);
        }
        Ok(())
    };
    let mut found = Vec::new();
    let gather = |block: Vec<f64>| {
        found.extend(block);
        found.dedup();
        break_if(found.len() > 1)
    };
    let game = project.game()?;
    let (inputs, options) = (&positions.inputs, &positions.options);
    let read = || Ok(read_blocks(inputs, options, game, Vec::new, each, gather).is_ok());
    // What cannot be read is said by the check; it breaks off where results differ.
    job.on_threads(read)?;
    Ok(found.first().copied().filter(|_| found.len() == 1))
}
