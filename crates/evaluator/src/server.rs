//! Answers to commands.

use std::fmt;
use std::io::{self, BufRead, Read as _, Write as _};

use crate::engine::{Engine, PositionOf};
use crate::games::{AnswersGames, Games};
use crate::plays::Plays;
use crate::resolve::{look, resolve};
use tuner_base::caught;
use tuner_game::PositionNotation;
use tuner_protocol::answer::{ScoreAnswer, position};
use tuner_protocol::{Ability, About, Command, DONE, ERROR, VERSION, weight_lines};
use tuner_protocol::{bytes, row};
use tuner_trace::{Primitive, Recorder, Trace};

/// Answers the commands of one conversation about an engine.
///
/// An answer depends on nothing that was asked before, except for what `set`,
/// `position`, `match` and their like have set.
pub struct Server<'e, E: Engine> {
    engine: &'e E,
    build: String,
    /// Values of all weights by number; empty: those of the source.
    values: Vec<f64>,
    /// The position, or why there is none.
    position: Result<PositionOf<E>, String>,
    /// Whether `trace` is answered in bytes; else in words.
    rows_as_bytes: bool,
    // Buffers of answers to `trace`.
    recorder: Recorder,
    trace: Trace,
    bytes: Vec<u8>,
    text: String,
    /// Answers commands about games; `None` for an engine that does not play.
    games: Option<Box<dyn AnswersGames<E> + 'e>>,
}

impl<'e, E: Engine> Server<'e, E> {
    /// Begins a conversation about an engine that does not play. `build` tells this build
    /// of it from others.
    pub fn new(engine: &'e E, build: impl Into<String>) -> Self {
        Self {
            engine,
            build: build.into(),
            values: Vec::new(),
            position: Err("no `position` yet".to_owned()),
            rows_as_bytes: false,
            recorder: Recorder::new(),
            trace: Trace::default(),
            bytes: Vec::new(),
            text: String::new(),
            games: None,
        }
    }

    /// Begins a conversation about an engine that plays. `build` tells this build of it from
    /// others.
    pub fn playing(engine: &'e E, build: impl Into<String>) -> Self
    where
        E: Plays,
    {
        Self {
            games: Some(Box::new(Games::new(engine))),
            ..Self::new(engine, build)
        }
    }

    /// Reads one command, with the bytes that belong to it, and appends its answer to `to`; an
    /// empty line has none. Returns whether the conversation continues: it does not where the input
    /// has ended, nor on `quit`.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn answer(&mut self, from: &mut impl BufRead, to: &mut Vec<u8>) -> io::Result<bool> {
        let mut bytes = Vec::new();
        if from.read_until(b'\n', &mut bytes)? == 0 {
            return Ok(false);
        }
        let text = String::from_utf8_lossy(&bytes);
        if text.trim().is_empty() {
            return Ok(true);
        }
        let begun = to.len();
        let answered = match Command::read(&text) {
            Ok(Command::Quit) => return Ok(false),
            Ok(Command::Book(length)) => {
                let mut book = Vec::new();
                from.take(length as u64).read_to_end(&mut book)?;
                self.take_book(&book, to)
            }
            // What a panic leaves behind is overwritten by the next command.
            Ok(command) => caught(|| self.run(command, to))
                .unwrap_or_else(|panic| Err(format!("the evaluation panicked: {panic}"))),
            Err(words) => Err(words),
        };
        if let Err(words) = answered {
            // What the command has answered so far is taken back.
            to.truncate(begun);
            let words = words.replace(['\n', '\r'], " ");
            line(format_args!("{ERROR} {words}"), to);
        }
        Ok(true)
    }

    /// Answers `book`, whose bytes have been read: keeps the book for commands about games. `Err`:
    /// the engine does not play, or the bytes are not UTF-8.
    fn take_book(&mut self, book: &[u8], to: &mut Vec<u8>) -> Result<(), String> {
        let games = self.games.as_mut().ok_or(SILENT)?;
        let book = std::str::from_utf8(book).map_err(|_| "found a book that is no UTF-8")?;
        games.take_book(book.into());
        line(DONE, to);
        Ok(())
    }

    /// Answers a command that needs no more of the input, by what is appended to `to`. `Err`: the
    /// reason for a line `error …`; the caller then takes back what was appended.
    fn run(&mut self, command: Command, to: &mut Vec<u8>) -> Result<(), String> {
        match command {
            // Both sides speak the older of the two versions.
            Command::Tuner(asked) => {
                let _ = write!(to, "{}", self.about(asked.min(VERSION)));
            }
            Command::Weights => line(weight_lines(self.engine.registry()) + DONE, to),
            Command::SetSource => {
                self.values.clear();
                line(DONE, to);
            }
            Command::Set(values) => {
                self.set(&values)?;
                line(DONE, to);
            }
            Command::Bytes(on) => {
                self.rows_as_bytes = on;
                line(DONE, to);
            }
            Command::Position(text) => {
                // So that no later command is about an older position if this one is wrong.
                self.position = Err("the position before was refused".to_owned());
                let read = self.engine.notation().parse(&text);
                let read = read.map_err(|fault| fault.to_string())?;
                let first = self.engine.notation().first_player_to_move(&read);
                self.position = Ok(read);
                line(position(first), to);
            }
            Command::Score => line(self.score()?, to),
            Command::Trace => self.trace(to)?,
            Command::Look => line(look(self.engine, &self.values, self.position()?), to),
            Command::Resolve => {
                let (found, leaf) = resolve(self.engine, &self.values, self.position()?);
                if let Some(leaf) = leaf {
                    self.position = Ok(leaf);
                }
                line(found, to);
            }
            // `answer` handles these two itself; all commands that follow are about games.
            Command::Quit | Command::Book(_) => {}
            command => {
                let games = self.games.as_mut().ok_or(SILENT)?;
                let answer = games.answer(&command, &self.values, &self.position)?;
                to.extend_from_slice(answer.as_bytes());
            }
        }
        Ok(())
    }

    /// Makes the answer to `tuner`: what this evaluator is and can do. `version`: that of the
    /// protocol which both sides speak.
    fn about(&self, version: u32) -> About {
        // `Quiet`: the commands are known; their answers say where an engine offers no such search.
        let mut abilities = vec![Ability::Trace, Ability::Bytes, Ability::Quiet];
        if self.games.is_some() {
            abilities.push(Ability::Play);
        }
        About {
            version,
            name: self.engine.name().to_owned(),
            game: game_of(self.engine.notation().name()),
            view: self.engine.perspective(),
            language: "rust".to_owned(),
            build: self.build.clone(),
            abilities,
        }
    }

    /// Sets some weights, each by its number. If all weights then have the values of the source,
    /// `values` becomes empty, so that production scores. `Err`: a number that no weight has; then
    /// nothing is set.
    fn set(&mut self, values: &[(u32, f64)]) -> Result<(), String> {
        let source = self.engine.registry().values();
        let all = source.len();
        if let Some((number, _)) = values.iter().find(|(number, _)| *number as usize >= all) {
            return Err(format!("found weight {number}, expected one below {all}"));
        }
        if self.values.is_empty() {
            self.values.clone_from(&source);
        }
        for &(number, value) in values {
            self.values[number as usize] = value;
        }
        if self.values == source {
            self.values.clear();
        }
        Ok(())
    }

    /// Returns the position that was set last; `Err`: why there is none.
    fn position(&self) -> Result<&PositionOf<E>, String> {
        self.position.as_ref().map_err(Clone::clone)
    }

    /// Makes the answer to `score`: by production, or, at other weights than the source's, by the
    /// twin. The score may be undefined, as where a weight that is divided by is 0.
    fn score(&self) -> Result<ScoreAnswer, String> {
        let at = self.position()?;
        let (value, is_defined) = if self.values.is_empty() {
            let value = self.engine.evaluate(at).to_f64();
            (value, value.is_finite())
        } else {
            Recorder::defined_at(&self.values, || self.engine.trace(at))
        };
        Ok(ScoreAnswer { value, is_defined })
    }

    /// Answers `trace` by the row of the position at the weights in force: as a line of words or,
    /// after `bytes on`, as a line `bytes N` and N bytes. `Err`: why there is no position.
    fn trace(&mut self, to: &mut Vec<u8>) -> Result<(), String> {
        let at = self.position.as_ref().map_err(Clone::clone)?;
        let twin = || self.engine.trace(at);
        self.recorder.record_at(&self.values, twin, &mut self.trace);
        if self.rows_as_bytes {
            self.bytes.clear();
            bytes::write(&self.trace, &mut self.bytes);
            let length = self.bytes.len();
            line(format_args!("bytes {length}"), to);
            to.extend_from_slice(&self.bytes);
        } else {
            self.text.clear();
            row::write(&self.trace, &mut self.text);
            line(&self.text, to);
        }
        Ok(())
    }
}

/// The name by which the protocol knows the game of a notation: `chess` for FEN, `shogi` for SFEN,
/// else the name of the notation in small letters.
fn game_of(notation: &str) -> String {
    match notation {
        "FEN" => "chess".to_owned(),
        "SFEN" => "shogi".to_owned(),
        other => other.to_lowercase(),
    }
}

impl<E: Engine> fmt::Debug for Server<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("engine", &self.engine.name())
            .finish_non_exhaustive()
    }
}

/// The answer to commands about games of an evaluator that plays none.
const SILENT: &str = "this evaluator plays no games";

/// Appends a line of these words.
fn line(words: impl fmt::Display, to: &mut Vec<u8>) {
    // Writing to memory cannot fail.
    let _ = writeln!(to, "{words}");
}
