//! The command line: what was typed (`args`), what to do (a module for each
//! command).
//!
//! [`main`] is the whole `main` of an engine's tuning binary, [`tuner_main`]
//! that of the `tuner` program. Data goes to standard output, words to
//! standard error. Exit status: 0 done, 1 failed, 2 wrong usage, 130
//! interrupted.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "printing is what this layer is for"
)]

mod args;
mod check;
mod checkpoint;
mod choices;
mod course;
mod fit;
mod folder;
mod init;
mod interrupt;
mod memory;
mod patch;
mod progress;
mod report;
mod resume;
mod retrace;
mod rows;
mod run;
mod scale;
mod spec;
mod strength;
mod summary;
mod targets;
#[cfg(feature = "arrow")]
mod trace;
mod typed;
mod variables;

use std::fmt;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use crate::game::Engine;
use args::{EngineCommand, TunerCommand};
use typed::Typed;

/// Why a command failed, in the words that the user sees.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A mistake of somebody.
    Error(String),
    /// The user wanted it to end.
    Interrupted(String),
}

impl<E: fmt::Display> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Error(error.to_string())
    }
}

/// Runs the tuning binary of an engine.
pub fn main<E: Engine>(engine: &E) -> ExitCode {
    let (args, typed) = parsed::<args::EngineArgs>();
    exit(match args.command {
        EngineCommand::Check(args) => check::run(engine, &args),
        EngineCommand::Fit(args) => fit::of_engine(engine, &args, typed),
        #[cfg(feature = "arrow")]
        EngineCommand::Trace(args) => trace::run(engine, &args),
        EngineCommand::Spec(args) => spec::run(&args),
        EngineCommand::Patch(args) => patch::run(&args),
    })
}

/// Runs the `tuner` program, which has no evaluation inside.
pub fn tuner_main() -> ExitCode {
    let (args, typed) = parsed::<args::TunerArgs>();
    exit(match args.command {
        #[cfg(feature = "arrow")]
        TunerCommand::Fit(args) => fit::of_traces(&args, typed),
        TunerCommand::Spec(args) => spec::run(&args),
        TunerCommand::Patch(args) => patch::run(&args),
    })
}

fn exit(result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Error(words)) => {
            eprintln!("error: {words}");
            ExitCode::FAILURE
        }
        Err(Failure::Interrupted(words)) => {
            eprintln!("interrupted: {words}");
            ExitCode::from(interrupt::EXIT)
        }
    }
}

/// What was typed, and as which words. Ends with a usage message if it makes
/// no sense.
fn parsed<A: CommandFactory + FromArgMatches>() -> (A, Typed) {
    let command = A::command();
    let matches = command.clone().get_matches();
    match A::from_arg_matches(&matches) {
        Ok(args) => (args, Typed::of(&command, &matches)),
        Err(error) => error.exit(),
    }
}
