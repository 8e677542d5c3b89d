//! A run as the user sees it: sentences, a progress bar, events, Ctrl-C.

use super::events::EventWriter;
use super::interrupt::Interrupt;
use super::progress::Progress;
use tuner_fit::run::{RunEvent, RunObserver};

/// Says what happens, and ends the run when the user wants it to.
pub(super) struct Watch {
    visible: bool,
    interrupt: Interrupt,
    events: EventWriter,
    /// The iteration that was said last.
    said: Option<usize>,
    /// The bar of the descent under way.
    descent: Option<Progress>,
    /// The bar of positions that are traced again.
    reading: Option<Progress>,
}

impl Watch {
    /// Watches a run; `visible`: with a bar, and a line for each iteration. `reading`:
    /// the bar of its source.
    pub(super) fn new(
        visible: bool,
        interrupt: &Interrupt,
        reading: Option<Progress>,
        events: &EventWriter,
    ) -> Self {
        Self {
            visible,
            interrupt: interrupt.clone(),
            events: events.clone(),
            said: None,
            descent: None,
            reading,
        }
    }
}

impl RunObserver for Watch {
    fn event(&mut self, event: &RunEvent<'_>) {
        self.events.run(event);
        match event {
            RunEvent::Iteration { record, .. } => {
                let visible = self.visible;
                let bar = self
                    .descent
                    .get_or_insert_with(|| Progress::new(visible, &Interrupt::default()));
                bar.iteration(record);
                // An end is told again where integers are looked for after it.
                if visible && self.said.replace(record.iteration) != Some(record.iteration) {
                    let held_out = (record.held_out_error)
                        .map_or_else(String::new, |error| format!(", held out {error:.8}"));
                    bar.above(&format!(
                        "iteration {}: E {:.8}{held_out}, largest step {:.1}, {:.1} s",
                        record.iteration, record.error, record.step, record.cost.seconds
                    ));
                }
            }
            RunEvent::StageEnded => {
                self.said = None;
                for bar in self.descent.take().iter().chain(&self.reading) {
                    bar.done();
                }
            }
            other => say!("{other}"),
        }
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.asked_anywhere()
    }
}
