//! Positions into rows, each checked on the way.

use super::agreement::Agreement;
use super::engine::{Engine, PositionOf};
use super::link::Link;
use tuner_data::Perspective;
use tuner_data::PositionNotation;
use tuner_rows::Compactor;
use tuner_rows::RowDraft;
use tuner_trace::{Primitive, Recorder, Trace};

/// Traces positions of one engine on one thread and keeps the agreement.
#[derive(Debug)]
pub struct Tracer<'e, E: Engine> {
    engine: &'e E,
    link: &'e Link,
    values: &'e [f64],
    recorder: Recorder,
    compactor: Compactor,
    trace: Trace,
    /// What was found so far.
    pub agreement: Agreement,
}

impl<'e, E: Engine> Tracer<'e, E> {
    /// Makes a tracer with empty buffers. `values`: weights by leaf number, or
    /// none for those of the source.
    pub fn new(engine: &'e E, link: &'e Link, values: &'e [f64]) -> Self {
        Self {
            engine,
            link,
            values,
            recorder: Recorder::new(),
            compactor: Compactor::new(link.lanes().to_vec()),
            trace: Trace::default(),
            agreement: Agreement::new(link.spec_weights()),
        }
    }

    /// Overwrites `draft` with the row of a position, seen by the first
    /// player, and at the source's weights notes how production and twin agree.
    ///
    /// *Cost*: one production evaluation, one run of the twin, a few passes
    /// over its tape.
    pub fn trace(&mut self, position: &PositionOf<E>, draft: &mut RowDraft) {
        let twin = || self.engine.trace(position);
        self.recorder.record_at(self.values, twin, &mut self.trace);
        if self.values.is_empty() {
            let production = self.engine.evaluate(position).to_f64();
            self.agreement.note(self.link, &self.trace, production, || {
                self.engine.notation().describe(position)
            });
        }
        self.compactor.draft(&self.trace, draft);
        let turned = self.engine.perspective() == Perspective::SideToMove
            && !self.engine.notation().first_player_to_move(position);
        if turned {
            turn(draft);
        }
    }
}

/// The same score seen by the other player.
fn turn(draft: &mut RowDraft) {
    draft.constant = -draft.constant;
    if let Some(expression) = &mut draft.expression {
        expression.negate();
    }
    for segment in &mut draft.segments {
        segment.factors = segment.factors.map(|factor| -factor);
    }
}
