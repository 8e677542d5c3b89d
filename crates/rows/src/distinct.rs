//! The distinct values of a trace set, each stored once: entries, pairs of factors.

use std::mem::size_of;

/// Marks a free cell of the index.
const FREE: u32 = u32::MAX;

/// A value of which a trace set stores each distinct one once, by a number.
pub(super) trait Key: Copy + Default {
    /// Returns a hash of all bits, whose lower bits choose a cell of the hash table; equal values
    /// have equal hashes.
    fn hash(self) -> usize;
    /// Tells whether two values are equal in every bit.
    fn same(self, other: Self) -> bool;
}

/// Maps values to small numbers and back.
///
/// *Memory*: besides the values 5 to 11 bytes for each while rows are still coming.
/// The index is open addressing over the numbers alone, so the values are not stored
/// twice.
#[derive(Clone, Debug)]
pub(super) struct Distinct<T> {
    all: Vec<T>,
    /// Open addressing: numbers of values or [`FREE`], in a power of two cells, at most ¾ full;
    /// empty when dropped.
    index: Vec<u32>,
}

impl<T: Key> Distinct<T> {
    /// Makes the map of a list of values, all different, of which each has its place as its number.
    /// The index, by which the number of a value is found, is built when the first one is asked
    /// for.
    pub(crate) fn restored(all: Vec<T>) -> Self {
        let index = Vec::new();
        Self { all, index }
    }

    /// Returns the number of a value; a value that is new gets the next one.
    #[inline]
    pub(crate) fn number(&mut self, value: T) -> u32 {
        // At most ¾ of the cells are filled, so that a search soon meets a free one; an index that
        // was dropped has no cells.
        if (self.all.len() + 1) * 4 > self.index.len() * 3 {
            self.rebuild();
        }
        let mask = self.index.len() - 1;
        let mut cell = value.hash() & mask;
        loop {
            match self.index[cell] {
                FREE => {
                    let number = self.all.len() as u32;
                    self.index[cell] = number;
                    self.all.push(value);
                    return number;
                }
                number if self.all[number as usize].same(value) => return number,
                _ => cell = (cell + 1) & mask,
            }
        }
    }

    /// Returns the value with this number; the default value if there is no such number.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> T {
        self.all.get(number as usize).copied().unwrap_or_default()
    }

    /// Returns all values in the order of their numbers.
    pub(crate) fn all(&self) -> &[T] {
        &self.all
    }

    /// Returns the bytes that are reserved for values and index.
    pub(crate) fn bytes(&self) -> usize {
        self.all.capacity() * size_of::<T>() + self.index.capacity() * size_of::<u32>()
    }

    /// Drops the index and spare memory; the next value that is numbered builds the index again.
    pub(crate) fn shrink(&mut self) {
        self.index = Vec::new();
        self.all.shrink_to_fit();
    }

    /// Builds the index anew with room for as many values again: from a value's hash on, the first
    /// free cell gets its number.
    fn rebuild(&mut self) {
        let cells = ((self.all.len() + 1) * 2).next_power_of_two().max(64);
        self.index = vec![FREE; cells];
        for (number, &value) in self.all.iter().enumerate() {
            let mut cell = value.hash() & (cells - 1);
            while self.index[cell] != FREE {
                cell = (cell + 1) & (cells - 1);
            }
            self.index[cell] = number as u32;
        }
    }
}

/// A pair of factors. A tapered integer evaluation has a few dozen, one per phase and
/// scale factor; one that tapers with floats may have one per position.
impl Key for [f64; 2] {
    /// Mixes the bits of both factors into the lower bits: floats differ mostly in their upper
    /// bits. Constants: the 64-bit finaliser of Austin Appleby's MurmurHash3.
    fn hash(self) -> usize {
        let mut bits = self[0].to_bits() ^ self[1].to_bits().rotate_left(31);
        bits = (bits ^ (bits >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        bits = (bits ^ (bits >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        (bits ^ (bits >> 33)) as usize
    }

    fn same(self, other: Self) -> bool {
        self.map(f64::to_bits) == other.map(f64::to_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_pairs_once_and_survives_dropping_the_index() {
        let mut pairs = Distinct::restored(Vec::new());
        let pair = |i: u32| [f64::from(i) / 24.0, 1.0 - f64::from(i) / 24.0];
        let first: Vec<_> = (0..1000).map(|i| pairs.number(pair(i))).collect();
        pairs.shrink();
        let second: Vec<_> = (0..1000).map(|i| pairs.number(pair(i))).collect();
        assert_eq!(first, second);
        assert_eq!(pairs.all().len(), 1000);
        assert!(pairs.get(first[7]).same(pair(7)));
    }

    #[test]
    fn stays_fast_when_every_pair_is_new() {
        let mut pairs = Distinct::restored(Vec::new());
        for i in 0..300_000 {
            let phase = f64::from(i) * 1e-6;
            assert_eq!(pairs.number([phase, 1.0 - phase]), i);
        }
        pairs.shrink();
        assert_eq!(pairs.bytes(), 300_000 * 16);
    }
}
