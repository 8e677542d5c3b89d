//! Where a quotient is not a derivative.

use std::collections::BTreeMap;

/// Quotients of which the half above and the half below differ, by
/// s(w + h) + s(w − h) − 2·s(w), by more than rounding explains: the score is
/// not linear there, and holds only near the weights at which it was taken.
///
/// A quotient at a bound has one half, and is not looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NonlinearityReport {
    /// Quotients with two halves.
    pub compared: u64,
    /// Those that are nonlinear.
    pub quotients: u64,
    /// Positions that have one.
    pub positions: u64,
    /// How many there are of each weight that has any.
    pub by_weight: BTreeMap<usize, u64>,
    /// The largest; of equals the first.
    pub largest: Option<NonlinearQuotient>,
}

/// One quotient that is not a derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NonlinearQuotient {
    /// The number of the position.
    pub position: usize,
    /// The weight that was moved.
    pub weight: usize,
    /// s(w + h) + s(w − h) − 2·s(w), in centipawns; where a bound makes the
    /// halves unequal, what it would be with equal ones.
    pub second: f64,
}

impl NonlinearityReport {
    /// Counts one of a position; positions are counted by the caller.
    pub(super) fn add(&mut self, one: NonlinearQuotient) {
        self.quotients += 1;
        *self.by_weight.entry(one.weight).or_insert(0) += 1;
        self.offer(one);
    }

    /// Adds those of later positions.
    pub(super) fn merge(&mut self, later: Self) {
        self.compared += later.compared;
        self.quotients += later.quotients;
        self.positions += later.positions;
        for (weight, count) in later.by_weight {
            *self.by_weight.entry(weight).or_insert(0) += count;
        }
        if let Some(one) = later.largest {
            self.offer(one);
        }
    }

    fn offer(&mut self, one: NonlinearQuotient) {
        let larger = |largest: &NonlinearQuotient| one.second.abs() > largest.second.abs();
        if self.largest.as_ref().is_none_or(larger) {
            self.largest = Some(one);
        }
    }
}
