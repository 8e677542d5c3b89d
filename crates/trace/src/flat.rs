//! What one number of a [`derived`](super::derived()) table combines.

use std::collections::BTreeMap;

use super::packed::Part;

/// What a stored node combines: `constant + Σ coefficient · weight`, within `slack`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Flat {
    /// Leaves and their coefficients, none 0.
    pub(super) terms: Vec<(u32, f64)>,
    pub(super) constant: f64,
    /// Bound on how far truncation may have moved the number from this sum.
    pub(super) slack: f64,
}

/// A [`Flat`] of one or two weights and nothing else, which is what the entries of packed tables
/// mostly are: no pointer has to be followed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Small {
    leaves: [u32; 2],
    /// How often each leaf counts; the first is 0 only where the combination is not that simple.
    counts: [i32; 2],
}

impl Small {
    /// Returns two leaf numbers with their coefficients, the second coefficient 0 where there is
    /// one weight; `None` if the combination is not one or two weights, each a whole number of
    /// times, and [`Flat`] is to be asked.
    #[inline]
    pub(super) fn terms(self) -> Option<[(u32, i64); 2]> {
        let term = |i: usize| (self.leaves[i], i64::from(self.counts[i]));
        (self.counts[0] != 0).then(|| [term(0), term(1)])
    }
}

impl Flat {
    /// Returns this combination without a list, if it is one or two weights, each a whole number of
    /// times; else one whose [`terms`](Small::terms) are `None`.
    pub(super) fn small(&self) -> Small {
        let mut small = Small::default();
        if self.constant != 0.0 || self.terms.len() > 2 {
            return small;
        }
        for (place, &(leaf, c)) in self.terms.iter().enumerate() {
            let count = c as i32;
            if f64::from(count) - c != 0.0 || count == 0 {
                return Small::default();
            }
            small.leaves[place] = leaf;
            small.counts[place] = count;
        }
        small
    }

    /// Makes the combination that is one weight, by its leaf number.
    pub(super) fn weight(leaf: usize) -> Self {
        Self {
            terms: vec![(leaf as u32, 1.0)],
            ..Self::default()
        }
    }

    /// Makes the combination that is a plain number.
    pub(super) fn plain(constant: f64) -> Self {
        Self {
            constant,
            ..Self::default()
        }
    }

    /// Returns the combination times a number.
    pub(super) fn times(mut self, k: f64) -> Self {
        self.terms.iter_mut().for_each(|(_, c)| *c *= k);
        self.terms.retain(|&(_, c)| c != 0.0);
        self.constant *= k;
        self.slack *= k.abs();
        self
    }

    /// Returns this combination plus `factor` times the other one. A weight whose coefficients
    /// cancel is left out; the slacks, bounds on what truncation took, add up.
    pub(super) fn plus(self, other: &Self, factor: f64) -> Self {
        let mut sums: BTreeMap<u32, f64> = self.terms.into_iter().collect();
        for &(leaf, c) in &other.terms {
            *sums.entry(leaf).or_default() += factor * c;
        }
        Self {
            terms: sums.into_iter().filter(|&(_, c)| c != 0.0).collect(),
            constant: self.constant + factor * other.constant,
            slack: self.slack + factor.abs() * other.slack,
        }
    }

    /// Returns one of the two numbers packed in the integer that this combination is: the part of
    /// each coefficient, and of the constant, that counts for that half.
    pub(super) fn half(self, part: Part) -> Self {
        let terms = self.terms.into_iter();
        let terms = terms.map(|(leaf, c)| (leaf, part.of(c as i64) as f64));
        Self {
            terms: terms.filter(|&(_, c)| c != 0.0).collect(),
            constant: part.of(self.constant as i64) as f64,
            // A half that was not rounded may be one too small.
            slack: self.slack + if part.floors { 1.0 } else { 0.0 },
        }
    }
}
