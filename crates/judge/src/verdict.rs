//! Whether new weights are better than old ones, by games that neither was
//! fitted to.

use serde::{Deserialize, Serialize};

use crate::statistics::reach;
use tuner_fit::model::{GameLoss, paired_errors};

/// A difference below this counts as none, whatever its error: errors are shown with six digits.
const SEEN: f64 = 5e-7;

/// The verdict of the held-out games on new weights against the old ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FitVerdict {
    /// The held-out error fell, by more than chance explains.
    Better,
    /// Chance explains the difference.
    WithinNoise,
    /// The held-out error rose, by more than chance explains.
    Worse,
    /// No game was held out, or only one; or the error fell on positions that come game by game
    /// without the ids of their games, so that it may have fallen for these games only.
    NotJudged,
    /// The errors are those of a linear model of a score that is not linear.
    Predicted,
}

tuner_base::impl_fmt! { Display for FitVerdict, |self, f| f.write_str(match self {
    Self::Better => "better than before",
    Self::WithinNoise => "within noise of before",
    Self::Worse => "worse than before",
    Self::NotJudged => "not judged",
    Self::Predicted => "the gain is predicted by a linear model and not measured",
}) }

impl FitVerdict {
    /// Returns the verdict on a difference of E on held-out games, by its 95 % interval. A
    /// difference of less than 5e-7, which six digits do not show, is within noise; one on fewer
    /// than two games, or `None`, is not judged.
    pub fn of(difference: Option<&ErrorDifference>) -> Self {
        match difference {
            Some(d) if d.games < 2 => Self::NotJudged,
            Some(d) if d.difference.abs() < SEEN => Self::WithinNoise,
            Some(d) if d.high() < 0.0 => Self::Better,
            Some(d) if d.low() > 0.0 => Self::Worse,
            Some(_) => Self::WithinNoise,
            None => Self::NotJudged,
        }
    }
}

/// The difference of two errors on the same games.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct ErrorDifference {
    /// E of the old weights.
    pub before: f64,
    /// E of the new weights.
    pub after: f64,
    /// The new minus the old: negative where the new weights are better.
    pub difference: f64,
    /// The standard error of the difference, paired by games.
    pub standard_error: f64,
    /// The games compared.
    pub games: usize,
}

tuner_base::impl_fmt! { Display for ErrorDifference, |self, f| f.write_str(&self.in_words("games")) }

impl ErrorDifference {
    /// Compares losses of the same games at the old and the new weights, both ascending by the
    /// game's number; `None` if no game has weight.
    pub fn new(before: &[(u32, GameLoss)], after: &[(u32, GameLoss)]) -> Option<Self> {
        let (means, standard_error, games) = paired_errors(before, after)?;
        let [before, after, difference] = means;
        Some(Self {
            before,
            after,
            difference,
            standard_error,
            games,
        })
    }

    /// Returns the lower end of the 95 % interval of the difference of E, new minus old.
    pub fn low(&self) -> f64 {
        self.difference - self.reach()
    }

    /// Returns the upper end of the 95 % interval of the difference of E, new minus old.
    pub fn high(&self) -> f64 {
        self.difference + self.reach()
    }

    /// Returns in words both errors, their difference with its standard error, and how many games
    /// are behind it. `of`: how they are called, such as "games".
    pub fn in_words(&self, of: &str) -> String {
        format!(
            "{:.6} → {:.6}, {:+.6} ± {:.6} ({} {of})",
            self.before, self.after, self.difference, self.standard_error, self.games
        )
    }

    /// Returns how far the 95 % interval of the difference reaches to each side, by Student's t, in
    /// the unit of E: infinite for one game, 0 where no game differs.
    pub fn reach(&self) -> f64 {
        // Where no game differs the interval is a point: with one game it would be 0 times
        // infinity.
        if self.standard_error > 0.0 {
            self.standard_error * reach(self.games)
        } else {
            0.0
        }
    }
}

/// How much of the gain on the games fitted is noise.
///
/// The weights follow chance in the games that they were fitted to, and other
/// games do not share it: `1 − gain on held-out games / gain on fitted games`.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct NoiseShare {
    /// By the games held out; `None` if fewer than two are.
    pub observed: Option<f64>,
    /// Its standard error.
    pub observed_error: Option<f64>,
    /// By the curvature: `tr(A⁻¹J)` over the gain, with J the covariance of the
    /// gradient and A the curvature of E and the prior.
    ///
    /// *Source*: K. Takeuchi, Distribution of informational statistics and a
    /// criterion of model fitting, 1976.
    pub predicted: Option<f64>,
}

impl NoiseShare {
    /// Computes which part of the gain on the games fitted is noise: as observed, 1 − gain on
    /// held-out games / gain on fitted games, if two games or more are held out; and as predicted,
    /// `optimism` / gain. `optimism`: by how much E of the games fitted is expected to be too
    /// small. `None` where nothing was gained on the games fitted.
    pub fn new(
        fitted: &ErrorDifference,
        held_out: Option<&ErrorDifference>,
        optimism: Option<f64>,
    ) -> Option<Self> {
        let gain = -fitted.difference;
        let held_out = held_out.filter(|difference| difference.games >= 2);
        (gain > 0.0).then(|| Self {
            observed: held_out.map(|d| 1.0 + d.difference / gain),
            observed_error: held_out.map(|d| d.standard_error / gain),
            predicted: optimism.map(|optimism| optimism / gain),
        })
    }

    /// Returns in one sentence which part of the gain is noise, as observed and as predicted;
    /// `None` if neither is known.
    pub fn sentence(&self) -> Option<String> {
        let percent = |part: f64| format!("{:.0} %", 100.0 * part);
        let observed = self.observed.zip(self.observed_error);
        let observed = observed.map(|(share, error)| {
            let (share, error) = (percent(share), percent(error));
            format!("{share} ± {error} by the held-out games")
        });
        let predicted = (self.predicted).map(|share| format!("{} predicted", percent(share)));
        let parts: Vec<String> = observed.into_iter().chain(predicted).collect();
        (!parts.is_empty()).then(|| {
            let parts = parts.join(", ");
            format!("noise in the gain on the games fitted: {parts}")
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use tuner_fit::model::ByGame;

    /// Games of these weights and losses.
    fn games(games: &[(f64, f64)]) -> ByGame<GameLoss> {
        let all = games
            .iter()
            .map(|&(weight, loss)| GameLoss { weight, loss });
        (0..).zip(all).collect()
    }

    #[test]
    fn the_difference_is_paired_by_games() {
        // Losses vary far more from game to game than with the weights.
        let before = games(&[(10.0, 1.0), (10.0, 9.0), (20.0, 4.0), (10.0, 5.0)]);
        let after = games(&[(10.0, 0.8), (10.0, 8.9), (20.0, 3.7), (10.0, 4.8)]);
        let found = ErrorDifference::new(&before, &after).unwrap();
        assert!((found.difference + 0.8 / 50.0).abs() < 1e-15);
        // By hand: rests −0.04, 0.06, 0.02, −0.04.
        let expected = (4.0 / 3.0 * 0.0072_f64).sqrt() / 50.0;
        assert!((found.standard_error - expected).abs() < 1e-15);
        assert_eq!(FitVerdict::of(Some(&found)), FitVerdict::Better);
        let back = ErrorDifference::new(&after, &before).unwrap();
        assert_eq!(FitVerdict::of(Some(&back)), FitVerdict::Worse);
    }

    #[test]
    fn what_chance_explains_is_within_noise() {
        let before = games(&[(1.0, 0.2), (1.0, 0.3), (1.0, 0.1)]);
        let after = games(&[(1.0, 0.1), (1.0, 0.4), (1.0, 0.05)]);
        let found = ErrorDifference::new(&before, &after);
        assert_eq!(FitVerdict::of(found.as_ref()), FitVerdict::WithinNoise);
        let same = ErrorDifference::new(&before, &before);
        assert_eq!(FitVerdict::of(same.as_ref()), FitVerdict::WithinNoise);
        let one = games(&[(1.0, 0.2)]);
        let found = ErrorDifference::new(&one, &games(&[(1.0, 0.1)]));
        assert_eq!(FitVerdict::of(found.as_ref()), FitVerdict::NotJudged);
        assert_eq!(
            ErrorDifference::new(&games(&[(0.0, 0.0)]), &games(&[(0.0, 0.0)])),
            None
        );
        assert_eq!(FitVerdict::of(None), FitVerdict::NotJudged);
    }

    #[test]
    fn what_held_out_games_do_not_share_is_noise() {
        let difference = |difference, standard_error| ErrorDifference {
            before: 0.1,
            after: 0.1 + difference,
            difference,
            standard_error,
            games: 100,
        };
        let fitted = difference(-0.004, 1e-4);
        let held_out = difference(-0.001, 2e-4);
        let share = NoiseShare::new(&fitted, Some(&held_out), Some(0.002)).unwrap();
        assert!((share.observed.unwrap() - 0.75).abs() < 1e-12);
        assert!((share.observed_error.unwrap() - 0.05).abs() < 1e-12);
        assert!((share.predicted.unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(NoiseShare::new(&difference(0.0, 0.0), None, None), None);
    }
}
