//! The result of a game, seen from the first player.

use std::cmp::Ordering;
use std::num::NonZeroU32;

/// The result of a game for the first player (White in chess, sente in shogi).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The first player lost: R = 0.
    Loss,
    /// Nobody won: R = ½.
    Draw,
    /// The first player won: R = 1.
    Win,
}

impl Outcome {
    /// Returns R, the value that the fit regresses on: 0, ½ or 1.
    pub const fn value(self) -> f64 {
        match self {
            Self::Loss => 0.0,
            Self::Draw => 0.5,
            Self::Win => 1.0,
        }
    }

    /// Returns the same result seen by the other player.
    #[must_use]
    pub const fn flipped(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }
}

impl From<Ordering> for Outcome {
    /// Returns the result of a game that is decided by counting, such as points: `first` is how the
    /// first player's count compares with the second's, and more wins.
    fn from(first: Ordering) -> Self {
        match first {
            Ordering::Less => Self::Loss,
            Ordering::Equal => Self::Draw,
            Ordering::Greater => Self::Win,
        }
    }
}

tuner_base::impl_fmt! { Display for Outcome, |self, f| f.write_str(match self {
    Self::Loss => "0-1",
    Self::Draw => "1/2-1/2",
    Self::Win => "1-0",
}) }

impl std::str::FromStr for Outcome {
    type Err = ();

    /// Reads `1-0`, `1/2-1/2` or `0-1`.
    fn from_str(text: &str) -> Result<Self, ()> {
        let outcomes = [Self::Win, Self::Draw, Self::Loss];
        let found = outcomes.into_iter().find(|of| of.to_string() == text);
        found.ok_or(())
    }
}

/// The expected result of a position for the first player: the outcome of its
/// game, or in some data a probability.
///
/// Stored in billionths, so that turning it to the other player and back gives
/// the same value: R of `0.73` is exactly the number that `0.73` reads as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Expected(u32);

/// One, in the unit of [`Expected`].
const ONE: u32 = 1_000_000_000;

impl Expected {
    /// Reads a result of a game, `1-0`, `1`, `1/2-1/2`, `1/2`, `½-½`, `½`, `0-1` or `0`, or else a
    /// decimal fraction from 0 to 1 with a point, as [`parse`](Self::parse) does; `None` of other
    /// text.
    pub fn of_result(text: &str) -> Option<Self> {
        let outcome = match text {
            "1-0" | "1" => Outcome::Win,
            "1/2-1/2" | "1/2" | "½-½" | "½" => Outcome::Draw,
            "0-1" | "0" => Outcome::Loss,
            _ => return Self::parse(text),
        };
        Some(outcome.into())
    }

    /// Returns the expected result that a score of the first player means, 1/(1 +
    /// 10^(−score/scale)): at a score of `scale` the odds are ten to one. Both are in the same
    /// unit, such as centipawns.
    ///
    /// *Numerics*: the same on every machine.
    pub fn of_score(score: i32, scale: NonZeroU32) -> Self {
        let expected = 1.0 / (1.0 + libm::exp10(-f64::from(score) / f64::from(scale.get())));
        Self((expected * f64::from(ONE)).round() as u32)
    }

    /// Reads a decimal fraction from 0 to 1, such as `0.73`; `None` of other text, also without a
    /// point.
    ///
    /// *Numerics*: digits beyond the ninth are cut off.
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.')?;
        let whole = match whole {
            "" | "0" => 0,
            "1" => ONE,
            _ => return None,
        };
        if fraction.is_empty() || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        // Nine digits behind the point are billionths.
        let mut value = 0;
        for place in 0..9 {
            let digit = fraction.as_bytes().get(place).map_or(0, |byte| byte - b'0');
            value = value * 10 + u32::from(digit);
        }
        let zero = fraction.bytes().all(|byte| byte == b'0');
        (whole == 0 || zero).then_some(Self(whole + value))
    }

    /// Returns R, from 0 to 1.
    pub fn value(self) -> f64 {
        f64::from(self.0) / f64::from(ONE)
    }

    /// Returns the expected result for the other player, 1 − R; both are stored in billionths.
    #[must_use]
    pub const fn flipped(self) -> Self {
        Self(ONE - self.0)
    }

    /// Returns the result of a game that this is, as R, stored in billionths, is 0, ½ or 1; `None`
    /// of any other probability.
    pub const fn outcome(self) -> Option<Outcome> {
        match self.0 {
            0 => Some(Outcome::Loss),
            500_000_000 => Some(Outcome::Draw),
            ONE => Some(Outcome::Win),
            _ => None,
        }
    }

    /// Returns 2,000·R − 1,000, cut to a whole number: −1,000 where the first player has lost, 0
    /// for a draw, 1,000 where that player has won. R is stored in billionths.
    pub const fn balance(self) -> i64 {
        (self.0 / 500_000) as i64 - 1_000
    }
}

impl From<Outcome> for Expected {
    /// Returns the certain result: 0, a half or 1, which is stored in billionths.
    fn from(outcome: Outcome) -> Self {
        Self(match outcome {
            Outcome::Loss => 0,
            Outcome::Draw => ONE / 2,
            Outcome::Win => ONE,
        })
    }
}

impl PartialEq<Outcome> for Expected {
    /// Tells whether R is exactly that of the outcome, 0, ½ or 1; no other probability is.
    fn eq(&self, other: &Outcome) -> bool {
        self.outcome() == Some(*other)
    }
}

tuner_base::impl_fmt! {
/// `1-0`, `1/2-1/2`, `0-1`, or the probability with all its digits.
Display for Expected, |self, f| {
    if let Some(outcome) = self.outcome() {
        return outcome.fmt(f);
    }
    let digits = format!("{:09}", self.0);
    write!(f, "0.{}", digits.trim_end_matches('0'))
} }

/// Whose view an input's result or score has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Perspective {
    /// White in chess, sente in shogi.
    #[default]
    FirstPlayer,
    /// The player whose turn it is.
    SideToMove,
}

impl Perspective {
    /// Both values with their words, in the order of the enum.
    const NAMED: [(&'static str, Self); 2] = [
        ("first-player", Self::FirstPlayer),
        ("side-to-move", Self::SideToMove),
    ];

    /// Finds a perspective by its word, `first-player` or `side-to-move`; `None` of other words.
    pub fn named(word: &str) -> Option<Self> {
        let mut all = Self::NAMED.into_iter();
        all.find(|(name, _)| *name == word).map(|(_, one)| one)
    }

    /// Returns the word for this perspective, `first-player` or `side-to-move`.
    pub const fn name(self) -> &'static str {
        Self::NAMED[self as usize].0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_read_exactly_and_turned_exactly() {
        for text in ["0.73", "0.1", "0.123456789", "0.000000001", "0.999999999"] {
            let read = Expected::parse(text);
            let value: Option<f64> = text.parse().ok();
            assert_eq!(read.map(|r| r.value().to_bits()), value.map(f64::to_bits));
            assert_eq!(read.map(|r| r.flipped().flipped()), read);
            assert_eq!(read.map(|r| r.to_string()).as_deref(), Some(text));
        }
        assert_eq!(
            Expected::parse("0.50").and_then(Expected::outcome),
            Some(Outcome::Draw)
        );
        assert_eq!(Expected::parse("1.000").map(Expected::balance), Some(1_000));
        assert_eq!(Expected::parse(".5").map(Expected::balance), Some(0));
        assert_eq!(Expected::parse("0.0").map(Expected::balance), Some(-1_000));
        let scale = NonZeroU32::MIN.saturating_add(399);
        for (score, expected) in [(0, "1/2-1/2"), (400, "0.909090909"), (-400, "0.090909091")] {
            assert_eq!(Expected::of_score(score, scale).to_string(), expected);
        }
        assert_eq!(Expected::of_score(32_000, scale), Outcome::Win);
        for text in [
            "1.1",
            "1.0000000001",
            "2.0",
            "-0.5",
            "0.",
            ".",
            "1",
            "0.5 ",
            "0.5e0",
            "+0.5",
        ] {
            assert_eq!(Expected::parse(text), None, "{text}");
        }
    }
}
