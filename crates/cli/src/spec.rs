//! `spec check`, `spec emit`, `spec schema`, `spec import`; `spec set` and `spec diff`
//! have modules of their own.

use std::path::Path;

use super::args::{ImportArgs, SpecCommand};
use super::{Failure, output, spec_diff, spec_set};
use tuner_fit::run::NamedWeights;
use tuner_spec::codegen::{Provenance, emit_as};
use tuner_spec::source::{Choice, Sources, import, merge};
use tuner_spec::{Spec, SpecDocument, markdown, schema};

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
    for sentence in &found.passed {
        say!("left out: {sentence}");
    }
    say!(
        "{} taken, {} left out; --only and --except choose by name",
        found.taken.len(),
        found.passed.len()
    );
    put(&found.text, args.output.as_deref())
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
    for words in found.passed {
        say!("left out: {words}");
    }
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
