//! Who watches a job, and what it has to work with.

use std::io;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::{fmt, fs};

use crate::{Failure, Result};
use tuner_base::{Ranks, available_memory, break_if, write_if_changed};
use tuner_data::Observer;
use tuner_fit::run::{RunEvent, RunObserver};

/// Watches a job: is told what happens, and says when it is to end. `()` is silent.
pub trait JobObserver: Send + Sync {
    /// Is told what happens in the job. Does nothing unless it is implemented.
    fn event(&self, event: &JobEvent<'_>) {
        let _ = event;
    }

    /// Returns an observer for a reading of positions, which is told now and then how many bytes
    /// and positions were read, and may end the reading; `None` if nobody is to be told. `size`:
    /// bytes of all inputs together, if they are known and all are read; `is_shown`: whether the
    /// reading is to be shown, as nothing else shows how far the job got.
    fn reading(&self, size: Option<u64>, is_shown: bool) -> Option<Observer> {
        let _ = (size, is_shown);
        None
    }

    /// Begins to listen for the user's wish to end the job, such as Ctrl-C;
    /// [`is_interrupted`](Self::is_interrupted) tells of it from this call on. Before this call
    /// such a wish ends the process at once, as nothing has been done that could be lost.
    ///
    /// # Errors
    /// If it cannot listen, such as where no handler of signals can be set.
    fn listen(&self) -> io::Result<()> {
        Ok(())
    }

    /// Tells whether what is said to this observer may have colours, as codes of a terminal;
    /// `false` unless it is implemented.
    fn is_coloured(&self) -> bool {
        false
    }

    /// Tells whether the user wants the job to end with what it has; `false` unless it is
    /// implemented. It may be asked at any time and from any thread.
    fn is_interrupted(&self) -> bool {
        false
    }
}

impl JobObserver for () {}

/// Something that happens in a job.
#[derive(Clone, Copy)]
pub enum JobEvent<'a> {
    /// A sentence for people.
    Said(&'a dyn fmt::Display),
    /// A line of a compiler, with its colours.
    Built(&'a str),
    /// A sentence for those who want to know all.
    Detail(&'a dyn fmt::Display),
    /// How far the job got; it replaces the status before.
    Status(&'a str),
    /// No status follows, so that its line may be removed.
    StatusEnded,
    /// All input was read; this is what is done now.
    Doing(&'static str),
    /// All input was read; a line on the reading may be removed.
    ReadingEnded,
    /// An event of a fit.
    Fit(&'a RunEvent<'a>),
}

tuner_base::impl_fmt! { Debug for JobEvent<'_> }

/// What a job has to work with: who watches it, who shares it, on how many threads.
///
/// The default is silent, alone, and takes all threads.
#[derive(Clone)]
pub struct Job {
    /// Hears what the job does, to show it to the user.
    pub observer: Arc<dyn JobObserver>,
    /// The processes that share the job; each of them runs it.
    pub ranks: Ranks,
    /// Threads of this process; `None` for all of the machine.
    pub threads: Option<usize>,
    /// The words of the command line, for records.
    pub command: Arc<str>,
}

tuner_base::impl_fmt! { Debug for Job }

impl Default for Job {
    /// A job that nobody watches, in one process, on all threads of the machine.
    fn default() -> Self {
        Self {
            observer: Arc::new(()),
            ranks: Ranks::ALONE,
            threads: None,
            command: "".into(),
        }
    }
}

impl Job {
    /// Says a sentence to the observer, for people.
    pub fn say(&self, words: impl fmt::Display) {
        self.observer.event(&JobEvent::Said(&words));
    }

    /// Says a sentence to the observer, for people who want to know all details.
    pub fn say_detail(&self, words: impl fmt::Display) {
        self.observer.event(&JobEvent::Detail(&words));
    }

    /// Passes lines that a compiler wrote, with their colours, to the observer.
    pub(crate) fn say_built(&self, lines: impl IntoIterator<Item = String>) {
        for line in lines {
            self.observer.event(&JobEvent::Built(&line));
        }
    }

    /// Says each of these lines to the observer, for people.
    pub fn say_all(&self, lines: impl IntoIterator<Item = impl fmt::Display>) {
        (lines.into_iter()).for_each(|line| self.say(line));
    }

    /// Says each of these lines to the observer, for people who want to know all details.
    pub fn say_details(&self, lines: impl IntoIterator<Item = impl fmt::Display>) {
        (lines.into_iter()).for_each(|line| self.say_detail(line));
    }

    /// Tells the observer how far the job got, in words that replace those of the call before.
    pub(crate) fn status(&self, words: &str) {
        self.observer.event(&JobEvent::Status(words));
    }

    /// Tells the observer that no status follows, so that it may remove the line of the last one.
    pub(crate) fn status_ended(&self) {
        self.observer.event(&JobEvent::StatusEnded);
    }

    /// Tells the observer that all input was read, and what is done next, such as
    /// `comparing derivatives`.
    pub fn doing(&self, what: &'static str) {
        self.observer.event(&JobEvent::Doing(what));
    }

    /// Tells the observer that all input was read, so that a line on the reading may be removed.
    pub fn reading_ended(&self) {
        self.observer.event(&JobEvent::ReadingEnded);
    }

    /// Tells the observer that all input was read, and fails if the user wants the job to end.
    ///
    /// # Errors
    /// If the job was interrupted; `interrupted` is the message of that failure.
    pub fn has_read(&self, interrupted: &str) -> Result<()> {
        self.reading_ended();
        if self.is_interrupted() {
            return Err(Failure::Interrupted(interrupted.to_owned()));
        }
        Ok(())
    }

    /// Tells whether the user wants this process to end; other ranks may not know it yet.
    pub fn is_interrupted(&self) -> bool {
        self.observer.is_interrupted()
    }

    /// Tells whether any rank was interrupted by the user; all ranks get the same answer. All ranks
    /// must call it at the same point.
    pub fn is_interrupted_anywhere(&self) -> bool {
        self.ranks.any(self.is_interrupted())
    }

    /// Returns `Break` if the user wants this process to end, or else `Continue`.
    pub fn flow(&self) -> ControlFlow<()> {
        break_if(self.is_interrupted())
    }

    /// Runs `f` in a pool of threads of rayon: as many as the job names, or else all that the
    /// machine has.
    ///
    /// # Errors
    /// The error of `f`; an error of its own if the threads cannot be started.
    pub fn on_threads<R: Send>(&self, f: impl FnOnce() -> Result<R> + Send) -> Result<R> {
        // To rayon 0 means all.
        let count = self.threads.unwrap_or(0);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build()?;
        pool.install(f)
    }

    /// Returns how many games this process plays at a time: one on each of its threads. These are
    /// as many as the job names, or else all that the machine has, or 1 where that is not known.
    pub fn players(&self) -> usize {
        let all = || thread::available_parallelism().map_or(1, NonZero::get);
        self.threads.unwrap_or_else(all)
    }

    /// Returns how many bytes of memory are left on the rank that has the fewest; `None` if no rank
    /// knows it. All ranks must call it at the same point.
    pub fn least_memory(&self) -> Option<u64> {
        // A rank that does not know it counts as infinite.
        let here = available_memory().map_or(f64::INFINITY, |bytes| bytes as f64);
        let least = self.ranks.least(here);
        least.is_finite().then_some(least as u64)
    }

    /// Calls `what` on the first rank and returns what it gave; `None` on the others. Where it
    /// fails this fails on all ranks, with the same words. All ranks must call it at the same
    /// point.
    ///
    /// # Errors
    /// The error of `what`.
    pub fn on_first<T>(&self, what: impl FnOnce() -> Result<T>) -> Result<Option<T>> {
        let ranks = self.ranks;
        if ranks.is_alone() {
            return what().map(Some);
        }
        let done = ranks.is_first().then(what);
        // What the first rank tells the others: no byte where `what` went well; else the exit
        // status of the failure, which tells its kind, as one byte, and the words.
        let told = match &done {
            Some(Err(failure)) => [&[failure.status()], failure.words().as_bytes()].concat(),
            _ => Vec::new(),
        };
        let told = ranks.broadcast(told);
        match (done, told.split_first()) {
            (Some(done), _) => done.map(Some),
            (None, None) => Ok(None),
            (None, Some((&status, words))) => {
                let words = String::from_utf8_lossy(words).into_owned();
                Err(match status {
                    2 => Failure::Usage(words),
                    3 => Failure::NotPassed(words),
                    130 => Failure::Interrupted(words),
                    _ => Failure::Error(words),
                })
            }
        }
    }

    /// Fails unless all ranks have the same values. `about`: pairs of what a value is, for the
    /// message, such as `spec`, and the value on this rank. All ranks must call it at the same
    /// point.
    ///
    /// # Errors
    /// On all ranks, if a rank has another value than the first.
    pub fn agree(&self, about: &[(&'static str, String)]) -> Result<()> {
        if self.ranks.is_alone() {
            return Ok(());
        }
        for (what, value) in about {
            let all = self.ranks.gather_bytes(value.as_bytes());
            if let Some(rank) = all.iter().position(|there| *there != all[0]) {
                let [there, first] = [rank, 0].map(|rank| String::from_utf8_lossy(&all[rank]));
                fail!(
                    "rank {rank} has another {what} than rank 0: {there}, where rank 0 has {first}. All \
                     ranks need the same program and the same files; nothing was done"
                );
            }
        }
        Ok(())
    }

    /// Writes a text file, unless it has this text already, and says which of both; the first rank
    /// does, others do nothing. `cure`: what the message of an error ends with, or empty.
    pub(crate) fn file(&self, path: &Path, text: &str, cure: &str) -> Result<()> {
        self.say_all(self.written(path, text, cure)?);
        Ok(())
    }

    /// Writes a text file, unless it has this text already. The first rank does, and returns a line
    /// for the user on whether the file was written; others do nothing and return `None`. `cure`:
    /// what the message of an error ends with, or empty.
    pub(crate) fn written(&self, path: &Path, text: &str, cure: &str) -> Result<Option<String>> {
        if !self.ranks.is_first() {
            return Ok(None);
        }
        let name = path.display();
        let written = write_if_changed(path, text);
        let written = written.map_err(|error| format!("{name}: {error}{cure}"))?;
        Ok(Some(format!("{name}: {written}")))
    }
}

/// Passes the events of a fit on to the observer of a job, and an interruption to the fit.
pub(crate) struct FitObserver<'a>(pub(crate) &'a Job);

impl RunObserver for FitObserver<'_> {
    /// Passes an event of the fit on to the observer of the job.
    fn event(&mut self, event: &RunEvent<'_>) {
        self.0.observer.event(&JobEvent::Fit(event));
    }

    /// Tells whether any rank was interrupted. All ranks must ask at the same point.
    fn is_interrupted(&self) -> bool {
        self.0.is_interrupted_anywhere()
    }
}

/// Fails if a file cannot be written. It is called before the work whose result the file gets; a
/// file that is there stays as it is. `option`: the option that names the file, for the message.
pub(crate) fn writable(path: &Path, option: &str) -> Result<()> {
    let is_new = !path.exists();
    let opened = fs::OpenOptions::new().append(true).create(true).open(path);
    opened.map_err(|error| {
        format!(
            "{option} {}: {error}; name a file that can be written",
            path.display()
        )
    })?;
    if is_new {
        // Opening made the file, and it is empty.
        let _ = fs::remove_file(path);
    }
    Ok(())
}

/// Fails if a path is not UTF-8: it is to be a word of another command, which is UTF-8.
pub(crate) fn is_utf8(path: &Path) -> Result<()> {
    if path.to_str().is_some() {
        return Ok(());
    }
    misuse!(
        "{}: is not UTF-8, and other commands are told this name; rename it",
        path.display()
    )
}
