//! Whether results and scores look as if they had the other perspective.

/// Positions below which nothing is said. Chosen: chance is within 0.1 then.
const FEWEST: u64 = 200;

/// Difference of correlations above which something is said. Results and
/// material correlate by 0.3 to 0.7 in data of all kinds; where the perspective
/// is wrong, by 0.05 at most.
const CLEAR: f64 = 0.15;

/// Sums over positions of one input. Integers, so that their order is nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Evidence {
    results: Sums,
    scores: Sums,
}

/// Sums of a value and of what the first player has more on the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums {
    count: u64,
    squares: i128,
    balances: i128,
    /// Of value × balance, as the values stand.
    stated: i128,
    /// Of value × balance, the value negated where the second player is to move.
    turned: i128,
}

tuner_base::add_fields! { Evidence { results, scores } }
tuner_base::add_fields! { Sums { count, squares, balances, stated, turned } }

impl Evidence {
    /// Adds a position: what the first player has more on the board, the result
    /// and the score for the first player, and who is to move.
    pub(super) fn add(&mut self, balance: i32, result: i64, score: Option<i32>, first_moves: bool) {
        self.results.add(balance, result, first_moves);
        if let Some(score) = score {
            // Mates are as good as any large score.
            let score = i64::from(score.clamp(-2_000, 2_000));
            self.scores.add(balance, score, first_moves);
        }
    }

    /// Returns what looks wrong.
    pub(super) fn words(&self) -> impl Iterator<Item = String> {
        // Of results and scores either may be right.
        let advice = if self.scores.look() == Look::Other {
            "--perspective"
        } else {
            "--perspective, and give scores theirs by --score-perspective"
        };
        let of_scores = if self.results.look() == Look::Other {
            "--perspective"
        } else {
            "--score-perspective"
        };
        let sums = [
            ("results", &self.results, advice),
            ("scores", &self.scores, of_scores),
        ];
        sums.into_iter()
            .filter_map(|(what, sums, advice)| sums.words(what, advice))
    }
}

/// What values look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Right,
    Reversed,
    /// As if they had the other perspective.
    Other,
}

impl Sums {
    fn add(&mut self, balance: i32, value: i64, first_moves: bool) {
        let balance = i64::from(balance);
        let product = i128::from(value * balance);
        self.count += 1;
        self.squares += i128::from(value * value);
        self.balances += i128::from(balance * balance);
        self.stated += product;
        self.turned += if first_moves { product } else { -product };
    }

    /// Correlation of value and balance about zero: as they stand, with the
    /// other perspective.
    fn correlations(&self) -> [f64; 2] {
        let scale = (self.squares as f64).sqrt() * (self.balances as f64).sqrt();
        [self.stated, self.turned].map(|sum| if scale > 0.0 { sum as f64 / scale } else { 0.0 })
    }

    fn look(&self) -> Look {
        let [stated, turned] = self.correlations();
        if self.count < FEWEST {
            Look::Right
        } else if stated < -CLEAR && stated.abs() > turned.abs() {
            Look::Reversed
        } else if turned > stated + CLEAR {
            Look::Other
        } else {
            Look::Right
        }
    }

    fn words(&self, what: &str, advice: &str) -> Option<String> {
        let [stated, turned] = self.correlations();
        let look = match self.look() {
            Look::Right => return None,
            Look::Reversed => "they look reversed".to_owned(),
            Look::Other => {
                format!("they look as if they had the other perspective; see {advice}")
            }
        };
        Some(format!(
            "{what} correlate with material by {stated:.2} as they are read, by {turned:.2} if \
             they were the side to move's (or the first player's, if read as the side to move's): \
             {look}"
        ))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    /// Positions in which the better side wins, both sides to move in turn.
    fn sums(turned: bool, reversed: bool, count: i32) -> Evidence {
        let mut evidence = Evidence::default();
        for i in 0..count {
            let balance = i % 7 - 3;
            let first_moves = i % 2 == 0;
            let flips = reversed != (turned && !first_moves);
            let sign = if flips { -1 } else { 1 };
            let result = i64::from(sign * balance.signum() * 1_000);
            evidence.add(
                100 * balance,
                result,
                Some(sign * 90 * balance),
                first_moves,
            );
        }
        evidence
    }

    #[test]
    fn the_wrong_perspective_is_noticed_and_the_right_one_is_not() {
        let words = |evidence: Evidence| evidence.words().collect::<Vec<_>>();
        assert!(words(sums(false, false, 1000)).is_empty());
        let wrong = words(sums(true, false, 1000));
        assert_eq!(wrong.len(), 2);
        assert!(
            wrong.iter().all(|w| w.contains("other perspective")),
            "{wrong:?}"
        );
        let both = |w: &String| w.ends_with("; see --perspective");
        assert!(wrong.iter().all(both), "{wrong:?}");
        for (results, advice) in [
            (true, "by --score-perspective"),
            (false, "--score-perspective"),
        ] {
            let (good, bad) = (sums(false, false, 1000), sums(true, false, 1000));
            let mixed = Evidence {
                results: if results { &bad } else { &good }.results,
                scores: if results { &good } else { &bad }.scores,
            };
            let [words] = words(mixed).try_into().unwrap();
            assert!(words.ends_with(advice), "{words}");
        }
        let reversed = words(sums(false, true, 1000));
        assert!(
            reversed.iter().all(|w| w.contains("reversed")),
            "{reversed:?}"
        );
        assert_eq!(reversed.len(), 2);
        assert!(words(sums(true, false, 199)).is_empty());
    }
}
