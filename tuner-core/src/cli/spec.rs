//! `spec check`, `spec emit`, `spec schema`.

use super::Failure;
use super::args::{SpecArgs, SpecCommand};
use crate::codegen::{Provenance, Written, emit, write_if_changed};
use crate::param::{Spec, schema};

pub(super) fn run(args: &SpecArgs) -> Result<(), Failure> {
    match &args.command {
        SpecCommand::Check { spec } => {
            let found = Spec::load(spec)?;
            let layout = found.layout();
            eprintln!(
                "{}: {} parameters, {} weights, {} of them frozen, {} tied; hash {}",
                spec.display(),
                layout.parameters().len(),
                layout.weights(),
                (0..layout.weights())
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
            match output {
                None => print!("{text}"),
                Some(path) => {
                    let written = write_if_changed(path, &text).map_err(|error| {
                        format!("{}: {error}; nothing was written", path.display())
                    })?;
                    let words = match written {
                        Written::Changed => "written",
                        Written::Unchanged => "unchanged",
                    };
                    eprintln!("{}: {words}", path.display());
                }
            }
            Ok(())
        }
        SpecCommand::Schema => {
            println!("{:#}", schema());
            Ok(())
        }
    }
}
