//! What a match says about strength.

/// Results of game pairs: one opening, both colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Pairs by the first engine's half points, 0 … 4.
    pub pairs: [u32; 5],
    /// Single games won by the first engine.
    pub wins: u32,
    /// Single games drawn.
    pub draws: u32,
    /// Single games lost by the first engine.
    pub losses: u32,
}

impl Tally {
    /// Adds a pair, given as the half points (0, 1, 2) of its two games.
    pub fn add(&mut self, pair: [u8; 2]) {
        self.pairs[usize::from(pair[0] + pair[1]).min(4)] += 1;
        for half_points in pair {
            match half_points {
                0 => self.losses += 1,
                1 => self.draws += 1,
                _ => self.wins += 1,
            }
        }
    }

    /// All games.
    pub fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// The difference in Elo and half the width of its 95 % interval.
    ///
    /// The variance is that of pairs, not of games: both games of a pair share
    /// the opening. None without pairs; infinite where one side won all.
    pub fn elo(&self) -> Option<(f64, f64)> {
        let pairs: u32 = self.pairs.iter().sum();
        if pairs == 0 {
            return None;
        }
        let n = f64::from(pairs);
        let share = |half_points: usize| half_points as f64 / 4.0;
        let sum = |f: &dyn Fn(f64) -> f64| -> f64 {
            let terms = self.pairs.iter().enumerate();
            terms
                .map(|(points, &count)| f64::from(count) * f(share(points)))
                .sum()
        };
        let mean = sum(&|x| x) / n;
        let variance = sum(&|x| (x - mean) * (x - mean)) / n;
        let half_width = 1.96 * (variance / n).sqrt();
        let low = difference((mean - half_width).max(0.0));
        let high = difference((mean + half_width).min(1.0));
        // Pairs that are all alike tell nothing about how they vary.
        let error = if half_width > 0.0 {
            (high - low) / 2.0
        } else {
            f64::INFINITY
        };
        Some((difference(mean), error))
    }
}

/// The difference in Elo at which a side expects this share of the points.
fn difference(share: f64) -> f64 {
    -400.0 * (1.0 / share - 1.0).log10()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failure is a failed test

    use super::*;

    #[test]
    fn games_and_pairs_are_counted() {
        let mut tally = Tally::default();
        tally.add([2, 1]);
        tally.add([0, 2]);
        assert_eq!((tally.wins, tally.draws, tally.losses), (2, 1, 1));
        assert_eq!(tally.pairs, [0, 0, 1, 1, 0]);
    }

    #[test]
    fn three_quarters_are_191_elo() {
        let mut tally = Tally::default();
        for _ in 0..50 {
            tally.add([2, 1]);
        }
        let (elo, error) = tally.elo().unwrap();
        assert!((elo - 190.85).abs() < 0.01);
        // Fifty pairs that are all alike do not tell how pairs vary.
        assert!(error.is_infinite());
    }

    #[test]
    fn opposite_games_of_a_pair_cancel() {
        let (mut paired, mut split) = (Tally::default(), Tally::default());
        for _ in 0..50 {
            paired.add([2, 0]);
            paired.add([2, 0]);
            split.add([2, 2]);
            split.add([0, 0]);
        }
        let (elo, error) = paired.elo().unwrap();
        assert!(elo.abs() < 1e-9 && error.is_infinite());
        // By hand: 1.96 · 0.5 / √100 = 0.098 of the points.
        let (elo, error) = split.elo().unwrap();
        assert!(elo.abs() < 1e-9 && (error - difference(0.598)).abs() < 1e-9);
    }

    #[test]
    fn without_games_there_is_no_elo() {
        assert_eq!(Tally::default().elo(), None);
    }
}
