//! `check` and `trace`: production against trace.

use crate::check_args::{CheckArgs, TraceArgs};
use crate::output;
use tuner_jobs::{Job, JobFailure as Failure, Project};

pub(crate) fn check(job: &Job, project: &Project, args: &CheckArgs) -> Result<(), Failure> {
    let data = (&args.agreement).into();
    let (summary, verdict) =
        tuner_jobs::check(job, project, &data, args.rebuild, !args.asymmetric)?;
    if args.agreement.print.json {
        output::json(&summary)?;
    }
    Ok(verdict?)
}

pub(crate) fn trace(job: &Job, project: &Project, args: &TraceArgs) -> Result<(), Failure> {
    let summary = tuner_jobs::trace(job, project, &(&args.agreement).into(), &args.output)?;
    if args.agreement.print.json {
        output::json(&summary)?;
    }
    Ok(())
}
