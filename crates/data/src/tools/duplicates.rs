//! Positions that are there more than once.

use std::collections::HashSet;

/// Which of equal positions are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duplicates {
    /// All: a position counts as often as it is there.
    #[default]
    Keep,
    /// The first, with its result; later ones are left out whatever theirs.
    First,
    /// The first with each result: positions with different results stay, once
    /// with each.
    FirstOfResult,
}

/// The positions so far: one 64-bit key each.
#[derive(Debug, Default)]
pub(super) struct Seen(HashSet<u64>);

impl Seen {
    /// Tells whether a position is taken, by its key and by a number for its result, and notes it.
    /// Two positions with one key count as one: of ten million, by chance, hardly a pair. Where
    /// positions with different results are different, a hash of both numbers is noted.
    pub(super) fn takes(&mut self, policy: Duplicates, key: u64, result: u64) -> bool {
        match policy {
            Duplicates::Keep => true,
            Duplicates::First => self.0.insert(key),
            Duplicates::FirstOfResult => self.0.insert(super::mixed(result, key)),
        }
    }
}
