//! The commands to an evaluator.

use crate::words::{finite, number};
use tuner_base::unexpected;

/// A line that an evaluator reads.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// `tuner VERSION`: who are you? The version is that of who asks.
    Tuner(u32),
    /// `weights`: which weights are there?
    Weights,
    /// `set source`: the weights of the source are in force from now on.
    SetSource,
    /// `set NUMBER=VALUE …`: these weights get these values, the others stay.
    Set(Vec<(u32, f64)>),
    /// `position TEXT`: the position that what follows is about.
    Position(String),
    /// `score`: what is the position worth?
    Score,
    /// `trace`: how does that depend on the weights?
    Trace,
    /// `tables`: what was computed from weights before all positions?
    Tables,
    /// `bytes on`, `bytes off`: whether rows are bytes from now on.
    Bytes(bool),
    /// `look`: what is the position worth, and what after a quiescence search?
    Look,
    /// `resolve`: the position becomes the one where its quiescence search ends.
    Resolve,
    /// `new`: the next search begins another game.
    NewGame,
    /// `search LIMIT`: what is the position worth after a search?
    Search(String),
    /// `playout SETTINGS`: how does a game from here end?
    Playout(String),
    /// `book BYTES`: the openings of what follows; so many bytes come after the line.
    Book(usize),
    /// `match SETTINGS`: how pairs are played.
    Match(String),
    /// `side 1 source`, `side 2 VALUE …`: the weights of a side of the pairs, all of them.
    Side(usize, Vec<f64>),
    /// `pair NUMBER`: plays a pair of games.
    Pair(u64),
    /// `selfplay SETTINGS`: how games are played.
    SelfPlay(String),
    /// `game NUMBER`: plays a game against itself.
    Game(u64),
    /// `quit`: ends, as the end of the input does.
    Quit,
}

impl Command {
    /// Reads a line, without its end; blanks around words do not count.
    ///
    /// # Errors
    /// If the line is not a command; the message says what was found and what was expected.
    pub fn read(line: &str) -> Result<Self, String> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let mut words = rest.split_whitespace();
        // A command whose rest is a text, or words of its own, returns at once; behind any other
        // one nothing may follow.
        let command = match word {
            "tuner" => Self::Tuner(number(words.next(), "a version")?),
            "weights" => Self::Weights,
            "set" if rest == "source" => return Ok(Self::SetSource),
            "set" => return set(rest),
            "position" if rest.is_empty() => {
                return Err("found no position behind `position`".to_owned());
            }
            "position" => return Ok(Self::Position(rest.to_owned())),
            "score" => Self::Score,
            "trace" => Self::Trace,
            "tables" => Self::Tables,
            "bytes" => match words.next() {
                Some("on") => Self::Bytes(true),
                Some("off") => Self::Bytes(false),
                _ => return Err(unexpected(line, "`bytes on` or `bytes off`")),
            },
            "look" => Self::Look,
            "resolve" => Self::Resolve,
            "new" => Self::NewGame,
            "search" => return Ok(Self::Search(rest.to_owned())),
            "playout" => return Ok(Self::Playout(rest.to_owned())),
            "book" => Self::Book(number(words.next(), "a number of bytes")?),
            "match" => return Ok(Self::Match(rest.to_owned())),
            "selfplay" => return Ok(Self::SelfPlay(rest.to_owned())),
            "side" => return side(rest),
            "pair" => Self::Pair(number(words.next(), "the number of a pair")?),
            "game" => Self::Game(number(words.next(), "the number of a game")?),
            "quit" => Self::Quit,
            _ => {
                return Err(format!(
                    "found {word:?}, expected a command: tuner, weights, set, position, score, \
                     trace, quit and others"
                ));
            }
        };
        match words.next() {
            None => Ok(command),
            Some(more) => Err(format!(
                "found {more:?} behind `{word}`, expected nothing more"
            )),
        }
    }
}

/// Reads the words behind `set`, `NUMBER=VALUE …`, at least one: numbers of weights and their
/// values.
fn set(rest: &str) -> Result<Command, String> {
    let pairs = rest.split_whitespace().map(|word| {
        let (index, value) = (word.split_once('='))
            .ok_or_else(|| format!("found {word:?}, expected NUMBER=VALUE, or `set source`"))?;
        let index = number(Some(index), "the number of a weight")?;
        Ok((index, finite(Some(value), "a finite value")?))
    });
    let pairs: Vec<(u32, f64)> = pairs.collect::<Result<_, String>>()?;
    if pairs.is_empty() {
        let message = "found no weight behind `set`, expected NUMBER=VALUE, or `set source`";
        return Err(message.to_owned());
    }
    Ok(Command::Set(pairs))
}

/// Reads what is behind `side`: the number of the side, and `source` or the values of all weights.
fn side(rest: &str) -> Result<Command, String> {
    let (side, values) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let side = match side {
        "1" => 0,
        "2" => 1,
        _ => return Err(format!("found side {side:?}, expected 1 or 2")),
    };
    if values.trim() == "source" {
        return Ok(Command::Side(side, Vec::new()));
    }
    let values = values.split_whitespace();
    let values = values.map(|value| finite(Some(value), "`source`, or the values of all weights"));
    let values: Vec<f64> = values.collect::<Result<_, _>>()?;
    if values.is_empty() {
        return Err("found no values, expected `source`, or those of all weights".to_owned());
    }
    Ok(Command::Side(side, values))
}

tuner_base::impl_fmt! {
/// The line, without its end.
Display for Command, |self, f| match self {
    Self::Tuner(version) => write!(f, "tuner {version}"),
    Self::Weights => f.write_str("weights"),
    Self::SetSource => f.write_str("set source"),
    Self::Set(values) => {
        f.write_str("set")?;
        let mut values = values.iter();
        values.try_for_each(|(index, value)| write!(f, " {index}={value}"))
    }
    Self::Position(text) => write!(f, "position {text}"),
    Self::Score => f.write_str("score"),
    Self::Trace => f.write_str("trace"),
    Self::Tables => f.write_str("tables"),
    Self::Bytes(true) => f.write_str("bytes on"),
    Self::Bytes(false) => f.write_str("bytes off"),
    Self::Look => f.write_str("look"),
    Self::Resolve => f.write_str("resolve"),
    Self::NewGame => f.write_str("new"),
    Self::Search(limit) => write!(f, "search {limit}"),
    Self::Playout(settings) => write!(f, "playout {settings}"),
    Self::Book(bytes) => write!(f, "book {bytes}"),
    Self::Match(settings) => write!(f, "match {settings}"),
    Self::Side(side, values) if values.is_empty() => write!(f, "side {} source", side + 1),
    Self::Side(side, values) => {
        write!(f, "side {}", side + 1)?;
        values.iter().try_for_each(|value| write!(f, " {value}"))
    }
    Self::Pair(number) => write!(f, "pair {number}"),
    Self::SelfPlay(settings) => write!(f, "selfplay {settings}"),
    Self::Game(number) => write!(f, "game {number}"),
    Self::Quit => f.write_str("quit"),
} }

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn commands_are_read_as_they_are_written() {
        let commands = [
            Command::Tuner(1),
            Command::Weights,
            Command::SetSource,
            Command::Set(vec![(0, 1.5), (12, -3e-7)]),
            Command::Position("8/8/8/8/8/8/8/8 w - - 0 1".to_owned()),
            Command::Score,
            Command::Trace,
            Command::Tables,
            Command::Bytes(true),
            Command::Bytes(false),
            Command::Look,
            Command::Resolve,
            Command::NewGame,
            Command::Search("nodes:800".to_owned()),
            Command::Playout("limit nodes:800 win none draw none longest 500".to_owned()),
            Command::Book(17),
            Command::Match("seed 1 thinking nodes:100".to_owned()),
            Command::Side(0, Vec::new()),
            Command::Side(1, vec![100.0, -0.25]),
            Command::Pair(3),
            Command::SelfPlay("seed 1".to_owned()),
            Command::Game(u64::MAX),
            Command::Quit,
        ];
        for command in commands {
            assert_eq!(Command::read(&command.to_string()), Ok(command));
        }
    }

    #[test]
    fn what_is_wrong_is_quoted() {
        for (line, part) in [
            ("", "found \"\""),
            ("score now", "now"),
            ("set 1", "NUMBER=VALUE"),
            ("set", "no weight"),
            ("side 1", "no values"),
            ("set 1=inf", "finite"),
            ("set -1=2", "-1"),
            ("side 3 source", "\"3\""),
            ("position", "no position"),
            ("tuner", "end of the line"),
        ] {
            let message = Command::read(line).err().unwrap_or_default();
            assert!(message.contains(part), "{line}: {message}");
        }
    }

    proptest! {
        #[test]
        fn no_line_ends_the_program(line in any::<String>()) {
            let _ = Command::read(&line);
        }
    }
}
