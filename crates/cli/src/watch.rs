//! A run as the user sees it: sentences, a progress bar, Ctrl-C.

use super::interrupt::Interrupt;
use super::progress::Progress;
use tuner_fit::run::{RunEvent, RunObserver};

/// Says what happens, and ends the run when the user wants it to.
#[derive(Debug)]
pub(super) struct Watch {
    visible: bool,
    interrupt: Interrupt,
    /// The bar of the descent under way.
    descent: Option<Progress>,
    /// The bar of positions that are traced again.
    reading: Option<Progress>,
}

impl Watch {
    /// Watches what can neither be interrupted nor takes long.
    pub(super) fn beforehand() -> Self {
        Self::new(false, &Interrupt::default(), None)
    }

    /// Watches a run; `reading`: the bar of its source.
    pub(super) fn new(visible: bool, interrupt: &Interrupt, reading: Option<Progress>) -> Self {
        Self {
            visible,
            interrupt: interrupt.clone(),
            descent: None,
            reading,
        }
    }
}

impl RunObserver for Watch {
    fn event(&mut self, event: &RunEvent<'_>) {
        match event {
            RunEvent::Iteration { record, limit } => {
                let visible = self.visible;
                let bar = self
                    .descent
                    .get_or_insert_with(|| Progress::new(visible, &Interrupt::default()));
                bar.iteration(record, *limit);
            }
            RunEvent::StageEnded => {
                for bar in self.descent.take().iter().chain(&self.reading) {
                    bar.done();
                }
            }
            other => say!("{other}"),
        }
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.asked()
    }
}
