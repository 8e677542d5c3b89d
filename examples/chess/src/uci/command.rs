//! What a user interface may say, line by line.

use std::time::Duration;

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};

use crate::search::{Budget, Clock, Constants, Limits};

/// The largest transposition table, in megabytes.
pub(super) const MAX_HASH: usize = 4_096;

/// A line that was understood.
#[derive(Clone, Debug)]
pub(super) enum Command {
    Uci,
    IsReady,
    NewGame,
    Hash(usize),
    /// One, as it is.
    Threads,
    /// A number of the search, by its place in [`Constants::OPTIONS`].
    Constant(usize, i32),
    Position(Box<Chess>, Vec<Zobrist64>),
    /// What to search, and what could not be read of it.
    Go(Go, Vec<String>),
    Stop,
    Eval,
    Bench(u32),
    Quit,
}

/// The words after `go`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Go {
    pub(super) clock: Clock,
    pub(super) movetime: Option<Duration>,
    pub(super) depth: Option<u32>,
    pub(super) nodes: Option<u64>,
    pub(super) infinite: bool,
}

impl Go {
    /// What the search may use up for this side.
    pub(super) fn limits(&self, pos: &Chess) -> Limits {
        let time = match self.movetime {
            _ if self.infinite => None,
            Some(time) => Some(Budget::fixed(time)),
            None => self.clock.budget(pos.turn()),
        };
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            time,
            stop: None,
        }
    }

    /// Takes a word with its value.
    fn take(&mut self, word: &str, value: &str) -> Result<(), String> {
        match word {
            "wtime" => self.clock.left[0] = Some(milliseconds(word, value)?),
            "btime" => self.clock.left[1] = Some(milliseconds(word, value)?),
            "winc" => self.clock.increment[0] = milliseconds(word, value)?,
            "binc" => self.clock.increment[1] = milliseconds(word, value)?,
            "movestogo" => self.clock.moves_to_go = Some(number(word, value)?),
            "movetime" => self.movetime = Some(milliseconds(word, value)?),
            "depth" => self.depth = Some(number(word, value)?),
            "nodes" => self.nodes = Some(number(word, value)?),
            _ => {}
        }
        Ok(())
    }

    /// Whether nothing but `stop` ends the search.
    pub(super) fn is_endless(&self, limits: &Limits) -> bool {
        self.infinite || (limits.depth.is_none() && limits.nodes.is_none() && limits.time.is_none())
    }
}

/// Reads a line; an empty one is no command.
///
/// # Errors
///
/// One sentence that says what is wrong with the line.
pub(super) fn parse(line: &str) -> Result<Option<Command>, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let Some((&first, rest)) = words.split_first() else {
        return Ok(None);
    };
    let command = match first {
        "uci" => Command::Uci,
        "isready" => Command::IsReady,
        "ucinewgame" => Command::NewGame,
        "setoption" => set_option(rest)?,
        "position" => position(rest)?,
        "go" => {
            let (go, strange) = go(rest);
            Command::Go(go, strange)
        }
        "stop" => Command::Stop,
        "eval" => Command::Eval,
        "bench" => Command::Bench(match rest.first() {
            Some(depth) => number("bench", depth)?,
            None => crate::bench::DEPTH,
        }),
        "quit" => Command::Quit,
        other => return Err(format!("unknown command `{other}`")),
    };
    Ok(Some(command))
}

fn set_option(words: &[&str]) -> Result<Command, String> {
    match words {
        ["name", name, "value", value] if name.eq_ignore_ascii_case("hash") => {
            let megabytes = number::<usize>("Hash", value)?;
            if (1..=MAX_HASH).contains(&megabytes) {
                Ok(Command::Hash(megabytes))
            } else {
                Err(format!("Hash is {megabytes}, expected 1 to {MAX_HASH}"))
            }
        }
        // Who asks for threads must get an answer: there is one.
        ["name", name, "value", value] if name.eq_ignore_ascii_case("threads") => {
            match number::<usize>("Threads", value)? {
                1 => Ok(Command::Threads),
                threads => Err(format!("Threads is {threads}, expected 1")),
            }
        }
        ["name", name, "value", value] => {
            let mut all = Constants::OPTIONS.iter().enumerate();
            let found = all.find(|(_, option)| option.name.eq_ignore_ascii_case(name));
            let (index, option) = found.ok_or("unknown option")?;
            let (low, high) = option.range;
            match number::<i32>(option.name, value)? {
                value if (low..=high).contains(&value) => Ok(Command::Constant(index, value)),
                value => Err(format!(
                    "{} is {value}, expected {low} to {high}",
                    option.name
                )),
            }
        }
        _ => Err("unknown option, expected name NAME value VALUE".to_owned()),
    }
}

fn position(words: &[&str]) -> Result<Command, String> {
    let (setup, moves) = match words.iter().position(|&word| word == "moves") {
        Some(at) => (&words[..at], &words[at + 1..]),
        None => (words, [].as_slice()),
    };
    let mut pos = match setup {
        ["startpos"] => Chess::default(),
        ["fen", fields @ ..] => position_from_fen(&fields.join(" "))?,
        _ => return Err("expected `position startpos` or `position fen FEN`".to_owned()),
    };
    let mut history = Vec::with_capacity(moves.len());
    for (index, text) in moves.iter().enumerate() {
        let place = || format!("move {} of {}, `{text}`", index + 1, moves.len());
        let uci = UciMove::from_ascii(text.as_bytes()).map_err(|e| format!("{}: {e}", place()))?;
        let m = uci.to_move(&pos).map_err(|e| format!("{}: {e}", place()))?;
        history.push(pos.zobrist_hash(EnPassantMode::Legal));
        pos.play_unchecked(m);
    }
    Ok(Command::Position(Box::new(pos), history))
}

/// Reads a position of standard chess.
fn position_from_fen(text: &str) -> Result<Chess, String> {
    let fen = Fen::from_ascii(text.as_bytes()).map_err(|e| format!("FEN `{text}`: {e}"))?;
    fen.into_position(CastlingMode::Standard)
        .map_err(|e| format!("FEN `{text}`: {e}"))
}

/// Reads the words after `go`, and lists the invalid ones: the search starts in
/// any case, because the user interface waits for a move.
fn go(words: &[&str]) -> (Go, Vec<String>) {
    let mut go = Go::default();
    let mut strange = Vec::new();
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        match word {
            "infinite" => go.infinite = true,
            "wtime" | "btime" | "winc" | "binc" | "movestogo" | "movetime" | "depth" | "nodes" => {
                let value = words.next().copied().unwrap_or_default();
                if let Err(message) = go.take(word, value) {
                    strange.push(message);
                    // A quick move is better than none.
                    go.depth.get_or_insert(1);
                }
            }
            other => strange.push(format!("unknown word `{other}` in `go`")),
        }
    }
    (go, strange)
}

fn number<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| format!("`{name}` is `{text}`, expected a number"))
}

/// Reads a time; a negative one, of a clock that has run out, is zero.
fn milliseconds(name: &str, text: &str) -> Result<Duration, String> {
    let time: i64 = number(name, text)?;
    Ok(Duration::from_millis(time.max(0).unsigned_abs()))
}
