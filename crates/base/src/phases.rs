//! How long the phases of a run take, one within another.
//!
//! A phase lasts from [`phase()`] to the end of what that returns, on one thread: the
//! one that directs the work, whatever other threads take part. So no function
//! needs to be handed a clock.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

thread_local! {
    /// The phases of this thread.
    static PHASES: RefCell<Phases> = const { RefCell::new(Phases { all: Vec::new(), open: Vec::new() }) };
}

/// The names of the phases under way that [`phases_under_way`] returns.
static UNDER_WAY: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

/// How many names of nested phases are told, the outermost first. Chosen: inner ones are passes.
const TOLD: usize = 2;

/// The time of a phase.
#[derive(Clone, Debug, PartialEq)]
pub struct PhaseTime {
    /// Its name, after those of the phases that it is part of.
    pub path: Vec<&'static str>,
    /// How many times it was entered.
    pub count: u64,
    /// The time in it, that of its parts included.
    pub time: Duration,
}

/// A phase under way; it ends where this is dropped.
#[derive(Debug)]
#[must_use = "the phase ends where this is dropped"]
pub struct OpenPhase {
    begun: Instant,
    /// Keeps the type from being sent: a phase ends on the thread that it began on.
    here: PhantomData<*const ()>,
}

/// The phases of a thread.
#[derive(Debug)]
struct Phases {
    /// All phases, each followed by its parts, in the order in which they began.
    all: Vec<PhaseTime>,
    /// The phases under way, by their numbers, the innermost last: all come before its parts.
    open: Vec<usize>,
}

impl Phases {
    /// Returns the number in `all` of the phase `name` that is part of the innermost phase under
    /// way; if none is under way, `name` is an outermost phase. A new one is put behind the parts
    /// that the phase under way has already.
    fn part(&mut self, name: &'static str) -> usize {
        let outer = self.open.last();
        let mut path = outer.map_or_else(Vec::new, |&outer| self.all[outer].path.clone());
        let is_within = |phase: &PhaseTime| phase.path.starts_with(&path);
        let next = self.all.iter().rposition(is_within).map_or(0, |at| at + 1);
        path.push(name);
        let known = self.all.iter().position(|phase| phase.path == path);
        known.unwrap_or_else(|| {
            let phase = PhaseTime {
                path,
                count: 0,
                time: Duration::ZERO,
            };
            // The phases under way come before `next`, so their numbers in `open` stay right.
            self.all.insert(next, phase);
            next
        })
    }

    /// Notes the names of the phases under way for [`phases_under_way`], the outermost first and at
    /// most two, when a phase begins or ends. `depth`: how deep that phase is nested, from 1;
    /// deeper ones than 2 are not told.
    fn tell(&self, depth: usize) {
        if depth <= TOLD {
            let told = self
                .open
                .last()
                .map(|&number| self.all[number].path.clone());
            *UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner) = told.unwrap_or_default();
        }
    }

    /// Adds `count` entries, and the time spent in them, to the phase with this number in `all`.
    fn add(&mut self, number: usize, count: u64, time: Duration) {
        self.all[number].count += count;
        self.all[number].time += time;
    }
}

/// Begins a phase, as part of the one under way on this thread; it ends when what is returned is
/// dropped.
///
/// *Cost*: under a microsecond, so it is for passes and not for rows.
pub fn phase(name: &'static str) -> OpenPhase {
    PHASES.with_borrow_mut(|phases| {
        let number = phases.part(name);
        phases.open.push(number);
        phases.tell(phases.open.len());
    });
    OpenPhase {
        begun: Instant::now(),
        here: PhantomData,
    }
}

/// Adds to the phase under way a part called `name`, whose time was measured otherwise, as the
/// share of threads that do several things at once; it counts as entered once.
pub fn phase_part(name: &'static str, time: Duration) {
    PHASES.with_borrow_mut(|phases| {
        let number = phases.part(name);
        phases.add(number, 1, time);
    });
}

impl Drop for OpenPhase {
    /// Ends the phase: adds its time since it began.
    fn drop(&mut self) {
        let time = self.begun.elapsed();
        PHASES.with_borrow_mut(|phases| {
            if let Some(number) = phases.open.pop() {
                phases.add(number, 1, time);
                phases.tell(phases.open.len() + 1);
            }
        });
    }
}

/// Returns the names of the phases under way, the outermost first and at most two, on the thread on
/// which a phase began or ended last; any thread may ask.
pub fn phases_under_way() -> Vec<&'static str> {
    let told = UNDER_WAY.lock().unwrap_or_else(PoisonError::into_inner);
    told.clone()
}

/// Returns the times of all phases of this thread that have ended, in the order in which they first
/// began, each followed by the phases that are part of it.
pub fn phase_times() -> Vec<PhaseTime> {
    PHASES.with_borrow(|phases| {
        let ended = phases.all.iter().filter(|phase| phase.count > 0);
        ended.cloned().collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_has_the_time_of_its_parts_and_comes_before_them() {
        let pause = || std::thread::sleep(Duration::from_millis(2));
        for _ in 0..2 {
            let _fit = phase("fit");
            pause();
            for _ in 0..2 {
                let _pass = phase("pass");
                let _inner = phase("inner");
                assert_eq!(phases_under_way(), ["fit", "pass"]);
                pause();
            }
            assert_eq!(phases_under_way(), ["fit"]);
        }
        assert!(phases_under_way().is_empty());
        {
            let _read = phase("read");
            phase_part("pass", Duration::from_secs(7));
        }
        let times = phase_times();
        let of = |number: usize| (times[number].path.clone(), times[number].count);
        assert_eq!(of(0), (vec!["fit"], 2));
        assert_eq!(of(1), (vec!["fit", "pass"], 4));
        assert_eq!(of(2), (vec!["fit", "pass", "inner"], 4));
        assert_eq!(of(3), (vec!["read"], 1));
        assert_eq!(of(4), (vec!["read", "pass"], 1));
        assert!(times[0].time >= times[1].time + Duration::from_millis(4));
        assert_eq!(times[4].time, Duration::from_secs(7));
        let elsewhere = std::thread::spawn(phase_times).join();
        assert!(elsewhere.is_ok_and(|times| times.is_empty()));
    }
}
