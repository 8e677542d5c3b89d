//! How much of the data says something about each weight.

use super::{TraceSet, Traces};

/// How often a lane occurs in the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneCount {
    /// Positions in which the lane has an influence on the score.
    pub positions: u64,
    /// Distinct games among them: what the weight's precision rests on.
    pub games: u64,
}

impl TraceSet {
    /// Counts, for every lane, its positions and their distinct games.
    ///
    /// *Shapes*: one entry per lane, two lanes per slot.
    /// *Cost*: one pass, and 16 bytes a row while it runs, because positions
    /// of one game need not be neighbours.
    pub fn lane_counts(&self) -> Vec<LaneCount> {
        let mut order: Vec<(u32, usize)> = self
            .rows(0..self.len())
            .map(|row| (row.game(), row.offset))
            .collect();
        order.sort_unstable();
        let mut counts = vec![LaneCount::default(); 2 * self.slots()];
        let mut last_row = vec![u64::MAX; counts.len()];
        let mut last_game = vec![u64::MAX; counts.len()];
        for (number, &(game, offset)) in order.iter().enumerate() {
            let row = super::Row {
                set: self,
                index: 0,
                offset,
            };
            for segment in row.segments() {
                for (slot, coefficients) in segment.entries() {
                    for (side, &factor) in segment.factors.iter().enumerate() {
                        let lane = 2 * slot.index() + side;
                        let nothing = factor == 0.0 || coefficients[side] == 0;
                        if nothing || last_row[lane] == number as u64 {
                            continue;
                        }
                        last_row[lane] = number as u64;
                        counts[lane].positions += 1;
                        if last_game[lane] != u64::from(game) {
                            last_game[lane] = u64::from(game);
                            counts[lane].games += 1;
                        }
                    }
                }
            }
        }
        counts
    }

    /// Counts the distinct games. *Cost*: a sort of the game column.
    pub fn games(&self) -> usize {
        Traces::Whole(self).games()
    }
}
