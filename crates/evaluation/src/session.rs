//! One conversation with an evaluator: questions in batches, answers in their order.

use std::borrow::Cow;
use std::ops::Range;
use std::time::Duration;

use crate::connection::{Connection, HELD, Lost};
use thiserror::Error;
use tuner_base::unexpected;
use tuner_protocol::answer::{self, Resolution, ScoreAnswer};
use tuner_protocol::{Ability, About, Command, DONE, ERROR, INFO, VERSION, WeightTable};
use tuner_protocol::{bytes, row, tape};
use tuner_trace::{RecordedTape, Trace};

/// Why an evaluator cannot be asked any further.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("evaluator {program}: {problem}")]
pub struct EvaluationError {
    /// The program.
    pub program: String,
    /// The problem.
    pub problem: EvaluationProblem,
}

/// A problem with an evaluator. Positions are those that it was asked about, if it was.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum EvaluationProblem {
    /// It cannot be started: what the system says.
    #[error("does not start: {0}; `[evaluator]` in tuner.toml says how it is built and started")]
    Start(String),
    /// It has ended, or is silent: what happened, where, and what it said last, if anything.
    #[error("{0}{at}{2}", at = at(.1.as_deref()))]
    Lost(String, Option<String>, String),
    /// Its line does not answer the question: what was found and what was expected.
    #[error("{0}{at}; docs/evaluator.md describes the answers", at = at(.1.as_deref()))]
    Nonsense(String, Option<String>),
    /// It refuses what it must not refuse: which command and why, where, and the cure, if one is
    /// known.
    #[error("{0}{at}{2}; docs/evaluator.md describes the answers", at = at(.1.as_deref()))]
    Refused(String, Option<String>, &'static str),
    /// It is another one than before: the build of the first one, and of this one.
    #[error(
        "it was built anew while it was in use ({0} then, {1} now); begin again, with --resume where a fit was under way"
    )]
    OtherBuild(String, String),
    /// Another process of it says something else of itself.
    #[error(
        "started once more it says {0}; each time that it is started it must be the same evaluation"
    )]
    OtherAnswers(String),
    /// It cannot do what is needed: what, and what to do about it.
    #[error("{0}")]
    Unable(String),
}

impl EvaluationProblem {
    /// The error of a program that has this problem.
    pub(crate) fn of(self, program: &str) -> EvaluationError {
        EvaluationError {
            program: program.to_owned(),
            problem: self,
        }
    }
}

/// The end of a message that names a position; empty without one.
fn at(position: Option<&str>) -> String {
    position.map_or_else(String::new, |position| format!(", at position {position}"))
}

impl EvaluationError {
    /// Adds the position that was asked about, `text`, unless one is named already. `behind`: how
    /// many more were asked about by then; answers come together, so one that ended or is silent
    /// may be at any of these.
    fn at_position(mut self, text: &str, behind: usize) -> Self {
        match &mut self.problem {
            EvaluationProblem::Lost(_, position, _) if behind > 0 => {
                position.get_or_insert_with(|| format!("{text} or one of the {behind} behind it"));
            }
            EvaluationProblem::Lost(_, position, _)
            | EvaluationProblem::Nonsense(_, position)
            | EvaluationProblem::Refused(_, position, _) => {
                position.get_or_insert_with(|| text.to_owned());
            }
            _ => {}
        }
        self
    }
}

/// Bytes of questions that are sent at a time. Chosen: two of these are under way, so that the
/// evaluator has work while answers are read, and a pipe holds both.
const BATCH: usize = HELD / 2 - 512;

/// A conversation; by default with nobody, to leave in the place of one that is taken.
#[derive(Default)]
pub(crate) struct Session {
    /// The program, for messages.
    program: String,
    connection: Box<dyn Connection>,
    /// How long an answer may take.
    patience: Duration,
    /// Answers that were received.
    received: Vec<u8>,
    /// How many bytes of `received` were read.
    read: usize,
    /// Questions that were not sent yet.
    request: Vec<u8>,
    /// Those that were sent last, for messages.
    sent: Vec<u8>,
    /// The weights in force, by number; empty: those of the source.
    in_force: Vec<f64>,
    /// The weights of the source, by number.
    source: Vec<f64>,
    /// Lines on games that were told, so that they are not told again.
    pub(crate) told: Vec<String>,
    rows_as_bytes: bool,
    /// Whether answers take long, as games do: the evaluator may then be silent [`GAMES`] times as
    /// long.
    pub(crate) is_slow: bool,
    /// The position asked about last, for messages; `None` where the next commands are about none.
    pub(crate) position: Option<String>,
    /// The row that was read last.
    trace: Trace,
    /// Turns tapes into rows; `None` for an evaluator that only scores.
    tape: Option<RecordedTape>,
    tables: TablesState,
    /// Why the conversation cannot continue; `None` if it can.
    pub(crate) failure: Option<EvaluationError>,
}

/// State of the tables: operations on weights alone, which come before those of all tapes.
#[derive(Default, PartialEq)]
enum TablesState {
    /// The evaluator tells none.
    #[default]
    Absent,
    /// The tables are to be asked for at the weights in force.
    Due,
    /// The tables at the weights in force are on the tape.
    Answered,
}

/// The answer of an evaluator about a position.
#[derive(Debug)]
pub(crate) struct Answered<'s> {
    /// Whether it is the first player's turn.
    pub(crate) first_to_move: bool,
    /// Whether it is the first player's turn in the position that is traced in its place.
    pub(crate) leaf_first_to_move: bool,
    /// How it was resolved, where that was asked; all else is about the leaf then.
    pub(crate) resolution: Option<Resolution>,
    /// The evaluation's score, at the source's weights; `None` if it was not asked for.
    pub(crate) production: Option<f64>,
    /// The row.
    pub(crate) trace: &'s Trace,
}

/// What a conversation with an evaluator gives, or why there is no answer.
pub type EvaluationResult<T> = Result<T, EvaluationError>;

/// What an evaluator answers. The inner error is its own: why it cannot do what was asked.
pub type Answer<T> = Result<Result<T, String>, EvaluationError>;

/// The score of a position, and whether it is the first player's turn; or why there is none.
pub(crate) type Scored = Result<(ScoreAnswer, bool), String>;

/// Whether it is the first player's turn, and the scores with weights moved; or why there are none.
pub(crate) type ScoresMoved<'s> = Result<(bool, &'s [f64]), String>;

/// The questions about each position.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asked {
    /// Whether it is asked first where the quiescence search ends; the rest is then about that
    /// position.
    pub(crate) resolve: bool,
    /// Whether the score of production is asked for.
    pub(crate) score: bool,
}

impl Session {
    /// Makes a conversation in which nothing was said yet. `program`: its command, for messages;
    /// `patience`: how long an answer may take.
    pub(crate) fn new(
        program: String,
        connection: Box<dyn Connection>,
        patience: Duration,
    ) -> Self {
        Self {
            program,
            connection,
            patience,
            ..Self::default()
        }
    }

    /// Asks the evaluator who it is and for its weights, and prepares to read rows of as many
    /// weights; the tables of one that has some, operations on weights alone, are to be asked for
    /// before its first row. Fails if it speaks a newer version of the protocol.
    pub(crate) fn introduce(&mut self) -> Result<(About, WeightTable), EvaluationError> {
        let text = self.text(&Command::Tuner(VERSION))?;
        let about = About::read(text.lines()).map_err(|words| self.nonsense(&words))?;
        if about.version > VERSION {
            let what = format!(
                "it speaks version {} of the protocol, this program {VERSION}; install a newer tuner",
                about.version
            );
            return Err(EvaluationProblem::Unable(what).of(&self.program));
        }
        let text = self.text(&Command::Weights)?;
        let weights = WeightTable::read(text.lines()).map_err(|words| self.nonsense(&words))?;
        self.source = weights.values();
        self.tape = (about.can(Ability::Trace)).then(|| RecordedTape::new(self.source.len()));
        if about.can(Ability::Tables) {
            self.tables = TablesState::Due;
        }
        Ok((about, weights))
    }

    /// Has rows come as bytes from now on.
    pub(crate) fn rows_as_bytes(&mut self) -> Result<(), EvaluationError> {
        self.rows_as_bytes = true;
        self.done(&Command::Bytes(true))
    }

    /// Puts weights into force, by number; none: those of the source. Only those that differ from
    /// the ones in force are sent.
    pub(crate) fn at(&mut self, values: &[f64]) -> Result<(), EvaluationError> {
        if values.is_empty() {
            if self.in_force.is_empty() {
                return Ok(());
            }
            self.in_force.clear();
            return self.done(&Command::SetSource);
        }
        let pairs = (0..).zip(self.now().iter().zip(values));
        let changed = pairs.filter(|(_, (now, value))| now.to_bits() != value.to_bits());
        let changed = changed.map(|(number, (_, &value))| (number, value));
        let changed: Vec<(u32, f64)> = changed.collect();
        self.in_force = values.to_vec();
        if changed.is_empty() {
            return Ok(());
        }
        self.done(&Command::Set(changed))
    }

    /// The weights in force, by number.
    fn now(&self) -> &[f64] {
        if self.in_force.is_empty() {
            &self.source
        } else {
            &self.in_force
        }
    }

    /// Asks for the rows of some positions at the weights in force. Before, it asks for the tables,
    /// the operations on weights alone that come before those of all tapes, if the evaluator has
    /// some and the weights have changed since. `each` gets the index of each position and the
    /// answer, or the evaluator's reason for having none; the row in it is overwritten by the next.
    pub(crate) fn trace(
        &mut self,
        positions: &[String],
        asked: Asked,
        each: &mut dyn FnMut(usize, Result<Answered<'_>, String>),
    ) -> Result<(), EvaluationError> {
        if self.tables == TablesState::Due {
            self.push(&Command::Tables);
            self.flush()?;
            // `true`: it is the tables that are read.
            let answer = self.read_row(true)?;
            answer.map_err(|words| self.refused(&Command::Tables, &words))?;
            self.tables = TablesState::Answered;
        }
        let questions = |session: &mut Self| {
            if asked.resolve {
                session.push(&Command::Resolve);
            }
            if asked.score {
                session.push(&Command::Score);
            }
            session.push(&Command::Trace);
        };
        self.in_batches(positions, &questions, &mut |session, number| {
            session.one_trace(asked, &mut |found| each(number, found))
        })
    }

    /// Asks about positions, as many at a time as a pipe holds, and reads the answers in their
    /// order. `ask` appends the questions behind a position's name; `read` reads all answers about
    /// one, by its index. The next questions are sent before answers are read, so that the
    /// evaluator never waits.
    fn in_batches(
        &mut self,
        positions: &[String],
        ask: &dyn Fn(&mut Self),
        read: &mut dyn FnMut(&mut Self, usize) -> Result<(), EvaluationError>,
    ) -> Result<(), EvaluationError> {
        // Reads the answers about a range of positions; `asked`: the last that was asked about by
        // now.
        let mut read = |session: &mut Self, answers: Range<usize>, asked: usize| {
            for at in answers {
                let lost = |error: EvaluationError| error.at_position(&positions[at], asked - at);
                read(session, at).map_err(lost)?;
            }
            Ok(())
        };
        // Positions behind those that were answered, and the bytes of their questions.
        let (mut waiting, mut under_way) = (0..0, 0);
        for (number, text) in positions.iter().enumerate() {
            self.push_position(text);
            ask(self);
            let length = self.request.len();
            if length < BATCH && number + 1 < positions.len() {
                continue;
            }
            // If a pipe may not hold both, the answers to the questions under way are read first.
            if under_way + length > HELD && !waiting.is_empty() {
                read(self, waiting.clone(), waiting.end - 1)?;
                waiting.start = waiting.end;
            }
            let sent = if waiting.is_empty() {
                self.flush()
            } else {
                self.send()
            };
            // An evaluator that ended may have answered earlier questions: these answers are read
            // before the failure to send is told.
            read(self, waiting.clone(), number)?;
            (waiting, under_way) = (waiting.end..number + 1, length);
            let first = waiting.start;
            sent.map_err(|error| error.at_position(&positions[first], number - first))?;
        }
        read(self, waiting, positions.len().saturating_sub(1))
    }

    /// Reads the answers for one position: who moves, where its search ends, its score, its row,
    /// those that were `asked` for. `each` gets what was found, or the first refusal among them.
    /// All are read even if one is a refusal, as the next position's come behind them.
    fn one_trace(
        &mut self,
        asked: Asked,
        each: &mut dyn FnMut(Result<Answered<'_>, String>),
    ) -> Result<(), EvaluationError> {
        let first = self.read_line(answer::first_player_to_move)?;
        let resolution = asked.resolve.then(|| self.read_line(Resolution::read));
        let resolution = resolution.transpose()?;
        let score = asked.score.then(|| self.read_line(ScoreAnswer::read));
        let score = score.transpose()?;
        // `false`: it is a row, not the tables.
        let row = self.read_row(false)?;
        // The score or the row may say that a number overflowed.
        self.trace.wrapped |= matches!(&score, Some(Ok(score)) if !score.is_defined);
        // The first thing that went wrong is the reason of the others.
        let found = (|| {
            let first = first?;
            let of = |command: Command| {
                move |words: String| format!("the evaluator refuses `{command}`: {words}")
            };
            let resolution = resolution.transpose().map_err(of(Command::Resolve))?;
            let score = score.transpose().map_err(of(Command::Score))?;
            row.map_err(of(Command::Trace))?;
            Ok((first, resolution, score.map(|score| score.value)))
        })();
        let trace = &self.trace;
        each(found.map(|(first, resolution, production)| {
            // The quiet position at the end of the search, if that is another one.
            let leaf = match &resolution {
                Some(Resolution::Leaf { leaf, .. }) => leaf.as_ref(),
                _ => None,
            };
            Answered {
                first_to_move: first,
                leaf_first_to_move: leaf.map_or(first, |(_, first)| *first),
                resolution,
                production,
                trace,
            }
        }));
        Ok(())
    }

    /// Asks for the scores of some positions at the weights in force. Each is the answer and
    /// whether it is the first player's turn, or the evaluator's reason for having none.
    pub(crate) fn scores(&mut self, positions: &[String]) -> Result<Vec<Scored>, EvaluationError> {
        let mut found = Vec::with_capacity(positions.len());
        let question = |session: &mut Self| session.push(&Command::Score);
        self.in_batches(positions, &question, &mut |session, _| {
            let first = session.read_line(answer::first_player_to_move)?;
            let score = session.read_line(ScoreAnswer::read)?;
            found.push(first.and_then(|first| Ok((score?, first))));
            Ok(())
        })?;
        Ok(found)
    }

    /// Asks for the scores of some positions at the weights in force, then for each list of
    /// `moved`, numbers and values, with just these weights moved, and at last as at first, so that
    /// the weights are back for the next position. `each` gets the index of each position, whether
    /// it is the first player's turn, and all these scores in their order; or why there are none.
    pub(crate) fn scores_moved(
        &mut self,
        positions: &[String],
        moved: &[Vec<(u32, f64)>],
        each: &mut dyn FnMut(usize, ScoresMoved<'_>),
    ) -> Result<(), EvaluationError> {
        let questions = questions_moved(self.now(), moved);
        // `score`, then `set` and `score` in turn.
        let asked = questions.lines().count().div_ceil(2);
        let mut scores = Vec::with_capacity(asked);
        let ask = |session: &mut Self| session.request.extend_from_slice(questions.as_bytes());
        self.in_batches(positions, &ask, &mut |session, number| {
            scores.clear();
            let mut refusal = None;
            let first = session.read_line(answer::first_player_to_move)?;
            for question in 0..asked {
                if question > 0 {
                    // The list is empty, as a refusal only tells the name of the command.
                    let set = session.read_line(is_done)?;
                    set.map_err(|words| session.refused(&Command::Set(Vec::new()), &words))?;
                }
                match session.read_line(ScoreAnswer::read)? {
                    Ok(score) if score.is_defined => scores.push(score.value),
                    Ok(_) => drop(refusal.get_or_insert_with(|| (question, OVERFLOW.to_owned()))),
                    Err(words) => drop(refusal.get_or_insert((question, words))),
                }
            }
            // The reason, and the weights that were moved for the question refused. For the first
            // question, whose number less 1 wraps around, and for the last one none are.
            let moved =
                |(question, words): (usize, String)| match moved.get(question.wrapping_sub(1)) {
                    None => words,
                    Some(moved) => {
                        let set = Command::Set(moved.clone()).to_string();
                        let set = &set[..set.floor_char_boundary(LONGEST_SET)];
                        format!("{words} (once weights are moved, by `{set}`)")
                    }
                };
            let found = first.and_then(|first| match refusal.map(moved) {
                None => Ok((first, &*scores)),
                Some(words) => Err(words),
            });
            each(number, found);
            Ok(())
        })
    }

    /// Names the position that the next [questions](Self::ask) are about, and that messages name
    /// until [`Self::position`] is `None` again. Returns whether it is the first player's turn, or
    /// as the inner error why the evaluator refuses the position.
    pub(crate) fn take_position(&mut self, text: &str) -> Answer<bool> {
        self.position = Some(text.to_owned());
        self.push_position(text);
        self.flush()?;
        self.read_line(answer::first_player_to_move)
    }

    /// Asks a question with an answer of a line, which `read` takes apart. The inner error is the
    /// evaluator's refusal; a line that `read` does not understand is the outer one.
    pub(crate) fn ask<T>(
        &mut self,
        command: &Command,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Answer<T> {
        self.push(command);
        self.flush()?;
        self.read_line(read)
    }

    /// Sends a command that asks for nothing, and waits until it is done. An evaluator that refuses
    /// it cannot be used any more.
    pub(crate) fn done(&mut self, command: &Command) -> Result<(), EvaluationError> {
        self.done_with(command, &[])
    }

    /// Asks a question with an answer of several lines; the last one, which says that it is done,
    /// is left out. An evaluator that refuses cannot be used.
    pub(crate) fn text(&mut self, command: &Command) -> Result<String, EvaluationError> {
        let found = self.try_text(command)?;
        found.map_err(|words| self.refused(command, &words))
    }

    /// Asks a question with an answer of several lines; the last one, which says that it is done,
    /// is left out. The inner error has the words of an evaluator that refuses.
    pub(crate) fn try_text(&mut self, command: &Command) -> Answer<String> {
        self.push(command);
        self.flush()?;
        let mut text = String::new();
        loop {
            let range = self.line_range()?;
            let line = text_of(&self.received[range]);
            if let Some(words) = refused(&line) {
                return Ok(Err(words));
            }
            if line == DONE {
                return Ok(Ok(text));
            }
            text.push_str(&line);
            text.push('\n');
            if text.len() > LONGEST {
                let words = format!("found an answer of {} MB without `{DONE}`", LONGEST >> 20);
                return Err(self.nonsense(&words));
            }
        }
    }

    /// Sends a command with bytes that belong to it behind its line, and waits until it is done. An
    /// evaluator that refuses cannot be used.
    pub(crate) fn done_with(
        &mut self,
        command: &Command,
        bytes: &[u8],
    ) -> Result<(), EvaluationError> {
        self.push(command);
        self.request.extend_from_slice(bytes);
        self.flush()?;
        let done = self.read_line(is_done)?;
        done.map_err(|words| self.refused(command, &words))
    }

    /// Appends a command to what is sent next; nothing is sent yet. A command that changes weights
    /// makes the tables, operations on weights alone, due again: they are asked for before the next
    /// row.
    fn push(&mut self, command: &Command) {
        let is_set = matches!(command, Command::Set(_) | Command::SetSource);
        if is_set && self.tables == TablesState::Answered {
            self.tables = TablesState::Due;
        }
        // Writing to memory cannot fail.
        let _ = std::io::Write::write_fmt(&mut self.request, format_args!("{command}\n"));
    }

    /// Appends the command that names a position. A line break in the text would begin another
    /// command; it is sent as a blank.
    fn push_position(&mut self, text: &str) {
        self.request.extend_from_slice(b"position ");
        let bytes = text.bytes().map(|b| if b == b'\n' { b' ' } else { b });
        self.request.extend(bytes);
        self.request.push(b'\n');
    }

    /// Sends the request where all answers have been read. An evaluator that has said something
    /// without being asked fails, but for signs of life.
    fn flush(&mut self) -> Result<(), EvaluationError> {
        if self.read < self.received.len() {
            let more = String::from_utf8_lossy(&self.received[self.read..]).into_owned();
            if let Some(line) = more.lines().find(|line| !is_info(line)) {
                let words = unexpected(line, "nothing before the next question");
                return Err(self.nonsense(&words));
            }
        }
        self.received.clear();
        self.read = 0;
        self.send()
    }

    /// Sends the request, while answers may be under way, and empties it.
    fn send(&mut self) -> Result<(), EvaluationError> {
        let sent = self.connection.send(&self.request);
        std::mem::swap(&mut self.sent, &mut self.request);
        self.request.clear();
        sent.map_err(|lost| self.lost(lost))
    }

    /// Waits for more answers and appends them behind those that were not read yet; these then
    /// begin at 0 in `received`, so ranges from before are void.
    fn receive(&mut self) -> Result<(), EvaluationError> {
        self.received.drain(..self.read);
        self.read = 0;
        let patience = self.patience * if self.is_slow { GAMES } else { 1 };
        let received = self.connection.receive(&mut self.received, patience);
        received.map_err(|lost| self.lost(lost))
    }

    /// Returns where the next line that is an answer is in `received`, without its end, and counts
    /// it as read; waits for it if need be. Valid until the next call that receives.
    fn line_range(&mut self) -> Result<Range<usize>, EvaluationError> {
        let mut from = self.read;
        loop {
            if let Some(length) = self.received[from..].iter().position(|&byte| byte == b'\n') {
                let range = self.read..from + length;
                self.read = range.end + 1;
                if !is_info(&text_of(&self.received[range.clone()])) {
                    return Ok(range);
                }
                from = self.read;
                continue;
            }
            // Where the search begins once `receive` has dropped what was read.
            from = self.received.len() - self.read;
            if from > LONGEST {
                return Err(self.nonsense("found a line without end, expected an answer"));
            }
            self.receive()?;
        }
    }

    /// Reads an answer of a line by `read`. The inner error is the evaluator's own; an answer that
    /// `read` does not understand makes the evaluator unusable.
    fn read_line<T>(&mut self, read: impl FnOnce(&str) -> Result<T, String>) -> Answer<T> {
        let range = self.line_range()?;
        let line = text_of(&self.received[range]);
        if let Some(words) = refused(&line) {
            return Ok(Err(words));
        }
        match read(&line) {
            Ok(value) => Ok(Ok(value)),
            Err(words) => Err(self.nonsense(&words)),
        }
    }

    /// Reads a row, or a tape that is taken apart, into `trace`. `tables`: what comes is the
    /// operations before all tapes. The inner error is the evaluator's refusal.
    fn read_row(&mut self, tables: bool) -> Answer<()> {
        let range = self.line_range()?;
        let line = text_of(&self.received[range.clone()]);
        if let Some(words) = refused(&line) {
            return Ok(Err(words));
        }
        // `bytes N`: so many bytes are behind the line.
        let mut bytes = None;
        if let Some(length) = line.strip_prefix("bytes ").filter(|_| self.rows_as_bytes) {
            let length = length.trim().parse().ok();
            let Some(length) = length.filter(|&length| length <= LONGEST) else {
                let words = unexpected(&line, "`bytes N`");
                return Err(self.nonsense(&words));
            };
            while self.received.len() - self.read < length {
                self.receive()?;
            }
            bytes = Some(&self.received[self.read..self.read + length]);
            self.read += length;
        }
        // Without bytes nothing was received since, so `range` still is the line.
        let line = match bytes {
            None => text_of(&self.received[range]),
            Some(_) => Cow::default(),
        };
        let (weights, trace) = (self.source.len(), &mut self.trace);
        // Tables are always a tape; else it is a row or a tape, as text or as bytes.
        let is_tape = bytes.map_or(line.starts_with(tape::TAPE), tape::is_tape);
        let read = match (self.tape.as_mut().filter(|_| is_tape || tables), bytes) {
            (Some(tape), bytes) => {
                if tables {
                    tape.begin_tables();
                } else {
                    tape.begin();
                }
                let read = match bytes {
                    Some(bytes) => tape::read_bytes(bytes, tape, trace),
                    None => tape::read_text(&line, tape, trace),
                };
                if tables {
                    tape.end_tables();
                }
                read
            }
            (None, Some(bytes)) => bytes::read(bytes, weights, trace),
            (None, None) => row::read(&line, weights, trace),
        };
        read.map_err(|words| self.nonsense(&words))?;
        Ok(Ok(()))
    }

    /// Makes the error that no answer comes, at the position asked about if there is one.
    fn lost(&mut self, lost: Lost) -> EvaluationError {
        let (reason, last) = match lost {
            Lost::Ended(how, last) => (how, last),
            Lost::Silent(patience) => {
                let (sent, seconds) = (text_of(&self.sent), patience.as_secs());
                // The commands that were sent last, each named once.
                let mut open: Vec<&str> = Vec::new();
                // Behind a line may be bytes that belong to it.
                for line in sent.lines().filter(|line| Command::read(line).is_ok()) {
                    let word = line.split(' ').next().unwrap_or_default();
                    if !open.contains(&word) {
                        open.push(word);
                    }
                }
                let reason = format!("no answer in {seconds} seconds to `{}`", open.join("`, `"));
                // Without weights it has not answered the first questions yet.
                let cure = if self.source.is_empty() {
                    "; it may still be starting: raise `patience` in tuner.toml; name a UCI or USI \
                     program by `uci` in place of `run`"
                } else {
                    "; `patience` in tuner.toml is how long it may be silent"
                };
                (reason, cure.to_owned())
            }
        };
        let position = self.position.take();
        self.fails(EvaluationProblem::Lost(reason, position, last))
    }

    /// Makes the error of an evaluator that refuses a command which it must not refuse. `words`:
    /// its reason.
    fn refused(&mut self, command: &Command, words: &str) -> EvaluationError {
        let cure = match command {
            Command::Set(_) => {
                "; a weight that has limits declares them, `parameter … bounds LOW,HIGH`"
            }
            _ => "",
        };
        let command = command.to_string();
        let name = command.split(' ').next().unwrap_or_default();
        let reason = format!("it refuses `{name}`: {words}");
        let position = self.position.take();
        self.fails(EvaluationProblem::Refused(reason, position, cure))
    }

    /// The error of an answer that does not answer the question; `reason` says what was found and
    /// what was expected.
    fn nonsense(&mut self, reason: &str) -> EvaluationError {
        let position = self.position.take();
        self.fails(EvaluationProblem::Nonsense(reason.to_owned(), position))
    }

    /// Makes the error, and notes it: the session, and with it the evaluation, is not used again.
    fn fails(&mut self, problem: EvaluationProblem) -> EvaluationError {
        let error = problem.of(&self.program);
        self.failure = Some(error.clone());
        error
    }
}

/// How much longer a pair of games may take than another answer. Chosen: an hour.
const GAMES: u32 = 60;

/// Longest answer, in bytes: a row of a hundred thousand weights.
const LONGEST: usize = 1 << 26;

/// Longest `set` that a message repeats, in bytes.
const LONGEST_SET: usize = 60;

/// The reason given for a score that overflowed or is not finite.
const OVERFLOW: &str = "the score overflows or is not finite";

/// Returns the questions for the scores of a position with weights moved, a line each: `score`; for
/// each list of `moved`, numbers and values, a `set` that moves just these weights and takes back
/// what the one before has moved, and `score`; at last a `set` that takes back all, and `score`. A
/// `set` of nothing is left out with its `score`. `here`: the weights in force, by number.
fn questions_moved(here: &[f64], moved: &[Vec<(u32, f64)>]) -> String {
    let score = Command::Score.to_string();
    let mut questions = format!("{score}\n");
    let mut before: &[(u32, f64)] = &[];
    for now in moved.iter().map(Vec::as_slice).chain([&[][..]]) {
        let is_moved = |number: u32| now.iter().any(|&(moved, _)| moved == number);
        let back = before.iter().filter(|&&(number, _)| !is_moved(number));
        let back = back.map(|&(number, _)| (number, here[number as usize]));
        let set: Vec<(u32, f64)> = back.chain(now.iter().copied()).collect();
        if !set.is_empty() {
            let set = Command::Set(set).to_string();
            questions.extend([&set, "\n", &score, "\n"]);
            before = now;
        }
    }
    questions
}

/// Reads the answer to a command that asks for nothing; any line but [`DONE`] (`ok`) is an error.
fn is_done(line: &str) -> Result<(), String> {
    match line {
        DONE => Ok(()),
        _ => Err(unexpected(line, &format!("`{DONE}`"))),
    }
}

/// A line without what ends it; bytes that are not UTF-8 are replaced.
fn text_of(line: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line))
}

/// Returns the reason behind `error` of an evaluator that refuses a command; `None` if the line is
/// not a refusal.
fn refused(line: &str) -> Option<String> {
    let rest = line.strip_prefix(ERROR)?;
    (rest.is_empty() || rest.starts_with(' ')).then(|| rest.trim().to_owned())
}

/// Tells whether a line is no answer: a sign of life (`info …`), or empty.
fn is_info(line: &str) -> bool {
    let rest = line.strip_prefix(INFO);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')) || line.trim().is_empty()
}
