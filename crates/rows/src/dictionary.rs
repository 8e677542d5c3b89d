//! The distinct pairs of factors of a trace set, each stored once.

use std::mem::size_of;

/// Marks a free cell of the index.
const FREE: u32 = u32::MAX;

/// Maps pairs of factors to small numbers and back.
///
/// A tapered integer evaluation has a few dozen pairs, one per phase and scale
/// factor. An evaluation that tapers with floats may have one per position;
/// then this costs 16 bytes a pair, and 5 to 11 more for the index while rows
/// are still coming. The index is open addressing over the numbers alone, so
/// the pairs are not stored twice.
#[derive(Clone, Debug, Default)]
pub(super) struct Dictionary {
    pairs: Vec<[f64; 2]>,
    /// Power of two cells, at most ¾ full; empty when it has been dropped.
    index: Vec<u32>,
    /// The number found last: neighbouring segments often share their factors.
    last: u32,
}

impl Dictionary {
    /// Pairs that have been numbered before.
    #[cfg(feature = "arrow")]
    pub(crate) fn restored(pairs: Vec<[f64; 2]>) -> Self {
        Self {
            pairs,
            ..Self::default()
        }
    }

    /// Returns the number of a pair, a new one if the pair is new.
    pub(crate) fn number(&mut self, pair: [f64; 2]) -> u32 {
        let pair = pair.map(|factor| factor + 0.0); // −0 and 0 are one
        if self
            .pairs
            .get(self.last as usize)
            .is_some_and(|p| same(p, &pair))
        {
            return self.last;
        }
        if (self.pairs.len() + 1) * 4 > self.index.len() * 3 {
            self.rebuild();
        }
        let mask = self.index.len() - 1;
        let mut cell = hash(&pair) & mask;
        loop {
            match self.index[cell] {
                FREE => {
                    self.last = self.pairs.len() as u32;
                    self.index[cell] = self.last;
                    self.pairs.push(pair);
                    return self.last;
                }
                number if same(&self.pairs[number as usize], &pair) => {
                    self.last = number;
                    return number;
                }
                _ => cell = (cell + 1) & mask,
            }
        }
    }

    /// Returns the pair of a number; zeros for the segment of a row without
    /// entries, which has no pair of its own.
    #[inline]
    pub(crate) fn pair(&self, number: u32) -> [f64; 2] {
        self.pairs.get(number as usize).copied().unwrap_or_default()
    }

    /// Returns all pairs in the order of their numbers.
    pub(crate) fn pairs(&self) -> &[[f64; 2]] {
        &self.pairs
    }

    /// Returns the bytes reserved.
    pub(crate) fn bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<[f64; 2]>() + self.index.capacity() * size_of::<u32>()
    }

    /// Drops the index and spare memory; the next new pair builds it again.
    pub(crate) fn shrink(&mut self) {
        self.index = Vec::new();
        self.pairs.shrink_to_fit();
    }

    /// Builds the index anew with room for as many pairs again.
    fn rebuild(&mut self) {
        let cells = ((self.pairs.len() + 1) * 2).next_power_of_two().max(16);
        self.index = vec![FREE; cells];
        for (number, pair) in self.pairs.iter().enumerate() {
            let mut cell = hash(pair) & (cells - 1);
            while self.index[cell] != FREE {
                cell = (cell + 1) & (cells - 1);
            }
            self.index[cell] = number as u32;
        }
    }
}

/// Compares by bits: a pair must come back exactly as it went in.
fn same(left: &[f64; 2], right: &[f64; 2]) -> bool {
    left.map(f64::to_bits) == right.map(f64::to_bits)
}

/// Mixes the bits of a pair: floats differ mostly in their upper bits, the
/// index uses the lower ones. Constants: the 64-bit finaliser of Austin
/// Appleby's MurmurHash3.
fn hash(pair: &[f64; 2]) -> usize {
    let mut bits = pair[0].to_bits() ^ pair[1].to_bits().rotate_left(31);
    bits = (bits ^ (bits >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    bits = (bits ^ (bits >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    (bits ^ (bits >> 33)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_pairs_once_and_survives_dropping_the_index() {
        let mut dictionary = Dictionary::default();
        let pair = |i: u32| [f64::from(i) / 24.0, 1.0 - f64::from(i) / 24.0];
        let first: Vec<_> = (0..1000).map(|i| dictionary.number(pair(i))).collect();
        dictionary.shrink();
        let second: Vec<_> = (0..1000).map(|i| dictionary.number(pair(i))).collect();
        assert_eq!(first, second);
        assert_eq!(dictionary.pairs().len(), 1000);
        assert_eq!(dictionary.number([-0.0, 1.0]), first[0]);
        assert!(same(&dictionary.pair(first[7]), &pair(7)));
    }

    #[test]
    fn stays_fast_when_every_pair_is_new() {
        let mut dictionary = Dictionary::default();
        for i in 0..300_000 {
            let phase = f64::from(i) * 1e-6;
            assert_eq!(dictionary.number([phase, 1.0 - phase]), i);
        }
        dictionary.shrink();
        assert_eq!(dictionary.bytes(), 300_000 * 16);
    }
}
