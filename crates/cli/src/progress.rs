//! Progress on a terminal; silence elsewhere.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::interrupt::Interrupt;
use tuner_data::Observer;
use tuner_solve::Record;

/// A line that shows how far a command got.
#[derive(Clone, Debug)]
pub(super) struct Progress {
    bar: ProgressBar,
    interrupt: Interrupt,
}

/// A line that says how long, and what; hidden for `--json` and wherever
/// nobody looks. indicatif itself draws on terminals only.
pub(super) fn spinner(visible: bool) -> ProgressBar {
    let bar = if visible {
        ProgressBar::new_spinner()
    } else {
        ProgressBar::hidden()
    };
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

impl Progress {
    pub(super) fn new(visible: bool, interrupt: &Interrupt) -> Self {
        Self {
            bar: spinner(visible),
            interrupt: interrupt.clone(),
        }
    }

    /// An observer for the reader, which it stops when interrupted.
    pub(super) fn reading(&self, size: Option<u64>) -> Observer {
        let (bar, interrupt) = (self.bar.clone(), self.interrupt.clone());
        Observer::new(move |progress| {
            let share = size
                .filter(|&size| size > 0)
                .map_or_else(String::new, |size| {
                    format!(" ({:.0} %)", 100.0 * progress.bytes as f64 / size as f64)
                });
            bar.set_message(format!("read: {} positions{share}", progress.positions));
            interrupt.flow()
        })
    }

    pub(super) fn iteration(&self, record: &Record, most: usize) {
        let held_out = record
            .held_out_error
            .map_or_else(String::new, |e| format!(", held out {e:.8}"));
        // Each curvature matrix is most of an iteration's time.
        let each = record.seconds / record.iteration.max(1) as f64;
        let left = each * most.saturating_sub(record.iteration) as f64;
        self.bar.set_message(format!(
            "iteration {}: E {:.8}{held_out}, step {:.1}, gradient {:.1e}, at most {left:.0} s left",
            record.iteration, record.error, record.step, record.gradient
        ));
    }

    /// Says a line, above the bar where there is one.
    pub(super) fn above(&self, words: &str) {
        self.bar.suspend(|| say!("{words}"));
    }

    pub(super) fn done(&self) {
        self.bar.finish_and_clear();
    }
}
