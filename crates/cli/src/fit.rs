//! `fit`: from positions, or from rows made elsewhere, to weights.

use std::time::Instant;

use crate::fit_args::FitArgs;
use crate::{output, timings};
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
        let is_named = rows.spec.is_some() || rows.has_head();
        if args.to.is_some() && !is_named {
            return Err(Failure::usage(
                "--to: without --spec weights have no names in any language; give it",
            ));
        }
        let config = args.config(options, is_named)?;
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
