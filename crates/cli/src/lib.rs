//! The command line: what was typed (`args`), what is meant (`config`), what is
//! done (a module for each command).
//!
//! [`main`] is the whole `main` of the program `tuner`. What it knows of an engine is in
//! `project`: what `tuner.toml` says, and the evaluator. Data goes to standard output, words to
//! standard error. Exit status: 0 done, 1 failed, 2 wrong usage, 3 a test not passed, 130
//! interrupted.

// First, for the macro in it.
#[macro_use]
mod output;

mod args;
mod check;
mod config;
mod data;
mod diagnose;
mod events;
mod fit;
mod folder;
mod help;
mod interrupt;
mod memory;
mod new;
mod options;
mod pages;
mod patch;
mod play;
mod progress;
mod project;
mod ranks;
mod recover;
mod report;
mod run;
mod runs;
mod scale;
mod spec;
mod spec_diff;
mod spec_set;
mod table;
mod targets;
mod timings;
#[cfg(feature = "arrow")]
mod trace;
#[cfg(not(feature = "arrow"))]
#[path = "without_arrow.rs"]
mod trace;
mod watch;
mod weights;

use std::ffi::OsString;
use std::fmt;
use std::process::ExitCode;

use clap::{ArgMatches, FromArgMatches};

pub use tuner_engine::KnownGame;

use args::{TunerArgs, TunerCommand};
use options::TypedOptions;
use project::Project;
use tuner_data::AnyGame;

/// The exit status of `--must-pass` where nothing failed but the test.
const NOT_PASSED: u8 = 3;

/// Why a command failed, in the words that the user sees.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A mistake of somebody.
    Error(String),
    /// An option that makes no sense.
    Usage(String),
    /// A test that was to be passed was not.
    NotPassed(String),
    /// The user wanted it to end.
    Interrupted(String),
}

impl Failure {
    /// Returns the message.
    fn words(&self) -> &str {
        match self {
            Self::Error(words)
            | Self::Usage(words)
            | Self::NotPassed(words)
            | Self::Interrupted(words) => words,
        }
    }

    /// Returns the message with the kind of failure in front.
    fn sentence(&self) -> String {
        let words = self.words();
        match self {
            Self::Error(_) | Self::Usage(_) => format!("error: {words}"),
            Self::NotPassed(_) => words.to_owned(),
            Self::Interrupted(_) => format!("interrupted: {words}"),
        }
    }

    /// Makes the failure that another process ended with, from its exit status.
    fn of_status(status: u8, words: String) -> Self {
        match status {
            2 => Self::Usage(words),
            NOT_PASSED => Self::NotPassed(words),
            interrupt::EXIT => Self::Interrupted(words),
            _ => Self::Error(words),
        }
    }

    /// The exit status.
    fn status(&self) -> u8 {
        match self {
            Self::Error(_) => 1,
            Self::Usage(_) => 2,
            Self::NotPassed(_) => NOT_PASSED,
            Self::Interrupted(_) => interrupt::EXIT,
        }
    }
}

impl<E: fmt::Display> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Error(error.to_string())
    }
}

/// Runs the program `tuner`, for games that it knows, of which the first counts where nothing
/// names one.
pub fn main(games: &[KnownGame]) -> ExitCode {
    tuner_base::panics_tell_their_place();
    // Before processes are joined: it ends them where there is nothing to do.
    let status = match parsed() {
        Ok((args, options)) => ranks::together(|| {
            ranks::share(&options.subcommand)?;
            run(games, args, options)
        }),
        Err(failure) => ranks::said(Err(failure)),
    };
    ExitCode::from(status)
}

/// Does what was typed, together with other processes if there are some.
fn run(games: &[KnownGame], args: TunerArgs, options: TypedOptions) -> Result<(), Failure> {
    let project = if args.command.uses_engine() {
        Project::find(args.engine_folder.as_deref(), games)?
    } else {
        None
    };
    let context = CommandContext {
        project: project.as_ref(),
        games,
        game: args.game.as_deref(),
    };
    let done = context.run(args.command, options);
    if let Some(project) = &project {
        project.pass_on_messages();
    }
    done
}

/// The context that a command is run in.
pub(crate) struct CommandContext<'a> {
    project: Option<&'a Project>,
    games: &'a [KnownGame],
    /// The game that was named.
    game: Option<&'a str>,
}

impl CommandContext<'_> {
    /// The engine, for a command that needs one.
    fn project(&self) -> Result<&Project, Failure> {
        self.project.ok_or_else(|| {
            Failure::Usage(
                "found no tuner.toml here or above, which says how the evaluator of an engine is \
                 built and started; go to its folder, name it by -C DIR, or let `tuner new` write \
                 one"
                .to_owned(),
            )
        })
    }

    /// The game that was named, or that of the engine, or the first one.
    fn game(&self) -> Result<&AnyGame, Failure> {
        let of_project = self
            .project
            .and_then(|project| project.file.game.as_deref());
        if let Some(name) = self.game.or(of_project) {
            let found = self.games.iter().find(|known| known.name == name);
            return found.map(|known| known.game).ok_or_else(|| {
                let names: Vec<&str> = self.games.iter().map(|known| known.name).collect();
                Failure::Usage(format!(
                    "game: found {name:?}, expected one of {}",
                    names.join(", ")
                ))
            });
        }
        if let Some(project) = self.project {
            return project.game();
        }
        let first = self.games.first();
        Ok(first.ok_or("this program knows no game")?.game)
    }

    /// Runs a command.
    fn run(&self, command: TunerCommand, options: TypedOptions) -> Result<(), Failure> {
        match command {
            TunerCommand::New(args) => new::run(&args, self.game),
            TunerCommand::Completions { shell } => help::completions(shell),
            TunerCommand::Man { folder } => help::pages(&folder),
            TunerCommand::Elo(args) => play::elo(&args),
            TunerCommand::Sprt(args) => play::sprt(&args),
            TunerCommand::Data(command) => self.data(&command),
            TunerCommand::Match(args) => play::run_match(self.project, || self.game(), &args),
            _ if self.game.is_some() => {
                let words = "--game is for new, data and match; leave it out";
                Err(Failure::Usage(words.to_owned()))
            }
            TunerCommand::Spec(args) => spec::run(&args),
            TunerCommand::Patch(args) => patch::run(self.project, &args),
            TunerCommand::Runs(args) => runs::run(&args),
            TunerCommand::Report(args) => pages::run(&args),
            TunerCommand::Fit(args) => self.fit(*args, options),
            TunerCommand::Check(args) => check::run(self.project()?, &args),
            TunerCommand::Recover(args) => recover::run(self.project()?, &args),
            TunerCommand::Trace(args) => trace::run(self.project()?, &args),
            TunerCommand::Explain(args) => diagnose::explain(self.project()?, &args, &options),
            TunerCommand::Outliers(args) => diagnose::outliers(self.project()?, &args),
            TunerCommand::Residuals(args) => diagnose::residuals(self.project()?, &args, &options),
            TunerCommand::Effect(args) => diagnose::effect(self.project()?, &args),
            TunerCommand::Profile(args) => diagnose::profile(self.project()?, &args),
            TunerCommand::Selfplay(args) => play::selfplay(self.project()?, &args),
            TunerCommand::Loop(args) => play::rounds(self, &args, options.snapshot),
            TunerCommand::Spsa(args) => play::spsa(self.project()?, &args),
        }
    }

    /// Says a command of this program, and runs it. `interrupted`: what to say where it was.
    pub(crate) fn step(&self, words: &[String], interrupted: &str) -> Result<(), Failure> {
        say!("$ {}", tuner_base::shell_words(words));
        let (command, options) = play::parsed(words)?;
        self.run(command, options).map_err(|failure| match failure {
            Failure::Interrupted(_) => Failure::Interrupted(interrupted.to_owned()),
            other => other,
        })
    }

    fn fit(&self, mut args: args::FitArgs, options: TypedOptions) -> Result<(), Failure> {
        let (file, json) = (args.events.clone(), args.json);
        events::with_events(file.as_deref(), json, |events| {
            let Some(project) = self.project.filter(|_| args.spec.is_none()) else {
                return fit::of_traces(&args, options.snapshot, events);
            };
            if args.round {
                let words = "--round: is for rows that were made elsewhere; leave it out";
                return Err(Failure::Usage(words.to_owned()));
            }
            if let Some(nodes) = args.rescore {
                fit::rescore(self, &mut args, options.snapshot.clone(), nodes)?;
            }
            fit::of_engine(project, &args, options.snapshot, events)
        })
    }

    fn data(&self, command: &data::DataCommand) -> Result<(), Failure> {
        data::check_files(&command.inputs().data)?;
        // A game that was named needs no evaluator, unless the command asks one.
        let project = self.project.filter(|_| self.game.is_none());
        let Some(project) = project.filter(|_| command.asks_evaluator()) else {
            return data::run(self.game()?, &data::Means::default(), command);
        };
        let evaluation = project.evaluation()?;
        let (values, weights) = if let Some(typed) = command.weights() {
            let linked = project.linked()?;
            let set = weights::NamedSet::read(typed, &linked)?.within_bounds(&linked);
            (set.values(&linked), set.fingerprint())
        } else {
            let values = evaluation.weights().values();
            (Vec::new(), weights::fingerprint(&values))
        };
        let means = data::Means {
            evaluation: Some((evaluation, values)),
            weights: Some(weights),
        };
        data::run(self.game()?, &means, command)
    }
}

/// Returns the options of the command as typed; one process alone says what is wrong.
fn matches(command: clap::Command, words: &[OsString]) -> ArgMatches {
    command.try_get_matches_from(words).unwrap_or_else(|error| {
        if ranks::Launch::is_silent() {
            std::process::exit(error.exit_code());
        }
        error.exit()
    })
}

/// Returns the arguments as typed, and which options are among them. Ends with a usage message if
/// they make no sense.
///
/// # Errors
/// If a fit is named whose options are to be put in, and cannot be read.
fn parsed() -> Result<(TunerArgs, TypedOptions), Failure> {
    let words: Vec<_> = std::env::args_os().collect();
    let command = help::command();
    let mut matches = self::matches(command.clone(), &words);
    let options = TypedOptions::new(&command, &matches);
    if let Some(words) = diagnose::with_run(&command, &matches, &words)? {
        matches = self::matches(command, &words);
    }
    match TunerArgs::from_arg_matches(&matches) {
        Ok(args) => Ok((args, options)),
        Err(error) => error.exit(),
    }
}
