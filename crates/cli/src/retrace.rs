//! When to trace positions again, and what to say of those that are left.

use serde::{Deserialize, Serialize};

use tuner_fit::Fit;
use tuner_solve::Termination;

/// One position in so many may take another branch at the end. Those that are
/// left stand where both branches meet, and rounding to integers alone moves
/// some: the chess example went from 665 of 189,541 positions to 31, then 23,
/// 20, 22, 20.
const FEW: u64 = 1000;

/// A round that leaves more than this part of the flips is the last. Real
/// engines go on with less than half as long as it helps, and then with nearly
/// all: 2672, 324, 157, 156, 145 of 10,000 positions, and the same again.
const LEFT: f64 = 0.75;

/// The rounds of a fit.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rounds {
    /// Flips that are few enough.
    #[serde(rename = "max_changed_branches")]
    few: u64,
    /// Most rounds.
    #[serde(rename = "max_rounds")]
    most: usize,
    done: usize,
    /// Whether the last round brought next to nothing.
    stuck: bool,
}

impl Rounds {
    pub(super) fn new(positions: u64, most: usize) -> Self {
        Self {
            few: positions / FEW,
            most,
            done: 0,
            stuck: false,
        }
    }

    /// Flips that are few enough, if there is another round for more.
    pub(super) fn few(&self) -> Option<u64> {
        (self.done < self.most && !self.stuck).then_some(self.few)
    }

    /// Tells whether there is another round, and counts it: it is worth it, or
    /// the last one broke off for it.
    pub(super) fn go_on(&mut self, found: &Fit) -> bool {
        self.another(
            found.flipped,
            found.summary.termination == Termination::NeedsRetrace,
        )
    }

    fn another(&mut self, flipped: u64, stale: bool) -> bool {
        let on = stale || self.few().is_some_and(|few| flipped > few);
        self.done += usize::from(on);
        on
    }

    /// Tells whether there may be another round, whatever the flips.
    pub(super) const fn are_left(&self) -> bool {
        self.done < self.most
    }

    /// Counts a round that is done for another reason than flips.
    pub(super) const fn count(&mut self) {
        self.done += 1;
    }

    /// Chooses between the fits before and after a round: the one with fewer
    /// flips, the later of equals.
    pub(super) fn choose(&mut self, before: Fit, after: Fit) -> Fit {
        self.judge(before.flipped, after.flipped);
        let ended = before.summary.termination != Termination::NeedsRetrace;
        if after.flipped > before.flipped && ended {
            say!(
                "{} positions take another branch after it, more than before: it is left out",
                after.flipped
            );
            return before;
        }
        after.after(before)
    }

    /// Notes whether a round was worth it.
    fn judge(&mut self, before: u64, after: u64) {
        self.stuck = after as f64 > LEFT * before as f64;
    }

    /// What to think of positions that take another branch in the end.
    pub(super) fn sentence(&self, flipped: u64) -> String {
        let advice = if flipped <= self.few {
            "one in a thousand, or fewer".to_owned()
        } else if self.stuck {
            "tracing again no longer lowers their number, as they stand where branches of the \
             evaluation meet; E takes the old branch for them"
                .to_owned()
        } else {
            format!(
                "positions in files can be traced again, by a higher --retrace (here {})",
                self.most
            )
        };
        format!(
            "{flipped} positions take another branch at these weights than when they were traced: \
             {advice}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds done, and the last words, where flips fall as listed.
    fn run(most: usize, flips: &[u64]) -> (usize, String) {
        let mut rounds = Rounds::new(10_000, most);
        let mut flips = flips.iter().copied();
        let mut flipped = flips.next().unwrap_or(0);
        while rounds.another(flipped, false) {
            let after = flips.next().unwrap_or(0);
            rounds.judge(flipped, after);
            flipped = after;
        }
        (rounds.done, rounds.sentence(flipped))
    }

    #[test]
    fn a_round_that_broke_off_is_followed_by_one_that_does_not() {
        let mut rounds = Rounds::new(10_000, 1);
        assert_eq!(rounds.few(), Some(10));
        assert!(rounds.another(500, true));
        assert_eq!(rounds.few(), None);
        // Fewer flips at integers than at the weights where it broke off.
        let mut rounds = Rounds::new(10_000, 3);
        assert!(rounds.another(10, true));
        rounds.judge(10, 9);
        assert_eq!(rounds.few(), None, "stuck");
    }

    #[test]
    fn rounds_end_when_flips_are_few_or_fall_no_longer_or_all_are_done() {
        let ends = |flips: &[u64], done, words: &str| {
            let (rounds, sentence) = run(5, flips);
            assert_eq!(rounds, done, "{flips:?}");
            assert!(sentence.contains(words), "{sentence}");
        };
        ends(&[2672, 324, 157, 156, 145, 140], 3, "no longer lowers");
        ends(&[25, 26], 1, "no longer lowers");
        ends(&[3000, 9], 1, "one in a thousand");
        ends(&[10], 0, "one in a thousand");
        ends(&[6400, 3200, 1600, 800, 400, 200], 5, "--retrace");
    }
}
