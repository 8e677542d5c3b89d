//! `spec check`, `spec emit`, `spec schema`, `spec import`.

use std::path::Path;

use super::args::{ImportArgs, SpecCommand};
use super::{Failure, output};
use tuner_spec::codegen::{Provenance, emit};
use tuner_spec::source::{Choice, Sources, import};
use tuner_spec::{Spec, schema};

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
        SpecCommand::Emit { spec, output } => {
            let spec = Spec::load(spec)?;
            let values = spec.layout().initial_integers();
            let text = emit(&spec, values, &Provenance::default())?;
            put(&text, output.as_deref())
        }
        SpecCommand::Schema => output::line(&format!("{:#}", schema())),
        SpecCommand::Import(args) => imported(args),
    }
}

fn imported(args: &ImportArgs) -> Result<(), Failure> {
    let sources = Sources::read(&args.sources)?;
    let choice = Choice {
        only: args.only.clone(),
        except: args.except.clone(),
    };
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

fn put(text: &str, output: Option<&Path>) -> Result<(), Failure> {
    match output {
        Some(path) => output::file(path, text, "; nothing was written"),
        None => output::text(text),
    }
}
