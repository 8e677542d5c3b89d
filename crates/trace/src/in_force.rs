//! Values of weights that are in force on a thread while operations leave no nodes.
//!
//! Then the twin is production's arithmetic with weights that are read at run time: a
//! weight, or an entry of a derived table, becomes a plain integer where it is read,
//! and what is computed of plain integers asks no tape.

use std::cell::Cell;

use super::tape::Ref;

/// What is no integer of 32 bits: the tape is to be asked.
const ELSEWHERE: i32 = i32::MIN;

thread_local! {
    /// Those of the weights in force, by slot; empty while operations leave nodes, and at
    /// the source's weights, which handles hold. Without a destructor, so that reading
    /// it is as cheap as reading a static.
    static IN_FORCE: Cell<&'static [Cell<i32>]> = const { Cell::new(&[]) };
}

/// The value of a weight or of an entry of a derived table, where the tape need not be asked.
#[inline]
pub(super) fn value(at: Ref) -> Option<i32> {
    let slot = at.slot()?;
    let value = IN_FORCE.get().get(slot)?.get();
    (value != ELSEWHERE).then_some(value)
}

/// Whether operations leave no nodes, at other weights than the source's.
#[inline]
pub(super) fn is_active() -> bool {
    !IN_FORCE.get().is_empty()
}

/// Integers of one point, by slot.
#[derive(Debug, Default)]
pub(super) struct Integers {
    /// Leaked, at most twice its length a thread and point, as tables are: the thread
    /// reads it without counting references.
    slots: &'static [Cell<i32>],
}

impl Integers {
    pub(super) const fn new() -> Self {
        Self { slots: &[] }
    }

    /// Makes these the ones in force.
    pub(super) fn enter(&self) {
        IN_FORCE.set(self.slots);
    }

    /// Makes none be in force.
    pub(super) fn leave() {
        IN_FORCE.set(&[]);
    }

    /// Sets the value of a weight or of an entry of a derived table.
    pub(super) fn set(&mut self, at: Ref, value: f64) {
        let Some(slot) = at.slot() else { return };
        if slot >= self.slots.len() {
            self.grow(slot + 1);
        }
        let whole = value.trunc();
        let fits = whole.abs() < f64::from(i32::MAX);
        self.slots[slot].set(if fits { whole as i32 } else { ELSEWHERE });
    }

    #[cold]
    fn grow(&mut self, most: usize) {
        let length = most.max(2 * self.slots.len());
        let mut slots = self.slots.to_vec();
        slots.resize(length, Cell::new(ELSEWHERE));
        self.slots = slots.leak();
    }
}
