//! What the games of a match add up to.

use super::elo::Pentanomial;

/// What a match has come to. Games lost on time are among the faults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Pairs by half points.
    pub pairs: Pentanomial,
    /// Games won, drawn and lost by the side whose results are counted.
    pub games: [u64; 3],
    /// Games lost on time, by silence, a crash or an illegal move, of both sides.
    pub faults: [u64; 2],
    /// Those lost on time alone.
    pub late: [u64; 2],
}

impl Tally {
    /// Adds a pair by its half points, the games of it lost by faults, and those of
    /// them lost on time.
    pub fn add(&mut self, half_points: [u8; 2], faults: [u8; 2], late: [u8; 2]) {
        self.pairs.add(half_points);
        for points in half_points {
            self.games[usize::from(2 - points.min(2))] += 1;
        }
        for (sum, fault) in self.faults.iter_mut().zip(faults) {
            *sum += u64::from(fault.min(2));
        }
        for (sum, late) in self.late.iter_mut().zip(late) {
            *sum += u64::from(late.min(2));
        }
    }
}
