//! When a search ends: by depth, nodes, time, or a command to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tuner_shogi::Color;

/// How often the clock is read, in nodes.
const CLOCK_INTERVAL: u64 = 1_024;

/// Subtracted from every budget for communication with the user interface. Chosen.
const OVERHEAD: Duration = Duration::from_millis(20);

/// Moves for which the remaining time must last. Chosen.
const HORIZON: u32 = 40;

/// What a search may use; `None` is no limit.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The last iteration; 0 counts as 1.
    pub depth: Option<u32>,
    /// Positions to visit, exact to the node.
    pub nodes: Option<u64>,
    /// Time.
    pub time: Option<Budget>,
    /// Set by another thread to end the search.
    pub stop: Option<Arc<AtomicBool>>,
}

/// Time for one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// No new iteration begins after this.
    pub soft: Duration,
    /// The search ends after this in any case.
    pub hard: Duration,
}

/// A shogi clock as USI describes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Time left for sente and gote.
    pub left: [Option<Duration>; 2],
    /// Increment a move for sente and gote.
    pub increment: [Duration; 2],
    /// Time for every move once the rest has run out (byōyomi).
    pub byoyomi: Option<Duration>,
}

impl Limits {
    /// A fixed number of positions.
    pub fn nodes(nodes: u64) -> Limits {
        Limits {
            nodes: Some(nodes),
            ..Limits::default()
        }
    }

    /// A fixed depth.
    pub fn depth(depth: u32) -> Limits {
        Limits {
            depth: Some(depth),
            ..Limits::default()
        }
    }

    /// A fixed time for one move.
    pub fn time(time: Duration) -> Limits {
        Limits {
            time: Some(Budget::fixed(time)),
            ..Limits::default()
        }
    }

    /// Whether the search has to end now.
    pub(super) fn exhausted(&self, nodes: u64, started: Instant) -> bool {
        if self.nodes.is_some_and(|limit| nodes >= limit) {
            return true;
        }
        nodes.is_multiple_of(CLOCK_INTERVAL)
            && (self
                .stop
                .as_ref()
                .is_some_and(|stop| stop.load(Ordering::Relaxed))
                || self.time.is_some_and(|time| started.elapsed() >= time.hard))
    }

    /// Whether another iteration is not worth beginning.
    pub(super) fn is_late(&self, started: Instant) -> bool {
        self.time.is_some_and(|time| started.elapsed() >= time.soft)
    }
}

impl Budget {
    /// The whole of a fixed time for one move.
    pub fn fixed(time: Duration) -> Budget {
        let time = time.saturating_sub(OVERHEAD).max(Duration::from_millis(1));
        Budget {
            soft: time,
            hard: time,
        }
    }
}

impl Clock {
    /// Divides the time that a player has left; `None` without a clock.
    ///
    /// Half of a move's share starts no new iteration, and no move takes more
    /// than four shares, or half of what is left in addition to byōyomi, which is
    /// lost if it is not used.
    pub fn budget(&self, us: Color) -> Option<Budget> {
        let player = us.index();
        if self.left[player].is_none() && self.byoyomi.is_none() {
            return None;
        }
        let left = self.left[player].unwrap_or_default();
        let each = self.byoyomi.unwrap_or_default();
        let share = (left / HORIZON)
            .saturating_add(self.increment[player] * 3 / 4)
            .saturating_add(each);
        let usable = (left / 2).saturating_add(each).saturating_sub(OVERHEAD);
        let hard = (share.saturating_mul(4))
            .min(usable)
            .max(Duration::from_millis(1));
        // Unused byōyomi is lost, so this move uses all of it.
        let soft = if left < each { hard } else { share / 2 };
        Some(Budget {
            soft: soft.min(hard),
            hard,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(left_ms: u64, increment_ms: u64, byoyomi: Option<u64>) -> Clock {
        Clock {
            left: [Some(Duration::from_millis(left_ms)); 2],
            increment: [Duration::from_millis(increment_ms); 2],
            byoyomi: byoyomi.map(Duration::from_millis),
        }
    }

    #[test]
    fn no_budget_exceeds_the_clock() {
        for left in [0, 1, 19, 21, 50, 1_000, 60_000, 3_600_000] {
            for increment in [0, 100, 30_000] {
                for byoyomi in [None, Some(0), Some(10), Some(1_000), Some(60_000)] {
                    let budget = clock(left, increment, byoyomi)
                        .budget(Color::Sente)
                        .unwrap_or_else(|| unreachable!());
                    assert!(budget.soft <= budget.hard);
                    let usable = (left + byoyomi.unwrap_or(0)).saturating_sub(20).max(1);
                    assert!(
                        budget.hard <= Duration::from_millis(usable),
                        "{left} {increment} {byoyomi:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn in_byoyomi_all_of_it_is_used() {
        let budget = clock(0, 0, Some(1_000)).budget(Color::Gote);
        assert_eq!(budget, Some(Budget::fixed(Duration::from_secs(1))));
    }

    #[test]
    fn without_time_there_is_no_budget() {
        assert_eq!(Clock::default().budget(Color::Gote), None);
    }

    #[test]
    fn huge_numbers_do_not_overflow() {
        let huge = clock(u64::MAX, 0, Some(u64::MAX));
        assert!(huge.budget(Color::Gote).is_some());
    }
}
