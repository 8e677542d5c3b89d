//! Coefficients by slot, taken out in the order of slots without sorting: a bit for each slot
//! that has any, and a bit for each word of 64 such bits, so that thousands of empty slots cost
//! a look at a few words.

use tuner_base::Slot;

/// Bits in a word.
const BITS: usize = u64::BITS as usize;

/// Sums of coefficients by slot and lane, and which slots have any.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlotSums {
    coefficients: Vec<[i16; 2]>,
    /// A bit for each slot, set if it has coefficients.
    present: Vec<u64>,
    /// A bit for each word of `present`, set if that word is not 0.
    words: Vec<u64>,
}

impl SlotSums {
    /// Makes sums of 0 over `slots` slots.
    pub(crate) fn new(slots: usize) -> Self {
        let words = slots.div_ceil(BITS);
        Self {
            coefficients: vec![[0; 2]; slots],
            present: vec![0; words],
            words: vec![0; words.div_ceil(BITS)],
        }
    }

    /// Adds a coefficient to the sum of a slot in lane `side`, 0 or 1. Where the sum does not fit
    /// into 16 bits it stays, and the coefficient becomes an entry of its own in `beside`.
    ///
    /// # Panics
    /// If there is no such slot.
    pub(crate) fn add(
        &mut self,
        slot: Slot,
        side: usize,
        coefficient: i16,
        beside: &mut Vec<(Slot, [i16; 2])>,
    ) {
        let index = slot.index();
        let held = &mut self.coefficients[index][side];
        if let Some(sum) = held.checked_add(coefficient) {
            *held = sum;
        } else {
            let mut alone = [0; 2];
            alone[side] = coefficient;
            beside.push((slot, alone));
        }
        let word = index / BITS;
        self.present[word] |= 1 << (index % BITS);
        self.words[word / BITS] |= 1 << (word % BITS);
    }

    /// Appends an entry for each slot to which a coefficient was added, ascending by slot, and sets
    /// all sums to 0.
    pub(crate) fn take_into(&mut self, entries: &mut Vec<(Slot, [i16; 2])>) {
        // Each bit of `words` is a word of `present`, each bit of that a slot.
        for (group, words) in self.words.iter_mut().enumerate() {
            for word in ones(std::mem::take(words)) {
                let word = group * BITS + word;
                for bit in ones(std::mem::take(&mut self.present[word])) {
                    let index = word * BITS + bit;
                    let coefficients = std::mem::take(&mut self.coefficients[index]);
                    entries.push((Slot(index as u32), coefficients));
                }
            }
        }
    }
}

/// Iterates over the numbers of the bits of a word that are 1, from the lowest.
fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (bits != 0).then(|| bits.trailing_zeros() as usize);
        // Clears the lowest bit that is 1.
        bits &= bits.wrapping_sub(1);
        first
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_by_slot_and_only_once() {
        let mut sums = SlotSums::new(5000);
        let mut entries = Vec::new();
        for (slot, side, coefficient) in [
            (4999, 0, 3),
            (0, 1, -2),
            (63, 0, 1),
            (64, 1, 1),
            (0, 0, 7),
            (63, 0, 1),
        ] {
            sums.add(Slot(slot), side, coefficient, &mut entries);
        }
        sums.take_into(&mut entries);
        let expected = [(0, [7, -2]), (63, [2, 0]), (64, [0, 1]), (4999, [3, 0])];
        assert_eq!(entries, expected.map(|(slot, pair)| (Slot(slot), pair)));
        sums.take_into(&mut entries);
        assert_eq!(entries.len(), 4);
    }

    #[test]
    fn what_does_not_fit_stands_alone() {
        let mut sums = SlotSums::new(2);
        let mut entries = Vec::new();
        sums.add(Slot(1), 0, i16::MAX, &mut entries);
        sums.add(Slot(1), 0, 2, &mut entries);
        sums.take_into(&mut entries);
        assert_eq!(entries, [(Slot(1), [2, 0]), (Slot(1), [i16::MAX, 0])]);
    }
}
