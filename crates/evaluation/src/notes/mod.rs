//! Notes on the positions of a fit, taken as they are read, so that it can be said what they are
//! without reading them again.

mod data_profile;
pub mod features;

use self::data_profile::DataProfileSums;
use tuner_data::{AnyGame, AnyPosition, GameKey, LabelledPosition};

pub use self::data_profile::{DataProfile, DataProfileBin, PositionsOfGame};

/// Numbers of men in a bin.
pub const MEN: u32 = 4;

/// Half-moves in a bin.
pub const PLIES: u32 = 20;

/// Ends of the bins by material, in pawns that the first player is ahead. Chosen: a
/// pawn either way is level, five are a rook.
pub const MATERIAL: [i32; 6] = [-5, -3, -1, 1, 3, 5];

/// Marks a position that is in no bin.
const NONE: u8 = u8::MAX;

/// The positions that became rows, in the order of the data.
///
/// *Memory*: 12 bytes a position, 16 a game.
#[derive(Clone, Debug, Default)]
pub struct PositionNotes {
    /// By position its bins, one of each feature.
    bins: Vec<[u8; 3]>,
    /// By position the material of both sides, in pawns; [`NONE`] where it is not known.
    material: Vec<u8>,
    profile: DataProfileSums,
    /// Positions that were read, those that became no rows among them.
    read: usize,
    /// Among these, the numbers of the positions that became no rows, ascending.
    refused: Vec<usize>,
}

/// The notes on one position.
#[derive(Clone, Debug)]
pub(crate) struct NotedPosition {
    /// A hash of it without its move counters.
    pub(crate) key: u64,
    pub(crate) men: u32,
    /// 0 for the first player to move.
    pub(crate) side: u32,
    pub(crate) ply: Option<u32>,
    pub(crate) outcome: f64,
    pub(crate) game: Option<GameKey>,
    /// By how much the first player is ahead, in hundredths of a pawn.
    pub(crate) balance: Option<i32>,
    /// The material of both sides, in hundredths of a pawn.
    pub(crate) material: Option<i32>,
}

impl NotedPosition {
    /// Notes a position that was read; `text` is how the evaluator is told it.
    pub(crate) fn of(game: &AnyGame, text: &str, labelled: &LabelledPosition<AnyPosition>) -> Self {
        Self {
            key: data_profile::key(text),
            men: features::men(text),
            side: u32::from(!game.first_player_to_move(&labelled.position)),
            ply: labelled.ply.or_else(|| features::ply(text)),
            outcome: labelled.outcome.value(),
            game: labelled.game,
            balance: game.balance(&labelled.position),
            material: game.material(&labelled.position),
        }
    }

    /// Returns the numbers of the position's bins: by men on the board, by side to move, and by how
    /// far the first player is ahead in material; [`NONE`] (255) where the position does not tell,
    /// or has too many men for a number of 8 bits.
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
    /// Adds the next position that was read; `None` if it became no row, so that only its number is
    /// noted.
    pub(crate) fn add(&mut self, position: Option<&NotedPosition>) {
        match position {
            Some(position) => {
                self.bins.push(position.bins());
                // From 255 pawns up it counts as not known.
                let pawns = position.material.and_then(|of| u8::try_from(of / 100).ok());
                self.material.push(pawns.unwrap_or(NONE));
                self.profile.add(position);
            }
            None => self.refused.push(self.read),
        }
        self.read += 1;
    }

    /// Adds the notes on positions that come later in the data.
    pub(crate) fn merge(&mut self, later: Self) {
        self.bins.extend(later.bins);
        self.material.extend(later.material);
        self.profile.merge(later.profile);
        let refused = later.refused.iter().map(|number| self.read + number);
        self.refused.extend(refused);
        self.read += later.read;
    }

    /// Returns the bins of a position, by its number among those that became rows: by men on the
    /// board, by side to move (0: the first player), and by how far the first player is ahead in
    /// material; `None` where the position does not tell.
    pub fn bins(&self, position: usize) -> [Option<u32>; 3] {
        self.bins[position].map(|bin| (bin != NONE).then_some(u32::from(bin)))
    }

    /// The material of both sides, in pawns, of a position by its number among those that became
    /// rows; `None` in a game that does not say.
    pub fn material(&self, position: usize) -> Option<u8> {
        let pawns = self.material[position];
        (pawns != NONE).then_some(pawns)
    }

    /// Turns numbers of positions among those that became rows, ascending, into their numbers among
    /// all that were read, by counting the refused ones before each.
    pub fn as_read(&self, positions: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let mut passed = 0;
        let number = |position: usize| {
            while (self.refused.get(passed)).is_some_and(|&refused| refused <= position + passed) {
                passed += 1;
            }
            position + passed
        };
        positions.into_iter().map(number).collect()
    }

    /// Returns the profile of the data.
    pub fn profile(&self) -> DataProfile {
        self.profile.profile()
    }
}

/// Returns the name of a bin of positions by their men on the board, [`MEN`] (4) numbers in each:
/// bin 0 is `1 to 4 men`.
pub fn men_label(bin: u32) -> String {
    format!("{} to {} men", bin * MEN + 1, (bin + 1) * MEN)
}

/// Returns the name of a bin of positions by the half-moves before, [`PLIES`] (20) of them in each:
/// bin 0 is `0 to 19`.
pub fn plies_label(bin: u32) -> String {
    format!("{} to {}", bin * PLIES, (bin + 1) * PLIES - 1)
}

/// Returns the number of the bin of a balance of material, in hundredths of a pawn: how many of the
/// ends of bins in [`MATERIAL`] (−5, −3, −1, 1, 3 and 5 pawns) it reaches.
fn material(balance: i32) -> u32 {
    MATERIAL.iter().filter(|&&end| balance >= 100 * end).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn material_is_binned_by_pawns() {
        let bins = [-900, -100, 99, 100, 500].map(material);
        assert_eq!(bins, [0, 3, 3, 4, 6]);
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
            material: Some(2_100),
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
        assert_eq!(all.material(3), Some(21));
        assert_eq!(all.profile().results.wins, 4);
    }
}
