//! The distinct entries of a trace set, each stored once.
//!
//! Evaluations count: a few hundred slots, each with a few small coefficients.
//! So rows are lists of *tokens*, numbers of entries, and a kernel that has
//! multiplied each entry by its weights once adds up the terms of a row without
//! another multiplication.

use super::distinct::Key;

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

/// Mixes slot and coefficients; the multiplier is that of Knuth's
/// multiplicative hashing, 2⁶⁴ divided by the golden ratio.
impl Key for Token {
    /// Mixes slot and coefficients: the upper half of their product with 2⁶⁴ divided by the golden
    /// ratio, the multiplier of Knuth's multiplicative hashing.
    #[inline]
    fn hash(self) -> usize {
        let [first, second] = self.coefficients.map(|c| u64::from(c as u16));
        let bits = u64::from(self.slot) << 32 | first << 16 | second;
        (bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize
    }

    #[inline]
    fn same(self, other: Self) -> bool {
        self == other
    }
}

#[cfg(test)]
mod tests {
    use super::super::distinct::Distinct;
    use super::*;

    #[test]
    fn numbers_entries_once_and_survives_dropping_the_index() {
        let mut tokens = Distinct::restored(vec![Token::default()]);
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
