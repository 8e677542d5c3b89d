//! The arguments of `check` and `trace`.

use std::path::PathBuf;

use clap::Args;

use crate::heading;
use crate::shared_args::{DataArgs, PrintArgs, ThreadArgs};
use tuner_jobs::PositionsConfig;

#[derive(Args, Debug)]
pub(crate) struct AgreementArgs {
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
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) agreement: AgreementArgs,
    /// Also change all weights in a copy of the sources, build the evaluator there, and compare
    /// its scores with the twin's at these weights, on up to 1000 positions.
    #[arg(long, help_heading = heading::METHOD)]
    pub(crate) rebuild: bool,
    /// Accept that a position and the one with the colours swapped have scores that are not
    /// opposite; else up to 1000 positions are compared.
    #[arg(long, help_heading = heading::METHOD)]
    pub(crate) asymmetric: bool,
    /// Print a change of the sources, for `git apply` or `patch -p1`, that makes a const of each
    /// literal that joins the score, so that it is a weight.
    #[arg(long, conflicts_with = "json", help_heading = heading::OUTPUT)]
    pub(crate) consts: bool,
}

#[derive(Args, Debug)]
pub(crate) struct TraceArgs {
    #[command(flatten)]
    pub(crate) agreement: AgreementArgs,
    /// The file to write, for `fit FILE`; another of that name is replaced once
    /// the new one is complete.
    #[arg(short, long, value_name = "FILE.arrow", help_heading = heading::OUTPUT)]
    pub(crate) output: PathBuf,
}

impl From<&AgreementArgs> for PositionsConfig {
    fn from(args: &AgreementArgs) -> Self {
        Self {
            differences: args.differences,
            ..(&args.data).into()
        }
    }
}
