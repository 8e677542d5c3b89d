//! Changes of E in bins: where new weights are better and where worse.

use serde::Serialize;

use crate::game_sums::{GameSums, LEAST_GAMES};
use crate::statistics::discoveries;

/// What is added up of the positions of one bin.
#[derive(Clone, Debug, Default)]
pub struct ChangeSums {
    changes: GameSums,
    /// Σ weight·loss of the old weights.
    before: f64,
}

/// What a change of weights does to the positions of one bin.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangeBin {
    /// What its positions have in common.
    pub label: String,
    /// How many there are.
    pub positions: u64,
    /// Of so many games.
    pub games: usize,
    /// Their mean loss at the old weights.
    pub before: f64,
    /// Their mean loss at the new weights.
    pub after: f64,
    /// The new minus the old: negative where the new weights are better.
    pub difference: f64,
    /// Its standard error, by games; `None` below two games.
    pub standard_error: Option<f64>,
    /// The probability of a difference as far from 0 if it were 0.
    pub p_zero: Option<f64>,
    /// Whether it is not 0, at most 5 % of such statements of this table being
    /// wrong.
    pub stands_out: bool,
}

/// The changes of all bins of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangeTable {
    /// What the bins are made by.
    pub by: String,
    /// The bins, in their order; none is empty.
    pub bins: Vec<ChangeBin>,
    /// Positions that are in no bin.
    pub other_positions: u64,
}

impl ChangeSums {
    /// Adds a position with its losses at the old and at the new weights.
    pub fn add(&mut self, game: u32, weight: f64, losses: [f64; 2]) {
        self.before += weight * losses[0];
        self.changes.add(game, weight, losses[1] - losses[0]);
    }

    /// Adds later positions.
    pub fn merge(&mut self, other: Self) {
        self.before += other.before;
        self.changes.merge(other.changes);
    }

    /// Returns how many positions were added.
    pub const fn positions(&self) -> u64 {
        self.changes.positions()
    }

    fn bin(&self, label: String) -> Option<ChangeBin> {
        let mean = self.changes.mean()?;
        let before = self.before / self.changes.totals()[0];
        Some(ChangeBin {
            label,
            positions: mean.positions,
            games: mean.games,
            before,
            after: before + mean.mean,
            difference: mean.mean,
            standard_error: mean.standard_error,
            p_zero: mean.p_zero,
            stands_out: false,
        })
    }
}

impl ChangeTable {
    /// Makes a table of bins in their order; those without weight are left out.
    pub fn new(
        by: &str,
        bins: impl IntoIterator<Item = (String, ChangeSums)>,
        other_positions: u64,
    ) -> Self {
        let bins = bins.into_iter().filter_map(|(label, sums)| sums.bin(label));
        let mut bins: Vec<ChangeBin> = bins.collect();
        let probabilities: Vec<_> = bins
            .iter()
            .map(|bin| bin.p_zero.filter(|_| bin.games >= LEAST_GAMES))
            .collect();
        for (bin, found) in bins.iter_mut().zip(discoveries(&probabilities)) {
            bin.stands_out = found;
        }
        Self {
            by: by.to_owned(),
            bins,
            other_positions,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bin_that_is_hurt_stands_out() {
        let (mut same, mut hurt) = (ChangeSums::default(), ChangeSums::default());
        for game in 0..50 {
            let noise = if game % 2 == 0 { 0.01 } else { -0.01 };
            same.add(game, 1.0, [0.2, 0.2 + noise]);
            hurt.add(game, 2.0, [0.2, 0.25 + noise]);
        }
        let bins = [("same", same), ("hurt", hurt)].map(|(name, sums)| (name.to_owned(), sums));
        let table = ChangeTable::new("phase", bins, 0);
        assert!(!table.bins[0].stands_out && table.bins[1].stands_out);
        let hurt = &table.bins[1];
        assert!((hurt.difference - 0.05).abs() < 1e-12 && (hurt.after - 0.25).abs() < 1e-12);
        assert!((hurt.before - 0.2).abs() < 1e-12 && hurt.positions == 50);
    }
}
