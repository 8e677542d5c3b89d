//! Differences in bins of positions: residuals, where the scores expect too much or too
//! little, and changes of E, where new weights are better and where worse.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::game_sums::{GameSums, LEAST_GAMES};
use crate::statistics::discoveries;

/// The two mean values of a bin and their difference, by their names.
pub trait BinMeans {
    /// Whether the size of the difference over all bins means something.
    const HAVE_SIZE: bool;

    /// Makes the named means of a bin from its first mean value, its second, and the second minus
    /// the first.
    fn of(values: [f64; 3]) -> Self;

    /// Returns the second value minus the first.
    fn difference(&self) -> f64;
}

/// Expectations and results of a bin.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct Residual {
    /// The mean expectation p.
    pub expectation: f64,
    /// The mean result R.
    pub outcome: f64,
    /// The mean of R − p: positive where the first player scores more than its
    /// score says.
    pub residual: f64,
}

impl BinMeans for Residual {
    const HAVE_SIZE: bool = true;

    fn of([expectation, outcome, residual]: [f64; 3]) -> Self {
        Self {
            expectation,
            outcome,
            residual,
        }
    }

    fn difference(&self) -> f64 {
        self.residual
    }
}

/// The losses of a bin at old and new weights.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct LossChange {
    /// The mean loss at the old weights.
    pub before: f64,
    /// The mean loss at the new weights.
    pub after: f64,
    /// The new minus the old: negative where the new weights are better.
    pub difference: f64,
}

impl BinMeans for LossChange {
    const HAVE_SIZE: bool = false;

    fn of([before, after, difference]: [f64; 3]) -> Self {
        Self {
            before,
            after,
            difference,
        }
    }

    fn difference(&self) -> f64 {
        self.difference
    }
}

/// The positions of one bin: their number and means.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Bin<M> {
    /// Its label: what its positions have in common.
    pub label: String,
    /// How many there are.
    pub positions: u64,
    /// How many games they are of.
    pub games: usize,
    /// The means.
    #[serde(flatten)]
    pub means: M,
    /// The standard error of the difference, by games; `None` below two games.
    pub standard_error: Option<f64>,
    /// How far its 95 % interval reaches to each side, by games: Student's t; `None` below two
    /// games.
    pub reach: Option<f64>,
    /// The probability of a difference as far from 0 if it were 0; `None` below two games, or where
    /// the standard error is 0.
    pub p_zero: Option<f64>,
    /// Whether it is not 0, at most 5 % of such statements of this table being
    /// wrong.
    pub stands_out: bool,
}

/// All bins of one kind.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct BinTable<M> {
    /// The property by which the bins are made.
    pub by: String,
    /// The bins, in their order; none is empty.
    pub bins: Vec<Bin<M>>,
    /// Positions that are in no bin.
    pub other_positions: u64,
    /// Of residuals the mean of their sizes over the bins, each by its weight: the expected
    /// calibration error where bins are made by score. Chance alone adds to it, about the mean
    /// of the standard errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_size: Option<f64>,
}

/// Positions in bins, by what they have in common.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Bins<K: Ord> {
    /// The sums of each bin.
    pub sums: BTreeMap<K, GameSums>,
    /// Positions in no bin.
    pub other: u64,
}

impl<K: Ord> Default for Bins<K> {
    fn default() -> Self {
        Self {
            sums: BTreeMap::new(),
            other: 0,
        }
    }
}

impl<K: Ord> Bins<K> {
    /// Adds a position of a game to a bin, or, `None`, to those in no bin. `weight`: how often the
    /// position counts; `values`: the two that the bin compares, such as expectation and result, or
    /// loss at the old and at the new weights.
    pub fn add(&mut self, bin: Option<K>, game: u32, weight: f64, values: [f64; 2]) {
        match bin {
            Some(bin) => self.sums.entry(bin).or_default().add(game, weight, values),
            None => self.other += 1,
        }
    }

    /// Adds the sums of later positions, each bin to the bin of the same key.
    pub fn merge(&mut self, later: Self) {
        self.other += later.other;
        for (bin, sums) in later.sums {
            self.sums.entry(bin).or_default().merge(sums);
        }
    }
}

impl<M: BinMeans> BinTable<M> {
    /// Makes a table of bins in their order; those without weight are left out. A bin of at least
    /// ten games stands out if its difference is not 0, at most 5 % of such statements on this
    /// table being wrong on average. The mean size of the differences is told only of means of
    /// which it says something, as of residuals. `by`: the property that bins are made by; `bins`:
    /// of each its label and sums; `other_positions`: how many are in no bin.
    pub fn new(
        by: &str,
        bins: impl IntoIterator<Item = (String, GameSums)>,
        other_positions: u64,
    ) -> Self {
        let mut made: Vec<Bin<M>> = Vec::new();
        // For the mean size of the differences, each bin by its weight.
        let (mut sum, mut weight) = (0.0, 0.0);
        for (label, sums) in bins {
            if let Some(bin) = sums.bin::<M>(label) {
                sum += sums.weight() * bin.means.difference().abs();
                weight += sums.weight();
                made.push(bin);
            }
        }
        let enough = |bin: &Bin<M>| bin.p_zero.filter(|_| bin.games >= LEAST_GAMES);
        let discoveries = discoveries(made.iter().map(enough));
        for (bin, stands_out) in made.iter_mut().zip(discoveries) {
            bin.stands_out = stands_out;
        }
        Self {
            by: by.to_owned(),
            bins: made,
            other_positions,
            mean_size: M::HAVE_SIZE.then(|| if weight > 0.0 { sum / weight } else { 0.0 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table<M: BinMeans, const N: usize>(bins: [(&str, GameSums); N]) -> BinTable<M> {
        let bins = bins.map(|(label, sums)| (label.to_owned(), sums));
        BinTable::new("phase", bins, 3)
    }

    #[test]
    fn a_bin_that_is_wrong_stands_out() {
        let (mut right, mut wrong) = (GameSums::default(), GameSums::default());
        for game in 0..400 {
            // Half of them is won where p is a half; three quarters in the other.
            right.add(game, 1.0, [0.5, f64::from(game % 2)]);
            wrong.add(game, 1.0, [0.5, f64::from(u8::from(game % 4 > 0))]);
        }
        let none = GameSums::default();
        let table = table::<Residual, 3>([("right", right), ("wrong", wrong), ("none", none)]);
        let found: Vec<_> = table
            .bins
            .iter()
            .map(|b| (&*b.label, b.stands_out))
            .collect();
        assert_eq!(found, [("right", false), ("wrong", true)]);
        assert!((table.bins[1].means.residual - 0.25).abs() < 1e-12);
        assert!((table.bins[1].means.outcome - 0.75).abs() < 1e-12);
        assert!(
            table
                .mean_size
                .is_some_and(|size| (size - 0.125).abs() < 1e-12)
        );
        assert_eq!(table.other_positions, 3);
    }

    #[test]
    fn a_bin_that_is_hurt_stands_out() {
        let (mut same, mut hurt) = (GameSums::default(), GameSums::default());
        for game in 0..50 {
            let noise = if game % 2 == 0 { 0.01 } else { -0.01 };
            same.add(game, 1.0, [0.2, 0.2 + noise]);
            hurt.add(game, 2.0, [0.2, 0.25 + noise]);
        }
        let table = table::<LossChange, 2>([("same", same), ("hurt", hurt)]);
        assert!(!table.bins[0].stands_out && table.bins[1].stands_out);
        let LossChange {
            before,
            after,
            difference,
        } = table.bins[1].means;
        assert!((difference - 0.05).abs() < 1e-12 && (after - 0.25).abs() < 1e-12);
        assert!((before - 0.2).abs() < 1e-12 && table.bins[1].positions == 50);
        assert_eq!(table.mean_size, None);
    }
}
