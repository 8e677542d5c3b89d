//! Who watches a job, and what it has to work with.

use std::io;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::{fmt, fs};

use crate::Failure;
use tuner_base::{Ranks, available_memory, break_if, write_if_changed};
use tuner_data::Observer;
use tuner_fit::run::{RunEvent, RunObserver};

/// Watches a job: is told what happens, and says when it is to end. `()` is silent.
pub trait JobObserver: Send + Sync {
    /// Is told what happens.
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

    /// Begins to listen for the user's wish to end the job, such as Ctrl-C, of which
    /// [`is_interrupted`](Self::is_interrupted) tells from then on. Until then such a wish ends the
    /// process at once, as nothing has been done that could be lost.
    ///
    /// # Errors
    /// If it cannot wait for one.
    fn listen(&self) -> io::Result<()> {
        Ok(())
    }

    /// Tells whether sentences may have colours.
    fn is_coloured(&self) -> bool {
        false
    }

    /// Tells whether the job is to end with what it has. It may be asked at any time and from any
    /// thread.
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
    /// Says a sentence.
    pub fn say(&self, words: impl fmt::Display) {
        self.observer.event(&JobEvent::Said(&words));
    }

    /// Says a sentence to those who want to know all.
    pub fn say_detail(&self, words: impl fmt::Display) {
        self.observer.event(&JobEvent::Detail(&words));
    }

    /// Passes on lines of a compiler.
    pub(crate) fn say_built(&self, lines: impl IntoIterator<Item = String>) {
        for line in lines {
            self.observer.event(&JobEvent::Built(&line));
        }
    }

    /// Says some lines.
    pub fn say_all(&self, lines: impl IntoIterator<Item = impl fmt::Display>) {
        (lines.into_iter()).for_each(|line| self.say(line));
    }

    /// Says some lines to those who want to know all.
    pub fn say_details(&self, lines: impl IntoIterator<Item = impl fmt::Display>) {
        (lines.into_iter()).for_each(|line| self.say_detail(line));
    }

    /// Tells how far the job got, in words that replace the status before.
    pub(crate) fn status(&self, words: &str) {
        self.observer.event(&JobEvent::Status(words));
    }

    /// Tells the observer that no status follows, so that it may remove the line of the last one.
    pub(crate) fn status_ended(&self) {
        self.observer.event(&JobEvent::StatusEnded);
    }

    /// Tells what is done now that all input was read.
    pub fn doing(&self, what: &'static str) {
        self.observer.event(&JobEvent::Doing(what));
    }

    /// Tells that all input was read.
    pub fn reading_ended(&self) {
        self.observer.event(&JobEvent::ReadingEnded);
    }

    /// Tells that all input was read, and finds out whether the job is to end.
    ///
    /// # Errors
    /// If the job was interrupted; `interrupted` are the words of that failure.
    pub fn has_read(&self, interrupted: &str) -> Result<(), Failure> {
        self.reading_ended();
        if self.is_interrupted() {
            return Err(Failure::Interrupted(interrupted.to_owned()));
        }
        Ok(())
    }

    /// Tells whether this process is to end; other ranks may not know it yet.
    pub fn is_interrupted(&self) -> bool {
        self.observer.is_interrupted()
    }

    /// Tells whether any rank is to end. All ranks must call it at the same point.
    pub fn is_interrupted_anywhere(&self) -> bool {
        self.ranks.any(self.is_interrupted())
    }

    /// Returns `Break` if this process is to end.
    pub fn flow(&self) -> ControlFlow<()> {
        break_if(self.is_interrupted())
    }

    /// Runs `f` where rayon has as many threads as there are to be: all, or those that the job
    /// names.
    ///
    /// # Errors
    /// The error of `f`; an error of its own if the threads cannot be started.
    pub fn on_threads<R: Send>(
        &self,
        f: impl FnOnce() -> Result<R, Failure> + Send,
    ) -> Result<R, Failure> {
        let count = self.threads.unwrap_or(0);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build()?;
        pool.install(f)
    }

    /// How many games are played at a time by this process: one on each of its threads.
    pub fn players(&self) -> usize {
        let all = || thread::available_parallelism().map_or(1, NonZero::get);
        self.threads.unwrap_or_else(all)
    }

    /// Bytes of memory that are left, on the rank that has fewest; `None` where no rank knows.
    pub fn least_memory(&self) -> Option<u64> {
        let here = available_memory().map_or(f64::INFINITY, |bytes| bytes as f64);
        let least = self.ranks.least(here);
        least.is_finite().then_some(least as u64)
    }

    /// Does `what` on the first rank and returns what it gave; `None` on the others. Where it fails
    /// it fails on all ranks, with the same words.
    ///
    /// # Errors
    /// The error of `what`.
    pub fn on_first<T>(
        &self,
        what: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        let ranks = self.ranks;
        if ranks.is_alone() {
            return what().map(Some);
        }
        let done = ranks.is_first().then(what);
        // What the others are told: nothing where it went well; else the exit status, one byte, and
        // the words.
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

    /// Finds out whether all ranks have what the first has. `about`: pairs of what something is,
    /// for the message, and its value on this rank.
    ///
    /// # Errors
    /// On all ranks, if one of them has something else.
    pub fn agree(&self, about: &[(&'static str, String)]) -> Result<(), Failure> {
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

    /// Writes a file unless it would not change, and says so; the first rank does. `cure`: what the
    /// message of an error ends with, or empty.
    pub(crate) fn file(&self, path: &Path, text: &str, cure: &str) -> Result<(), Failure> {
        self.say_all(self.written(path, text, cure)?);
        Ok(())
    }

    /// Writes a file unless it would not change; the first rank does, and returns what is to be
    /// said of it, the others `None`. `cure`: what the message of an error ends with, or empty.
    pub(crate) fn written(
        &self,
        path: &Path,
        text: &str,
        cure: &str,
    ) -> Result<Option<String>, Failure> {
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
    fn event(&mut self, event: &RunEvent<'_>) {
        self.0.observer.event(&JobEvent::Fit(event));
    }

    fn is_interrupted(&self) -> bool {
        self.0.is_interrupted_anywhere()
    }
}

/// Finds out whether a file can be written, before the work that it is about; a file that is there
/// stays as it is. `option`: that which names the file, for the message.
pub(crate) fn writable(path: &Path, option: &str) -> Result<(), Failure> {
    let is_new = !path.exists();
    let opened = fs::OpenOptions::new().append(true).create(true).open(path);
    opened.map_err(|error| {
        format!(
            "{option} {}: {error}; name a file that can be written",
            path.display()
        )
    })?;
    if is_new {
        // The file was made by this trial, and is empty.
        let _ = fs::remove_file(path);
    }
    Ok(())
}

/// Fails if a path is not UTF-8, so that it cannot be a word of a command.
pub(crate) fn is_utf8(path: &Path) -> Result<(), Failure> {
    if path.to_str().is_some() {
        return Ok(());
    }
    misuse!(
        "{}: is not UTF-8, and other commands are told this name; rename it",
        path.display()
    )
}
