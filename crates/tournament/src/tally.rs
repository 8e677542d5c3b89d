//! The tally of the games of a match.

use super::elo::{Frequencies as _, Pentanomial, Sprt, Verdict};
use tuner_play::PairRecord;

/// The tally of a match. Games lost on time are among the faults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Pairs by half points of the side whose results are counted.
    pub pairs: Pentanomial,
    /// Games won, drawn and lost by the side whose results are counted.
    pub games: [u64; 3],
    /// Games lost by a fault (time, silence, a crash or an illegal move): by the side whose results
    /// are counted, and by the other one.
    pub faults: [u64; 2],
    /// Games lost on time alone, by the side whose results are counted and by the other one.
    pub late: [u64; 2],
}

impl Tally {
    /// Adds a pair by the half points of the side whose results are counted, by game; `faults`:
    /// games that this side and the other one lost by faults; `late`: those of them lost on time.
    /// Numbers above 2 are not expected, and count as 2: a game has two half points, a pair two
    /// games.
    pub fn add(&mut self, half_points: [u8; 2], faults: [u8; 2], late: [u8; 2]) {
        self.pairs.add(half_points);
        for points in half_points {
            self.games[usize::from(2 - points.min(2))] += 1;
        }
        for side in 0..2 {
            self.faults[side] += u64::from(faults[side].min(2));
            self.late[side] += u64::from(late[side].min(2));
        }
    }

    /// Adds a played pair: its result, its faults and how often a side was late.
    pub fn add_pair(&mut self, pair: &PairRecord) {
        let faults = pair.faults().map(|faults| faults.len() as u8);
        self.add(pair.half_points(), faults, pair.late());
    }

    /// Tells whether the side whose results are counted is surely the stronger one: the 95 %
    /// interval of its Elo is above 0.
    pub fn is_won(&self) -> bool {
        self.pairs.interval().is_some_and(|(low, _)| low > 0.0)
    }

    /// Tells whether the side whose results are counted passes a test. Where the test has not ended
    /// yet, its games are too few for it, and the side passes if it is surely the stronger one: the
    /// 95 % interval of its Elo is above 0.
    pub fn passes(&self, test: &Sprt) -> bool {
        (test.decides(&self.pairs)).map_or_else(|| self.is_won(), |found| found == Verdict::Passed)
    }
}
