//! `patch`: tuned weights into the literals of the sources.

use std::path::PathBuf;

use serde_json::Value;

use crate::output;
use crate::spec_args::PatchArgs;
use crate::spec_set::origin;
use crate::weights::{read_summary, refusal, verdict};
use tuner_fit::run::named_values;
use tuner_jobs::{JobFailure as Failure, JobResult as Result, Project, fail, misuse, summary_of};
use tuner_judge::FitVerdict;
use tuner_spec::Spec;
use tuner_spec::codegen::Language;
use tuner_spec::source::{Choice, Patch, Run, Sources};

/// What to do instead of `patch` in C and C++, for messages.
const HEADER: &str = "in C and C++ include the header that `fit` wrote (docs/cpp.md, Play)";

/// What to do instead of `patch` in languages that have no code of their own, for messages.
const FILES: &str = "in other languages read weights.txt or tuned_weights.json, in games by the \
                     `weights_option` of [engine] (docs/playing.md)";

/// Returns what the user may do instead of `patch`, by the language of the evaluator, which is
/// started to tell it.
pub(crate) fn instead(project: &Project) -> Result<&'static str> {
    let language = Language::of_word(&project.evaluation()?.about().language);
    Ok(match language {
        Language::Json => FILES,
        Language::Rust => "name the files in the command, or `sources` in tuner.toml",
        Language::C | Language::Cpp => HEADER,
    })
}

/// Runs `patch`: writes weights into the sources that were named, or those of the project; `--only`
/// and `--except` choose the parameters, and with `--review` the user chooses tables. Says what
/// changed; where nothing would, nothing is written. With `--dry-run` it prints the diff instead.
/// Fails where there are no sources, a file is not Rust, or no parameter is chosen.
pub(crate) fn run(project: Option<&Project>, args: &PatchArgs) -> Result<()> {
    let mut run = weights(args)?;
    let of_project = project.map_or(&[][..], |project| &project.file.sources);
    let sources = match &args.sources[..] {
        [] if of_project.is_empty() => {
            misuse!(
                "patch: found no source; in Rust name the files that declare the weights, or \
                 `sources` in tuner.toml; {HEADER}; {FILES}"
            );
        }
        [] => of_project,
        typed => typed,
    };
    let is_other = |path: &&PathBuf| path.is_file() && path.extension().is_none_or(|e| e != "rs");
    if let Some(path) = sources.iter().find(is_other) {
        misuse!(
            "{}: patch writes into Rust; {HEADER}; {FILES}",
            path.display()
        );
    }
    let mut sources = Sources::read(sources)?;
    let choice = Choice::from(&args.names);
    // Weights that `--only` and `--except` do not choose stay as they are in the sources.
    run.retain(|name| sources.takes(&choice, name));
    if run.is_empty() {
        match choice.only.as_slice() {
            [] => fail!("--except {}: no parameter is left", choice.except.join(",")),
            only => fail!("--only {}: no parameter has such a name", only.join(",")),
        }
    }
    // So that a const that is left out is not in the way of another one of its name.
    sources.forget(&choice.except);
    let patch = Patch::new(&sources, &run, args.round);
    let mut patch = patch.map_err(|error| {
        // Mistakes of one cause are summed up, unless `--all` is typed.
        if args.all {
            Failure::from(error.in_full())
        } else {
            error.into()
        }
    })?;
    if patch.changes().is_empty() {
        say!("the sources hold these weights already; nothing to write");
        return Ok(());
    }
    if args.review {
        review(&mut patch)?;
        if patch.changes().is_empty() {
            say!("no table was taken; no file was changed");
            return Ok(());
        }
    }
    let changes = patch.changes();
    if args.dry_run {
        output::raw(&patch.diff())?;
    } else {
        let written = patch.write();
        written
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

/// Shows the changes table by table, asks on standard input which are to be written, and removes
/// the others from the patch.
fn review(patch: &mut Patch) -> Result<()> {
    let tables = patch.tables();
    let of = tables.len();
    let mut answers = std::io::stdin().lines();
    let mut taken: Vec<&String> = Vec::new();
    'tables: for (number, name) in tables.iter().enumerate() {
        let one = patch.only(name);
        output::raw(&one.diff())?;
        let literals: usize = one.changes().iter().map(|file| file.literals).sum();
        // Asks until the answer is one of the four; the end of the input is `q`.
        loop {
            say!(
                "{name}, {} of {of}: {literals} literals; write them? [y,n,a,q]",
                number + 1
            );
            let answer = answers.next().transpose()?;
            match answer.as_deref().map(str::trim) {
                Some("y") => taken.push(name),
                Some("n") => {}
                Some("a") => {
                    taken.extend(&tables[number..]);
                    break 'tables;
                }
                Some("q") | None => break 'tables,
                Some(_) => {
                    say!(
                        "y: write it, n: leave it, a: write it and all that follow, q: leave it and all that follow"
                    );
                    continue;
                }
            }
            break;
        }
    }
    patch.retain(|name| taken.iter().any(|table| *table == name));
    Ok(())
}

/// Reads the weights that are to be written: of a spec (`.toml`), of lines `NAME VALUE` (`.txt`),
/// or of the summary of a fit. Beside a spec `--write-worse` and `--spec` are refused. Where a
/// summary says that its weights should not replace those before, it fails unless `--write-worse`
/// is typed; with `--dry-run` the user is only told. A verdict other than better is told too.
fn weights(args: &PatchArgs) -> Result<Run> {
    if args.weights.extension().is_some_and(|e| e == "toml") {
        if args.write_worse {
            misuse!("--write-worse: a spec has no verdict; leave it out");
        }
        if args.spec.is_some() {
            fail!("found a spec as weights and another with --spec; give one of them");
        }
        let spec = Spec::load(&args.weights)?;
        let mut run = Run::of_spec(spec.layout());
        run.spec = Some(format!("{}, hash {}", spec.name(), spec.hash()));
        run.origin = origin(&args.weights, &Value::Null);
        return Ok(run);
    }
    let spec = args.spec.as_deref().map(Spec::load).transpose()?;
    let layout = spec.as_ref().map(Spec::layout);
    let path = summary_of(&args.weights);
    let file = path.display().to_string();
    if path.extension().is_some_and(|e| e == "txt") {
        let mut run = Run::of_values(&file, named_values(&path)?.values, layout)?;
        run.origin = origin(&path, &Value::Null);
        return Ok(run);
    }
    let summary = read_summary(&path)?;
    if let Some(refused) = refusal(&summary).filter(|_| !args.write_worse) {
        let words = format!("{file}: {refused}");
        if !args.dry_run {
            return Err(Failure::NotPassed(format!(
                "{words}; no file was changed (--write-worse writes them)"
            )));
        }
        say!("{words}; without --dry-run nothing would be written but with --write-worse");
    } else if let Some(verdict) = verdict(&summary).filter(|of| *of != FitVerdict::Better) {
        say!("{file}: the verdict on these weights is: {verdict}");
    }
    let mut run = Run::of_summary(&file, &summary, layout)?;
    run.origin = origin(&path, &summary);
    Ok(run)
}
