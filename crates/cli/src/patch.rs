//! `patch`: tuned weights into the literals of the sources.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::args::PatchArgs;
use super::{Failure, output};
use tuner_judge::FitVerdict;
use tuner_spec::Spec;
use tuner_spec::source::{Patch, Run, Sources};

pub(super) fn run(args: &PatchArgs) -> Result<(), Failure> {
    let run = weights(args)?;
    let sources = Sources::read(&args.sources)?;
    let patch = Patch::new(&sources, &run, args.round)?;
    let changes = patch.changes();
    if changes.is_empty() {
        say!("the sources hold these weights already; nothing to write");
        return Ok(());
    }
    if args.dry_run {
        output::text(&patch.diff())?;
    } else {
        patch
            .write()
            .map_err(|(path, error)| format!("{}: {error}; no file was changed", path.display()))?;
    }
    let tense = if args.dry_run { "to change" } else { "changed" };
    for file in changes {
        say!(
            "{}: literals {tense}: {}",
            file.path.display(),
            file.literals
        );
    }
    Ok(())
}

fn weights(args: &PatchArgs) -> Result<Run, Failure> {
    if args.weights.extension().is_some_and(|e| e == "toml") {
        if args.write_worse {
            let words = "--write-worse: a spec has no verdict; leave it out";
            return Err(Failure::Usage(words.to_owned()));
        }
        if args.spec.is_some() {
            return Err("found a spec as weights and another with --spec; give one of them".into());
        }
        return Ok(Run::of_spec(Spec::load(&args.weights)?.layout()));
    }
    let spec = args.spec.as_deref().map(Spec::load).transpose()?;
    let file = args.weights.display().to_string();
    let summary = read(&args.weights)?;
    if summary["verdict"] == json!(FitVerdict::Worse) && !args.write_worse {
        let words = format!(
            "{file}: worse than before: held-out games find these weights worse than those that \
             the fit was to improve"
        );
        if !args.dry_run {
            return Err(Failure::NotPassed(format!(
                "{words}; no file was changed (--write-worse writes them)"
            )));
        }
        say!("{words}; without --dry-run nothing would be written but with --write-worse");
    }
    Ok(Run::of_summary(
        &file,
        &summary,
        spec.as_ref().map(Spec::layout),
    )?)
}

fn read(path: &Path) -> Result<Value, Failure> {
    let file = path.display();
    let text = fs::read_to_string(path)
        .map_err(|error| format!("{file}: {error}; expected the summary.json of a fit"))?;
    serde_json::from_str(&text)
        .map_err(|error| format!("{file}:{}:{}: {error}", error.line(), error.column()).into())
}
