//! Residuals in bins: where the scores expect too much or too little.

use serde::{Deserialize, Serialize};

use crate::game_sums::{GameSums, LEAST_GAMES};
use crate::statistics::discoveries;

/// What is added up of the positions of one bin.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct ResidualSums {
    residuals: GameSums,
    /// Σ weight·expectation.
    expectations: f64,
}

/// The residuals of one bin.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct ResidualBin {
    /// What its positions have in common.
    pub label: String,
    /// How many there are.
    pub positions: u64,
    /// Of so many games.
    pub games: usize,
    /// The mean expectation p.
    pub expectation: f64,
    /// The mean result R.
    pub outcome: f64,
    /// The mean of R − p: positive where the first player scores more than its
    /// score says.
    pub residual: f64,
    /// Its standard error, by games; `None` below two games.
    pub standard_error: Option<f64>,
    /// The probability of a residual as far from 0 if it were 0.
    pub p_zero: Option<f64>,
    /// Whether it is not 0, at most 5 % of such statements of this table being
    /// wrong.
    pub stands_out: bool,
}

/// The residuals of all bins of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResidualTable {
    /// What the bins are made by.
    pub by: String,
    /// The bins, in their order; none is empty.
    pub bins: Vec<ResidualBin>,
    /// Positions that are in no bin.
    pub other_positions: u64,
    /// The mean of |residual| over the bins, each by its weight: the expected
    /// calibration error where bins are made by score. Chance alone adds to it,
    /// about the mean of the standard errors.
    pub mean_size: f64,
}

impl ResidualSums {
    /// Adds a position.
    pub fn add(&mut self, game: u32, weight: f64, expectation: f64, outcome: f64) {
        self.expectations += weight * expectation;
        self.residuals.add(game, weight, outcome - expectation);
    }

    /// Adds later positions.
    pub fn merge(&mut self, other: Self) {
        self.expectations += other.expectations;
        self.residuals.merge(other.residuals);
    }

    /// Returns how many positions were added.
    pub const fn positions(&self) -> u64 {
        self.residuals.positions()
    }

    fn weight(&self) -> f64 {
        self.residuals.totals()[0]
    }

    fn bin(&self, label: String) -> Option<ResidualBin> {
        let mean = self.residuals.mean()?;
        let expectation = self.expectations / self.weight();
        Some(ResidualBin {
            label,
            positions: mean.positions,
            games: mean.games,
            expectation,
            outcome: expectation + mean.mean,
            residual: mean.mean,
            standard_error: mean.standard_error,
            p_zero: mean.p_zero,
            stands_out: false,
        })
    }
}

impl ResidualTable {
    /// Makes a table of bins in their order; those without weight are left out.
    pub fn new(
        by: &str,
        bins: impl IntoIterator<Item = (String, ResidualSums)>,
        other_positions: u64,
    ) -> Self {
        let (mut made, mut weights) = (Vec::new(), Vec::new());
        for (label, sums) in bins {
            if let Some(bin) = sums.bin(label) {
                made.push(bin);
                weights.push(sums.weight());
            }
        }
        let probabilities: Vec<_> = made
            .iter()
            .map(|bin| bin.p_zero.filter(|_| bin.games >= LEAST_GAMES))
            .collect();
        for (bin, found) in made.iter_mut().zip(discoveries(&probabilities)) {
            bin.stands_out = found;
        }
        let sizes = made.iter().zip(&weights);
        let sum: f64 = sizes.map(|(bin, weight)| weight * bin.residual.abs()).sum();
        let weight: f64 = weights.iter().sum();
        Self {
            by: by.to_owned(),
            bins: made,
            other_positions,
            mean_size: if weight > 0.0 { sum / weight } else { 0.0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bin_that_is_wrong_stands_out() {
        let (mut right, mut wrong) = (ResidualSums::default(), ResidualSums::default());
        for game in 0..400 {
            // Half of them is won where p is a half; three quarters in the other.
            right.add(game, 1.0, 0.5, f64::from(game % 2));
            wrong.add(game, 1.0, 0.5, f64::from(u8::from(game % 4 > 0)));
        }
        let bins = [
            ("right", right),
            ("wrong", wrong),
            ("none", ResidualSums::default()),
        ];
        let bins = bins.map(|(label, sums)| (label.to_owned(), sums));
        let table = ResidualTable::new("phase", bins, 3);
        let found: Vec<_> = table
            .bins
            .iter()
            .map(|b| (&*b.label, b.stands_out))
            .collect();
        assert_eq!(found, [("right", false), ("wrong", true)]);
        assert!((table.bins[1].residual - 0.25).abs() < 1e-12);
        assert!((table.bins[1].outcome - 0.75).abs() < 1e-12);
        assert!((table.mean_size - 0.125).abs() < 1e-12);
        assert_eq!(table.other_positions, 3);
    }
}
