//! The order in which rows are read.
//!
//! A pass that meets rows of one phase and one length after another does not
//! guess wrongly where they end, and the curvature of rows that share their
//! factors is one matrix for all of them.

use super::TraceSet;
use super::column::arrange;

/// Rows are rearranged among so many neighbours: their copies are small against
/// the set, and of each pair of factors there are hundreds. A multiple of the
/// 256 rows between two offsets.
pub(crate) const NEIGHBOURS: usize = 1 << 16;

impl TraceSet {
    /// Sorts the rows of each neighbourhood by shape, factors and length.
    ///
    /// *Cost*: a copy of one neighbourhood at a time.
    pub(crate) fn arrange(&mut self) {
        let mut keys = Vec::new();
        let mut first = 0;
        while first < self.len() {
            let count = NEIGHBOURS.min(self.len() - first);
            keys.clear();
            let mut offset = self.stream.row_start(first);
            for row in 0..count {
                let header = self.stream.header(offset);
                let end = self.stream.row_end(offset);
                let shape = self.nonlinear.shape(first + row);
                keys.push((shape, header.factors, (end - offset) as u32, row as u32));
                offset = end;
            }
            if !keys.is_sorted() {
                keys.sort_unstable();
                let order: Vec<u32> = keys.iter().map(|key| key.3).collect();
                self.stream.arrange(first, &order);
                self.outcomes.arrange(first, &order);
                self.constants.arrange(first, &order);
                self.weights.arrange(first, &order);
                self.search_scores.arrange(first, &order);
                self.nonlinear.arrange(first, &order);
                if !self.is_all_linear() {
                    self.number_rows(self.len());
                    arrange(&mut self.pushed_as, first, &order);
                }
                arrange(&mut self.games, first, &order);
            }
            first += count;
        }
    }
}
