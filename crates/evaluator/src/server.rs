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

    /// Reads a command, with the bytes that belong to it, and appends the answer to `to`.
    /// Returns whether the conversation continues: not where the input has ended, or on `quit`.
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
            to.truncate(begun);
            let words = words.replace(['\n', '\r'], " ");
            line(format_args!("{ERROR} {words}"), to);
        }
        Ok(true)
    }

    /// Answers `book`, whose bytes have been read. The error is for an engine that does not play,
    /// and for bytes that are not UTF-8.
    fn take_book(&mut self, book: &[u8], to: &mut Vec<u8>) -> Result<(), String> {
        let games = self.games.as_mut().ok_or(SILENT)?;
        let book = std::str::from_utf8(book).map_err(|_| "found a book that is no UTF-8")?;
        games.take_book(book.into());
        line(DONE, to);
        Ok(())
    }

    /// Answers a command that needs no more of the input, by lines that are appended to `to`. `Err`
    /// is the reason for an `error` line; what was appended until then is taken back by the caller.
    fn run(&mut self, command: Command, to: &mut Vec<u8>) -> Result<(), String> {
        match command {
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
            Command::Quit | Command::Book(_) => {}
            command => {
                let games = self.games.as_mut().ok_or(SILENT)?;
                let answer = games.answer(&command, &self.values, &self.position)?;
                to.extend_from_slice(answer.as_bytes());
            }
        }
        Ok(())
    }

    /// The answer to `tuner`: what this evaluator is and can do, in this version of the protocol.
    fn about(&self, version: u32) -> About {
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

    /// Sets some weights, each by its number; if all are those of the source then, `values` becomes
    /// empty, so that production scores. An unknown number is an error, and nothing is set.
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

    /// The position, or why there is none.
    fn position(&self) -> Result<&PositionOf<E>, String> {
        self.position.as_ref().map_err(Clone::clone)
    }

    /// The answer to `score`, by production, or at other weights than the source's by the twin. A
    /// score may be undefined, as where weights are divided by 0.
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

    /// Answers `trace` by the row of the position at the weights in force: in words, or, where
    /// `bytes` asked for it, as `bytes N` and so many bytes.
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

/// How evaluators call the game of a notation: `chess`, `shogi`, or the name of the notation in
/// small letters.
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

/// Appends a line.
fn line(words: impl fmt::Display, to: &mut Vec<u8>) {
    // Writing to memory cannot fail.
    let _ = writeln!(to, "{words}");
}
