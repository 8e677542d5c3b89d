//! Programs that speak UCI or USI, and what is asked of them.

use std::path::Path;
use std::time::Duration;

use crate::Result;
use tuner_data::AnyGame;
use tuner_tournament::{External, Program, Protocol};

/// The options of a program, and how long it may be silent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Treatment {
    /// Options of the program: names and values.
    pub options: Vec<(String, String)>,
    /// How long it may be silent, beside the time for a move.
    pub patience: Duration,
}

impl Default for Treatment {
    /// No options, and at most a minute of silence.
    fn default() -> Self {
        Self {
            options: Vec::new(),
            patience: Duration::from_mins(1),
        }
    }
}

impl Treatment {
    /// Makes a program that is started by `command`, a word each. It gets the options of this
    /// value, and may be silent for as long as the field `patience` says.
    pub(crate) fn program(&self, command: Vec<String>, protocol: Protocol) -> Program {
        Program {
            command,
            protocol,
            options: self.options.clone(),
            patience: self.patience,
        }
    }

    /// Makes a program of a command line and starts it once, to see that it runs. Returns it with
    /// the name that it gives itself, `None` if it gives none. `game`: what it plays: programs of
    /// chess speak UCI, those of shogi USI.
    ///
    /// # Errors
    /// If a quote of the command line does not end, it is empty, or the program does not start.
    pub(crate) fn started(&self, typed: &str, game: &AnyGame) -> Result<(Program, Option<String>)> {
        let program = self.program(words(typed)?, Protocol::of_notation(game.name()));
        let name = External::new(program.clone()).start()?;
        Ok((program, name))
    }
}

/// Cuts a command into the program and its arguments, as a shell does; a command that is the path
/// of a file is one word.
fn words(command: &str) -> Result<Vec<String>> {
    if Path::new(command).is_file() {
        return Ok(vec![command.to_owned()]);
    }
    match shlex::split(command) {
        Some(words) if !words.is_empty() => Ok(words),
        Some(_) => misuse!("found an empty command, expected the program of an engine"),
        None => misuse!(
            "found the command {command}, in which a quote does not end; expected words as a \
             shell has them: '\"my engine\" --option \"a value\"'"
        ),
    }
}
