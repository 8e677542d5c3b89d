//! The order in which rows are read.
//!
//! A pass that meets rows of one phase and one length after another does not
//! guess wrongly where they end, and the curvature of rows that share their
//! factors is one matrix for all of them.

use std::sync::Arc;

use super::TraceSet;
use super::column::arrange;

/// How many neighbouring rows are rearranged at a time: their copies are small against the set, and
/// of each pair of factors there are hundreds. A multiple of the 256 rows between two offsets.
pub(crate) const NEIGHBOURS: usize = 1 << 16;

impl TraceSet {
    /// Sorts the rows within each run of `NEIGHBOURS` (65,536) rows by the number of their list of
    /// steps, then by the pair of factors of their first segment, then by length: rows that are
    /// read alike become neighbours, and get other numbers. Where some row is not linear, or
    /// `pushed_as` was filled before, `pushed_as` keeps for each row the number that it was pushed
    /// with.
    ///
    /// *Cost*: a copy of one run of rows at a time.
    pub(crate) fn arrange(&mut self) {
        let (rows, is_all_linear) = (self.len(), self.is_all_linear());
        let data = Arc::make_mut(&mut self.data);
        let mut keys = Vec::new();
        let mut first = 0;
        while first < rows {
            let count = NEIGHBOURS.min(rows - first);
            keys.clear();
            let mut offset = data.stream.row_start(first);
            for row in 0..count {
                // A key: list of steps, pair of factors, length in groups, and the row's old place.
                let header = data.stream.header(offset);
                let end = data.stream.row_end(offset);
                let shape = data.nonlinear.shape(first + row);
                keys.push((shape, header.factors, (end - offset) as u32, row as u32));
                offset = end;
            }
            if !keys.is_sorted() {
                keys.sort_unstable();
                // For each new place, the old one.
                let order: Vec<u32> = keys.iter().map(|key| key.3).collect();
                data.stream.arrange(first, &order);
                self.outcomes.arrange(first, &order);
                data.constants.arrange(first, &order);
                self.weights.arrange(first, &order);
                data.search_scores.arrange(first, &order);
                data.nonlinear.arrange(first, &order);
                if !(is_all_linear && data.pushed_as.is_empty()) {
                    data.number_rows(rows);
                    arrange(&mut data.pushed_as, first, &order);
                }
                arrange(&mut data.games, first, &order);
            }
            first += count;
        }
    }
}
