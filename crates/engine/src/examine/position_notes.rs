//! What is noted of the positions of a fit as they are read, so that it can be said what
//! they are without reading them again.

use super::bins::MEN;
use super::data_profile::{self, DataProfile, DataProfileSums};
use super::features;
use tuner_data::{GameKey, LabelledPosition, PositionNotation};
use tuner_judge::CalibrationFeature;

/// Ends of the bins by material, in pawns that the first player is ahead. Chosen: a
/// pawn either way is level, five are a rook.
const MATERIAL: [i32; 6] = [-5, -3, -1, 1, 3, 5];

/// What calibration is shown by, beside the score.
pub(super) const FEATURES: [CalibrationFeature; 3] = [
    CalibrationFeature {
        name: "phase",
        label: |bin| format!("{} to {} men", bin * MEN + 1, (bin + 1) * MEN),
    },
    CalibrationFeature {
        name: "side to move",
        label: |bin| ["first", "second"][bin.min(1) as usize].to_owned(),
    },
    CalibrationFeature {
        name: "pawns ahead",
        label: |bin| {
            let (bin, last) = (bin as usize, MATERIAL.len());
            match bin {
                0 => format!("< {:+}", MATERIAL[0]),
                _ if bin >= last => format!("≥ {:+}", MATERIAL[last - 1]),
                _ => format!("{:+}…{:+}", MATERIAL[bin - 1], MATERIAL[bin]),
            }
        },
    },
];

/// Marks a position that is in no bin.
const NONE: u8 = u8::MAX;

/// The positions that became rows, in the order of the data.
///
/// *Memory*: 11 bytes a position, 16 a game.
#[derive(Clone, Debug, Default)]
pub struct PositionNotes {
    /// By position its bins, one of each feature.
    bins: Vec<[u8; 3]>,
    profile: DataProfileSums,
    /// Positions that were read, those that became no rows among them.
    read: usize,
    /// The numbers of these among all that were read, ascending.
    refused: Vec<usize>,
}

/// What is noted of one position.
#[derive(Clone, Debug)]
pub(crate) struct NotedPosition {
    /// A hash of it without its move counters.
    pub(super) key: u64,
    pub(super) men: u32,
    /// 0 for the first player to move.
    pub(super) side: u32,
    pub(super) ply: Option<u32>,
    pub(super) outcome: f64,
    pub(super) game: Option<GameKey>,
    /// In hundredths of a pawn.
    pub(super) balance: Option<i32>,
}

impl NotedPosition {
    pub(crate) fn of<N: PositionNotation>(
        notation: &N,
        text: &str,
        labelled: &LabelledPosition<N::Position>,
    ) -> Self {
        Self {
            key: data_profile::key(text),
            men: features::men(text),
            side: u32::from(!notation.first_player_to_move(&labelled.position)),
            ply: labelled.ply.or_else(|| features::ply(text)),
            outcome: labelled.outcome.value(),
            game: labelled.game,
            balance: notation.balance(&labelled.position),
        }
    }

    fn bins(&self) -> [u8; 3] {
        let bin = |bin: u32| u8::try_from(bin).unwrap_or(NONE);
        [
            (self.men > 0).then(|| (self.men - 1) / MEN),
            Some(self.side),
            self.balance.map(material),
        ]
        .map(|found| found.map_or(NONE, bin))
    }
}

impl PositionNotes {
    /// Adds a position that became a row, or one of which nothing is noted as it became none.
    pub(crate) fn add(&mut self, position: Option<&NotedPosition>) {
        match position {
            Some(position) => {
                self.bins.push(position.bins());
                self.profile.add(position);
            }
            None => self.refused.push(self.read),
        }
        self.read += 1;
    }

    /// Adds later positions.
    pub(crate) fn merge(&mut self, later: Self) {
        self.bins.extend(later.bins);
        self.profile.merge(later.profile);
        let refused = later.refused.iter().map(|number| self.read + number);
        self.refused.extend(refused);
        self.read += later.read;
    }

    /// The bins of a position, by its number among those that became rows.
    pub(super) fn bins(&self, position: usize) -> [Option<u32>; 3] {
        self.bins[position].map(|bin| (bin != NONE).then_some(u32::from(bin)))
    }

    /// Returns the numbers among all that were read of positions that became rows; both
    /// ascending.
    pub(super) fn as_read(&self, positions: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let mut passed = 0;
        let number = |position: usize| {
            while (self.refused.get(passed)).is_some_and(|&refused| refused <= position + passed) {
                passed += 1;
            }
            position + passed
        };
        positions.into_iter().map(number).collect()
    }

    /// What the data are.
    pub(super) fn profile(&self) -> DataProfile {
        self.profile.profile()
    }
}

/// The bin of a balance in hundredths of a pawn.
fn material(balance: i32) -> u32 {
    MATERIAL.iter().filter(|&&end| balance >= 100 * end).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn material_is_binned_by_pawns() {
        let label = |balance| (FEATURES[2].label)(material(balance));
        assert_eq!(label(-900), "< -5");
        assert_eq!(label(-100), "-1…+1");
        assert_eq!(label(99), "-1…+1");
        assert_eq!(label(100), "+1…+3");
        assert_eq!(label(500), "≥ +5");
        assert_eq!((FEATURES[0].label)(7), "29 to 32 men");
    }

    #[test]
    fn what_became_no_row_is_passed_over() {
        let position = NotedPosition {
            key: 0,
            men: 5,
            side: 1,
            ply: None,
            outcome: 1.0,
            game: None,
            balance: None,
        };
        let mut all = PositionNotes::default();
        // Rows are 1, 2, 5 and 6 of all.
        for block in [&[false, true, true, false][..], &[false, true, true, false]] {
            let mut notes = PositionNotes::default();
            for &is_row in block {
                notes.add(is_row.then_some(&position));
            }
            all.merge(notes);
        }
        assert_eq!(all.as_read(0..4), [1, 2, 5, 6]);
        assert_eq!(all.as_read([1, 3]), [2, 6]);
        assert_eq!(all.bins(3), [Some(1), Some(1), None]);
        assert_eq!(all.profile().results.wins, 4);
    }
}
