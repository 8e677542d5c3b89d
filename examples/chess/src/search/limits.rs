//! When a search ends: by depth, nodes, time, or a command to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use shakmaty::Color;

/// How often the clock is read, in nodes.
const CLOCK_INTERVAL: u64 = 1_024;

/// Subtracted from every budget for communication with the user interface. Chosen.
const OVERHEAD: Duration = Duration::from_millis(20);

/// Moves for which the remaining time must last, if not told. Chosen.
const HORIZON: u32 = 30;

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

/// A chess clock as UCI describes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Time left for White and Black.
    pub left: [Option<Duration>; 2],
    /// Increment a move for White and Black.
    pub increment: [Duration; 2],
    /// Moves to the next time control.
    pub moves_to_go: Option<u32>,
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
    /// than four shares or half of what is left.
    pub fn budget(&self, us: Color) -> Option<Budget> {
        let player = us.fold_wb(0, 1);
        let left = self.left[player]?.saturating_sub(OVERHEAD);
        let moves = self.moves_to_go.unwrap_or(HORIZON).clamp(1, HORIZON);
        let share = (left / moves).saturating_add(self.increment[player] * 3 / 4);
        let most = if moves == 1 { left } else { left / 2 };
        let hard = (share.saturating_mul(4))
            .min(most)
            .max(Duration::from_millis(1));
        Some(Budget {
            soft: (share / 2).min(hard),
            hard,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(left_ms: u64, increment_ms: u64, moves_to_go: Option<u32>) -> Clock {
        Clock {
            left: [Some(Duration::from_millis(left_ms)); 2],
            increment: [Duration::from_millis(increment_ms); 2],
            moves_to_go,
        }
    }

    #[test]
    fn no_budget_exceeds_the_clock() {
        for left in [0, 1, 19, 21, 50, 1_000, 60_000, 3_600_000] {
            for increment in [0, 100, 30_000] {
                for moves in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    let budget = clock(left, increment, moves)
                        .budget(Color::White)
                        .unwrap_or_else(|| unreachable!());
                    assert!(budget.soft <= budget.hard);
                    let usable = left.saturating_sub(20).max(1);
                    assert!(
                        budget.hard <= Duration::from_millis(usable),
                        "{left} {increment} {moves:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn without_time_there_is_no_budget() {
        assert_eq!(Clock::default().budget(Color::Black), None);
    }

    #[test]
    fn huge_numbers_do_not_overflow() {
        assert!(clock(u64::MAX, 0, Some(1)).budget(Color::Black).is_some());
    }
}
