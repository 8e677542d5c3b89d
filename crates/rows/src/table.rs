//! Contributions of each entry at certain weights, and sums by entry.

use super::TraceSet;

/// Cells of a table in which a code of 16 bits is never out of range.
const NARROW: usize = 1 << 16;

/// A table of pairs of numbers, by token. For codes of 16 bits it is an array of `NARROW` pairs, so
/// that no index is out of range.
pub trait Cells {
    /// Returns the pairs of a table, by the number of the token (a distinct entry).
    fn of_table(table: &Table) -> &Self;
    /// Returns the pairs of sums, by the number of the token (a distinct entry).
    fn of_sums(sums: &mut TokenSums) -> &mut Self;
    /// Returns the pair of a token (a distinct entry), by its number.
    fn cell(&self, number: usize) -> &[f64; 2];
    /// Returns the pair of a token (a distinct entry), by its number, to be changed.
    fn cell_mut(&mut self, number: usize) -> &mut [f64; 2];
}

/// As many pairs as narrow tokens can name.
pub(crate) type NarrowCells = [[f64; 2]; NARROW];

impl Cells for NarrowCells {
    /// Returns the first 65,536 pairs as an array; a table has at least so many.
    #[inline]
    fn of_table(table: &Table) -> &Self {
        &table.pairs.as_chunks().0[0]
    }

    /// Returns the first 65,536 pairs as an array; there are at least so many.
    #[inline]
    fn of_sums(sums: &mut TokenSums) -> &mut Self {
        &mut sums.pairs.as_chunks_mut().0[0]
    }

    #[inline(always)] // into kernels, where numbers have 16 bits and the index is not checked
    fn cell(&self, number: usize) -> &[f64; 2] {
        &self[number]
    }

    #[inline(always)] // into kernels, where numbers have 16 bits and the index is not checked
    fn cell_mut(&mut self, number: usize) -> &mut [f64; 2] {
        &mut self[number]
    }
}

impl Cells for [[f64; 2]] {
    #[inline]
    fn of_table(table: &Table) -> &Self {
        &table.pairs
    }

    #[inline]
    fn of_sums(sums: &mut TokenSums) -> &mut Self {
        &mut sums.pairs
    }

    #[inline]
    fn cell(&self, number: usize) -> &[f64; 2] {
        &self[number]
    }

    #[inline]
    fn cell_mut(&mut self, number: usize) -> &mut [f64; 2] {
        &mut self[number]
    }
}

/// For each token `[c₁·w[2·slot], c₂·w[2·slot + 1]]`: made once for many rows.
#[derive(Clone, Debug)]
pub struct Table {
    pairs: Vec<[f64; 2]>,
}

impl TraceSet {
    /// Returns for each token, a distinct entry of the set, its two coefficients times the two
    /// weights of its slot. `lanes`: the weights, two per slot.
    ///
    /// # Panics
    /// If there are not two lanes per slot.
    pub fn table(&self, lanes: &[f64]) -> Table {
        assert_eq!(lanes.len(), 2 * self.slots(), "two lanes per slot");
        let (weights, _) = lanes.as_chunks::<2>();
        let tokens = self.tokens();
        // At least 65,536 pairs: then kernels can read the table by 16 bits without a check.
        let mut pairs = vec![[0.0; 2]; tokens.len().max(NARROW)];
        // Token 0, the padding, stays 0, whatever slot 0 weighs.
        for (pair, token) in pairs.iter_mut().zip(tokens).skip(1) {
            let [first, second] = token.coefficients.map(f64::from);
            let [mg, eg] = weights[token.slot as usize];
            *pair = [first * mg, second * eg];
        }
        Table { pairs }
    }
}

/// Pairs of sums by token, which [`take`](Self::take) turns into sums by slot.
#[derive(Clone, Debug)]
pub struct TokenSums {
    pairs: Vec<[f64; 2]>,
    used: usize,
}

impl TokenSums {
    /// Makes two sums of 0 for each token, a distinct entry of the set.
    pub fn new(set: &TraceSet) -> Self {
        let used = set.tokens().len();
        // At least 65,536 pairs: then kernels can name them by 16 bits without a check.
        Self {
            pairs: vec![[0.0; 2]; used.max(NARROW)],
            used,
        }
    }

    /// Turns the sums by token into sums by lane, and empties them. It is the transpose of
    /// [`TraceSet::table`]: a gradient by token becomes one by lane.
    ///
    /// A token is a distinct entry of the set: a slot with a coefficient for each of its two lanes.
    /// Each of the token's two sums, times its coefficient, is added to that lane in `lanes`, which
    /// has two lanes per slot. Token 0 is padding: what was summed for it is dropped.
    pub fn take(&mut self, set: &TraceSet, lanes: &mut [f64]) {
        let (slots, _) = lanes.as_chunks_mut::<2>();
        let tokens = set.tokens();
        for (sum, token) in self.pairs[..self.used].iter_mut().zip(tokens).skip(1) {
            let [first, second] = token.coefficients.map(f64::from);
            let slot = &mut slots[token.slot as usize];
            slot[0] += first * sum[0];
            slot[1] += second * sum[1];
            *sum = [0.0; 2];
        }
        // What was summed for the padding.
        self.pairs[0] = [0.0; 2];
    }
}
