//! The evaluation that a search uses.

use tuner_shogi::Position;

use crate::eval::evaluate;

/// An evaluation, in centipawns from the side to move. The search is compiled
/// for each, so that production pays nothing for the choice.
pub trait Evaluation {
    /// Scores a position.
    fn of(&self, pos: &Position) -> i32;
}

/// The evaluation of this crate, with the weights that are compiled in.
#[derive(Clone, Copy, Debug, Default)]
pub struct Production;

impl Evaluation for Production {
    fn of(&self, pos: &Position) -> i32 {
        evaluate(pos)
    }
}

/// An evaluation that is a function, for example the same at other weights.
#[derive(Clone, Copy, Debug)]
pub struct At<F>(pub F);

impl<F: Fn(&Position) -> i32> Evaluation for At<F> {
    fn of(&self, pos: &Position) -> i32 {
        (self.0)(pos)
    }
}

/// Scores of positions that were evaluated: a search comes to many of them more than once.
/// They are what the evaluation says, so a search is the same with or without them.
pub(super) struct EvaluationCache {
    slots: Vec<(u64, i32)>,
}

impl std::fmt::Debug for EvaluationCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EvaluationCache")
            .field("slots", &self.slots.len())
            .finish()
    }
}

impl EvaluationCache {
    /// Chosen: 256 KB, which processors keep near by. A power of two.
    const SLOTS: u64 = 1 << 14;

    /// Few where the search has no memory either.
    pub(super) fn new(hash_mb: usize) -> EvaluationCache {
        let slots = if hash_mb == 0 { 16 } else { Self::SLOTS };
        // A key that is of another slot is of no position here.
        let empty = |slot: u64| (slot ^ 1, 0);
        EvaluationCache {
            slots: (0..slots).map(empty).collect(),
        }
    }

    /// The score of the position with this key.
    pub(super) fn score(&mut self, key: u64, evaluate: impl FnOnce() -> i32) -> i32 {
        let slot = key as usize & (self.slots.len() - 1);
        let known = &mut self.slots[slot];
        if known.0 != key {
            *known = (key, evaluate());
        }
        known.1
    }
}
