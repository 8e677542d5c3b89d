//! Whether results and scores look as if they had another perspective or unit.

use crate::MATE;

/// Positions below which nothing is said. Chosen: chance is within 0.1 then.
const FEWEST: u64 = 200;

/// Difference of correlations above which something is said. Results and
/// material correlate by 0.3 to 0.7 in data of all kinds; where the perspective
/// is wrong, by 0.05 at most.
const CLEAR: f64 = 0.15;

/// Scores of a game that follow each other, below which nothing is said. Chosen: an evaluation
/// that is seen from one side does not change its sign with every move.
const FEWEST_PAIRS: u64 = 4;

/// Scores that are more than this many times material, or less than one part in this many, seem to
/// have another unit. Chosen: in data of all kinds they are 0.5 to 4 times it; ten times more or
/// less where a unit is a tenth of the other, a hundred times where pawns are centipawns.
const OTHER_UNIT: f64 = 7.0;
/// From this ratio on pawns and centipawns seem to be mixed up; below it a unit is a tenth of
/// another.
const OF_PAWNS: f64 = 35.0;

/// Sums over positions of one input. Integers, so that they are the same in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Evidence {
    results: Sums,
    scores: Sums,
    sizes: Sizes,
    pairs: Pairs,
}

/// Sums of a value and of what the first player has more on the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums {
    count: u64,
    /// Of the squares of the value, and of those of the balance.
    squares: i128,
    balances: i128,
    /// Of value × balance, as the values stand.
    stated: i128,
    /// Of value × balance, the value negated where the second player is to move.
    turned: i128,
}

/// Sums of the sizes of scores and of material, over positions with unequal material and a score
/// other than a mate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sizes {
    count: u64,
    /// Of scores in centipawns, and of balances in hundredths of the least piece.
    scores: u64,
    balances: u64,
}

/// Sums over scores of a game that follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Pairs {
    count: u64,
    /// The sum of the products of the two, which are negative where the sign changes.
    products: i64,
    /// The sum of the sizes of these products.
    sizes: i64,
}

tuner_base::add_fields! { Evidence { results, scores, sizes, pairs } }
tuner_base::add_fields! { Sizes { count, scores, balances } }
tuner_base::add_fields! { Pairs { count, products, sizes } }
tuner_base::add_fields! { Sums { count, squares, balances, stated, turned } }

impl Evidence {
    /// Adds a position. `balance`: what the first player has more on the board, in hundredths of
    /// the least piece; `result`: from −1,000, a loss of the first player, to 1,000; `score`: in
    /// centipawns of the first player; `first_moves`: whether that player is to move.
    pub(super) fn add(&mut self, balance: i32, result: i64, score: Option<i32>, first_moves: bool) {
        self.results.add(balance, result, first_moves);
        if let Some(score) = score {
            // The sizes of scores and of material compare only where material is unequal and the
            // score is no mate, which are those within 1,000 of 32,000 (`MATE`).
            if balance != 0 && score.abs() < MATE - 1_000 {
                self.sizes.count += 1;
                self.sizes.scores += u64::from(score.unsigned_abs());
                self.sizes.balances += u64::from(balance.unsigned_abs());
            }
            // For the correlation a mate counts like any score beyond 20 pawns.
            let score = i64::from(score.clamp(-2_000, 2_000));
            self.scores.add(balance, score, first_moves);
        }
    }

    /// Adds the scores of two positions of a game that are one half-move apart, both in centipawns
    /// of the first player. Scores beyond 20 pawns count as 20 pawns.
    pub(super) fn add_pair(&mut self, first: i32, second: i32) {
        let [first, second] = [first, second].map(|score| i64::from(score.clamp(-2_000, 2_000)));
        let product = first * second;
        self.pairs.count += 1;
        self.pairs.products += product;
        self.pairs.sizes += product.abs();
    }

    /// Says that scores seem to have another unit than material; `None` if their mean size is
    /// within a factor of 7 ([`OTHER_UNIT`]) of that of material, or if there are fewer than 200
    /// positions ([`FEWEST`]) to tell by. Beyond a factor of 35 ([`OF_PAWNS`]) pawns and centipawns
    /// seem to be mixed up, else a unit is a tenth of the other.
    fn unit_words(&self) -> Option<String> {
        let Sizes { count, .. } = self.sizes;
        let times = self.sizes.scores as f64 / (self.sizes.balances as f64).max(1.0);
        let is_other = !(1.0 / OTHER_UNIT..=OTHER_UNIT).contains(&times);
        (count >= FEWEST && is_other).then(|| {
            let looks = if (1.0 / OF_PAWNS..=OF_PAWNS).contains(&times) {
                let size = if times > 1.0 { "large" } else { "small" };
                format!(
                    "look ten times too {size}; a fit finds their scale, --score-k, and filters \
                     such as --max-score take them as they are"
                )
            } else {
                let (read, looks) = if times > 1.0 {
                    ("pawns", "centipawns")
                } else {
                    ("centipawns", "pawns")
                };
                format!("look like {looks} that are read as {read}; see --score-unit")
            };
            format!(
                "scores are {times:.2} times as large as material where that is not equal: they \
                 {looks}"
            )
        })
    }

    /// Says that scores seem to change their view with each move: that scores of one game that are
    /// one half-move apart mostly have opposite signs, as the sum of their products is below minus
    /// half of the sum of the sizes of these. `None` where it is not, or where there are fewer than
    /// four such pairs.
    fn pair_words(&self) -> Option<String> {
        let (products, sizes) = (self.pairs.products as f64, self.pairs.sizes as f64);
        let alternate = self.pairs.count >= FEWEST_PAIRS && products < -0.5 * sizes;
        alternate.then(|| {
            "scores change their sign with nearly every move of a game: they look as if they had \
             the other perspective; see --score-perspective"
                .to_owned()
        })
    }

    /// Returns what looks wrong with the view and the unit of results and scores, a sentence each;
    /// nothing if all seems right. `is_games`: the input is of games, whose scores are in comments.
    pub(super) fn words(&self, is_games: bool) -> impl Iterator<Item = String> {
        // Results and scores may have different views. `--perspective` sets that of both, so where
        // only one kind looks wrong the option has to be one that leaves the other kind as it is.
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
        let views = (sums.into_iter())
            .filter_map(move |(what, sums, advice)| sums.words(what, advice, is_games));
        // That scores change their view with each move is said only if comparing them with material
        // did not already show that their view is wrong.
        let is_right = self.scores.look() == Look::Right;
        let pairs = self.pair_words().filter(|_| is_right);
        views.chain(pairs).chain(self.unit_words())
    }
}

/// Whether values seem to have the perspective that they are read with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Right,
    /// As if they had the other sign.
    Reversed,
    /// As if they had the other perspective.
    Other,
    /// As if they had the view of the player who is not to move.
    Waiting,
}

impl Sums {
    /// Adds the value of a position, its result or its score for the first player, who has
    /// `balance` more on the board; `first_moves`: whether that player is to move. `stated` sums
    /// value·balance with the value as it was read, `turned` with the value negated where the
    /// second player is to move, which is how it would be in the other perspective.
    fn add(&mut self, balance: i32, value: i64, first_moves: bool) {
        let balance = i64::from(balance);
        let product = i128::from(value * balance);
        self.count += 1;
        self.squares += i128::from(value * value);
        self.balances += i128::from(balance * balance);
        self.stated += product;
        self.turned += if first_moves { product } else { -product };
    }

    /// Returns the correlation of value (result or score) and balance of material about zero, Σ
    /// value·balance / √(Σ value² · Σ balance²), from -1 to 1: first with the values as they were
    /// read, then with each value negated where the second player is to move, which is the other
    /// perspective. 0 where all values or all balances are 0.
    fn correlations(&self) -> [f64; 2] {
        let scale = (self.squares as f64).sqrt() * (self.balances as f64).sqrt();
        [self.stated, self.turned].map(|sum| if scale > 0.0 { sum as f64 / scale } else { 0.0 })
    }

    /// Judges by which view values (results or scores) correlate with material. Whoever has more on
    /// the board wins more often and has the better scores, so the right view is the one that
    /// correlates most, by more than 0.15 ([`CLEAR`]), and positively. A correlation below -0.15 is
    /// that of values with the other sign: as they were read, or in the other perspective. Of fewer
    /// than 200 positions ([`FEWEST`]) nothing is said: they look right.
    fn look(&self) -> Look {
        let [stated, turned] = self.correlations();
        if self.count < FEWEST {
            Look::Right
        } else if stated < -CLEAR && stated.abs() >= turned.abs() {
            Look::Reversed
        } else if turned > stated + CLEAR {
            Look::Other
        } else if turned < -CLEAR && turned.abs() > stated.abs() + CLEAR {
            Look::Waiting
        } else {
            Look::Right
        }
    }

    /// Says that values, which are `what`, do not look right; `None` if they do. `advice` is the
    /// option to correct their perspective; `is_games`: they are of games, and scores of comments.
    fn words(&self, what: &str, advice: &str, is_games: bool) -> Option<String> {
        let [stated, turned] = self.correlations();
        let look = match self.look() {
            Look::Right => return None,
            Look::Reversed => format!("they look reversed; give FILE:{what}=reversed"),
            Look::Other => {
                format!("they look as if they had the other perspective; see {advice}")
            }
            // A score in the comment behind a move is often that of the player who made it, who is
            // to move in the position that the score is read for.
            Look::Waiting if is_games => {
                format!("they look as if they were the mover's; give {advice} side-to-move")
            }
            Look::Waiting => format!(
                "they look as if they were the view of the player who is not to move; give \
                 FILE:{what}=reversed, then they are the side to move's, and say so by {advice}"
            ),
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
    fn another_unit_and_signs_that_change_with_each_move_are_noticed() {
        let words = |evidence: Evidence| evidence.words(false).collect::<Vec<_>>().join("\n");
        for (times, part) in [
            (100, "like centipawns"),
            (
                10,
                "ten times too large; a fit finds their scale, --score-k",
            ),
            (4, ""),
            (1, ""),
            (-2, ""),
            (-10, "ten times too small"),
            (-100, "like pawns"),
        ] {
            let mut evidence = Evidence::default();
            for i in 0..400_i32 {
                let balance = 100 * (i % 7 - 3);
                let score = if times > 0 {
                    balance * times
                } else {
                    balance / -times
                };
                evidence.add(balance, i64::from(balance), Some(score), i % 2 == 0);
            }
            let said = words(evidence);
            assert_eq!(said.is_empty(), part.is_empty(), "{said}");
            assert!(said.contains(part), "{said}");
        }
        let mut evidence = Evidence::default();
        for (first, second) in [(23, -17), (-17, 25), (25, -14), (-14, 30)] {
            evidence.add_pair(first, second);
        }
        assert!(words(evidence).contains("see --score-perspective"));
        let mut evidence = Evidence::default();
        for (first, second) in [(23, 17), (17, -3), (-3, 14), (14, 30)] {
            evidence.add_pair(first, second);
        }
        assert!(words(evidence).is_empty());
    }

    #[test]
    fn the_wrong_perspective_is_noticed_and_the_right_one_is_not() {
        let words = |evidence: Evidence| evidence.words(false).collect::<Vec<_>>();
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
                ..Evidence::default()
            };
            let [words] = words(mixed).try_into().unwrap();
            assert!(words.ends_with(advice), "{words}");
        }
        let waiting = Evidence {
            scores: sums(true, true, 1000).scores,
            ..Evidence::default()
        };
        let [words_of_games] = waiting.words(true).collect::<Vec<_>>().try_into().unwrap();
        let cure = "give --score-perspective side-to-move";
        assert!(words_of_games.ends_with(cure), "{words_of_games}");
        let reversed = words(sums(false, true, 1000));
        assert!(
            (reversed.iter().zip(["results", "scores"]))
                .all(|(words, what)| words.ends_with(&format!("give FILE:{what}=reversed"))),
            "{reversed:?}"
        );
        assert_eq!(reversed.len(), 2);
        assert!(words(sums(true, false, 199)).is_empty());
    }
}
