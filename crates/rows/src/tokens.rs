//! The distinct entries of a trace set, each stored once.
//!
//! Evaluations count: a few hundred slots, each with a few small coefficients.
//! So rows are lists of *tokens*, numbers of entries, and a kernel that has
//! multiplied each entry by its weights once adds up the terms of a row without
//! another multiplication.

use std::mem::size_of;

/// An entry: a slot, and how often each of its lanes counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Token {
    /// The slot.
    pub slot: u32,
    /// The coefficients of lanes 0 and 1.
    pub coefficients: [i16; 2],
}

/// The token that fills up a group: it counts for nothing.
pub(super) const PADDING: u32 = 0;

/// Half of the largest coefficient. A segment has a slot twice only where the sum
/// of two coefficients does not fit, so that one of them is at least this.
pub const LARGE: u16 = 1 << 14;

/// Marks a free cell of the index.
const FREE: u32 = u32::MAX;

/// Maps entries to tokens and back. Number 0 is the padding.
#[derive(Clone, Debug)]
pub(super) struct Tokens {
    all: Vec<Token>,
    /// Power of two cells, at most ¾ full; empty when it has been dropped.
    index: Vec<u32>,
}

impl Default for Tokens {
    fn default() -> Self {
        Self {
            all: vec![Token::default()],
            index: Vec::new(),
        }
    }
}

impl Tokens {
    /// Entries that have been numbered before; the first is the padding.
    #[cfg(feature = "arrow")]
    pub(crate) fn restored(all: Vec<Token>) -> Self {
        Self {
            all,
            index: Vec::new(),
        }
    }

    /// Returns the number of an entry, a new one if the entry is new.
    #[inline]
    pub(crate) fn number(&mut self, token: Token) -> u32 {
        if (self.all.len() + 1) * 4 > self.index.len() * 3 {
            self.rebuild();
        }
        let mask = self.index.len() - 1;
        let mut cell = hash(token) & mask;
        loop {
            match self.index[cell] {
                FREE => {
                    let number = self.all.len() as u32;
                    self.index[cell] = number;
                    self.all.push(token);
                    return number;
                }
                number if self.all[number as usize] == token => return number,
                _ => cell = (cell + 1) & mask,
            }
        }
    }

    /// Returns all entries in the order of their numbers.
    pub(crate) fn all(&self) -> &[Token] {
        &self.all
    }

    /// Returns the bytes reserved.
    pub(crate) fn bytes(&self) -> usize {
        self.all.capacity() * size_of::<Token>() + self.index.capacity() * size_of::<u32>()
    }

    /// Drops the index and spare memory; the next entry builds it again.
    pub(crate) fn shrink(&mut self) {
        self.index = Vec::new();
        self.all.shrink_to_fit();
    }

    /// Builds the index anew with room for as many entries again.
    fn rebuild(&mut self) {
        let cells = ((self.all.len() + 1) * 2).next_power_of_two().max(64);
        self.index = vec![FREE; cells];
        for (number, &token) in self.all.iter().enumerate() {
            let mut cell = hash(token) & (cells - 1);
            while self.index[cell] != FREE {
                cell = (cell + 1) & (cells - 1);
            }
            self.index[cell] = number as u32;
        }
    }
}

/// Mixes slot and coefficients; the multiplier is that of Knuth's
/// multiplicative hashing, 2⁶⁴ divided by the golden ratio.
#[inline]
fn hash(token: Token) -> usize {
    let [first, second] = token.coefficients.map(|c| u64::from(c as u16));
    let bits = u64::from(token.slot) << 32 | first << 16 | second;
    (bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_entries_once_and_survives_dropping_the_index() {
        let mut tokens = Tokens::default();
        let token = |i: u32| Token {
            slot: i % 300,
            coefficients: [(i / 300) as i16 - 20, (i % 5) as i16],
        };
        let first: Vec<u32> = (0..3000).map(|i| tokens.number(token(i))).collect();
        tokens.shrink();
        let second: Vec<u32> = (0..3000).map(|i| tokens.number(token(i))).collect();
        assert_eq!(first, second);
        for (i, &number) in (0..).zip(&first) {
            assert_eq!(tokens.all()[number as usize], token(i));
            assert_ne!(number, PADDING, "{i}");
        }
    }
}
