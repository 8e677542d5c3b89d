//! The transposition table: what earlier visits of a position found.

use tuner_shogi::Move;

use super::MATE_BOUND;

/// How a stored score relates to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// At most the stored score.
    Upper,
    /// At least the stored score.
    Lower,
    /// The stored score.
    Exact,
}

/// One position's record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) key: u64,
    /// Checked against the legal moves by whoever uses it: keys can collide.
    pub(super) best: Option<Move>,
    pub(super) score: i16,
    pub(super) depth: i8,
    pub(super) bound: Bound,
    search: u8,
}

/// A table of fixed size with one slot a key.
pub(super) struct Table {
    slots: Vec<Option<Entry>>,
    search: u8,
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Table")
            .field("slots", &self.slots.len())
            .finish_non_exhaustive()
    }
}

impl Table {
    pub(super) fn new(megabytes: usize) -> Table {
        let requested = megabytes.saturating_mul(1 << 20) / size_of::<Option<Entry>>();
        // The largest power of two that fits: the key's low bits are the slot.
        let slots = 1_usize << requested.max(16).ilog2();
        Table {
            slots: vec![None; slots],
            search: 0,
        }
    }

    pub(super) fn clear(&mut self) {
        self.slots.fill(None);
        self.search = 0;
    }

    /// Marks what is stored so far as old, to be replaced first.
    pub(super) fn new_search(&mut self) {
        self.search = self.search.wrapping_add(1);
    }

    pub(super) fn get(&self, key: u64) -> Option<Entry> {
        self.slots[self.slot(key)].filter(|entry| entry.key == key)
    }

    /// Stores a score that is relative to the node, see [`to_table`]. A deeper
    /// record of another position in the same search stays.
    pub(super) fn put(
        &mut self,
        key: u64,
        best: Option<Move>,
        score: i32,
        depth: i32,
        bound: Bound,
    ) {
        let slot = self.slot(key);
        let old = self.slots[slot];
        let depth = depth.clamp(0, i32::from(i8::MAX)) as i8;
        if let Some(old) = old
            && old.key != key
            && old.search == self.search
            && old.depth > depth
        {
            return;
        }
        // A bound from above knows no best move: keep the one from before.
        let best = best.or(old.filter(|old| old.key == key).and_then(|old| old.best));
        let score = score as i16;
        self.slots[slot] = Some(Entry {
            key,
            best,
            score,
            depth,
            bound,
            search: self.search,
        });
    }

    fn slot(&self, key: u64) -> usize {
        key as usize & (self.slots.len() - 1)
    }
}

/// Turns a score counted from the root into one counted from the node: only
/// mates differ.
pub(super) fn to_table(score: i32, ply: usize) -> i32 {
    if score >= MATE_BOUND {
        score + ply as i32
    } else if score <= -MATE_BOUND {
        score - ply as i32
    } else {
        score
    }
}

/// The way back from [`to_table`].
pub(super) fn from_table(score: i16, ply: usize) -> i32 {
    let score = i32::from(score);
    if score >= MATE_BOUND {
        score - ply as i32
    } else if score <= -MATE_BOUND {
        score + ply as i32
    } else {
        score
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::MATE;

    #[test]
    fn mates_are_stored_by_their_distance_from_the_node() {
        for score in [0, 50, -50, MATE - 5, 5 - MATE] {
            assert_eq!(from_table(to_table(score, 3) as i16, 3), score);
        }
        assert_eq!(to_table(MATE - 5, 3), MATE - 2);
        assert_eq!(from_table((MATE - 2) as i16, 1), MATE - 3);
    }

    #[test]
    fn other_positions_of_the_slot_are_not_found() {
        let mut table = Table::new(0);
        table.put(3, None, 10, 5, Bound::Exact);
        assert!(table.get(3).is_some());
        assert!(table.get(3 + (1 << 40)).is_none());
    }

    #[test]
    fn deeper_records_stay_until_the_next_search() {
        let mut table = Table::new(0);
        let (old, new) = (3, 3 + (1 << 40));
        table.put(old, None, 10, 5, Bound::Exact);
        table.put(new, None, 20, 1, Bound::Exact);
        assert!(table.get(old).is_some());
        table.new_search();
        table.put(new, None, 20, 1, Bound::Exact);
        assert!(table.get(old).is_none());
    }
}
