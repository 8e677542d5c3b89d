//! Rounds of a fit: rows are fitted, and positions are traced again at the
//! weights found, as long as that is worth it.

use serde::{Deserialize, Serialize};

use super::{RunEvent, RunObserver};
use crate::Fit;
use tuner_solve::Termination;

/// One position in so many may take another branch at the end. Those that are
/// left are where both branches meet, and rounding to integers alone moves
/// some: the chess example went from 665 of 189,541 positions to 31, then 23,
/// 20, 22, 20.
const ONE_IN: u64 = 1000;

/// A round that leaves more than this part of the changed branches is the last.
/// In real engines each round leaves less than half as long as it helps, and
/// then nearly all: 2672, 324, 157, 156, 145 of 10,000 positions, and the same again.
const LEFT: f64 = 0.75;

/// How often the positions of a run are traced again, and whether once more is
/// worth it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Retracing {
    /// Maximum number of rows whose branch may change before positions are
    /// traced again.
    max_changed_branches: u64,
    #[serde(rename = "max_rounds")]
    /// Most rounds.
    most: usize,
    /// Rounds done.
    done: usize,
    /// Whether the last round brought next to nothing.
    stuck: bool,
}

impl Retracing {
    /// Begins with no round done, of at most `max_rounds`, in a run of `positions` positions.
    pub(super) fn new(positions: u64, max_rounds: usize) -> Self {
        Self {
            max_changed_branches: positions / ONE_IN,
            most: max_rounds,
            done: 0,
            stuck: false,
        }
    }

    /// Returns how many branches may change without another round of tracing again; `None` where
    /// there is no further round in any case.
    pub(super) fn max_changed_branches(&self) -> Option<u64> {
        (self.done < self.most && !self.stuck).then_some(self.max_changed_branches)
    }

    /// Tells why positions are traced again after a fit, and counts the round; `None` if they are
    /// not. The fit broke off because too many branches had changed, or too many have changed at
    /// its end. With `resolves`, where positions are resolved every few iterations, they are traced
    /// again also where the fit ended at that number of iterations.
    pub(super) fn next(&mut self, fit: &Fit, resolves: bool) -> Option<RunEvent<'static>> {
        let summary = &fit.summary;
        if resolves && self.are_left() && summary.termination == Termination::IterationLimit {
            self.done += 1;
            return Some(RunEvent::ResolvingAgain(summary.iterations));
        }
        let is_stale = summary.termination == Termination::NeedsRetrace;
        let changed = fit.changed_branches;
        (self.another(changed, is_stale)).then_some(RunEvent::Retracing(changed))
    }

    /// Tells whether there is another round of tracing again after a fit at whose end `changed`
    /// branches have changed, and counts it. `stale`: whether the fit broke off because too many
    /// had changed.
    fn another(&mut self, changed: u64, stale: bool) -> bool {
        // A fit breaks off only where a round is left, so after one that did this is not asked.
        let most = self.max_changed_branches();
        let another = stale || most.is_some_and(|most| changed > most);
        self.done += usize::from(another);
        another
    }

    /// Tells whether a round of tracing again is left; if so, counts it as done.
    pub(super) fn count(&mut self) -> bool {
        let another = self.are_left();
        self.done += usize::from(another);
        another
    }

    /// Tells whether another round of tracing again is allowed: fewer are done than the most.
    pub(super) const fn are_left(&self) -> bool {
        self.done < self.most
    }

    /// Chooses between the fits before and after a round of tracing again: the one with fewer
    /// changed branches, of equals the later. A fit that had broken off for the round is always
    /// given up for the later one. Also notes whether nearly as many branches change as before, so
    /// that this round is the last.
    pub(super) fn choose(
        &mut self,
        before: Fit,
        after: Fit,
        observer: &mut dyn RunObserver,
    ) -> Fit {
        self.judge(before.changed_branches, after.changed_branches);
        let ended = before.summary.termination != Termination::NeedsRetrace;
        if after.changed_branches > before.changed_branches && ended {
            observer.event(&RunEvent::RoundLeftOut(after.changed_branches));
            return before;
        }
        after.after(before)
    }

    /// Notes whether a round left nearly as many changed branches, `after`, as there were `before`
    /// it, so that another one is not worth it.
    fn judge(&mut self, before: u64, after: u64) {
        self.stuck = after as f64 > LEFT * before as f64;
    }

    /// Says how many positions take another branch in the end, `changed`, and what to think of it.
    pub fn sentence(&self, changed: u64) -> String {
        let advice = if changed <= self.max_changed_branches {
            "one in a thousand, or fewer".to_owned()
        } else if self.stuck {
            "tracing again no longer lowers their number, as they are where branches of the \
             evaluation meet; E takes the old branch for them"
                .to_owned()
        } else if self.most == 0 {
            "rows keep no positions that could be traced again (--retrace 0, a pipe, or rows that \
             were made elsewhere): write them again at these weights; E takes the old branch"
                .to_owned()
        } else {
            let most = self.most;
            format!("positions in files can be traced again, by a higher --retrace (here {most})")
        };
        format!(
            "{changed} positions take another branch at these weights than when they were traced: \
             {advice}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds done, and the last words, where changed branches fall as listed.
    fn run(most: usize, branches: &[u64]) -> (usize, String) {
        let mut rounds = Retracing::new(10_000, most);
        let mut branches = branches.iter().copied();
        let mut changed = branches.next().unwrap_or(0);
        while rounds.another(changed, false) {
            let after = branches.next().unwrap_or(0);
            rounds.judge(changed, after);
            changed = after;
        }
        (rounds.done, rounds.sentence(changed))
    }

    #[test]
    fn a_round_that_broke_off_is_followed_by_one_that_does_not() {
        let mut rounds = Retracing::new(10_000, 1);
        assert_eq!(rounds.max_changed_branches(), Some(10));
        assert!(rounds.another(500, true));
        assert_eq!(rounds.max_changed_branches(), None);
        // Fewer changes at integers than at the weights where it broke off.
        let mut rounds = Retracing::new(10_000, 3);
        assert!(rounds.another(10, true));
        rounds.judge(10, 9);
        assert_eq!(rounds.max_changed_branches(), None, "stuck");
    }

    #[test]
    fn rounds_end_when_few_branches_change_or_no_fewer_or_all_are_done() {
        let ends = |branches: &[u64], done, words: &str| {
            let (rounds, sentence) = run(5, branches);
            assert_eq!(rounds, done, "{branches:?}");
            assert!(sentence.contains(words), "{sentence}");
        };
        ends(&[2672, 324, 157, 156, 145, 140], 3, "no longer lowers");
        ends(&[25, 26], 1, "no longer lowers");
        ends(&[3000, 9], 1, "one in a thousand");
        ends(&[10], 0, "one in a thousand");
        ends(&[6400, 3200, 1600, 800, 400, 200], 5, "--retrace");
    }
}
