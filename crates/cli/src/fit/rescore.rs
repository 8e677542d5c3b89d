//! `fit --rescore`: the positions of the data with scores of the engine's own search.
//!
//! Each file is scored by a command of this program, `data rescore`, which is said before
//! it is run, and keeps what it has done when it is killed. The files of scores stay in
//! the folder of `--out`, as `rescored-ID.tsv.zst`: the id is of the bytes that were read,
//! of how, and of the engine, so that the same scores are made once, and none is lost.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::args::{FitArgs, ReadingArgs};
use crate::config;
use crate::data::check_files;
use crate::folder::lock;
use crate::output::is_utf8;
use crate::project::Project;
use crate::ranks::ranks;
use crate::weights::NamedSet;
use crate::{CommandContext, Failure};
use tuner_base::Fingerprint;
use tuner_data::Input;
use tuner_fit::run::{Init, OptionsSnapshot};

/// Puts files with scores of a search of so many positions in the place of the data.
///
/// # Errors
/// If an input is not a file that can be read twice, or a step fails.
pub(crate) fn rescore(
    context: &CommandContext<'_>,
    args: &mut FitArgs,
    options: OptionsSnapshot,
    nodes: u64,
) -> Result<(), Failure> {
    let project = context.project()?;
    let usage = |words: String| Failure::Usage(format!("--rescore: {words}"));
    args.data.data = project.data(&args.data.data).to_vec();
    check_files(&args.data.data)?;
    refuse(project, args).map_err(|failure| match failure {
        Failure::Usage(words) => usage(words),
        other => other,
    })?;
    // What is wrong is said before anything is searched.
    let linked = project.linked()?;
    let init = match &args.init {
        // It names a file here, and weights of their own there.
        Init::File(path) if path.as_os_str() == "source" => "./source".to_owned(),
        init => init.to_string(),
    };
    let weights = NamedSet::read(&init, &linked)?
        .within_bounds(&linked)
        .fingerprint();
    config::of_engine(linked, args, options)?;
    let program = &project.evaluation()?.about().build;
    let reading = args.data.reading.words();
    let mut steps = Vec::new();
    for file in &args.data.data {
        let (input, _) = Input::with_options(project.game()?, file).map_err(usage)?;
        let Input::File(path) = input else {
            return Err(usage(
                "standard input cannot be read twice; name files".to_owned(),
            ));
        };
        let bytes = bytes(&path)?;
        let (argument, weight) = unweighted(file);
        let about = json!([argument, bytes, nodes, weights, program, reading]);
        let id = Fingerprint::of_bytes(about.to_string().as_bytes());
        let output = args.out.join(format!("rescored-{id:016x}.tsv.zst"));
        steps.push((argument, output, weight));
    }
    fs::create_dir_all(&args.out)
        .map_err(|error| format!("--out {}: {error}", args.out.display()))?;
    let _lock = lock(&args.out)?;
    let mut scored = Vec::new();
    for (argument, output, weight) in steps {
        if output.exists() {
            say!(
                "{}: has these scores; without it they are made anew",
                output.display()
            );
        } else {
            let mut words = [
                "data",
                "rescore",
                "--nodes",
                &nodes.to_string(),
                "--weights",
                &init,
            ]
            .map(str::to_owned)
            .to_vec();
            words.push(format!("--output={}", output.display()));
            words.extend(reading.iter().cloned());
            words.push("--resume".to_owned());
            if let Some(threads) = args.threads {
                words.extend(["--threads".to_owned(), threads.to_string()]);
            }
            words.extend(["--".to_owned(), argument]);
            let interrupted = "before the fit; scores so far are kept, the same command continues";
            context.step(&words, interrupted)?;
        }
        scored.push(PathBuf::from(format!("{}{weight}", output.display())));
    }
    args.data.data = scored;
    args.data.reading = ReadingArgs::of_own_files();
    Ok(())
}

/// Fails where scores of a search would be of no use, or cannot be had.
fn refuse(project: &Project, args: &FitArgs) -> Result<(), Failure> {
    for path in args.data.data.iter().chain([&args.out]) {
        is_utf8(path)?;
    }
    let words = if !ranks().is_alone() {
        "works in one process; `data rescore` gives scores before mpirun"
    } else if args.init == Init::Zero {
        "a search with all weights at zero says nothing; `loop --from zero` climbs from there"
    } else if args.objective.lambda == Some(1.0) {
        "does nothing with --lambda 1, results alone; leave it out, or take a lambda below 1"
    } else if args.data.data.is_empty() {
        "name files"
    } else if !project.evaluation()?.plays() {
        "this evaluator has no search; `serve_playing` gives it one, and `data rescore --engine` \
         asks a program that speaks UCI or USI"
    } else {
        return Ok(());
    };
    Err(Failure::Usage(words.to_owned()))
}

/// Fingerprint of what a file holds.
fn bytes(path: &Path) -> Result<String, Failure> {
    let about = |error| format!("{}: {error}", path.display());
    if !fs::metadata(path).map_err(about)?.is_file() {
        let words = format!(
            "--rescore: {}: is no file that can be read twice",
            path.display()
        );
        return Err(Failure::Usage(words));
    }
    let found = fs::read(path).map_err(about)?;
    Ok(format!("{:016x}", Fingerprint::of_bytes(&found)))
}

/// An argument without `:weight=…`, which files of positions have no place for, and that
/// option.
fn unweighted(argument: &Path) -> (String, String) {
    let (file, options) = Input::parted(argument);
    let (mut kept, mut weight) = (String::new(), String::new());
    for (name, value) in options {
        if name == "weight" {
            weight = format!(":weight={value}");
        } else {
            kept = format!(":{name}={value}{kept}");
        }
    }
    (format!("{}{kept}", file.display()), weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_loses_its_weight_alone() {
        let found = |text: &str| unweighted(Path::new(text));
        let pair = |argument: &str, weight: &str| (argument.to_owned(), weight.to_owned());
        assert_eq!(
            found("no/file.tsv:weight=0.5:limit=10"),
            pair("no/file.tsv:limit=10", ":weight=0.5")
        );
        assert_eq!(found("no/file.tsv"), pair("no/file.tsv", ""));
        // A file that is there ends the options.
        assert_eq!(found("Cargo.toml:limit=3"), pair("Cargo.toml:limit=3", ""));
        assert_eq!(found("a:b/c.tsv:weight=2"), pair("a:b/c.tsv", ":weight=2"));
    }
}
