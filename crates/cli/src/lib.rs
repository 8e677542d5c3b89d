//! The command line: what was typed (`args`), what is meant (`config`), what is
//! done (a module for each command).
//!
//! [`main`] is the whole `main` of an engine's tuning binary, [`main_playing`]
//! that of one whose engine plays, [`tuner_main`] that of the `tuner` program. Data goes to standard output, words to
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
mod games;
mod help;
mod interrupt;
mod memory;
mod new;
mod options;
mod pages;
mod patch;
mod play;
mod progress;
mod ranks;
mod recover;
mod report;
mod resolve;
mod run;
mod runs;
mod scale;
mod spec;
mod spec_diff;
mod spec_set;
mod targets;
mod timings;
#[cfg(feature = "arrow")]
mod trace;
#[cfg(not(feature = "arrow"))]
#[path = "without_arrow.rs"]
mod trace;
mod watch;

use std::ffi::OsString;
use std::fmt;
use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory, FromArgMatches};

pub use games::KnownGame;
use tuner_data::PositionNotation;
use tuner_engine::{AtWeights, Engine, LinkedSpec, Plays, PositionOf, player_at, quiet_look};
use tuner_tournament::Protocol;

use args::{EngineCommand, PlayingCommand, SilentCommand, TunerCommand};
use games::GameCommand;
use options::TypedOptions;

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
    /// What is said of it.
    fn words(&self) -> &str {
        match self {
            Self::Error(words)
            | Self::Usage(words)
            | Self::NotPassed(words)
            | Self::Interrupted(words) => words,
        }
    }

    /// The same with its kind in front.
    fn sentence(&self) -> String {
        let words = self.words();
        match self {
            Self::Error(_) | Self::Usage(_) => format!("error: {words}"),
            Self::NotPassed(_) => words.to_owned(),
            Self::Interrupted(_) => format!("interrupted: {words}"),
        }
    }

    /// The same again, of another process.
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

/// Runs the tuning binary of an engine of a game whose rules nobody has written down:
/// everything but games. Others take [`main_playing`]: what a fit is worth in games is
/// not seen in its error.
pub fn main<E: Engine>(engine: &E) -> ExitCode {
    run::<args::EngineArgs>(|args, options| match args.command {
        SilentCommand::Engine(command) => tune(engine, command, options),
        SilentCommand::Selfplay(_) => Err(silent("selfplay")),
        SilentCommand::Match(_) => Err(silent("match")),
        SilentCommand::Loop(_) => Err(silent("loop")),
        SilentCommand::Spsa(_) => Err(silent("spsa")),
        SilentCommand::Data(_) => Err(silent("data")),
    })
}

/// What an engine lacks that does not play, for a command that needs it.
fn silent(command: &str) -> Failure {
    let instead = match command {
        "match" => "`tuner match ./new ./old` plays two programs that speak UCI or USI",
        "data" => "`tuner data …` does so for chess, and for shogi with --game shogi",
        _ => "`tuner match` and `tuner data rescore` work with programs that speak UCI or USI",
    };
    Failure::Usage(format!(
        "{command}: this tuning binary does not play. To let it:\n\
         1. the notation of positions needs the rules of the game: `tuner_chess::Fen` and \
         `tuner_shogi::Sfen` have them; for a board of your own, \
         `impl tuner_core::data::rules::Rules for …`\n\
         2. `impl tuner_core::engine::Plays for … {{}}`: the library's search plays with the \
         evaluation; with a method `player` your own does\n\
         3. `tuner_core::cli::main_playing(…)` in place of `main`\n\
         docs/playing.md has an example. Without that: {instead}"
    ))
}

/// Runs the tuning binary of an engine that plays: with `selfplay` and `match`.
pub fn main_playing<E: Plays>(engine: &E) -> ExitCode {
    run::<PlayingCommand>(|command, options| playing(engine, command, options))
}

fn playing<E: Plays>(
    engine: &E,
    command: PlayingCommand,
    options: TypedOptions,
) -> Result<(), Failure> {
    match command {
        PlayingCommand::Engine(EngineCommand::Fit(mut args)) => {
            let play = |linked: &LinkedSpec, weights: [&[f64]; 2], games, shown, interrupt: &_| {
                play::fast_games(engine, linked, weights, games, shown, interrupt)
            };
            let (file, json) = (args.fit.events.clone(), args.fit.json);
            events::with_events(file.as_deref(), json, |events| {
                if let Some(nodes) = args.rescore {
                    fit::rescore(engine, &mut args, options.snapshot.clone(), nodes)?;
                }
                fit::of_engine(engine, &args, options.snapshot, Some(&play), events)
            })
        }
        PlayingCommand::Engine(command) => tune(engine, command, options),
        PlayingCommand::Selfplay(args) => play::selfplay(engine, &args),
        PlayingCommand::Match(args) => play::internal_match(engine, &args),
        PlayingCommand::Loop(args) => play::rounds(engine, &args, options.snapshot),
        PlayingCommand::Spsa(args) => play::spsa(engine, &args),
        PlayingCommand::Data(command) => {
            let look = |position: &PositionOf<E>| quiet_look(engine, position);
            let evaluate = |position: &PositionOf<E>| engine.evaluate(position);
            let leaf = |position: &PositionOf<E>| engine.quiescence(position, &evaluate)?.leaf;
            let (at, weights) = if let Some(typed) = command.weights() {
                let linked = run::linked(engine)?;
                let set = play::NamedSet::read(typed, &linked)?.within_bounds(&linked);
                (set.at(engine, &linked), set.fingerprint())
            } else {
                let values = engine.registry().values();
                (AtWeights::source(engine), play::fingerprint(&values))
            };
            let player = || player_at(&at);
            let means = data::Means {
                look: Some(&look),
                leaf: Some(&leaf),
                player: Some(&player),
                weights: Some(weights),
                protocol: Protocol::of_notation(engine.notation().name()),
            };
            data::run(engine.notation(), &means, &command)
        }
    }
}

fn tune<E: Engine>(
    engine: &E,
    command: EngineCommand,
    options: TypedOptions,
) -> Result<(), Failure> {
    match command {
        EngineCommand::Check(args) => check::run(engine, &args),
        EngineCommand::Fit(args) => {
            events::with_events(args.fit.events.as_deref(), args.fit.json, |events| {
                fit::of_engine(engine, &args, options.snapshot, None, events)
            })
        }
        EngineCommand::Recover(args) => recover::run(engine, &args),
        EngineCommand::Trace(args) => trace::run(engine, &args),
        EngineCommand::Spec(args) => spec::run(&args),
        EngineCommand::Patch(args) => patch::run(&args),
        EngineCommand::Runs(args) => runs::run(&args),
        EngineCommand::Report(args) => pages::run(&args),
        EngineCommand::Explain(args) => diagnose::explain(engine, &args, &options),
        EngineCommand::Outliers(args) => diagnose::outliers(engine, &args),
        EngineCommand::Residuals(args) => diagnose::residuals(engine, &args, &options),
        EngineCommand::Effect(args) => diagnose::effect(engine, &args),
        EngineCommand::Profile(args) => diagnose::profile(engine, &args),
    }
}

/// Runs the `tuner` program, which has no evaluation inside, for some games, of
/// which the first counts where `--game` names none.
pub fn tuner_main(games: &[KnownGame<'_>]) -> ExitCode {
    run::<args::TunerArgs>(|args, options| tuner(games, &args, options))
}

fn tuner(
    games: &[KnownGame<'_>],
    args: &args::TunerArgs,
    options: TypedOptions,
) -> Result<(), Failure> {
    let game = args.game.as_deref();
    match &args.command {
        TunerCommand::Data(command) => games::run(games, game, GameCommand::Data(command)),
        TunerCommand::Match(args) => games::run(games, game, GameCommand::Match(args)),
        TunerCommand::Elo(args) => play::elo(args),
        TunerCommand::Sprt(args) => play::sprt(args),
        TunerCommand::New(args) => new::run(args, game),
        _ if game.is_some() => {
            let words = "--game is for new, data and match; leave it out";
            Err(Failure::Usage(words.to_owned()))
        }
        TunerCommand::Fit(args) => {
            events::with_events(args.fit.events.as_deref(), args.fit.json, |events| {
                trace::fit(args, options.snapshot, events)
            })
        }
        TunerCommand::Spec(args) => spec::run(args),
        TunerCommand::Patch(args) => patch::run(args),
        TunerCommand::Runs(args) => runs::run(args),
        TunerCommand::Report(args) => pages::run(args),
    }
}

/// Does what was typed, together with other processes if there are some.
fn run<A: CommandFactory + FromArgMatches>(
    command: impl FnOnce(A, TypedOptions) -> Result<(), Failure>,
) -> ExitCode {
    tuner_base::panics_tell_their_place();
    // Before processes are joined: it ends them where there is nothing to do.
    let status = match parsed::<A>() {
        Ok((args, options)) => ranks::together(|| {
            ranks::share(&options.subcommand)?;
            command(args, options)
        }),
        Err(failure) => ranks::said(Err(failure)),
    };
    ExitCode::from(status)
}

/// What was typed as options of the command; one process alone says what is wrong.
fn matches(command: clap::Command, words: &[OsString]) -> ArgMatches {
    command.try_get_matches_from(words).unwrap_or_else(|error| {
        if ranks::Launch::is_silent() {
            std::process::exit(error.exit_code());
        }
        error.exit()
    })
}

/// Ends the program in the middle of reading what was typed, as clap does for `--help`.
fn exit_now(result: Result<(), Failure>) -> ! {
    std::process::exit(ranks::said(result).into())
}

/// What was typed, and what of it as options. Ends with a usage message if it makes
/// no sense.
///
/// # Errors
/// If a fit is named whose options are to be put in, and cannot be read.
fn parsed<A: CommandFactory + FromArgMatches>() -> Result<(A, TypedOptions), Failure> {
    let words: Vec<_> = std::env::args_os().collect();
    let command = help::dressed(A::command(), &help::program(&words));
    let mut matches = self::matches(command.clone(), &words);
    if let Some(done) = help::for_shells(&command, &matches) {
        exit_now(done);
    }
    let options = TypedOptions::new(&command, &matches);
    if let Some(words) = diagnose::with_run(&command, &matches, &words)? {
        matches = self::matches(command, &words);
    }
    match A::from_arg_matches(&matches) {
        Ok(args) => Ok((args, options)),
        Err(error) => error.exit(),
    }
}
