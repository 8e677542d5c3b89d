//! Values of weights that are in force on a thread while operations leave no nodes.
//!
//! Then the twin is production's arithmetic with weights that are read at run time: a
//! weight, or an entry of a derived table, becomes a plain integer where it is read,
//! and what is computed of plain integers asks no tape.

use std::cell::Cell;

use super::tape::Ref;

thread_local! {
    /// Those of the weights in force; none while operations leave nodes, and at the
    /// source's weights, which handles hold. Without a destructor, so that reading it
    /// is as cheap as reading a static.
    static WEIGHTS: Cell<&'static [Cell<i32>]> = const { Cell::new(&[]) };
    static ENTRIES: Cell<&'static [Cell<i64>]> = const { Cell::new(&[]) };
}

/// Integers of one point: weights by leaf, entries of derived tables by node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Integers {
    /// Both are leaked, at most twice their length a thread and point, as tables are:
    /// a thread reads them without counting references.
    weights: &'static [Cell<i32>],
    entries: &'static [Cell<i64>],
    /// Whether a value is too large for an integer here: then the tape is to be asked.
    overflows: bool,
}

/// The value of a weight, where the tape need not be asked.
#[inline(always)]
pub(super) fn weight(at: Ref) -> Option<i64> {
    let value = WEIGHTS.get().get(at.as_weight()?)?;
    Some(i64::from(value.get()))
}

/// The same of an entry of a derived table. Not inlined: less often read, and
/// operators are to stay small.
#[inline]
pub(super) fn entry(at: Ref) -> Option<i64> {
    at.as_derived().and_then(node)
}

#[inline(never)]
fn node(node: usize) -> Option<i64> {
    let value = ENTRIES.get().get(node)?;
    Some(value.get())
}

/// Whether operations leave no nodes, at other weights than the source's.
#[inline]
pub(super) fn is_active() -> bool {
    !WEIGHTS.get().is_empty()
}

impl Integers {
    pub(super) const NONE: Self = Self {
        weights: &[],
        entries: &[],
        overflows: false,
    };

    /// Makes these the ones in force.
    pub(super) fn enter(self) {
        let in_force = if self.overflows { Self::NONE } else { self };
        WEIGHTS.set(in_force.weights);
        ENTRIES.set(in_force.entries);
    }

    /// Sets the values of all weights.
    pub(super) fn set_weights(&mut self, values: &[f64]) {
        lengthen(&mut self.weights, values.len());
        self.overflows = false;
        for (weight, value) in self.weights.iter().zip(values) {
            self.overflows |= value.abs() >= f64::from(i32::MAX) || value.is_nan();
            weight.set(*value as i32);
        }
    }

    /// Sets the value of an entry of a derived table.
    pub(super) fn set_entry(&mut self, node: usize, value: f64) {
        lengthen(&mut self.entries, node + 1);
        self.overflows |= value.abs() >= 2f64.powi(53) || value.is_nan();
        self.entries[node].set(value as i64);
    }
}

fn lengthen<T: Default + Clone>(slots: &mut &'static [T], least: usize) {
    if slots.len() < least {
        let mut longer = slots.to_vec();
        longer.resize(least.max(2 * slots.len()), T::default());
        *slots = longer.leak();
    }
}
