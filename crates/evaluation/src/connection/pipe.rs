//! An evaluator in a process of its own.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::{Connection, HELD, Lost, UciEvaluator};
use crate::evaluation::lock;
use tuner_tournament::GuardedChild;

/// How an evaluator is started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EvaluatorProgram {
    /// The program, and its arguments.
    pub command: Vec<String>,
    /// The folder that it runs in; none: this one.
    pub folder: Option<PathBuf>,
    /// How a program that speaks UCI, and not the protocol of evaluators, is asked; `None` for one
    /// that speaks the protocol.
    pub uci: Option<UciEvaluator>,
    /// A file of weights that it may begin with in place of those of the source, by their numbers.
    pub begins_with: Option<PathBuf>,
}

/// The messages of evaluators on standard error: the first lines, each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Messages(Arc<Mutex<Said>>);

/// What evaluators have said.
#[derive(Debug, Default)]
struct Said {
    /// The first [`LINES`] different ones.
    lines: Vec<String>,
    /// How many of these were returned.
    shown: usize,
    /// Lines beyond those.
    more: u64,
    /// The last [`LAST`] ones, whatever they are.
    last: VecDeque<String>,
}

/// Lines that are kept for the user. Chosen: a screen.
const LINES: usize = 20;

/// Lines of which the end of an evaluator is told.
const LAST: usize = 4;

/// Longest line that is kept, in bytes.
const LONGEST: usize = 500;

impl Messages {
    /// Keeps a line that an evaluator said on standard error, without blanks at its end: among the
    /// last [`LAST`] (4) lines, and among the first [`LINES`] (20) different ones if it is new and
    /// there is room, without which it is counted. Empty lines are passed over.
    fn add(&self, line: &str) {
        let line = line.trim_end();
        if line.is_empty() {
            return;
        }
        let mut said = lock(&self.0);
        if said.last.len() == LAST {
            said.last.pop_front();
        }
        said.last.push_back(line.to_owned());
        if said.lines.iter().any(|known| known == line) {
            return;
        }
        if said.lines.len() < LINES {
            said.lines.push(line.to_owned());
        } else {
            said.more += 1;
        }
    }

    /// Returns the lines that were kept and not returned before, and how many other lines were not
    /// kept since the beginning.
    pub(crate) fn fresh(&self) -> (Vec<String>, u64) {
        let mut said = lock(&self.0);
        let fresh = said.lines[said.shown..].to_vec();
        said.shown = said.lines.len();
        (fresh, said.more)
    }

    /// Returns the last lines on standard error, joined for the message of an evaluator that ended;
    /// empty if it said nothing.
    fn last(&self) -> String {
        lock(&self.0).last.make_contiguous().join("\n  ")
    }
}

/// Most pieces of answers that wait to be read.
const WAITING: usize = 16;
/// Most bytes of a piece.
const PIECE: usize = 1 << 16;

/// A running evaluator. Dropping it ends the process.
#[derive(Debug)]
pub(crate) struct Pipe {
    child: GuardedChild,
    stdin: Option<ChildStdin>,
    /// What writes a long request, and then gives standard input back.
    writing: Option<JoinHandle<io::Result<ChildStdin>>>,
    answers: Receiver<Vec<u8>>,
    messages: Messages,
}

impl Pipe {
    /// Starts an evaluator, and threads that read its output and its messages. `messages`: where
    /// what it says on standard error is kept.
    ///
    /// # Errors
    /// If it does not start.
    pub(crate) fn start(program: &EvaluatorProgram, messages: &Messages) -> io::Result<Self> {
        let (file, arguments) = (program.command.split_first())
            .ok_or_else(|| io::Error::other("found no program to start"))?;
        let mut command = Command::new(file);
        if let Some(folder) = &program.folder {
            command.current_dir(folder);
        }
        // Where this variable is set for the tuner it is not meant for every evaluator that it
        // starts.
        command.env_remove("TUNER_WEIGHTS");
        if let Some(file) = &program.begins_with {
            command.env("TUNER_WEIGHTS", file);
        }
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut guarded = GuardedChild::start(&mut command)?;
        let child = guarded.child();
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(mut stdout), Some(stderr)) = pipes else {
            return Err(io::Error::other("has no standard input or output"));
        };
        let (to, answers) = sync_channel(WAITING);
        thread::spawn(move || {
            loop {
                let mut piece = vec![0; PIECE];
                match stdout.read(&mut piece) {
                    Ok(0) | Err(_) => return,
                    Ok(read) => piece.truncate(read),
                }
                // The receiver is gone when the evaluator was dropped.
                if to.send(piece).is_err() {
                    return;
                }
            }
        });
        let said = messages.clone();
        thread::spawn(move || {
            let mut reader = BufReader::new(stderr);
            let mut line = Vec::new();
            // Whatever it says is read, so that it never waits for a reader; a line of more than
            // 64 KiB is read as several.
            while let Ok(1..) = (&mut reader)
                .take(PIECE as u64)
                .read_until(b'\n', &mut line)
            {
                let text = String::from_utf8_lossy(&line);
                said.add(&text[..text.floor_char_boundary(LONGEST)]);
                line.clear();
            }
        });
        Ok(Self {
            child: guarded,
            stdin: Some(stdin),
            writing: None,
            answers,
            messages: messages.clone(),
        })
    }

    /// Returns how the evaluator ended, waiting a second at most for its exit status, and what it
    /// said last.
    fn ended(&mut self) -> Lost {
        // From the end of its output to the end of the process it may take a moment.
        let begun = Instant::now();
        let status = loop {
            match self.child.child().try_wait() {
                Ok(Some(status)) => break format!("it ended: {status}"),
                Ok(None) if begun.elapsed() < Duration::from_secs(1) => {
                    thread::sleep(Duration::from_millis(5));
                }
                _ => break "it closed its standard output".to_owned(),
            }
        };
        // What it says last may still be on its way.
        thread::sleep(Duration::from_millis(20));
        let last = self.messages.last();
        let last = if last.is_empty() {
            last
        } else {
            format!("; it said last\n  {last}")
        };
        Lost::Ended(status, last)
    }
}

/// Gets the evaluator's standard input back from the thread that wrote a long request to it.
///
/// Called before the next request. The answer to the long one has come by then, so the thread
/// should be done: it is given one second. `None` if it takes longer, or if writing failed.
fn written(writing: JoinHandle<io::Result<ChildStdin>>) -> Option<ChildStdin> {
    let begun = Instant::now();
    while !writing.is_finished() {
        if begun.elapsed() > Duration::from_secs(1) {
            return None;
        }
        thread::sleep(Duration::from_millis(1));
    }
    writing.join().ok()?.ok()
}

impl Connection for Pipe {
    /// Writes questions to the evaluator's standard input, without waiting for it to read them.
    /// Fails if it has ended, or has not read an earlier request in time.
    fn send(&mut self, request: &[u8]) -> Result<(), Lost> {
        if let Some(writing) = self.writing.take() {
            self.stdin = written(writing);
        }
        let Some(mut stdin) = self.stdin.take() else {
            return Err(self.ended());
        };
        // What a pipe holds is written at once. A longer request has a thread of its own: an
        // evaluator that does not read it is then silent, and `receive` waits for it no longer than
        // for any other answer.
        if request.len() <= HELD {
            stdin.write_all(request).map_err(|_| self.ended())?;
            self.stdin = Some(stdin);
        } else {
            let request = request.to_vec();
            self.writing = Some(thread::spawn(move || {
                stdin.write_all(&request)?;
                Ok(stdin)
            }));
        }
        Ok(())
    }

    /// Appends the next piece of what the evaluator prints to `to`. Fails if nothing comes within
    /// `patience`, or the evaluator has ended.
    fn receive(&mut self, to: &mut Vec<u8>, patience: Duration) -> Result<(), Lost> {
        match self.answers.recv_timeout(patience) {
            Ok(piece) => {
                to.extend_from_slice(&piece);
                Ok(())
            }
            Err(RecvTimeoutError::Timeout) => Err(Lost::Silent(patience)),
            Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
        }
    }
}
