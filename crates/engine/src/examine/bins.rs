//! Bins of positions by what they have in common.

use std::collections::BTreeMap;

use super::features;
use super::pass::ExaminedPosition;
use tuner_judge::{ChangeSums, ResidualSums};

/// Bins by score.
const SCORE_BINS: u32 = 20;

/// Numbers of men in a bin.
pub(super) const MEN: u32 = 4;

/// Half-moves in a bin.
pub(super) const PLIES: u32 = 20;

/// Materials that are listed.
const MATERIALS: usize = 30;

/// Materials that are kept while positions are read, so that a game in which
/// hardly two positions have the same takes some megabytes and no more.
const MOST_MATERIALS: usize = 1 << 12;

/// What bins of positions are made by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinnedBy {
    /// The expectation at the score, in twentieths: the calibration.
    Score,
    /// The men on the board, in fours.
    Phase,
    /// The pieces of both players; those that most positions have.
    Material,
    /// The half-moves played before, in twenties; positions that do not say are in
    /// no bin.
    Ply,
    /// The side to move.
    Side,
}

impl BinnedBy {
    /// Returns its name, as it is typed and written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Score => "score",
            Self::Phase => "phase",
            Self::Material => "material",
            Self::Ply => "ply",
            Self::Side => "side",
        }
    }

    /// Tells whether it asks for the text of a position.
    const fn reads_text(self) -> bool {
        matches!(self, Self::Phase | Self::Material | Self::Ply)
    }

    /// The bin of a position, `None` if it is in none.
    fn key(self, position: &ExaminedPosition<'_>, text: &str, expectation: f64) -> Option<BinKey> {
        Some(match self {
            Self::Score => {
                let number = (expectation * f64::from(SCORE_BINS)) as u32;
                BinKey::Number(number.min(SCORE_BINS - 1))
            }
            Self::Phase => BinKey::Number(features::men(text).saturating_sub(1) / MEN),
            Self::Material => BinKey::Text(features::material(text)),
            Self::Ply => {
                let ply = position.ply.or_else(|| features::ply(text))?;
                BinKey::Number(ply / PLIES)
            }
            Self::Side => BinKey::Number(u32::from(!position.first_player_to_move)),
        })
    }

    /// What the positions of a bin have in common. `beta`: slope of the log-odds.
    fn label(self, key: &BinKey, beta: f64) -> String {
        let number = match key {
            BinKey::Text(text) => return text.clone(),
            BinKey::Number(number) => *number,
        };
        match self {
            Self::Score => {
                let edge = |number: u32| f64::from(number) / f64::from(SCORE_BINS);
                let score = |p: f64| (p / (1.0 - p)).ln() / beta;
                let (low, high) = (edge(number), edge(number + 1));
                match number {
                    0 => format!("below {:.0}", score(high)),
                    _ if number + 1 == SCORE_BINS => format!("above {:.0}", score(low)),
                    _ => format!("{:.0} to {:.0}", score(low), score(high)),
                }
            }
            Self::Phase => format!("{} to {} men", number * MEN + 1, (number + 1) * MEN),
            Self::Ply => format!("{} to {}", number * PLIES, (number + 1) * PLIES - 1),
            Self::Side if number == 0 => "first player to move".to_owned(),
            Self::Side => "second player to move".to_owned(),
            Self::Material => String::new(),
        }
    }
}

/// Which bin.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum BinKey {
    Number(u32),
    Text(String),
}

/// What is added up of the positions of one bin.
pub(super) trait BinSums: Default {
    fn merge(&mut self, other: Self);
    fn positions(&self) -> u64;
}

impl BinSums for ResidualSums {
    fn merge(&mut self, other: Self) {
        self.merge(other);
    }

    fn positions(&self) -> u64 {
        self.positions()
    }
}

impl BinSums for ChangeSums {
    fn merge(&mut self, other: Self) {
        self.merge(other);
    }

    fn positions(&self) -> u64 {
        self.positions()
    }
}

/// The sums of all bins of one kind.
#[derive(Clone, Debug)]
pub(super) struct Bins<S> {
    pub(super) by: BinnedBy,
    sums: BTreeMap<BinKey, S>,
    /// Positions in no bin.
    other: u64,
}

impl<S: BinSums> Bins<S> {
    pub(super) const fn new(by: BinnedBy) -> Self {
        Self {
            by,
            sums: BTreeMap::new(),
            other: 0,
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.other += other.other;
        for (key, sums) in other.sums {
            self.sums.entry(key).or_default().merge(sums);
        }
        if self.sums.len() > 2 * MOST_MATERIALS {
            self.keep_most_frequent(MOST_MATERIALS);
        }
    }

    /// The bins with their labels, in their order, and how many positions are in
    /// none of them.
    pub(super) fn labelled(mut self, beta: f64) -> (Vec<(String, S)>, u64) {
        let by = self.by;
        let label = |(key, sums)| (by.label(&key, beta), sums);
        if by == BinnedBy::Material {
            self.keep_most_frequent(MATERIALS);
            let mut bins: Vec<_> = self.sums.into_iter().collect();
            bins.sort_by_key(|(_, sums)| std::cmp::Reverse(sums.positions()));
            return (bins.into_iter().map(label).collect(), self.other);
        }
        (self.sums.into_iter().map(label).collect(), self.other)
    }

    /// Leaves the bins of the most positions, the first of equal ones.
    fn keep_most_frequent(&mut self, most: usize) {
        let mut bins: Vec<_> = std::mem::take(&mut self.sums).into_iter().collect();
        bins.sort_by_key(|(_, sums)| std::cmp::Reverse(sums.positions()));
        let rest = bins.split_off(most.min(bins.len()));
        self.other += rest.iter().map(|(_, sums)| sums.positions()).sum::<u64>();
        self.sums = bins.into_iter().collect();
    }
}

/// Adds a position to all bins that it belongs to.
pub(super) fn add_to_bins<S: BinSums>(
    all: &mut [Bins<S>],
    position: &ExaminedPosition<'_>,
    expectation: f64,
    add: impl Fn(&mut S),
) {
    let text = if all.iter().any(|bins| bins.by.reads_text()) {
        position.text.to_owned()
    } else {
        String::new()
    };
    for bins in all {
        match bins.by.key(position, &text, expectation) {
            Some(key) => add(bins.sums.entry(key).or_default()),
            None => bins.other += 1,
        }
    }
}

/// Adds the bins of a later block, kind by kind.
pub(super) fn merge_bins<S: BinSums>(all: &mut [Bins<S>], later: Vec<Bins<S>>) {
    for (bins, later) in all.iter_mut().zip(later) {
        bins.merge(later);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bins(counts: &[(&str, u32)]) -> Bins<ResidualSums> {
        let mut bins = Bins::new(BinnedBy::Material);
        for &(text, count) in counts {
            for game in 0..count {
                let sums: &mut ResidualSums =
                    bins.sums.entry(BinKey::Text(text.to_owned())).or_default();
                sums.add(game, 1.0, 0.5, 1.0);
            }
        }
        bins
    }

    #[test]
    fn the_most_frequent_materials_are_listed_first() {
        let mut all = bins(&[("a", 1), ("b", 3)]);
        all.merge(bins(&[("c", 2), ("a", 3)]));
        let (listed, other) = all.labelled(1.0);
        let counts = listed
            .iter()
            .map(|(label, sums)| (&**label, sums.positions()));
        let counts: Vec<_> = counts.collect();
        assert_eq!(counts, [("a", 4), ("b", 3), ("c", 2)]);
        assert_eq!(other, 0);
        let names: Vec<String> = (0..40).map(|number| format!("{number:02}")).collect();
        let many: Vec<(&str, u32)> = names.iter().map(|name| (&**name, 2)).collect();
        let (listed, other) = bins(&many).labelled(1.0);
        assert_eq!(
            (listed.len(), other),
            (MATERIALS, 2 * (40 - MATERIALS as u64))
        );
    }

    #[test]
    fn labels_are_scores_and_numbers() {
        let label = |by: BinnedBy, number| by.label(&BinKey::Number(number), 0.01);
        assert_eq!(label(BinnedBy::Score, 10), "0 to 20");
        assert_eq!(label(BinnedBy::Score, 19), "above 294");
        assert_eq!(label(BinnedBy::Score, 0), "below -294");
        assert_eq!(label(BinnedBy::Phase, 7), "29 to 32 men");
        assert_eq!(label(BinnedBy::Ply, 2), "40 to 59");
    }
}
