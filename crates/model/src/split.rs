//! Training and held-out games.

use tuner_base::{GOLDEN_GAMMA, mix};

/// Divides games into those that are fitted and those that judge the fit.
///
/// By whole games, because positions of one game share its result; by a hash
/// of the game's number, so that the division depends neither on the order of
/// the data nor on what else is in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    /// Games whose hash is in this range are held out.
    from: u64,
    below: u64,
    seed: u64,
}

impl Split {
    /// Makes the split that holds out a fraction of the games, from 0 to 1.
    /// Another seed holds out other games.
    pub fn new(fraction: f64, seed: u64) -> Self {
        // 2⁶⁴ as f64 saturates to u64::MAX: a fraction of 1 misses one hash in 2⁶⁴.
        Self {
            from: 0,
            below: (fraction.clamp(0.0, 1.0) * 2_f64.powi(64)) as u64,
            seed,
        }
    }

    /// Makes the split that holds out fold `number` of `folds`, counted from 0: with one seed,
    /// every game is in one of them.
    ///
    /// # Panics
    /// If there is no fold of this number.
    pub fn fold(number: u32, folds: u32, seed: u64) -> Self {
        assert!(number < folds, "fold {number} of {folds}");
        let bound = |fold: u32| (u128::from(fold) << 64) / u128::from(folds);
        Self {
            from: bound(number) as u64,
            // The last fold would end at 2⁶⁴; cut to u64::MAX, it misses one hash in 2⁶⁴.
            below: u64::try_from(bound(number + 1)).unwrap_or(u64::MAX),
            seed,
        }
    }

    /// Tells whether a game is held out.
    #[inline]
    pub fn holds_out(self, game: u32) -> bool {
        (self.from..self.below).contains(&hash(u64::from(game), self.seed))
    }
}

/// The rows that an objective looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Part {
    /// All rows.
    #[default]
    All,
    /// The rows of the games that the split does not hold out.
    Train(Split),
    /// The rows of the games that the split holds out.
    HeldOut(Split),
    /// Of the games that the first split does not hold out, those that the
    /// second does not hold out either: to choose a setting by.
    TrainOf(Split, Split),
    /// Of the games that the first split does not hold out, those that the
    /// second does.
    HeldOutOf(Split, Split),
}

impl Part {
    /// Tells whether the rows of a game belong to the part.
    #[inline]
    pub fn contains(self, game: u32) -> bool {
        match self {
            Self::All => true,
            Self::Train(split) => !split.holds_out(game),
            Self::HeldOut(split) => split.holds_out(game),
            Self::TrainOf(outer, inner) => !outer.holds_out(game) && !inner.holds_out(game),
            Self::HeldOutOf(outer, inner) => !outer.holds_out(game) && inner.holds_out(game),
        }
    }
}

/// Returns 64 bits, spread evenly, that depend on `value` and `seed` alone: those at the place
/// `value` of the seed's pseudo-random sequence.
#[inline]
fn hash(value: u64, seed: u64) -> u64 {
    mix(value.wrapping_add(seed).wrapping_mul(GOLDEN_GAMMA))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_out_the_fraction_asked_for() {
        for (fraction, expected) in [(0.0, 0.0), (0.1, 0.1), (0.5, 0.5), (1.0, 1.0)] {
            let split = Split::new(fraction, 0);
            let held_out = (0..100_000).filter(|&game| split.holds_out(game)).count();
            // Four standard deviations of a binomial count.
            let spread = 4.0 * (expected * (1.0 - expected) / 1e5_f64).sqrt();
            assert!((held_out as f64 / 1e5 - expected).abs() <= spread);
        }
    }

    #[test]
    fn every_game_is_in_one_fold() {
        for folds in [1, 2, 5, 7] {
            let holds = |game, fold| Split::fold(fold, folds, 3).holds_out(game);
            for game in 0..1000 {
                let count = (0..folds).filter(|&fold| holds(game, fold)).count();
                assert_eq!(count, 1, "{game} of {folds}");
            }
        }
    }

    #[test]
    fn every_game_is_in_exactly_one_part() {
        let split = Split::new(0.3, 7);
        for game in 0..1000 {
            assert_ne!(
                Part::Train(split).contains(game),
                Part::HeldOut(split).contains(game)
            );
            assert!(Part::All.contains(game));
            let inner = Split::new(0.2, 9);
            let fitted = Part::TrainOf(split, inner).contains(game);
            let judged = Part::HeldOutOf(split, inner).contains(game);
            assert!(!(fitted && judged));
            assert_eq!(fitted || judged, Part::Train(split).contains(game));
        }
        let other = Split::new(0.3, 8);
        assert!((0..1000).any(|game| split.holds_out(game) != other.holds_out(game)));
    }
}
