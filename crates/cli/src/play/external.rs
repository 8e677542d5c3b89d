//! `match` of two programs.

use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::super::Failure;
use super::arena::{Games, with_rules};
use super::args::{MatchArgs, Treatment};
use super::matches::Setup;
use tuner_data::AnyGame;
use tuner_tournament::{External, Program, Protocol};

/// Plays two programs of a game against each other.
pub(crate) fn run(game: &AnyGame, args: &MatchArgs) -> Result<(), Failure> {
    let rules = with_rules(game, "match")?;
    let protocol = Protocol::of_notation(rules.name());
    let [first, second] = args.treatment();
    let first = program(&args.first, protocol, &first)?;
    let second = program(&args.second, protocol, &second)?;
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
    let options = |program: &Program| json!([program.command, program.options]);
    let texts = args.texts("match", [&names[0], &names[1]]);
    let settings = args.play.settings(args.thinking(), false, texts)?;
    let who = json!([options(&first), options(&second)]);
    let players = Games::of_programs(rules, &settings, [first, second]);
    Setup::new(args, &settings, &who, players)?.play()
}

/// An engine as it was typed.
pub(crate) fn program(
    command: &str,
    protocol: Protocol,
    treatment: &Treatment,
) -> Result<Program, Failure> {
    Ok(Program {
        command: words(command)?,
        protocol,
        options: treatment.options.clone(),
        patience: Duration::from_secs(u64::from(treatment.patience)),
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
