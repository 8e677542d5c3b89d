//! `match` of two programs.

use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::super::Failure;
use super::arena::{Games, with_rules};
use super::args::{MatchArgs, Pair};
use super::matches::Setup;
use tuner_data::AnyGame;
use tuner_data::PositionNotation as _;
use tuner_play::{Limit, Thinking, TimeControl};
use tuner_tournament::{External, Program, Protocol};

/// How late a move may come, in milliseconds, unless told otherwise. Chosen: more than
/// a busy machine keeps an answer waiting, and less than an engine gains by it.
const MARGIN: u32 = 20;

/// Seconds that a program may be silent, unless told otherwise.
const PATIENCE: u32 = 60;

/// Plays two programs of a game against each other.
pub(crate) fn run(game: &AnyGame, args: &MatchArgs) -> Result<(), Failure> {
    let rules = with_rules(game, "match")?;
    let protocol = Protocol::of_notation(rules.name());
    let patience = args.patience.unwrap_or(PATIENCE);
    let program = |command: &str, options: &[Pair]| {
        let options: Vec<Pair> = (args.option.iter().chain(options)).cloned().collect();
        program(command, protocol, &options, patience)
    };
    let first = program(&args.first, &args.option_first)?;
    let second = program(&args.second, &args.option_second)?;
    // A program that does not even start is told before anything is written.
    let name = |program: &Program| -> Result<String, Failure> {
        let own = External::new(program.clone()).start()?;
        let file = program.command.first().cloned().unwrap_or_default();
        Ok(own.map_or_else(|| file.clone(), |own| format!("{own} ({file})")))
    };
    let mut names = [name(&first)?, name(&second)?];
    if names[0] == names[1] {
        // Whoever reads the games has to tell them apart.
        names[1].push_str(" #2");
    }
    let ms = |time| Duration::from_millis(u64::from(time));
    let thinking = match (args.tc, args.movetime) {
        (Some(control), _) => Thinking::Game(TimeControl {
            margin: ms(args.time_margin.unwrap_or(MARGIN)),
            ..control
        }),
        (None, Some(time)) => Thinking::Move(Limit::Time(ms(time))),
        (None, None) => Thinking::Move(args.play.thinking.limit()),
    };
    let options = |program: &Program| json!([program.command, program.options]);
    let texts = args.texts("match", [&names[0], &names[1]]);
    let settings = args.play.settings(thinking, false, texts)?;
    let who = json!([options(&first), options(&second)]);
    let players = Games::of_programs(rules, &settings, [first, second]);
    Setup::new(args, &settings, &who, players)?.play()
}

/// An engine as it was typed; `patience` in seconds.
pub(crate) fn program(
    command: &str,
    protocol: Protocol,
    options: &[Pair],
    patience: u32,
) -> Result<Program, Failure> {
    Ok(Program {
        command: words(command)?,
        protocol,
        options: options.to_vec(),
        patience: Duration::from_secs(u64::from(patience)),
    })
}

/// The program and its arguments, as a shell would cut them; where all of it names a file, that.
fn words(command: &str) -> Result<Vec<String>, Failure> {
    if Path::new(command).is_file() {
        return Ok(vec![command.to_owned()]);
    }
    match shlex::split(command) {
        Some(words) if !words.is_empty() => Ok(words),
        Some(_) => Err(Failure::Usage(
            "found an empty command, expected the program of an engine".to_owned(),
        )),
        None => Err(Failure::Usage(format!(
            "found the command {command}, in which a quote does not end; expected words as a \
             shell has them: '\"my engine\" --option \"a value\"'"
        ))),
    }
}
