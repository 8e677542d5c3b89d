//! The games that the `tuner` program knows.

use std::fmt;

use super::Failure;
use super::data::{self, DataCommand, Means};
use super::play::{self, ExternalMatchArgs};
use tuner_data::Fault;
use tuner_data::rules::Rules;
use tuner_tournament::Protocol;

/// A command that needs the rules of a game.
#[derive(Clone, Copy)]
pub(super) enum GameCommand<'a> {
    Data(&'a DataCommand),
    Match(&'a ExternalMatchArgs),
}

type Run<'r> = dyn Fn(GameCommand<'_>) -> Result<(), Failure> + 'r;

/// A game that [`tuner_main`](super::tuner_main) offers.
pub struct KnownGame<'r> {
    name: &'static str,
    run: Box<Run<'r>>,
}

impl<'r> KnownGame<'r> {
    /// Names a game: `name` is what `--game` says, `protocol` what its programs
    /// speak.
    pub fn new<R: Rules>(name: &'static str, rules: &'r R, protocol: Protocol) -> Self {
        let run = move |command: GameCommand<'_>| match command {
            GameCommand::Data(command) => {
                let means = Means {
                    look: None,
                    leaf: None,
                    player: None,
                    weights: None,
                    protocol,
                };
                data::run(rules, &means, command)
            }
            GameCommand::Match(args) => play::external_match(rules, protocol, args),
        };
        Self {
            name,
            run: Box::new(run),
        }
    }
}

impl fmt::Debug for KnownGame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KnownGame").field(&self.name).finish()
    }
}

/// Runs a command by the rules of the game of that name; of the first without
/// a name.
pub(super) fn run(
    games: &[KnownGame<'_>],
    name: Option<&str>,
    command: GameCommand<'_>,
) -> Result<(), Failure> {
    let found = match name {
        None => games.first(),
        Some(name) => games.iter().find(|game| game.name == name),
    };
    let Some(game) = found else {
        let found = name.map_or_else(|| "no game".to_owned(), Fault::quote);
        let names: Vec<&str> = games.iter().map(|game| game.name).collect();
        return Err(Failure::Usage(format!(
            "--game: found {found}, expected one of {}",
            names.join(", ")
        )));
    };
    (game.run)(command)
}
