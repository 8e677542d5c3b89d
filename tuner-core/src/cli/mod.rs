//! The command line: what was typed (`args`), what to do (a module for each
//! command).
//!
//! [`main`] is the whole `main` of an engine's tuning binary, [`tuner_main`]
//! that of the `tuner` program. Data goes to standard output, words to
//! standard error. Exit status: 0 done, 1 failed, 2 wrong usage.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "printing is what this layer is for"
)]

mod args;
mod check;
mod choices;
mod fit;
mod init;
mod memory;
mod output;
mod patch;
mod progress;
mod report;
mod retrace;
mod run;
mod scale;
mod spec;
mod strength;
mod targets;
mod variables;

use std::fmt;
use std::process::ExitCode;

use clap::Parser as _;

use crate::game::Engine;
use args::{EngineCommand, TunerCommand};

/// Why a command failed, in the words that the user sees.
#[derive(Debug)]
pub(crate) struct Failure(String);

impl<E: fmt::Display> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// Runs the tuning binary of an engine.
pub fn main<E: Engine>(engine: &E) -> ExitCode {
    let args = args::EngineArgs::parse();
    exit(match args.command {
        EngineCommand::Check(args) => check::run(engine, &args),
        EngineCommand::Fit(args) => fit::of_engine(engine, &args),
        EngineCommand::Spec(args) => spec::run(&args),
        EngineCommand::Patch(args) => patch::run(&args),
    })
}

/// Runs the `tuner` program, which has no evaluation inside.
pub fn tuner_main() -> ExitCode {
    let args = args::TunerArgs::parse();
    exit(match args.command {
        #[cfg(feature = "arrow")]
        TunerCommand::Fit(args) => fit::of_traces(&args),
        TunerCommand::Spec(args) => spec::run(&args),
        TunerCommand::Patch(args) => patch::run(&args),
    })
}

fn exit(result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(words)) => {
            eprintln!("error: {words}");
            ExitCode::FAILURE
        }
    }
}
