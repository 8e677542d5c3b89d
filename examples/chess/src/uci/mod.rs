//! The Universal Chess Interface, and commands `eval` and `bench`.
//!
//! One thread reads commands and answers at once; another one searches. Every
//! search has its own stop flag, so a `stop` can never hit the wrong one.

mod command;

use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, Move};

use crate::bench;
use crate::eval::evaluate;
use crate::search::{ConstantOption, Constants, Limits, MATE, MATE_BOUND, SearchResult, Searcher};
use command::{Command, Go, MAX_HASH, parse};

const DEFAULT_HASH: usize = 16;

/// A job for the searching thread.
enum Job {
    /// Answers that all jobs before are done.
    Ready,
    NewGame,
    Hash(usize),
    Constant(usize, i32),
    Search {
        pos: Box<Chess>,
        history: Vec<Zobrist64>,
        limits: Limits,
        wait_for_stop: bool,
    },
}

/// Answers commands until `quit` or the end of the input. At the end a search
/// with a limit is finished, one without is stopped.
///
/// An invalid line is answered by an `info string` and changes nothing.
///
/// # Errors
///
/// Fails if reading or writing does.
pub fn run(input: impl BufRead, output: impl Write + Send) -> io::Result<()> {
    let output = Mutex::new(output);
    thread::scope(|scope| {
        let (jobs, inbox) = channel();
        let worker = scope.spawn(|| work(inbox, &output));
        let mut session = Session::new(jobs);
        let read = session.read(input, &output);
        // Dropping the sender ends the worker after its last job.
        drop(session);
        let worked = worker
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the search failed")));
        read.and(worked)
    })
}

/// The reading thread: the current position, and the search that runs.
struct Session {
    pos: Box<Chess>,
    history: Vec<Zobrist64>,
    jobs: Sender<Job>,
    stop: Arc<AtomicBool>,
    endless: bool,
    /// Whether memory is being allocated or cleared.
    unready: bool,
}

impl Session {
    fn new(jobs: Sender<Job>) -> Session {
        Session {
            pos: Box::default(),
            history: Vec::new(),
            jobs,
            stop: Arc::default(),
            endless: false,
            unready: false,
        }
    }

    fn read(&mut self, input: impl BufRead, output: &Mutex<impl Write>) -> io::Result<()> {
        for line in input.split(b'\n') {
            // Commands are ASCII, so other bytes make a command unknown.
            match parse(&String::from_utf8_lossy(&line?)) {
                Ok(Some(Command::Quit)) => {
                    self.stop.store(true, Ordering::Relaxed);
                    return Ok(());
                }
                Ok(Some(command)) => self.obey(command, output)?,
                Ok(None) => {}
                Err(message) => say(output, &format!("info string {message}"))?,
            }
        }
        if self.endless {
            self.stop.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    fn obey(&mut self, command: Command, output: &Mutex<impl Write>) -> io::Result<()> {
        match command {
            Command::Uci => say(output, &greeting()),
            // Allocating a table takes time; `readyok` does not wait for a search.
            Command::IsReady if std::mem::take(&mut self.unready) => self.send(Job::Ready),
            Command::IsReady => say(output, "readyok"),
            Command::NewGame => {
                self.unready = true;
                self.send(Job::NewGame)
            }
            Command::Threads => Ok(()),
            Command::Hash(megabytes) => {
                self.unready = true;
                self.send(Job::Hash(megabytes))
            }
            Command::Constant(index, value) => {
                self.unready = true;
                self.send(Job::Constant(index, value))
            }
            Command::Position(pos, history) => {
                (self.pos, self.history) = (pos, history);
                Ok(())
            }
            Command::Go(go, strange) => {
                for words in strange {
                    say(output, &format!("info string {words}"))?;
                }
                self.go(go)
            }
            Command::Stop | Command::Quit => {
                self.stop.store(true, Ordering::Relaxed);
                Ok(())
            }
            Command::Eval => {
                let score = evaluate(&self.pos);
                say(
                    output,
                    &format!("info string evaluation {score} from the side to move"),
                )
            }
            Command::Bench(depth) => say(output, &bench::report(depth)),
        }
    }

    /// Starts a search, and ends the one before.
    fn go(&mut self, go: Go) -> io::Result<()> {
        self.stop.store(true, Ordering::Relaxed);
        self.stop = Arc::default();
        self.unready = false;
        let mut limits = go.limits(&self.pos);
        self.endless = go.is_endless(&limits);
        limits.stop = Some(Arc::clone(&self.stop));
        self.send(Job::Search {
            pos: self.pos.clone(),
            history: self.history.clone(),
            limits,
            wait_for_stop: self.endless,
        })
    }

    fn send(&self, job: Job) -> io::Result<()> {
        self.jobs
            .send(job)
            .map_err(|_| io::Error::other("the search ended early"))
    }
}

/// The searching thread: does one job after the other, until the sender is
/// dropped.
#[allow(clippy::needless_pass_by_value)] // dropping the inbox is how the sender learns of a failure
fn work(inbox: Receiver<Job>, output: &Mutex<impl Write>) -> io::Result<()> {
    let mut searcher = Searcher::new(DEFAULT_HASH);
    for job in &inbox {
        match job {
            Job::Ready => say(output, "readyok")?,
            Job::NewGame => searcher.new_game(),
            Job::Hash(megabytes) => {
                let constants = searcher.constants;
                searcher = Searcher::new(megabytes);
                searcher.constants = constants;
            }
            Job::Constant(index, value) => {
                Constants::OPTIONS[index].set(&mut searcher.constants, value);
            }
            Job::Search {
                pos,
                history,
                limits,
                wait_for_stop,
            } => {
                let stop = limits.stop.clone();
                let started = std::time::Instant::now();
                let mut written = Ok(());
                let mut report = |result: &SearchResult| {
                    if written.is_ok() {
                        written = say(output, &progress(result, started.elapsed()));
                    }
                };
                let result = searcher.search_reporting(&pos, &history, limits, &mut report);
                written?;
                while wait_for_stop
                    && !stop
                        .as_ref()
                        .is_none_or(|stop| stop.load(Ordering::Relaxed))
                {
                    thread::sleep(Duration::from_millis(2));
                }
                let best = result.best_move.map_or_else(|| "0000".to_owned(), text);
                say(output, &format!("bestmove {best}"))?;
            }
        }
    }
    Ok(())
}

fn greeting() -> String {
    let options = Constants::OPTIONS.each_ref().map(ConstantOption::line);
    format!(
        "id name chess-engine {}\nid author {}\noption name Hash type spin default {DEFAULT_HASH} min 1 max {MAX_HASH}\n\
         option name Threads type spin default 1 min 1 max 1\n{}\nuciok",
        env!("CARGO_PKG_VERSION"),
        env!("CARGO_PKG_AUTHORS"),
        options.join("\n"),
    )
}

fn progress(result: &SearchResult, time: Duration) -> String {
    let score = match result.score {
        score if score >= MATE_BOUND => format!("mate {}", (MATE - score + 1) / 2),
        score if score <= -MATE_BOUND => format!("mate -{}", (MATE - score.abs()) / 2),
        score => format!("cp {score}"),
    };
    let nodes_per_second = (result.nodes as f64 / time.as_secs_f64().max(1e-6)) as u64;
    let line: Vec<String> = result.pv.iter().copied().map(text).collect();
    format!(
        "info depth {} score {score} nodes {} nps {nodes_per_second} time {} pv {}",
        result.depth,
        result.nodes,
        time.as_millis(),
        line.join(" "),
    )
}

fn text(m: Move) -> String {
    UciMove::from_standard(m).to_string()
}

/// Writes one line at a time, so that lines of two threads are not mixed.
fn say(output: &Mutex<impl Write>, text: &str) -> io::Result<()> {
    let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
    writeln!(output, "{text}")?;
    output.flush()
}

#[cfg(test)]
mod tests;
