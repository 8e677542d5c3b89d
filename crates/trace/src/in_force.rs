//! Values of weights that are in force on a thread while operations leave no nodes.
//!
//! Then the twin is production's arithmetic with weights that are read at run time: a
//! weight, or an entry of a derived table, becomes a plain integer where it is read,
//! and what is computed of plain integers asks no tape.

use std::cell::Cell;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::tape::Ref;

/// Relaxed: an array belongs to one thread alone until that thread ends.
const ORDER: Ordering = Ordering::Relaxed;

type Slots = &'static [AtomicI64];

/// Arrays of threads that have ended, for those to come: matches start threads anew for
/// every batch of games.
static LEFT: Mutex<Vec<Slots>> = Mutex::new(Vec::new());

thread_local! {
    /// Integers of the weights in force, by leaf; empty while operations leave nodes, and at the
    /// source's weights, which handles hold. Without a destructor, so that reading it is as cheap
    /// as reading a static.
    static WEIGHTS: Cell<Slots> = const { Cell::new(&[]) };
    /// Integers of the entries of derived tables at the weights in force, by node.
    static ENTRIES: Cell<Slots> = const { Cell::new(&[]) };
}

/// Integers of one point: weights by leaf, entries of derived tables by node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Integers {
    /// Both are leaked, so that a thread reads them without counting references, and
    /// handed on when it ends.
    weights: Slots,
    entries: Slots,
    /// Whether a value is too large for an integer here: then the tape is to be asked.
    overflows: bool,
}

/// Returns the value of a weight at the weights in force on this thread; `None` if `at` is not a
/// weight, or no integers are in force, so that the tape must be asked.
#[inline(always)]
pub(super) fn weight(at: Ref) -> Option<i64> {
    let value = WEIGHTS.get().get(at.as_weight()?)?;
    Some(value.load(ORDER))
}

/// Returns the value, at the weights in force on this thread, of an entry of a derived table (one
/// computed from weights); `None` if `at` is not one, or the tape must be asked. The look-up is not
/// inlined: it is less often needed, and operators are to stay small.
#[inline]
pub(super) fn entry(at: Ref) -> Option<i64> {
    at.as_derived().and_then(node)
}

/// Returns the value, at the weights in force on this thread, of a node of the derived tables
/// (tables computed from weights); `None` if it is not in the array, so that the tape must be
/// asked.
#[inline(never)]
fn node(node: usize) -> Option<i64> {
    let value = ENTRIES.get().get(node)?;
    Some(value.load(ORDER))
}

/// Tells whether other weights than the source's are in force on this thread while operations leave
/// no nodes, so that numbers read their values from arrays of integers.
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

    /// Puts these integers into force on this thread. If a value does not fit into an integer, none
    /// are in force, so that every value is asked of the tape.
    pub(super) fn enter(self) {
        let in_force = if self.overflows { Self::NONE } else { self };
        WEIGHTS.set(in_force.weights);
        ENTRIES.set(in_force.entries);
    }

    /// Leaves the arrays to threads that begin later, as this thread ends; none are left here.
    pub(super) fn hand_on(&mut self) {
        let arrays = [self.weights, self.entries];
        *self = Self::NONE;
        let mut left = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
        left.extend(arrays.into_iter().filter(|slots| !slots.is_empty()));
    }

    /// Sets the values of all weights, by leaf number. If one does not fit into 32 bits, these
    /// integers are not used (`overflows`) until weights are set again.
    pub(super) fn set_weights(&mut self, values: &[f64]) {
        lengthen(&mut self.weights, values.len());
        self.overflows = false;
        for (weight, value) in self.weights.iter().zip(values) {
            self.overflows |= value.abs() >= f64::from(i32::MAX) || value.is_nan();
            weight.store(*value as i64, ORDER);
        }
    }

    /// Sets the value of an entry of a derived table (one computed from weights), by its node. If
    /// it is beyond 2⁵³, these integers are not used (`overflows`) until weights are set again.
    pub(super) fn set_entry(&mut self, node: usize, value: f64) {
        lengthen(&mut self.entries, node + 1);
        self.overflows |= value.abs() >= 2f64.powi(53) || value.is_nan();
        self.entries[node].store(value as i64, ORDER);
    }
}

/// Makes an array at least `least` long: in its place comes the longest one that an ended thread
/// has left, if that is long enough, or a new one. The values of the old array are copied to it.
///
/// The old array may be in force, so no other thread gets it. New threads begin with arrays that
/// have grown already, so that the memory lost does not depend on their number.
fn lengthen(slots: &mut Slots, least: usize) {
    if slots.len() >= least {
        return;
    }
    let mut left = LEFT.lock().unwrap_or_else(PoisonError::into_inner);
    let longest = (0..left.len()).max_by_key(|&place| left[place].len());
    let longer = if let Some(place) = longest.filter(|&place| left[place].len() >= least) {
        left.swap_remove(place)
    } else {
        let length = least.max(2 * slots.len());
        let new: Vec<AtomicI64> = (0..length).map(|_| AtomicI64::new(0)).collect();
        new.leak()
    };
    drop(left);
    for (to, from) in longer.iter().zip(*slots) {
        to.store(from.load(ORDER), ORDER);
    }
    *slots = longer;
}
