//! Ties between weights, resolved so that each tied weight follows one free one.

use std::collections::BTreeMap;

use tuner_base::{Tie, WeightId};

/// Why a tie cannot be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The two weights are tied already, with another factor or difference.
    Contradiction,
    /// The resolved factor or difference would be a fraction.
    Fraction,
    /// The resolved factor or difference is beyond ±2⁵³.
    Overflow,
}

/// `w[weight] = factor · w[to] + difference`, where `weight` is the key that it is stored under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Relation {
    to: usize,
    factor: i64,
    difference: i64,
}

impl Relation {
    /// Returns the relation of a weight to the target of `next`, where this relation leads to the
    /// weight that `next` is of: w = f·u + d (this one) and u = g·v + e (`next`) give w = f·g·v +
    /// (f·e + d).
    fn then(self, next: Self) -> Result<Self, Refusal> {
        let (factor, difference) = (i128::from(self.factor), i128::from(self.difference));
        let [by, add] = [next.factor, next.difference].map(i128::from);
        Self::narrowed(next.to, factor * by, factor * add + difference)
    }

    /// Returns the relation with this factor and difference to weight `to`; fails if one of them is
    /// beyond ±2⁵³, up to where the solver's `f64` holds whole numbers exactly.
    fn narrowed(to: usize, factor: i128, difference: i128) -> Result<Self, Refusal> {
        let narrow = |wide: i128| {
            let is_exact = wide.unsigned_abs() <= 1 << 53;
            is_exact.then_some(wide as i64).ok_or(Refusal::Overflow)
        };
        Ok(Self {
            to,
            factor: narrow(factor)?,
            difference: narrow(difference)?,
        })
    }
}

/// Classes of weights tied together: union-find whose edges carry relations.
#[derive(Debug, Default)]
pub(super) struct Ties {
    /// From each tied weight, the next weight on the way to its root; a root has no entry.
    next: BTreeMap<usize, Relation>,
}

impl Ties {
    /// Returns the relation of a weight to its root, the weight at the end of its chain of ties,
    /// which is not tied itself; a weight without ties is its own root. Then all weights of the
    /// chain are linked to the root directly, so that later chains are short.
    fn root(&mut self, weight: usize) -> Result<Relation, Refusal> {
        let mut way = Vec::new();
        let mut at = weight;
        while let Some(relation) = self.next.get(&at) {
            way.push((at, *relation));
            at = relation.to;
        }
        let mut chain = Relation {
            to: at,
            factor: 1,
            difference: 0,
        };
        for (weight, step) in way.into_iter().rev() {
            chain = step.then(chain)?;
            self.next.insert(weight, chain);
        }
        Ok(chain)
    }

    /// Adds the tie `w[weight] = factor · w[other] + difference`, in units of the last decimal of
    /// the weights' steps: the root of `weight` then follows the root of `other`. Returns whether
    /// the tie says something that earlier ties do not. Fails if it contradicts them, or if the
    /// root could follow only with a fraction or with too large a number.
    pub(super) fn add(
        &mut self,
        weight: usize,
        other: usize,
        factor: i64,
        difference: i64,
    ) -> Result<bool, Refusal> {
        let mine = self.root(weight)?;
        let theirs = Relation {
            to: other,
            factor,
            difference,
        }
        .then(self.root(other)?)?;
        if mine.to == theirs.to {
            return if mine == theirs {
                Ok(false)
            } else {
                Err(Refusal::Contradiction)
            };
        }
        // `mine`: weight = f·root + d; `theirs`: weight = g·(root of `other`) + e, by the new tie.
        // So root = (g/f)·(root of `other`) + (e − d)/f.
        let own = i128::from(mine.factor);
        let factor = i128::from(theirs.factor);
        let difference = i128::from(theirs.difference) - i128::from(mine.difference);
        if factor % own != 0 || difference % own != 0 {
            return Err(Refusal::Fraction);
        }
        let link = Relation::narrowed(theirs.to, factor / own, difference / own)?;
        self.next.insert(mine.to, link);
        Ok(true)
    }

    /// Returns all ties, ascending by weight, each straight to a root, a weight that is not tied
    /// itself, with differences in units of the last decimal. Fails with a weight whose chain of
    /// ties has a factor or a difference that is too large.
    pub(super) fn resolve(mut self) -> Result<Vec<Tie>, (usize, Refusal)> {
        let tied: Vec<usize> = self.next.keys().copied().collect();
        let resolved = tied.into_iter().map(|weight| {
            let relation = self.root(weight).map_err(|refusal| (weight, refusal))?;
            Ok(Tie {
                weight: WeightId(weight),
                root: WeightId(relation.to),
                factor: relation.factor as f64,
                difference: relation.difference as f64,
            })
        });
        resolved.collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test may stop at the first surprise

    use super::*;

    fn tie(weight: usize, root: usize, factor: f64, difference: f64) -> Tie {
        Tie {
            weight: WeightId(weight),
            root: WeightId(root),
            factor,
            difference,
        }
    }

    #[test]
    fn chains_lead_to_one_root() {
        let mut ties = Ties::default();
        ties.add(1, 0, 2, 3).unwrap();
        ties.add(2, 1, -1, 5).unwrap();
        ties.add(0, 7, 3, 1).unwrap();
        let expected = [
            tie(0, 7, 3.0, 1.0),
            tie(1, 7, 6.0, 5.0),
            tie(2, 7, -6.0, 0.0),
        ];
        assert_eq!(ties.resolve().unwrap(), expected);
    }

    #[test]
    fn a_circle_says_nothing_or_contradicts() {
        let mut ties = Ties::default();
        assert_eq!(ties.add(1, 0, -1, 4), Ok(true));
        assert_eq!(ties.add(0, 1, -1, 4), Ok(false));
        assert_eq!(ties.add(0, 1, 1, 0), Err(Refusal::Contradiction));
        assert_eq!(ties.add(5, 5, 1, 0), Ok(false));
        assert_eq!(ties.add(5, 5, 2, 0), Err(Refusal::Contradiction));
    }

    #[test]
    fn fractions_and_overflow_are_refused() {
        let mut ties = Ties::default();
        ties.add(1, 0, 2, 0).unwrap();
        assert_eq!(ties.add(1, 9, 3, 0), Err(Refusal::Fraction));
        assert_eq!(ties.add(1, 9, 4, 2), Ok(true));
        let mut ties = Ties::default();
        ties.add(1, 0, 1 << 40, 0).unwrap();
        assert_eq!(ties.add(2, 1, 1 << 40, 0), Err(Refusal::Overflow));
    }
}
