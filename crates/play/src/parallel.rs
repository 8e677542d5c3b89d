//! Many jobs on several threads, their results in order.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// How long to wait for a result before the caller is asked whether to go on. Chosen: a user who
/// wants an end notices no delay.
const PATIENCE: Duration = Duration::from_millis(100);

/// Jobs by number, and on how many threads they are done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Their numbers.
    pub numbers: Range<u64>,
    /// At least one is taken.
    pub threads: usize,
}

/// Does jobs on several threads, each with a state of its own, and hands the
/// results over on the caller's thread in the order of the jobs.
///
/// `take` gets a job's number and result, or nothing where none came for a tenth
/// of a second. If it breaks, no further job is begun, those under way are left
/// to end, and their results are thrown away: what was taken are the first jobs
/// of all, whatever the number of threads.
///
/// # Errors
/// The first error of `start` or `each`, in the order of the jobs; results
/// before it have been taken.
pub fn in_order<S, T: Send, E: Send>(
    batch: &Batch,
    start: impl Fn() -> Result<S, E> + Sync,
    each: impl Fn(&mut S, u64) -> Result<T, E> + Sync,
    mut take: impl FnMut(Option<(u64, T)>) -> ControlFlow<()>,
) -> Result<(), E> {
    let next = AtomicU64::new(batch.numbers.start);
    let stop = AtomicBool::new(false);
    let (to, from) = channel::<(u64, Result<T, E>)>();
    let work = |to: Sender<(u64, Result<T, E>)>| {
        let mut state = None;
        while !stop.load(Ordering::Relaxed) {
            let job = next.fetch_add(1, Ordering::Relaxed);
            if job >= batch.numbers.end {
                return;
            }
            let done = match &mut state {
                Some(state) => each(state, job),
                None => start().and_then(|made| each(state.insert(made), job)),
            };
            let failed = done.is_err();
            // Nobody listens any more once the caller has broken off.
            if to.send((job, done)).is_err() || failed {
                return;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..batch.threads.max(1) {
            let (to, work) = (to.clone(), &work);
            scope.spawn(move || work(to));
        }
        drop(to);
        let result = gather(&from, batch.numbers.start, &mut take);
        stop.store(true, Ordering::Relaxed);
        drop(from);
        result
    })
}

/// Hands results over in their order until there are no more, one is an error,
/// or `take` breaks off.
fn gather<T, E>(
    from: &Receiver<(u64, Result<T, E>)>,
    mut wanted: u64,
    take: &mut impl FnMut(Option<(u64, T)>) -> ControlFlow<()>,
) -> Result<(), E> {
    let mut waiting = BTreeMap::new();
    loop {
        match from.recv_timeout(PATIENCE) {
            Ok((job, done)) => drop(waiting.insert(job, done)),
            Err(RecvTimeoutError::Timeout) => {
                if take(None).is_break() {
                    return Ok(());
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        while let Some(done) = waiting.remove(&wanted) {
            if take(Some((wanted, done?))).is_break() {
                return Ok(());
            }
            wanted += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(numbers: Range<u64>, threads: usize) -> Batch {
        Batch { numbers, threads }
    }

    #[test]
    fn results_come_in_order_and_stop_where_they_are_told() {
        for threads in [1, 2, 7] {
            let mut taken = Vec::new();
            let each = |(): &mut (), job: u64| {
                let slow = if job.is_multiple_of(3) { 500 } else { 0 };
                thread::sleep(Duration::from_micros(slow));
                Ok::<_, ()>(job * job)
            };
            let take = |done| {
                taken.extend(done);
                match done {
                    Some((20, _)) => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(()),
                }
            };
            assert_eq!(
                in_order(&batch(5..100, threads), || Ok(()), each, take),
                Ok(())
            );
            let expected: Vec<(u64, u64)> = (5..=20).map(|job| (job, job * job)).collect();
            assert_eq!(taken, expected);
        }
    }

    #[test]
    fn the_first_error_in_order_is_reported_after_what_came_before() {
        let go_on = |_| ControlFlow::Continue(());
        for threads in [1, 4] {
            let mut taken = 0;
            let each = |(): &mut (), job: u64| if job >= 10 { Err(job) } else { Ok(()) };
            let take = |done: Option<(u64, ())>| {
                taken += usize::from(done.is_some());
                ControlFlow::Continue(())
            };
            assert_eq!(
                in_order(&batch(0..100, threads), || Ok(()), each, take),
                Err(10)
            );
            assert_eq!(taken, 10);
        }
        let nobody = |(): &mut (), _| Ok(());
        let started = in_order(&batch(0..3, 2), || Err("out"), nobody, go_on);
        assert_eq!(started, Err("out"));
    }

    #[test]
    fn who_waits_can_break_off() {
        let each = |(): &mut (), _| {
            thread::sleep(Duration::from_millis(300));
            Ok::<_, ()>(())
        };
        let mut taken = 0;
        let take = |done: Option<(u64, ())>| {
            taken += usize::from(done.is_some());
            ControlFlow::Break(())
        };
        assert_eq!(in_order(&batch(0..1000, 1), || Ok(()), each, take), Ok(()));
        assert_eq!(taken, 0);
    }
}
