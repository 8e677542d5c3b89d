//! `tuner match`: two programs.

use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::super::Failure;
use super::args::{ExternalMatchArgs, Pair, limit};
use super::matches::{NODES, Setup};
use tuner_data::rules::Rules;
use tuner_play::{Limit, Seats, Thinking, TimeControl};
use tuner_tournament::{External, Program, Protocol};

/// How late a move may come, in milliseconds, unless told otherwise. Chosen: more than
/// a busy machine keeps an answer waiting, and less than an engine gains by it.
const MARGIN: u32 = 20;

/// Two programs that play by `rules` and speak `protocol`.
pub(crate) fn run<R: Rules>(
    rules: &R,
    protocol: Protocol,
    args: &ExternalMatchArgs,
) -> Result<(), Failure> {
    let program = |command: &str, options: &[Pair]| {
        let options: Vec<Pair> = (args.option.iter().chain(options)).cloned().collect();
        program(command, protocol, &options, args.patience)
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
        (None, None) => Thinking::Move(limit(args.nodes, args.depth, NODES)),
    };
    let seats = || {
        Ok(Seats {
            first: Box::new(External::new(first.clone())),
            second: Box::new(External::new(second.clone())),
            judge: None,
        })
    };
    let options = |program: &Program| json!([program.command, program.options]);
    let setup = Setup {
        rules,
        args: &args.games,
        contest: args.games.contest(rules, thinking, false)?,
        event: "match",
        options: &args.option,
        names: [&names[0], &names[1]],
        identity: json!([options(&first), options(&second)]),
    };
    setup.play(seats)
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
