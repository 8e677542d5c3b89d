//! A job as the user sees it: sentences, progress, Ctrl-C.

use std::fmt;
use std::io::{self, IsTerminal as _};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use crate::interrupt::Interrupt;
use crate::output;
use crate::progress::{LONG_SILENCE, LogLines, Progress, SILENCE};
use tuner_data::Observer;
use tuner_fit::run::RunEvent;
use tuner_jobs::{JobEvent, JobObserver};

/// How much is said.
#[derive(Clone, Default)]
pub(crate) enum Talk {
    /// Nothing, but for what is kept here until it is known whether the job fails.
    Quiet(Arc<Mutex<Vec<String>>>),
    /// No details.
    Short,
    /// All that the job says, details too.
    #[default]
    All,
}

impl Talk {
    /// Says on standard error all that was kept back with `--quiet`, for a job that has failed.
    pub(crate) fn say_kept(&self) {
        if let Self::Quiet(kept) = self {
            let kept = std::mem::take(&mut *kept.lock().unwrap_or_else(PoisonError::into_inner));
            // Lines of a compiler may be among them, whose colours stay.
            for line in kept {
                output::built(&line);
            }
        }
    }
}

/// Says what happens, and ends the job when the user wants it to.
pub(crate) struct Terminal {
    /// Whether bars and lines of progress are shown.
    visible: bool,
    talk: Talk,
    interrupt: OnceLock<Interrupt>,
    shown: Arc<Mutex<ShownBars>>,
    /// What says how far the job got where there is no terminal.
    _log: Option<LogLines>,
}

/// The bars that are shown now.
#[derive(Default)]
struct ShownBars {
    /// The bar of positions that are read.
    reading: Option<Progress>,
    /// The bar of the descent under way.
    descent: Option<Progress>,
    /// The number of the iteration that was said last.
    said: Option<usize>,
    /// The line of games.
    status: Option<Progress>,
}

impl ShownBars {
    /// Returns the words of the bar that tells most now (of games, else of a descent, else of a
    /// reading), and after how long a silence a log gets them; empty words where no bar is shown.
    fn message(&self) -> (Duration, String) {
        match (
            &self.status,
            self.descent.as_ref().or(self.reading.as_ref()),
        ) {
            (Some(games), _) => (LONG_SILENCE, games.message()),
            (None, bar) => (SILENCE, bar.map(Progress::message).unwrap_or_default()),
        }
    }
}

/// Locks the bars, also where a thread panicked while it had them.
fn locked(shown: &Mutex<ShownBars>) -> MutexGuard<'_, ShownBars> {
    shown.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Terminal {
    /// Makes a terminal on which nothing is shown yet. `visible`: whether progress is to be shown,
    /// as bars, or as lines now and then where standard error is no terminal. `talk`: how much is
    /// said.
    pub(crate) fn new(visible: bool, talk: Talk) -> Self {
        let shown: Arc<Mutex<ShownBars>> = Arc::default();
        let is_logged = visible && !io::stderr().is_terminal();
        let bars = Arc::clone(&shown);
        Self {
            visible,
            talk,
            interrupt: OnceLock::new(),
            shown,
            _log: is_logged.then(|| LogLines::new(move || locked(&bars).message())),
        }
    }

    /// Locks the bars. Drop the guard before a sentence is said: `say` locks them too.
    fn shown(&self) -> MutexGuard<'_, ShownBars> {
        locked(&self.shown)
    }

    /// Says a sentence on standard error, above the bar of a reading if there is one; with
    /// `--quiet` it is kept back until the job fails.
    fn say(&self, words: &dyn fmt::Display) {
        match &self.talk {
            Talk::Quiet(kept) => {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.push(words.to_string());
            }
            Talk::Short | Talk::All => {
                let reading = self.shown().reading.clone();
                match reading {
                    Some(bar) => bar.above(format_args!("{words}")),
                    None => say!("{words}"),
                }
            }
        }
    }

    /// Says a sentence that is a detail; only where the user asked for all that is said.
    fn detail(&self, words: &dyn fmt::Display) {
        if matches!(self.talk, Talk::All) {
            self.say(words);
        }
    }

    /// Shows an event of a fit: iterations in a bar, other events as sentences, of which some are
    /// details. The lock of the bars is given back before a sentence is said, as that locks them
    /// too.
    fn fit_event(&self, event: &RunEvent<'_>) {
        let mut shown = self.shown();
        match event {
            RunEvent::Iteration { record, .. } => {
                // The last iteration is told again where integers are looked for after it.
                let is_new = shown.said.replace(record.iteration) != Some(record.iteration);
                let new = || Progress::new(self.visible);
                let bar = shown.descent.get_or_insert_with(new);
                bar.iteration(record);
                if self.visible && is_new && matches!(self.talk, Talk::All) {
                    let held_out = (record.held_out_error)
                        .map_or_else(String::new, |error| format!(", held out {error:.8}"));
                    bar.above(format_args!(
                        "iteration {}: E {:.8}{held_out}, largest step {:.1}, {:.1} s",
                        record.iteration, record.error, record.step, record.cost.seconds
                    ));
                }
            }
            RunEvent::Weighing => {
                let new = || Progress::new(self.visible);
                let bar = shown.descent.get_or_insert_with(new);
                bar.words("weighing files");
            }
            // The next stage counts its iterations from the start again.
            RunEvent::StageEnded => {
                shown.said = None;
                for bar in shown.descent.take().iter().chain(&shown.reading) {
                    bar.done();
                }
            }
            detail @ (RunEvent::TargetsChosen(_)
            | RunEvent::PriorChosen(_)
            | RunEvent::Retracing(_)
            | RunEvent::ResolvingAgain(_)
            | RunEvent::RoundLeftOut(_)
            | RunEvent::Verified { .. }) => {
                drop(shown);
                self.detail(detail);
            }
            other => {
                drop(shown);
                self.say(other);
            }
        }
    }
}

impl JobObserver for Terminal {
    /// Shows an event of a job: sentences, as far as `talk` lets them be said, and progress in
    /// bars.
    fn event(&self, event: &JobEvent<'_>) {
        let reading = || self.shown().reading.clone();
        match *event {
            JobEvent::Said(words) => self.say(words),
            JobEvent::Built(line) => match &self.talk {
                Talk::Quiet(_) => self.say(&line),
                Talk::Short | Talk::All => output::built(line),
            },
            JobEvent::Detail(words) => self.detail(words),
            JobEvent::Status(words) => {
                let new = || Progress::new(self.visible);
                self.shown().status.get_or_insert_with(new).words(words);
            }
            JobEvent::StatusEnded => {
                if let Some(status) = self.shown().status.take() {
                    status.done();
                }
            }
            JobEvent::Doing(what) => {
                if let Some(bar) = reading() {
                    bar.doing(what);
                }
            }
            JobEvent::ReadingEnded => {
                if let Some(bar) = reading() {
                    bar.done();
                }
            }
            JobEvent::Fit(event) => self.fit_event(event),
        }
    }

    /// Shows a new bar for a reading of data that begins, and returns the observer that moves it
    /// and ends the reading on Ctrl-C. `size`: bytes of all inputs, if known; `is_shown`: whether
    /// this reading is to have a bar.
    fn reading(&self, size: Option<u64>, is_shown: bool) -> Option<Observer> {
        // Before `listen` was called, nothing tells of an interruption.
        let interrupt = self.interrupt.get().cloned().unwrap_or_default();
        let bar = Progress::new(self.visible && is_shown);
        let observer = bar.reading(size, interrupt);
        self.shown().reading = Some(bar);
        Some(observer)
    }

    /// Begins to catch Ctrl-C and other signals that ask the job to end.
    fn listen(&self) -> io::Result<()> {
        let watched = Interrupt::watch()?;
        // A second call changes nothing, as all have one watch.
        let _ = self.interrupt.set(watched);
        Ok(())
    }

    fn is_coloured(&self) -> bool {
        io::stderr().is_terminal()
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.get().is_some_and(Interrupt::asked)
    }
}
