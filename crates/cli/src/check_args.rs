//! The arguments of `check` and `trace`.

use std::path::PathBuf;

use clap::Args;

use crate::heading;
use crate::shared_args::{DataArgs, PrintArgs, ThreadArgs};
use tuner_jobs::PositionsConfig;

#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// Positions on which all derivatives are compared with differences.
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = heading::METHOD)]
    pub(crate) differences: usize,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    #[command(flatten)]
    pub(crate) print: PrintArgs,
}

#[derive(Args, Debug)]
pub(crate) struct TraceArgs {
    #[command(flatten)]
    pub(crate) check: CheckArgs,
    /// The file to write, for `fit FILE`; another of that name is replaced once
    /// the new one is complete.
    #[arg(short, long, value_name = "FILE.arrow", help_heading = heading::OUTPUT)]
    pub(crate) output: PathBuf,
}

impl From<&CheckArgs> for PositionsConfig {
    fn from(args: &CheckArgs) -> Self {
        Self {
            differences: args.differences,
            ..(&args.data).into()
        }
    }
}
