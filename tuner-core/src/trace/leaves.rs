//! Coefficients of one form, gathered weight by weight.

use super::tape::{Ref, Tape};

/// Coefficients by leaf, dense, with the list of those touched.
pub(super) struct Leaves<'a> {
    pub(super) by_leaf: &'a mut Vec<i64>,
    pub(super) touched: &'a mut Vec<u32>,
}

impl Leaves<'_> {
    /// Adds a weight, or what a node of a derived table combines.
    pub(super) fn meet(
        &mut self,
        tape: &Tape,
        at: Ref,
        by: i64,
        offset: &mut f64,
        counted: impl Fn(i64) -> i64,
    ) {
        let Some(flat) = at.as_derived().and_then(|at| tape.tables.flat(at)) else {
            self.add(at, by);
            return;
        };
        for &(leaf, c) in &flat.terms {
            self.add(Ref::weight(leaf), by * c as i64);
        }
        *offset += counted(by * flat.constant as i64) as f64;
    }

    fn add(&mut self, weight: Ref, by: i64) {
        let Some(leaf) = weight.as_weight() else {
            return;
        };
        if leaf >= self.by_leaf.len() {
            self.by_leaf.resize(leaf + 1, 0);
        }
        // A leaf whose sum returned to zero may be listed twice; `take` copes.
        if self.by_leaf[leaf] == 0 {
            self.touched.push(leaf as u32);
        }
        self.by_leaf[leaf] += by;
    }

    pub(super) fn take(&mut self) -> Vec<(u32, i64)> {
        let mut terms = Vec::with_capacity(self.touched.len());
        for leaf in self.touched.drain(..) {
            let coefficient = std::mem::take(&mut self.by_leaf[leaf as usize]);
            if coefficient != 0 {
                terms.push((leaf, coefficient));
            }
        }
        terms
    }
}
