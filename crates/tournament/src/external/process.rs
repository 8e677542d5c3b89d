//! A child process that is asked by lines.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::Program;
use super::guard::GuardedChild;
use super::options::{EngineOption, offered};
use tuner_play::PlayerFault;

/// Longest line that is taken from an engine, in bytes; longer ones are cut.
const LONGEST: u64 = 1 << 16;

/// Lines that may wait; an engine that writes more waits itself.
const WAITING: usize = 1 << 12;

/// The option of engines that play Chess960.
const CHESS960: &str = "UCI_Chess960";

/// Options of a USI engine with this prefix are there without being told.
const ALWAYS_THERE: &str = "USI_";

/// Silence after which an engine is asked whether it has heard what it was told: of one that did
/// not hear before, and of others, which a busy machine may keep from searching. Chosen: most say
/// something of a search in a tenth of it.
const UNHEARD: Duration = Duration::from_millis(500);
const FIRST_UNHEARD: Duration = Duration::from_secs(3);

/// How long the last line is waited for that an engine wrote to its standard error.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Pauses before searches of engines that do not hear all of them. Chosen: some end the thread
/// of a search after they have said `bestmove` and, asked, that they are ready.
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(32);

/// Questions by which the time is measured that asking takes.
const PINGS: usize = 5;

/// A running engine. Dropping it ends the process, and what that started.
#[derive(Debug)]
pub(super) struct Process {
    /// The program, for messages.
    pub(super) title: String,
    /// How the engine calls itself.
    pub(super) name: Option<String>,
    /// The options that it offers.
    pub(super) offered: Vec<EngineOption>,
    /// Options that were set since it started, each name once, with its last value.
    set: Vec<(String, String)>,
    /// Whether it plays Chess960 now.
    chess960: bool,
    /// The shortest time that an answer without thinking has taken.
    pub(super) overhead: Duration,
    /// The pause before each search; it doubles whenever the engine did not hear a search.
    pub(super) pause: Duration,
    /// The silence after which it is asked whether it has heard.
    unheard: Duration,
    _child: GuardedChild,
    stdin: ChildStdin,
    lines: Receiver<String>,
}

impl Process {
    /// Starts an engine, sets its options, waits until it is ready, and measures how long an answer
    /// without thinking takes. One that ends meanwhile is quoted with the last line of its standard
    /// error.
    pub(super) fn start(program: &Program) -> Result<Self, PlayerFault> {
        let unusable = PlayerFault::Unusable;
        let (file, arguments) = (program.command.split_first())
            .ok_or_else(|| unusable("found no program to start".to_owned()))?;
        let title = file.clone();
        let mut command = Command::new(file);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = GuardedChild::start(&mut command).map_err(|error| {
            unusable(format!(
                "{title}: does not start: {error}; expected the path of an engine, such as \
                     ./engine, or of weights, such as tuner-run/weights.txt"
            ))
        })?;
        let pipes = (child.child().stdin.take(), child.child().stdout.take());
        let (Some(stdin), Some(stdout)) = pipes else {
            return Err(unusable(format!(
                "{title}: has no standard input or output"
            )));
        };
        let lines = lines_of(stdout);
        let last_words = child.child().stderr.take().map(last_words_of);
        let mut process = Self {
            title,
            name: None,
            offered: Vec::new(),
            set: Vec::new(),
            chess960: false,
            // `greet` replaces it by the shortest of the times that it measures.
            overhead: Duration::MAX,
            pause: Duration::ZERO,
            // After three seconds of silence it is asked whether it heard a search, until the first
            // search that is sent twice has shown which time suits this engine.
            unheard: FIRST_UNHEARD,
            _child: child,
            stdin,
            lines,
        };
        match process.greet(program) {
            Err(PlayerFault::Ended(words)) => {
                // The output of an engine that has ended ends too, mostly within a second.
                let said = last_words.and_then(|last| last.recv_timeout(LAST_WORDS).ok());
                let said = said.flatten();
                let said = said.map_or_else(String::new, |said| {
                    format!("; its last words: {}", said.trim())
                });
                Err(PlayerFault::Ended(words + &said))
            }
            greeted => greeted.map(|()| process),
        }
    }

    /// Hears the name of the engine and the options that it offers, sets the program's options,
    /// waits until it is ready, and measures how long a question and its answer take. Fails as
    /// unusable if an option is not offered or does not take its value.
    fn greet(&mut self, program: &Program) -> Result<(), PlayerFault> {
        let (hello, done) = program.protocol.greeting();
        let (mut name, mut options) = (None, Vec::new());
        self.ask(hello, done, program.patience, |line| {
            if let Some(found) = line.trim().strip_prefix("id name ") {
                name = Some(found.trim().to_owned());
            }
            options.extend(EngineOption::read(line));
        })?;
        (self.name, self.offered) = (name, options);
        for (name, value) in &program.options {
            let checked = match offered(&self.offered, name, program) {
                Ok(option) => option.check(value),
                // USI engines have some options, such as `USI_Hash`, without offering them.
                Err(_) if name.starts_with(ALWAYS_THERE) => Ok(()),
                Err(words) => Err(words),
            };
            checked.map_err(|words| PlayerFault::Unusable(format!("{}: {words}", self.title)))?;
        }
        self.set_options(&program.options)?;
        self.ask("isready", "readyok", program.patience, |_| {})?;
        for _ in 0..PINGS {
            // The engine has just said that it is ready, so the time to the next `readyok` is that
            // of question and answer alone.
            let begun = Instant::now();
            self.ask("isready", "readyok", program.patience, |_| {})?;
            self.overhead = self.overhead.min(begun.elapsed());
        }
        Ok(())
    }

    /// Tells the engine whether the game is one of Chess960, if that changes; fails if it offers no
    /// option for it.
    pub(super) fn set_chess960(&mut self, is: bool) -> Result<(), PlayerFault> {
        if self.chess960 == is {
            return Ok(());
        }
        let is_it = |one: &EngineOption| one.name.eq_ignore_ascii_case(CHESS960);
        if !self.offered.iter().any(is_it) {
            return Err(PlayerFault::Unusable(format!(
                "{}: offers no {CHESS960}, and the opening is one of Chess960; give --book one of \
                 standard chess",
                self.title
            )));
        }
        self.chess960 = is;
        self.set_option(CHESS960, &is.to_string())
    }

    /// Sets options, name and value, except those whose last value is this one already.
    pub(super) fn set_options(&mut self, options: &[(String, String)]) -> Result<(), PlayerFault> {
        for (name, value) in options {
            match self.set.iter_mut().find(|(before, _)| before == name) {
                Some((_, before)) if before == value => continue,
                Some((_, before)) => before.clone_from(value),
                None => self.set.push((name.clone(), value.clone())),
            }
            self.set_option(name, value)?;
        }
        Ok(())
    }

    /// Tells the engine to set an option.
    fn set_option(&mut self, name: &str, value: &str) -> Result<(), PlayerFault> {
        self.tell(&format!("setoption name {name} value {value}"))
    }

    /// Sends a command, a line or several, without the last line end; its answer is not waited for.
    pub(super) fn tell(&mut self, command: &str) -> Result<(), PlayerFault> {
        let written = writeln!(self.stdin, "{command}").and_then(|()| self.stdin.flush());
        written.map_err(|error| {
            PlayerFault::Ended(format!("{}: takes no commands: {error}", self.title))
        })
    }

    /// Sends a command, and returns the line of the engine whose first word is `answer`, for which
    /// it waits as long as `patience`; `other` gets each line before it.
    pub(super) fn ask(
        &mut self,
        command: &str,
        answer: &str,
        patience: Duration,
        other: impl FnMut(&str),
    ) -> Result<String, PlayerFault> {
        self.tell(command)?;
        self.wait(answer, patience, other)
    }

    /// Waits for the answer to a command that was sent before, as long as `patience`, and returns
    /// it: the line whose first word is `answer`. `other` gets each line before it.
    pub(super) fn wait(
        &mut self,
        answer: &str,
        patience: Duration,
        mut other: impl FnMut(&str),
    ) -> Result<String, PlayerFault> {
        self.wait_while(answer, patience, None, |line| {
            other(line);
            true
        })
    }

    /// Waits for the line whose first word is `answer`, for as long as `patience`; returns
    /// [`PlayerFault::Silent`] after that, or at once if `other` is false of a line before it.
    ///
    /// `command`: the search that was asked for, if it may be asked for again. An engine that says
    /// nothing of a search for some time (`unheard`) is asked whether it is ready. If it says so,
    /// it has probably not heard the command, as its last search had not ended then. It is sent it
    /// once more, and the pause before each further search becomes twice as long, from 1 to 32 ms.
    pub(super) fn wait_while(
        &mut self,
        answer: &str,
        patience: Duration,
        mut command: Option<&str>,
        mut other: impl FnMut(&str) -> bool,
    ) -> Result<String, PlayerFault> {
        let begun = Instant::now();
        let mut deadline = begun + patience;
        let (mut is_asked, mut is_told_again) = (false, false);
        loop {
            let mut rest = deadline.saturating_duration_since(Instant::now());
            let may_ask = command.is_some() && !is_asked && rest > self.unheard;
            if may_ask {
                rest = self.unheard;
            }
            // At the deadline no further line is read, so that an engine that talks without end is
            // out of time as well.
            let found = if rest.is_zero() {
                Err(RecvTimeoutError::Timeout)
            } else {
                self.lines.recv_timeout(rest)
            };
            match found {
                Ok(line) if line.split_whitespace().next() == Some(answer) => {
                    // The answer to `isready` is still to come, and must not be taken for the next.
                    if is_asked {
                        self.says("readyok");
                    }
                    // `unheard` has its first value until the hearing of this engine was tested.
                    if is_told_again && self.unheard == FIRST_UNHEARD {
                        self.test_hearing(answer)?;
                    }
                    return Ok(line);
                }
                Ok(line) if is_asked && line.trim() == "readyok" => {
                    is_asked = false;
                    // The command is told again once only: an engine that searches in silence would
                    // begin anew each time.
                    if let Some(command) = command.take() {
                        self.pause = (2 * self.pause).clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
                        self.tell(command)?;
                        is_told_again = true;
                    }
                }
                Ok(line) if other(&line) => {
                    // An engine that tells of a search has heard it: it is not sent again.
                    let is_of_search = line.starts_with("info") && !line.starts_with("info string");
                    command = command.filter(|_| !is_of_search);
                }
                // `other` wants no more lines: the time is over at once, which the next turn of the
                // loop says.
                Ok(_) => deadline = begun,
                Err(RecvTimeoutError::Timeout) if may_ask => {
                    is_asked = true;
                    self.tell("isready")?;
                }
                Err(RecvTimeoutError::Timeout) => {
                    let seconds = (deadline - begun).as_secs_f64();
                    let words = format!("{}: no `{answer}` in {seconds} seconds", self.title);
                    return Err(PlayerFault::Silent(words));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let words = format!("{}: ended instead of saying `{answer}`", self.title);
                    return Err(PlayerFault::Ended(words));
                }
            }
        }
    }

    /// Finds out, after the answer to the first search that was sent twice, whether the engine had
    /// heard it the first time: then it answers a second time. If so, no search is sent to it twice
    /// any more (`unheard` is endless); if not, it is asked after half a second of silence from now
    /// on.
    fn test_hearing(&mut self, answer: &str) -> Result<(), PlayerFault> {
        // Ends the second search, if there is one.
        self.tell("stop")?;
        self.unheard = if self.says(answer) {
            Duration::MAX
        } else {
            UNHEARD
        };
        Ok(())
    }

    /// Reads lines for half a second (`UNHEARD`) and drops them; returns true at once if one has
    /// this first word, else false.
    fn says(&self, word: &str) -> bool {
        let end = Instant::now() + UNHEARD;
        // Ends at that time also if lines never stop coming.
        let next = || {
            let rest = end.checked_duration_since(Instant::now())?;
            self.lines.recv_timeout(rest).ok()
        };
        std::iter::from_fn(next).any(|line| line.split_whitespace().next() == Some(word))
    }
}

/// Starts a thread that reads the standard output of an engine, and returns the receiver of its
/// lines. At most 4096 lines (`WAITING`) wait there to be taken; then the thread waits, and so does
/// an engine that writes more. The thread ends with the output, or once the receiver is dropped.
fn lines_of(stdout: ChildStdout) -> Receiver<String> {
    let (to, lines) = sync_channel(WAITING);
    thread::spawn(move || {
        let mut reader = BufReader::new(stdout);
        while let Some(line) = line(&mut reader) {
            // The receiver is dropped with the `Process`.
            if to.send(line).is_err() {
                break;
            }
        }
    });
    lines
}

/// Starts a thread that reads the standard error of an engine to its end, and returns the receiver
/// of its last line, which comes then: `None` if there was no line. Empty lines do not count, nor
/// the hint (`note: run with …`) that a panic of Rust ends with.
fn last_words_of(stderr: ChildStderr) -> Receiver<Option<String>> {
    // There is room for the line, so the thread ends whether or not somebody waits for it.
    let (to, last_words) = sync_channel(1);
    thread::spawn(move || {
        let mut reader = BufReader::new(stderr);
        let lines = std::iter::from_fn(|| line(&mut reader));
        let is_word = |line: &String| !line.is_empty() && !line.starts_with("note: ");
        // The receiver was dropped if the engine started well.
        let _ = to.send(lines.filter(is_word).last());
    });
    last_words
}

/// Reads the next line, without blanks at its end; bytes that are not UTF-8 are replaced. Of a line
/// of more than 64 KiB (`LONGEST`) the rest comes as the next line, so that an engine cannot fill
/// the memory. `None` at the end, or where reading fails.
fn line(reader: &mut impl BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    let mut limited = reader.take(LONGEST);
    match limited.read_until(b'\n', &mut bytes) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(String::from_utf8_lossy(&bytes).trim_end().to_owned()),
    }
}
