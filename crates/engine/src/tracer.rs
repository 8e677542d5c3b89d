//! Positions into rows, each checked on the way.

use std::ops::AddAssign;
use std::time::{Duration, Instant};

use super::agreement::Agreement;
use super::engine::{Engine, PositionOf};
use super::link::Link;
use tuner_data::Perspective;
use tuner_data::PositionNotation;
use tuner_rows::Compactor;
use tuner_rows::RowDraft;
use tuner_trace::{Primitive, Recorder, Trace};

/// One position in so many is timed; chosen, so that the clock costs a thousandth.
const TIMED: u32 = 64;

/// What the work on positions took, summed over threads: estimated from one in
/// [`TIMED`].
#[derive(Clone, Copy, Debug, Default)]
pub struct TracingTimes {
    /// The twin, its sweep, the row.
    pub tracing: Duration,
    /// The production evaluation, and the comparison with it.
    pub checking: Duration,
}

impl AddAssign for TracingTimes {
    fn add_assign(&mut self, other: Self) {
        self.tracing += other.tracing;
        self.checking += other.checking;
    }
}

/// Traces positions of one engine on one thread and keeps the agreement.
#[derive(Debug)]
pub struct Tracer<'e, E: Engine> {
    engine: &'e E,
    link: &'e Link,
    values: &'e [f64],
    recorder: Recorder,
    compactor: Compactor,
    trace: Trace,
    traced: u32,
    /// What was found so far.
    pub agreement: Agreement,
    /// What it took so far.
    pub times: TracingTimes,
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
            traced: 0,
            agreement: Agreement::new(link.spec_weights()),
            times: TracingTimes::default(),
        }
    }

    /// Overwrites `draft` with the row of a position, seen by the first
    /// player, and at the source's weights notes how production and twin agree.
    ///
    /// *Cost*: one production evaluation, one run of the twin, a few passes
    /// over its tape.
    pub fn trace(&mut self, position: &PositionOf<E>, draft: &mut RowDraft) {
        let begun = self.traced.is_multiple_of(TIMED).then(Instant::now);
        self.traced = self.traced.wrapping_add(1);
        // First as it stands: where it panics, its own line is the place.
        let production = (self.values.is_empty()).then(|| self.engine.evaluate(position).to_f64());
        let evaluated = begun.map(|_| Instant::now());
        let twin = || self.engine.trace(position);
        self.recorder.record_at(self.values, twin, &mut self.trace);
        let recorded = begun.map(|_| Instant::now());
        if let Some(production) = production {
            self.agreement.note(self.link, &self.trace, production, || {
                self.engine.notation().describe(position)
            });
        }
        let checked = begun.map(|_| Instant::now());
        self.compactor.draft(&self.trace, draft);
        let turned = self.engine.perspective() == Perspective::SideToMove
            && !self.engine.notation().first_player_to_move(position);
        if turned {
            turn(draft);
        }
        let times = (begun, evaluated, recorded, checked);
        if let (Some(begun), Some(evaluated), Some(recorded), Some(checked)) = times {
            self.times += TracingTimes {
                tracing: TIMED * ((recorded - evaluated) + checked.elapsed()),
                checking: TIMED * ((evaluated - begun) + (checked - recorded)),
            };
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
