//! Frequencies of the results of game pairs, and the strength that they show.

use libm::erfc;

/// Normalised Elo of a t-value of 1 a game: 800 / ln 10.
///
/// *Source*: M. Van den Bergh, "Normalized Elo", 2021, as fishtest has it.
pub const NELO_PER_T: f64 = 347.435_585_522_601_46;

/// The two-sided 95 % quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Pairs by the half points of the side whose results are counted: 0 … 4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pentanomial(pub [u64; 5]);

/// A number with half the width of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The number; infinite where one side won everything.
    pub value: f64,
    /// Half the width of the interval; infinite where it cannot be told.
    pub error: f64,
}

/// Tells whether a number is so near the middle of its interval that half the width describes the
/// interval: the longer side is at most 1.25 times the shorter. Chosen. False where an end is
/// infinite.
pub fn is_even(value: f64, low: f64, high: f64) -> bool {
    let sides = [value - low, high - value];
    let longer = sides[0].max(sides[1]);
    longer.is_finite() && longer <= 1.25 * sides[0].min(sides[1])
}

/// Frequencies of results, of pairs or of single games.
pub trait Frequencies {
    /// Returns how many games an entry has, which is a pair or a single game: 2 if there are five
    /// counts, by the half points of a pair, 1 if there are three.
    fn games_of_entry(&self) -> u32 {
        self.counts().len() as u32 / 2
    }

    /// Returns how many entries (pairs of games, or single games) have each number of points; the
    /// points rise evenly from none to all that an entry has.
    fn counts(&self) -> &[u64];

    /// Returns how many entries (pairs of games, or single games) there are.
    fn total(&self) -> u64 {
        self.counts().iter().sum()
    }

    /// Returns mean and variance of the points of an entry (a pair of games, or a single game), in
    /// parts of all points that it has. `None` without entries.
    fn moments(&self) -> Option<(f64, f64)> {
        moments(self.counts())
    }

    /// Returns the difference in Elo. `None` without entries (pairs of games, or single games).
    ///
    /// *Numerics*: the interval is that of the points, turned into Elo by the logistic curve;
    /// entries that are all alike do not tell how they vary, so the error is infinite.
    fn elo(&self) -> Option<Estimate> {
        let (mean, variance) = self.moments()?;
        let (low, high) = self.interval()?;
        let error = if variance > 0.0 {
            (high - low) / 2.0
        } else {
            f64::INFINITY
        };
        let value = elo_of(mean);
        Some(Estimate { value, error })
    }

    /// Returns the 95 % interval of the difference in Elo; either end may be infinite. `None`
    /// without entries (pairs of games, or single games).
    ///
    /// *Numerics*: the ends are the mean of the points ± 1.96 standard errors, turned into Elo.
    /// Entries that are all alike do not tell how they vary; one lost and one won are added to them
    /// then.
    ///
    /// *Source*: A. Agresti, B. Coull, "Approximate is better than 'exact' for interval estimation
    /// of binomial proportions", 1998, for what is added.
    fn interval(&self) -> Option<(f64, f64)> {
        let (mean, error) = self.varied()?;
        Some((elo_of(mean - Z * error), elo_of(mean + Z * error)))
    }

    /// Returns the mean of the points of an entry (a pair of games, or a single game) and the
    /// standard error of that mean, both in parts of all points. Where all entries are alike, one
    /// lost and one won are added to them. `None` without entries.
    fn varied(&self) -> Option<(f64, f64)> {
        let mut counts = self.counts().to_vec();
        let (mut mean, mut variance) = moments(&counts)?;
        if variance <= 0.0 {
            *counts.first_mut()? += 1;
            *counts.last_mut()? += 1;
            (mean, variance) = moments(&counts)?;
        }
        let total: u64 = counts.iter().sum();
        Some((mean, (variance / total as f64).sqrt()))
    }

    /// Returns the probability that a side which is stronger by `elo`, on the logistic scale, has
    /// results as low as these or lower, by the normal distribution. `None` without results.
    fn as_low(&self, elo: f64) -> Option<f64> {
        let (mean, error) = self.varied()?;
        let share = 1.0 / (1.0 + 10.0_f64.powf(-elo / 400.0));
        Some(erfc((share - mean) / error / 2.0_f64.sqrt()) / 2.0)
    }

    /// Returns the difference in normalised Elo: the mean of the points less ½, over their standard
    /// deviation for one game, times 800/ln 10. So it tells how many games show the difference,
    /// whatever the share of draws. `None` without entries (pairs of games, or single games), or
    /// where all are alike.
    fn nelo(&self) -> Option<Estimate> {
        let (mean, variance) = self.moments()?;
        if variance <= 0.0 {
            return None;
        }
        let each = f64::from(self.games_of_entry());
        let games = each * self.total() as f64;
        Some(Estimate {
            value: NELO_PER_T * (mean - 0.5) / (each * variance).sqrt(),
            error: NELO_PER_T * Z / games.sqrt(),
        })
    }

    /// Returns the likelihood of superiority, from 0 to 1: how sure it is that the side is the
    /// stronger one at all. `None` without results, or where all are alike.
    fn los(&self) -> Option<f64> {
        let (_, variance) = self.moments()?;
        self.as_low(0.0).filter(|_| variance > 0.0)
    }
}

impl Frequencies for Pentanomial {
    fn counts(&self) -> &[u64] {
        &self.0
    }
}

/// Pairs, or games that do not come in pairs: lost, drawn, won.
///
/// Each game is taken for an independent draw, so where games share openings, as those of
/// a match do, the intervals are wider than those of the pairs.
impl Frequencies for Vec<u64> {
    fn counts(&self) -> &[u64] {
        self
    }
}

impl Pentanomial {
    /// Adds a pair, given as the half points (0, 1, 2) of each of its two games, to the count of
    /// the pairs with their sum, 0 to 4.
    pub fn add(&mut self, pair: [u8; 2]) {
        let points = usize::from(pair[0]) + usize::from(pair[1]);
        self.0[points.min(4)] += 1;
    }

    /// Number of pairs.
    pub fn pairs(&self) -> u64 {
        self.total()
    }
}

/// Returns mean and variance of points from 0 to 1. `counts`: how many entries (pairs of games, or
/// single games) have each number of points, which rise evenly from 0 to 1; `None` if all are 0.
fn moments(counts: &[u64]) -> Option<(f64, f64)> {
    let total: u64 = counts.iter().sum();
    if total == 0 {
        return None;
    }
    let all = counts.len().saturating_sub(1) as f64;
    let sum = |f: &dyn Fn(f64) -> f64| -> f64 {
        let terms = counts.iter().enumerate();
        terms.map(|(i, &n)| n as f64 * f(i as f64 / all)).sum()
    };
    let mean = sum(&|x| x) / total as f64;
    let variance = sum(&|x| (x - mean) * (x - mean)) / total as f64;
    Some((mean, variance))
}

/// Returns the difference in Elo at which a side expects this share of the points:
/// −400·log₁₀(1/share − 1). Infinite at 0 and 1, and at shares beyond, which ends of an interval
/// may be.
fn elo_of(share: f64) -> f64 {
    let share = share.clamp(0.0, 1.0);
    // Added to a zero, so that equal sides are 0 apart and not -0.
    0.0 - 400.0 * (1.0 / share - 1.0).log10()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn close(found: f64, expected: f64, tolerance: f64) {
        assert!(
            (found - expected).abs() <= tolerance,
            "{found}, expected {expected}"
        );
    }

    /// Counts and results as the tests of fastchess have them
    /// (`app/tests/elo_test.cpp` of Disservin/fastchess).
    #[test]
    fn estimates_are_those_of_fastchess() {
        for (pairs, elo, elo_error, nelo, nelo_error, los) in [
            ([34, 54, 63, 64, 75], 55.58, 27.65, 57.94, 28.28, 1.0),
            (
                [332, 433, 498, 333, 334],
                -8.64,
                10.33,
                -9.17,
                10.96,
                0.0505,
            ),
            (
                [7895, 8757, 5685, 568, 9999],
                -21.04,
                2.95,
                -19.01,
                2.65,
                0.0,
            ),
        ] {
            let pairs = Pentanomial(pairs);
            let found = pairs.elo().unwrap();
            close(found.value, elo, 0.01);
            close(found.error, elo_error, 0.01);
            let found = pairs.nelo().unwrap();
            close(found.value, nelo, 0.01);
            close(found.error, nelo_error, 0.01);
            close(pairs.los().unwrap(), los, 0.0001);
        }
    }

    /// `Elo | 3.13 +- 2.92 (95%)` and the like, as OpenBench printed them, in
    /// pull requests of the engines named.
    #[test]
    fn elo_is_that_of_openbench() {
        for (pairs, elo, error) in [
            ([119, 2013, 3987, 2118, 142], 3.13, 2.92), // TerjeKir/weiss #766
            ([1453, 8952, 16711, 9425, 1427], 1.93, 1.55), // the same
            ([145, 850, 2205, 948, 176], 6.43, 4.37),   // TheRealGioviok/Perseus-Engine #58
            ([5, 942, 2469, 1050, 5], 4.20, 3.43),      // Yoshie2000/PlentyChess #334
        ] {
            let found = Pentanomial(pairs).elo().unwrap();
            close(found.value, elo, 0.005);
            close(found.error, error, 0.005);
        }
    }

    #[test]
    fn results_are_as_low_as_their_distance_from_a_difference_says() {
        let pairs = Pentanomial([34, 54, 63, 64, 75]);
        let (low, high) = pairs.interval().unwrap();
        close(pairs.as_low(high).unwrap(), 0.025, 1e-9);
        close(pairs.as_low(low).unwrap(), 0.975, 1e-9);
        close(pairs.as_low(pairs.elo().unwrap().value).unwrap(), 0.5, 1e-9);
        assert!(Pentanomial([20, 0, 0, 0, 0]).as_low(0.0).unwrap() < 1e-9);
        assert_eq!(Pentanomial::default().as_low(0.0), None);
    }

    #[test]
    fn what_cannot_be_told_is_not_told() {
        let none = Pentanomial::default();
        assert_eq!((none.elo(), none.nelo(), none.los()), (None, None, None));
        let mut alike = Pentanomial::default();
        for _ in 0..50 {
            alike.add([2, 1]);
        }
        let elo = alike.elo().unwrap();
        close(elo.value, 190.85, 0.01);
        assert!(elo.error.is_infinite() && alike.nelo().is_none() && alike.los().is_none());
        let mut all = Pentanomial::default();
        all.add([2, 2]);
        assert!(all.elo().unwrap().value.is_infinite());
    }

    #[test]
    fn who_wins_everything_is_surely_stronger() {
        // 38 games won and 2 drawn: the upper end is beyond all points, the
        // lower one by hand: 0.975 - 1.96·0.0750/√20 = 0.942 of the points.
        let (low, high) = Pentanomial([0, 0, 0, 2, 18]).interval().unwrap();
        close(low, elo_of(0.9421), 1.0);
        assert!(high.is_infinite());
        let low = |pairs| Pentanomial(pairs).interval().unwrap().0;
        assert!(low([0, 0, 0, 0, 20]) > 100.0);
        assert!(low([0, 0, 0, 0, 1]) < 0.0 && low([0, 0, 50, 0, 0]) < 0.0);
        let (low, high) = Pentanomial([34, 54, 63, 64, 75]).interval().unwrap();
        close((high - low) / 2.0, 27.65, 0.01);
        assert_eq!(Pentanomial::default().interval(), None);
    }

    /// Counts and results as the tests of fastchess have them, of games alone.
    #[test]
    fn single_games_are_those_of_fastchess() {
        for (games, nelo, error, los) in [
            ([89, 123, 76], -20.76, 40.13, 0.1553),
            ([96, 111, 136], 49.77, 36.77, 0.9960),
        ] {
            let games = Vec::from(games);
            let found = games.nelo().unwrap();
            close(found.value, nelo, 0.01);
            close(found.error, error, 0.01);
            close(games.los().unwrap(), los, 0.0001);
        }
        let found = vec![96, 111, 136].elo().unwrap();
        close(found.value, 40.70, 0.01);
        close(found.error, 30.43, 0.01);
        // Pairs of independent games tell the same as the games.
        let games = vec![100, 200, 100].elo().unwrap();
        let pairs = Pentanomial([25, 100, 150, 100, 25]).elo().unwrap();
        close(games.error, pairs.error * 2.0_f64.sqrt(), 0.05);
    }

    #[test]
    fn opposite_games_of_a_pair_cancel() {
        let (mut paired, mut split) = (Pentanomial::default(), Pentanomial::default());
        for _ in 0..50 {
            paired.add([2, 0]);
            paired.add([0, 2]);
            split.add([2, 2]);
            split.add([0, 0]);
        }
        assert!(paired.elo().unwrap().error.is_infinite());
        // By hand: 1.96 · 0.5 / √100 = 0.098 of the points.
        close(split.elo().unwrap().error, elo_of(0.598), 0.01);
    }
}
