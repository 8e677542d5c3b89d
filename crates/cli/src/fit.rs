//! `fit`: from positions, or from rows made elsewhere, to weights.

use std::time::Instant;

use crate::fit_args::FitArgs;
use crate::{output, timings};
use clap::ValueEnum as _;
use tuner_base::shell_word;
use tuner_fit::run::OptionsSnapshot;
use tuner_jobs::{FitInput, Job, JobFailure as Failure, Project, StepRunner, fit};

/// Fits the weights of an engine, or of rows that were made elsewhere.
pub(crate) fn run(
    job: &Job,
    project: Option<&Project>,
    args: &FitArgs,
    options: OptionsSnapshot,
    steps: &dyn StepRunner,
) -> Result<(), Failure> {
    if let (Some(to), None) = (args.to, &args.spec) {
        let spec = project.and_then(|project| project.file.spec.as_deref());
        let (spec, first) = match spec {
            Some(spec) => (shell_word(spec), ""),
            None => (
                "engine.toml".to_owned(),
                "`tuner spec init -o engine.toml` and ",
            ),
        };
        return Err(Failure::Usage(format!(
            "--to: is for rows that were made elsewhere, with --spec; after the fit of an engine \
             {first}`tuner spec emit {spec} --weights tuner-run/weights.txt --to {}` write them",
            to.to_possible_value()
                .map_or_else(String::new, |to| to.get_name().to_owned())
        )));
    }
    let begun = Instant::now();
    let result = if let Some(project) = project {
        if args.round {
            return Err(Failure::usage(
                "--round: is for rows that were made elsewhere; leave it out",
            ));
        }
        let config = args.config(options, true)?;
        fit(job, FitInput::Engine(project), config, steps)?
    } else {
        let rows = args.rows()?;
        let config = args.config(options, rows.spec.is_some())?;
        fit(job, FitInput::Rows(&rows), config, steps)?
    };
    if args.print.json {
        output::json(&result.record)?;
    }
    if args.timings {
        say!(
            "{}",
            timings::words(begun.elapsed(), &result.phases).trim_end()
        );
    }
    result.end
}
