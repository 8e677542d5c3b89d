//! The command line: what was typed (`*args`), what is meant (a configuration of `tuner-jobs`),
//! what came of it, printed (a module for each command).
//!
//! [`main`] is the whole `main` of the program `tuner`. `context` runs a command; what it knows
//! of an engine is `tuner_jobs::Project`. Data goes to standard output, words to
//! standard error. Exit status: 0 done, 1 failed, 2 wrong usage, 3 a test not passed, 130
//! interrupted.

// First, for the macro in it.
#[macro_use]
mod output;

mod check;
mod check_args;
mod context;
mod data;
mod diagnose;
mod fit;
mod fit_args;
mod heading;
mod help;
mod interrupt;
mod launch;
#[cfg(target_os = "linux")]
mod limited;
mod new_args;
mod options;
mod pages;
mod patch;
mod play;
mod play_args;
mod progress;
mod ranks;
mod recover;
mod runs;
mod shared_args;
mod sides;
mod spec;
mod spec_args;
mod spec_set;
mod table;
mod terminal;
mod timings;
mod tuner_args;
mod weights;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{ArgMatches, FromArgMatches};

pub use tuner_engine::KnownGame;

use launch::Launch;
use options::TypedOptions;
use tuner_args::TunerArgs;
use tuner_jobs::JobResult as Result;

/// Runs the program `tuner` and returns its exit status. `games`: those that it knows, of which the
/// first counts where nothing names one. `version`: what `--version` says.
pub fn main(games: &[KnownGame], version: &'static str) -> ExitCode {
    // Under `ulimit -v` the command runs in a process of its own, and this is its status.
    #[cfg(target_os = "linux")]
    if let Some(status) = limited::within_limit() {
        return status;
    }
    tuner_base::panics_tell_their_place();
    interrupt::full_files_are_errors();
    // Words are parsed before processes are joined: `--help` and wrong usage end each process at
    // once.
    let status = match parsed(version) {
        Ok((args, options)) => ranks::together(|| {
            ranks::share(&options.subcommand)?;
            context::run(games, args, options)
        }),
        Err(failure) => ranks::said(Err(failure)),
    };
    ExitCode::from(status)
}

/// Parses `words` as options of `command`. Wrong usage, `--help` and `--version` end the process;
/// of several processes the first alone says why.
fn matches(command: clap::Command, words: &[OsString]) -> ArgMatches {
    command.try_get_matches_from(words).unwrap_or_else(|error| {
        if Launch::is_silent() {
            std::process::exit(error.exit_code());
        }
        error.exit()
    })
}

/// Returns the arguments as typed, and which options are among them. Ends with a usage message if
/// they make no sense.
///
/// # Errors
/// If `--run` names a fit, whose options count where they are not typed, and it cannot be read.
fn parsed(version: &'static str) -> Result<(TunerArgs, TypedOptions)> {
    let words: Vec<_> = std::env::args_os().collect();
    let command = help::command().version(version);
    let mut matches = self::matches(command.clone(), &words);
    let options = TypedOptions::new(&command, &matches);
    // With `--run` the words of a fit are put in, and all are parsed once more.
    if let Some(words) = diagnose::with_run(&command, &matches, &words)? {
        matches = self::matches(command, &words);
    }
    match TunerArgs::from_arg_matches(&matches) {
        Ok(args) => Ok((args, options)),
        Err(error) => error.exit(),
    }
}
