//! Progress on a terminal; elsewhere lines, now and then.

use std::fmt;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use console::Term;
use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};

use crate::interrupt::Interrupt;
use crate::launch::Launch;
use crate::output;
use tuner_base::{joined, phases_under_way};
use tuner_data::{Observer, ReadProgress};
use tuner_solve::Record;

/// Columns from which there is room for a bar beside the words.
const ROOM_FOR_BAR: u16 = 76;

/// A line of words, cut off where the terminal ends.
const WORDS: &str = "{spinner} {elapsed} {wide_msg}";

/// The template of a progress bar of known length, as wide as the words leave room for.
const BAR: &str = "{spinner} {elapsed} [{wide_bar}] {msg}";

/// Decreases of the objective below this part of it are rounding: the end of a
/// descent is near.
const ENOUGH: f64 = 1e-16;

/// The slowest convergence, as the ratio of a decrease to the one before, from which
/// the end is predicted: with slower ones a small mistake is many iterations.
const SLOWEST: f64 = 0.7;

/// The time when the command began, from which all times that are shown count.
static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// A line that shows how far a command got; it is gone once the last of its clones is.
#[derive(Clone)]
pub(crate) struct Progress {
    bar: ProgressBar,
    descent: Arc<Mutex<Convergence>>,
    /// Whether it is shown, on a terminal or by a log.
    visible: bool,
}

/// Silence after which a log gets a line that says how far it got: so that nobody takes a slow
/// evaluator for one that hangs.
pub(crate) const SILENCE: Duration = Duration::from_secs(10);

/// Silence of games, which are seldom said: for the log of a job of hours.
pub(crate) const LONG_SILENCE: Duration = Duration::from_mins(1);

/// A thread that says how far a command got where there is no terminal and nothing else was said
/// for some time. The thread ends when this is dropped.
pub(crate) struct LogLines(#[expect(dead_code, reason = "its end is what is heard")] Sender<()>);

impl LogLines {
    /// Starts the thread. Once a second it asks `message` for a time and for words. If nothing was
    /// said on standard error for that time, it says the phases under way and the words; nothing
    /// where both are empty.
    pub(crate) fn new(message: impl Fn() -> (Duration, String) + Send + 'static) -> Self {
        let (ends, is_over) = channel();
        let begun = *BEGUN;
        thread::spawn(move || {
            // Once the other end is dropped, with `Self`, the wait ends at once, and the thread
            // ends.
            while is_over.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                let (silence, words) = message();
                let phases = phases_under_way().join(", ");
                let parts = [phases, words];
                let mut parts = parts.iter().filter(|part| !part.is_empty()).peekable();
                if parts.peek().is_some() && output::was_silent_for(silence, begun) {
                    let words = joined(parts, ": ");
                    say!("{:.0} s: {words}", begun.elapsed().as_secs_f64());
                }
            }
        });
        Self(ends)
    }
}

/// Sets a bar back to its start; the time that it shows stays that of the whole command.
fn restart(bar: &ProgressBar) {
    bar.reset();
    bar.set_elapsed(BEGUN.elapsed());
}

/// Sets the template of a bar, indicatif's text with fields in braces; one that is wrong changes
/// nothing.
fn restyle(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}

impl Progress {
    /// Makes a line that shows words, and later a bar. It is hidden if not `visible`, or if this is
    /// not the first of several processes. indicatif draws on terminals only.
    pub(crate) fn new(visible: bool) -> Self {
        let visible = visible && !Launch::is_silent();
        let bar = if visible {
            ProgressBar::new_spinner()
        } else {
            ProgressBar::hidden()
        };
        let bar = bar.with_finish(ProgressFinish::AndClear);
        restyle(&bar, WORDS);
        // Drawn five times a second, so that the time runs on while nothing is told.
        bar.enable_steady_tick(Duration::from_millis(200));
        bar.set_elapsed(BEGUN.elapsed());
        Self {
            bar,
            descent: Arc::default(),
            visible,
        }
    }

    /// Returns an observer for the reader of data, which shows how far it got and ends it when the
    /// user interrupts. `size`: of all inputs, in bytes as they are stored; `None` if unknown: then
    /// no time left is told.
    pub(crate) fn reading(&self, size: Option<u64>, interrupt: Interrupt) -> Observer {
        self.words("waiting for the first positions");
        let Self { bar, visible, .. } = self.clone();
        let size = size.filter(|&size| size > 0);
        let shown = Mutex::new(ShownReading {
            done: 0,
            has_bar: false,
            begun: Instant::now(),
        });
        Observer::new(move |at| {
            if visible {
                // How far: in positions where their number is known, else in bytes.
                let (done, all) = match at.of {
                    Some(of) => (at.positions, Some(of)),
                    None => (at.bytes, size),
                };
                let wide = !bar.is_hidden() && columns() >= ROOM_FOR_BAR && all.is_some();
                let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
                // Less than half of what was shown is a new reading of the same positions; a little
                // less is only threads that tell out of order.
                if done < shown.done / 2 || bar.is_finished() {
                    restart(&bar);
                    shown.begun = Instant::now();
                }
                shown.done = done;
                // A terminal may become wider or narrower.
                if shown.has_bar != wide {
                    shown.has_bar = wide;
                    restyle(&bar, if wide { BAR } else { WORDS });
                }
                let elapsed = shown.begun.elapsed().as_secs_f64();
                if let Some(all) = all {
                    bar.set_length(all);
                    bar.set_position(done.min(all));
                }
                bar.set_message(reading_words(at, size, elapsed));
            }
            interrupt.flow()
        })
    }

    /// Shows an iteration of a descent: error, held-out error, step, gradient, and the seconds to
    /// its end where these can be told.
    pub(crate) fn iteration(&self, record: &Record) {
        let mut descent = self.descent.lock().unwrap_or_else(PoisonError::into_inner);
        let left = descent.seconds_left(record);
        let left = left.map_or_else(String::new, |left| format!(", about {left:.0} s left"));
        let held_out = record.held_out_error;
        let held_out = held_out.map_or_else(String::new, |e| format!(", held out {e:.8}"));
        // What matters most first: a narrow terminal cuts off the end.
        self.bar.set_message(format!(
            "iteration {}: E {:.8}{left}{held_out}, step {:.1}, gradient {:.1e}",
            record.iteration, record.error, record.step, record.gradient
        ));
    }

    /// Shows words on what is done now, in place of the bar of a reading.
    pub(crate) fn doing(&self, what: &'static str) {
        restart(&self.bar);
        restyle(&self.bar, WORDS);
        self.words(what);
    }

    /// Returns the words that the line shows now; empty where it shows none.
    pub(crate) fn message(&self) -> String {
        if self.bar.is_finished() || !self.visible {
            return String::new();
        }
        self.bar.message()
    }

    /// Shows words in place of those before. Where there is no terminal, they are said once nothing
    /// was said for some time.
    pub(crate) fn words(&self, words: &str) {
        self.bar.set_message(words.to_owned());
    }

    /// Says something on standard error, above the bar where there is one.
    pub(crate) fn above(&self, words: fmt::Arguments<'_>) {
        self.bar.suspend(|| output::words(words));
    }

    /// Clears the line, until something is shown again.
    pub(crate) fn done(&self) {
        self.bar.finish_and_clear();
    }
}

/// The state of a bar that shows a reading.
#[derive(Debug)]
struct ShownReading {
    /// Bytes or positions that were read.
    done: u64,
    has_bar: bool,
    /// When this reading began.
    begun: Instant,
}

/// Returns the number of columns of the terminal on standard error, where the bar is.
fn columns() -> u16 {
    // Rows, then columns.
    Term::stderr().size().1
}

/// Returns words on how far a reading got after `elapsed` seconds, what matters most first. `size`:
/// of all inputs in bytes, if known.
fn reading_words(at: ReadProgress, size: Option<u64>, elapsed: f64) -> String {
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let positions = at.positions;
    let (part, what) = match (at.of, size) {
        (Some(of), _) => (
            positions as f64 / of as f64,
            format!("{positions} of {of} positions"),
        ),
        (None, Some(size)) => (
            at.bytes as f64 / size as f64,
            format!("{positions} positions of {:.1} MB", megabytes(size)),
        ),
        // Positions that are traced again are not counted as they are read.
        (None, None) if positions == 0 => return format!("read: {:.1} MB", megabytes(at.bytes)),
        (None, None) => {
            return format!("read: {positions} positions, {:.1} MB", megabytes(at.bytes));
        }
    };
    // More than all, as of a file that has grown, counts as all.
    let part = part.min(1.0);
    // In the first two percent the speed is too uncertain to tell the time left.
    let left = if part > 0.02 {
        format!("{:.0} s left, ", elapsed * (1.0 - part) / part)
    } else {
        String::new()
    };
    format!("{:.0} %, {left}{what}", 100.0 * part)
}

/// How fast a descent converges.
#[derive(Debug, Default)]
struct Convergence {
    /// The number of the last iteration, the objective after it, and by how much that fell in it.
    iteration: usize,
    objective: Option<f64>,
    decrease: Option<f64>,
}

impl Convergence {
    /// Takes an iteration and returns the seconds to the end of the descent, if each decrease of
    /// the objective is to the one before as the last one is: with decrease `d` and ratio `r` it
    /// takes `n` iterations until `d·rⁿ` is rounding, which is `ENOUGH` (10⁻¹⁶) of the objective.
    /// That is rather too many, as Newton's steps become better. `None` before two decreases are
    /// known, where `d` is rounding already, and where `r` is not below `SLOWEST` (0.7), so that
    /// the end cannot be told.
    fn seconds_left(&mut self, record: &Record) -> Option<f64> {
        // A number that is not larger is the first iteration of another descent.
        if record.iteration <= self.iteration {
            *self = Self::default();
        }
        let decrease = self.objective.map(|before| before - record.objective);
        let previous = self.decrease;
        self.iteration = record.iteration;
        self.objective = Some(record.objective);
        self.decrease = decrease;
        let (decrease, previous) = (decrease?, previous?);
        let ratio = decrease / previous;
        if !(decrease > 0.0 && previous > 0.0 && ratio < SLOWEST) {
            return None;
        }
        let end = ENOUGH * record.objective.abs();
        if decrease <= end {
            return None;
        }
        let iterations = (end / decrease).ln() / ratio.ln();
        let each = record.cost.seconds / record.iteration.max(1) as f64;
        Some(each * iterations.ceil())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuner_solve::{Cost, Method};

    fn record(iteration: usize, objective: f64) -> Record {
        Record {
            iteration,
            method: Method::Newton,
            error: objective,
            objective,
            held_out_error: None,
            step: 1.0,
            gradient: 1.0,
            damping: 0.0,
            cost: Cost {
                curvature_evaluations: iteration,
                passes: iteration,
                score_passes: 0,
                seconds: iteration as f64,
            },
        }
    }

    #[test]
    fn the_time_left_follows_from_convergence() {
        let mut descent = Convergence::default();
        // Decreases of 1, 0.1, 0.01: fifteen from the second until 1e-16.
        assert_eq!(descent.seconds_left(&record(0, 2.0)), None);
        assert_eq!(descent.seconds_left(&record(1, 1.0)), None);
        let left = descent.seconds_left(&record(2, 0.9));
        assert!(
            left.is_some_and(|left| (15.0..=16.0).contains(&left)),
            "{left:?}"
        );
        let later = descent.seconds_left(&record(3, 0.89));
        assert!(later < left && later.is_some(), "{later:?}");
        // Slow convergence has no end that can be told.
        assert_eq!(descent.seconds_left(&record(4, 0.8801)), None);
        // Another descent begins anew.
        assert_eq!(descent.seconds_left(&record(0, 5.0)), None);
        assert_eq!(descent.seconds_left(&record(1, 6.0)), None);
        assert_eq!(descent.seconds_left(&record(2, 5.5)), None);
    }

    #[test]
    fn what_matters_of_the_reading_comes_first() {
        let at = |bytes, positions, of| ReadProgress {
            bytes,
            positions,
            of,
        };
        let words = |at, size| reading_words(at, size, 2.0);
        let read = words(at(25_000_000, 5_000, None), Some(100_000_000));
        assert_eq!(read, "25 %, 6 s left, 5000 positions of 100.0 MB");
        let begun = reading_words(at(1_000_000, 200, None), Some(100_000_000), 0.1);
        assert_eq!(begun, "1 %, 200 positions of 100.0 MB");
        let read = words(at(1_500_000, 200, None), None);
        assert_eq!(read, "read: 200 positions, 1.5 MB");
        assert_eq!(words(at(1_500_000, 0, None), None), "read: 1.5 MB");
        // Of an evaluator that only scores, whose answers are what takes time.
        let scored = words(at(0, 500, Some(2_000)), None);
        assert_eq!(scored, "25 %, 6 s left, 500 of 2000 positions");
    }
}
