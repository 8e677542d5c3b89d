//! Bins of positions by what they have in common.

use std::cmp::Reverse;

use super::pass::ExaminedPosition;
use tuner_evaluation::notes::{MEN, PLIES, features, men_label, plies_label};
use tuner_judge::{BinMeans, BinTable, Bins};

/// Bins by score.
const SCORE_BINS: u32 = 20;

/// Most materials, the pieces of both players, that a table lists.
const MATERIALS: usize = 30;

/// Materials that are kept while positions are read, so that a game in which
/// hardly two positions have the same takes some megabytes and no more.
const MOST_MATERIALS: usize = 1 << 12;

/// The property by which positions are put into bins.
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
    /// Returns the name of the property, as commands take it and tables show it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Score => "score",
            Self::Phase => "phase",
            Self::Material => "material",
            Self::Ply => "ply",
            Self::Side => "side",
        }
    }

    /// Returns the bin that a position is in by this property; `None` if bins go by half-moves and
    /// those of the position are not known. `expectation`: that of its score, for bins by score.
    fn key(self, position: &ExaminedPosition<'_>, expectation: f64) -> Option<BinKey> {
        let text = position.text;
        Some(match self {
            Self::Score => {
                let number = (expectation * f64::from(SCORE_BINS)) as u32;
                BinKey::Number(number.min(SCORE_BINS - 1))
            }
            Self::Phase => BinKey::Number(features::men(text).saturating_sub(1) / MEN),
            Self::Material => BinKey::Text(features::material(text)),
            Self::Ply => {
                let ply = position.read.labelled.ply.or_else(|| features::ply(text))?;
                BinKey::Number(ply / PLIES)
            }
            Self::Side => BinKey::Number(u32::from(!position.first_player_to_move)),
        })
    }

    /// Returns the label of a bin: what its positions have in common. `beta`: slope of the log-odds
    /// by the score in centipawns, by which bins of expectations are named by their scores.
    fn label(self, key: &BinKey, beta: f64) -> String {
        let number = match key {
            BinKey::Text(text) => return text.clone(),
            BinKey::Number(number) => *number,
        };
        match self {
            Self::Score => {
                // The score at which the expectation is p: the inverse of the sigmoid.
                let edge = |number: u32| f64::from(number) / f64::from(SCORE_BINS);
                let score = |p: f64| (p / (1.0 - p)).ln() / beta;
                let (low, high) = (edge(number), edge(number + 1));
                match number {
                    0 => format!("below {:.0}", score(high)),
                    _ if number + 1 == SCORE_BINS => format!("above {:.0}", score(low)),
                    _ => format!("{:.0} to {:.0}", score(low), score(high)),
                }
            }
            Self::Phase => men_label(number),
            Self::Ply => plies_label(number),
            Self::Side if number == 0 => "first player to move".to_owned(),
            Self::Side => "second player to move".to_owned(),
            // Its keys are texts.
            Self::Material => String::new(),
        }
    }
}

/// A bin of one kind: by its number, or of materials by their text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum BinKey {
    Number(u32),
    Text(String),
}

/// Positions in bins of several kinds.
#[derive(Clone, Debug)]
pub(super) struct AllBins(Vec<(BinnedBy, Bins<BinKey>)>);

impl AllBins {
    /// Makes bins by each of the properties `by`, without positions.
    pub(super) fn new(by: &[BinnedBy]) -> Self {
        Self(by.iter().map(|&by| (by, Bins::default())).collect())
    }

    /// Adds a position, that counts `weight`, to its bin by each property. `expectation`: that of
    /// its score, for bins by score; `values`: the two whose means and difference the tables show,
    /// such as expectation and result.
    pub(super) fn add(
        &mut self,
        position: &ExaminedPosition<'_>,
        expectation: f64,
        weight: f64,
        values: [f64; 2],
    ) {
        for (by, bins) in &mut self.0 {
            let key = by.key(position, expectation);
            bins.add(key, position.game, weight, values);
        }
    }

    /// Adds the bins of later positions. Where a property has more than 8,192 bins, twice
    /// `MOST_MATERIALS`, half of that are kept, those of most positions; the positions of the
    /// others count as in no bin. So a game in which hardly two positions have the same material
    /// takes some megabytes and no more.
    pub(super) fn merge(&mut self, later: Self) {
        for ((_, bins), (_, later)) in self.0.iter_mut().zip(later.0) {
            bins.merge(later);
            if bins.sums.len() > 2 * MOST_MATERIALS {
                keep_most_frequent(bins, MOST_MATERIALS);
            }
        }
    }

    /// Makes a table by each property: the bins in their order, materials by how many positions
    /// they have, the 30 most frequent alone (`MATERIALS`). `beta`: slope of the log-odds by the
    /// score in centipawns, by which bins of scores are named.
    pub(super) fn tables<M: BinMeans>(self, beta: f64) -> Vec<BinTable<M>> {
        let table = |(by, mut bins): (BinnedBy, Bins<BinKey>)| {
            if by == BinnedBy::Material {
                keep_most_frequent(&mut bins, MATERIALS);
            }
            let mut sums: Vec<_> = bins.sums.into_iter().collect();
            if by == BinnedBy::Material {
                sums.sort_by_key(|(_, sums)| Reverse(sums.positions));
            }
            let labelled = sums.into_iter();
            let labelled = labelled.map(|(key, sums)| (by.label(&key, beta), sums));
            BinTable::new(by.name(), labelled, bins.other)
        };
        self.0.into_iter().map(table).collect()
    }
}

/// Keeps the `most` bins with the most positions, of equal ones the first, and counts the positions
/// of the rest as in no bin.
fn keep_most_frequent(bins: &mut Bins<BinKey>, most: usize) {
    let mut sorted: Vec<_> = std::mem::take(&mut bins.sums).into_iter().collect();
    sorted.sort_by_key(|(_, sums)| Reverse(sums.positions));
    let rest = sorted.split_off(most.min(sorted.len()));
    bins.other += rest.iter().map(|(_, sums)| sums.positions).sum::<u64>();
    bins.sums = sorted.into_iter().collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuner_judge::Residual;

    fn bins(counts: &[(&str, u32)]) -> AllBins {
        let mut all = AllBins::new(&[BinnedBy::Material]);
        for &(text, count) in counts {
            for game in 0..count {
                let key = BinKey::Text(text.to_owned());
                all.0[0].1.add(Some(key), game, 1.0, [0.5, 1.0]);
            }
        }
        all
    }

    #[test]
    fn the_most_frequent_materials_are_listed_first() {
        let mut all = bins(&[("a", 1), ("b", 3)]);
        all.merge(bins(&[("c", 2), ("a", 3)]));
        let tables = all.tables::<Residual>(1.0);
        let counts = tables[0]
            .bins
            .iter()
            .map(|bin| (&*bin.label, bin.positions));
        let counts: Vec<_> = counts.collect();
        assert_eq!(counts, [("a", 4), ("b", 3), ("c", 2)]);
        assert_eq!(tables[0].other_positions, 0);
        let names: Vec<String> = (0..40).map(|number| format!("{number:02}")).collect();
        let many: Vec<(&str, u32)> = names.iter().map(|name| (&**name, 2)).collect();
        let table = bins(&many).tables::<Residual>(1.0).remove(0);
        assert_eq!(
            (table.bins.len(), table.other_positions),
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
