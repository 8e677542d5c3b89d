//! `spec check`, `spec emit`, `spec schema`, `spec import`; `spec set` and `spec diff`
//! have modules of their own.

use std::path::Path;

use super::args::{ImportArgs, SpecCommand};
use super::{Failure, output, spec_diff, spec_set};
use tuner_fit::run::NamedWeights;
use tuner_spec::codegen::{Provenance, emit_as};
use tuner_spec::source::{Choice, LeftOutConst, Sources, import, merge};
use tuner_spec::{Spec, SpecDocument, markdown, schema, template};

pub(super) fn run(command: &SpecCommand) -> Result<(), Failure> {
    match command {
        SpecCommand::Check { spec } => {
            let found = Spec::load(spec)?;
            let layout = found.layout();
            say!(
                "{}: {} parameters, {} weights, {} of them frozen, {} tied; hash {}",
                spec.display(),
                layout.parameters().len(),
                layout.weights(),
                layout
                    .weight_ids()
                    .filter(|&weight| layout.frozen(weight))
                    .count(),
                layout.ties().len(),
                found.hash()
            );
            Ok(())
        }
        SpecCommand::Emit {
            spec,
            to,
            weights,
            output,
            check,
        } => {
            let spec = Spec::load(spec)?;
            let mut provenance = Provenance::default();
            let values = match weights {
                None => spec.layout().initial_counts().to_vec(),
                Some(path) => {
                    let name = path.file_name().unwrap_or(path.as_os_str());
                    provenance.file = Some(name.to_string_lossy().into_owned());
                    fitted(&spec, path)?
                }
            };
            let text = emit_as((*to).into(), &spec, &values, &provenance)?;
            match output {
                Some(file) if *check => same(file, &text),
                _ => put(&text, output.as_deref()),
            }
        }
        SpecCommand::Init {
            name,
            output,
            force,
        } => {
            let text = template(name);
            Spec::parse(Path::new("the new spec"), &text)?;
            if let Some(file) = output.as_deref().filter(|file| file.exists() && !force) {
                let words = "it is there already; nothing was written (--force writes over it)";
                return Err(format!("{}: {words}", file.display()).into());
            }
            put(&text, output.as_deref())
        }
        SpecCommand::Set(args) => spec_set::run(args),
        SpecCommand::Diff(args) => spec_diff::run(args),
        SpecCommand::Doc { spec, output } => put(&markdown(&Spec::load(spec)?), output.as_deref()),
        SpecCommand::Schema => output::line(&format!("{:#}", schema())),
        SpecCommand::Import(args) => imported(args),
    }
}

/// The numbers of a file of weights, as counts of their steps; those that it does not name are the
/// initial ones, which is said.
fn fitted(spec: &Spec, path: &Path) -> Result<Vec<i64>, Failure> {
    let layout = spec.layout();
    let names: Vec<String> = (layout.weight_ids())
        .map(|weight| layout.name(weight))
        .collect();
    let read = NamedWeights::read(path, &names, &layout.initial())?;
    for note in read.notes() {
        say!("{note}");
    }
    let counts = layout.counts(&read.weights);
    Ok(counts.map_err(|error| format!("{}: {error}", path.display()))?)
}

fn imported(args: &ImportArgs) -> Result<(), Failure> {
    let sources = Sources::read(&args.sources)?;
    let choice = Choice {
        only: args.only.clone(),
        except: args.except.clone(),
    };
    if let Some(spec) = &args.into {
        return merged(args, spec, &sources, &choice);
    }
    let found = import(&sources, &choice, &args.name)?;
    for sentence in &found.taken {
        say!("taken: {sentence}");
    }
    left_out(&found.passed, args.all);
    say!(
        "{} taken, {} left out; --only and --except choose by name",
        found.taken.len(),
        found.passed.len()
    );
    put(&found.text, args.output.as_deref())
}

/// Most consts of a file that are named one by one where they are left out for one reason.
const NAMED: usize = 3;

/// Says what is left out: of many in a file, for one reason, how many.
fn left_out(passed: &[LeftOutConst], all: bool) {
    let mut kinds: Vec<((&str, &str), Vec<&LeftOutConst>)> = Vec::new();
    for one in passed {
        // The reason may name a place in it.
        let key = (one.file.as_str(), one.reason.as_str());
        match kinds.iter_mut().find(|(known, _)| *known == key) {
            Some((_, of_kind)) => of_kind.push(one),
            None => kinds.push((key, vec![one])),
        }
    }
    for ((file, reason), of_kind) in kinds {
        if all || of_kind.len() <= NAMED {
            for one in of_kind {
                say!("left out: {one}");
            }
            continue;
        }
        let names: Vec<&str> = (of_kind.iter().take(NAMED))
            .map(|one| one.name.as_str())
            .collect();
        say!(
            "left out: {file}: {} and {} more (--all names them), each {reason}",
            names.join(", "),
            of_kind.len() - NAMED
        );
    }
}

/// Brings a spec up to date with sources.
fn merged(
    args: &ImportArgs,
    spec: &Path,
    sources: &Sources,
    choice: &Choice,
) -> Result<(), Failure> {
    let document = SpecDocument::load(spec)?;
    let found = merge(&document, sources, choice, args.vanished.into())
        .map_err(|error| format!("{error}\nnothing was written"))?;
    for words in found.notes {
        say!("{words}");
    }
    left_out(&found.passed, args.all);
    put(&found.text, Some(args.output.as_deref().unwrap_or(spec)))
}

/// Fails if a file does not hold a text.
fn same(file: &Path, text: &str) -> Result<(), Failure> {
    let name = file.display();
    let found = std::fs::read_to_string(file).map_err(|error| format!("{name}: {error}"))?;
    if found == text {
        return Ok(());
    }
    let line = 1 + found
        .lines()
        .zip(text.lines())
        .take_while(|(a, b)| a == b)
        .count();
    Err(Failure::NotPassed(format!(
        "{name}:{line}: it is not what its spec says; without --check it is written anew"
    )))
}

fn put(text: &str, output: Option<&Path>) -> Result<(), Failure> {
    match output {
        Some(path) => output::file(path, text, "; nothing was written"),
        None => output::text(text),
    }
}
