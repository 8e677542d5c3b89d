//! Many jobs on several threads, and of several processes, their results in order.

mod among;

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use tuner_base::Ranks;
use tuner_play::{GameText, PlayerFault};

/// How often the caller is asked whether to continue. Chosen: a user who wants an end notices no
/// delay.
const PATIENCE: Duration = Duration::from_millis(100);

/// How often messages of other ranks are looked for. Chosen: short against a game. A look takes a
/// tenth of a millisecond of Open MPI's time.
const LOOK: Duration = Duration::from_millis(5);

/// Jobs by number, and on how many threads of which processes they are done.
#[derive(Clone, Debug)]
pub struct Batch {
    numbers: Range<u64>,
    threads: usize,
    ranks: Ranks,
}

impl Batch {
    /// Makes a batch of the jobs with these numbers, to be done on so many threads, at least one,
    /// of this process.
    pub const fn new(numbers: Range<u64>, threads: usize) -> Self {
        Self {
            numbers,
            threads,
            ranks: Ranks::ALONE,
        }
    }

    /// Shares the jobs among ranks: the numbers are those that the first rank has, and each rank
    /// has its own number of threads.
    #[must_use]
    pub fn among(self, ranks: Ranks) -> Self {
        Self { ranks, ..self }
    }
}

/// Plays the games or pairs of games of a batch on several threads, each thread with a state that
/// `start` makes, and hands them over in the order of their numbers. `take` gets a number and its
/// game, and about every tenth of a second `None`, so that it can break off. If it breaks, no
/// further game is begun; those under way are played to their end and thrown away.
///
/// Where several ranks share the games, each of them calls this function; the first rank takes the
/// games of all, and a rank that is slow holds up nobody.
///
/// # Errors
/// The first error of `start` or `each`, in the order of the games; those before it have been
/// taken. The error of `take`, which breaks off. Other ranks than the first always return `Ok`:
/// they send their errors to the first.
pub fn games_in_order<S, T: GameText, E: From<PlayerFault>>(
    batch: &Batch,
    start: impl Fn() -> Result<S, PlayerFault> + Sync,
    each: impl Fn(&mut S, u64) -> Result<T, PlayerFault> + Sync,
    take: impl FnMut(Option<(u64, T)>) -> Result<ControlFlow<()>, E>,
) -> Result<(), E> {
    if batch.ranks.is_alone() {
        in_order(batch, start, each, take)
    } else if batch.ranks.is_first() {
        // Takes the results that other ranks have sent, and sends them numbers of further games.
        let others = |jobs: &Numbers| among::messages(batch.ranks, jobs);
        let done = gathered(batch, others, start, each, take);
        among::dismiss(batch.ranks);
        done
    } else {
        among::other(batch, start, each);
        Ok(())
    }
}

/// Does jobs on several threads of this process, each with a state of its own, and hands the
/// results over on the caller's thread in the order of the jobs.
///
/// `take` gets a job's number and result, and about every tenth of a second nothing, so that it can
/// break off. If it breaks, no further job is begun, those under way are left to end, and their
/// results are thrown away: what was taken are the first jobs of all, whatever the number of
/// threads.
///
/// # Errors
/// The first error of `start` or `each`, in the order of the jobs; results
/// before it have been taken. The error of `take`, which breaks off.
pub fn in_order<S, T: Send, F: Send, E: From<F>>(
    batch: &Batch,
    start: impl Fn() -> Result<S, F> + Sync,
    each: impl Fn(&mut S, u64) -> Result<T, F> + Sync,
    take: impl FnMut(Option<(u64, T)>) -> Result<ControlFlow<()>, E>,
) -> Result<(), E> {
    gathered(batch, |_| Vec::new(), start, each, take)
}

/// Does jobs on the threads of this process, and hands their results, and those of other processes,
/// to `take` in the order of the jobs. `others` returns the results of other processes that have
/// come, and gives them further numbers of jobs; it is called again and again. `take` gets nothing
/// about every tenth of a second, whether or not results come, so that it can break off also while
/// the next one in order is awaited; it may break off at any call. `start` makes the state of a
/// thread, `each` does a job with it.
///
/// Results that come too early wait until those before them are there.
fn gathered<S, T: Send, F: Send, E: From<F>>(
    batch: &Batch,
    others: impl Fn(&Numbers) -> Vec<(u64, Result<T, F>)>,
    start: impl Fn() -> Result<S, F> + Sync,
    each: impl Fn(&mut S, u64) -> Result<T, F> + Sync,
    mut take: impl FnMut(Option<(u64, T)>) -> Result<ControlFlow<()>, E>,
) -> Result<(), E> {
    let jobs = Numbers::new(batch.numbers.clone());
    let is_alone = batch.ranks.is_alone();
    // How long to wait for a result of this process before the other processes are looked to.
    let often = if is_alone { PATIENCE } else { LOOK };
    on_threads(
        batch.threads,
        || jobs.next(),
        &|| {
            // A panic on this thread stops the jobs, as the result of its job never comes.
            let _stops = StopsAtPanic(&jobs);
            start()
        },
        &|state: &mut S, job| {
            // A panic on this thread stops the jobs, as the result of its job never comes.
            let _stops = StopsAtPanic(&jobs);
            each(state, job)
        },
        |from| {
            let mut hand_over = || {
                let (mut wanted, mut waiting) = (batch.numbers.start, BTreeMap::new());
                let mut told = Instant::now();
                while wanted < batch.numbers.end {
                    match from.recv_timeout(often) {
                        Ok((job, done)) => drop(waiting.insert(job, done)),
                        Err(RecvTimeoutError::Timeout) => {}
                        // All threads have ended. Alone, no further result comes; with other
                        // processes neither does the one awaited, if a panic has stopped the jobs.
                        Err(RecvTimeoutError::Disconnected) if is_alone || jobs.are_stopped() => {
                            break;
                        }
                        // Other processes may still work.
                        Err(RecvTimeoutError::Disconnected) => thread::sleep(LOOK),
                    }
                    waiting.extend(others(&jobs));
                    if told.elapsed() >= PATIENCE {
                        told = Instant::now();
                        if take(None)?.is_break() {
                            return Ok(());
                        }
                    }
                    while let Some(done) = waiting.remove(&wanted) {
                        if take(Some((wanted, done?)))?.is_break() {
                            return Ok(());
                        }
                        wanted += 1;
                    }
                }
                Ok(())
            };
            let result = hand_over();
            jobs.stop();
            result
        },
    )
}

/// Does jobs on so many threads, one at least, while `listen` takes their results, with the numbers
/// of the jobs, on the caller's thread. A thread ends when `next` has no further number, a job
/// fails, or `listen` has returned. `start` makes the state of a thread, once it has a job; its
/// error is the result of that job.
fn on_threads<S, T: Send, E: Send, R>(
    threads: usize,
    next: impl Fn() -> Option<u64> + Sync,
    start: &(impl Fn() -> Result<S, E> + Sync),
    each: &(impl Fn(&mut S, u64) -> Result<T, E> + Sync),
    listen: impl FnOnce(&Receiver<(u64, Result<T, E>)>) -> R,
) -> R {
    let (to, from) = channel();
    thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            let (to, next) = (to.clone(), &next);
            scope.spawn(move || {
                let mut state = None;
                while let Some(job) = next() {
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
            });
        }
        drop(to);
        let result = listen(&from);
        drop(from);
        result
    })
}

/// The numbers of jobs that no thread has taken yet.
struct Numbers {
    next: AtomicU64,
    end: u64,
    stopped: AtomicBool,
}

impl Numbers {
    /// Makes the numbers of jobs to be given out: all of a range.
    fn new(numbers: Range<u64>) -> Self {
        Self {
            next: AtomicU64::new(numbers.start),
            end: numbers.end,
            stopped: AtomicBool::new(false),
        }
    }

    /// Takes the number of the next job; `None` if there is none, or no more jobs are wanted.
    fn next(&self) -> Option<u64> {
        if self.are_stopped() {
            return None;
        }
        let job = self.next.fetch_add(1, Ordering::Relaxed);
        (job < self.end).then_some(job)
    }

    /// Ends the giving out of numbers of jobs.
    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Tells whether the giving out of numbers of jobs was ended.
    fn are_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// Stops the jobs where the thread that has it panics: the result of its job never comes.
struct StopsAtPanic<'a>(&'a Numbers);

impl Drop for StopsAtPanic<'_> {
    /// Stops the jobs if this thread panics, as the result of its job never comes.
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)] // a failing test may end with a panic
    use super::*;

    #[allow(clippy::unnecessary_wraps, reason = "what `in_order` asks for")]
    fn go_on<E>() -> Result<ControlFlow<()>, E> {
        Ok(ControlFlow::Continue(()))
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
                    Some((20, _)) => Ok(ControlFlow::Break(())),
                    _ => go_on(),
                }
            };
            assert_eq!(
                in_order(&Batch::new(5..100, threads), || Ok(()), each, take),
                Ok::<_, ()>(())
            );
            let expected: Vec<(u64, u64)> = (5..=20).map(|job| (job, job * job)).collect();
            assert_eq!(taken, expected);
        }
    }

    #[test]
    fn the_first_error_in_order_is_reported_after_what_came_before() {
        for threads in [1, 4] {
            let mut taken = 0;
            let each = |(): &mut (), job: u64| if job >= 10 { Err(job) } else { Ok(()) };
            let take = |done: Option<(u64, ())>| {
                taken += usize::from(done.is_some());
                go_on()
            };
            assert_eq!(
                in_order(&Batch::new(0..100, threads), || Ok(()), each, take),
                Err(10_u64)
            );
            assert_eq!(taken, 10);
        }
        let nobody = |(): &mut (), _| Ok(());
        let started = in_order(&Batch::new(0..3, 2), || Err("out"), nobody, |_| go_on());
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
            Ok(ControlFlow::Break(()))
        };
        assert_eq!(
            in_order(&Batch::new(0..1000, 1), || Ok(()), each, take),
            Ok::<_, ()>(())
        );
        assert_eq!(taken, 0);
    }

    /// What stands for a game.
    #[derive(Debug)]
    struct Square(u64);

    impl GameText for Square {
        fn write(&self) -> String {
            self.0.to_string()
        }

        fn read(text: &str) -> Result<Self, String> {
            text.parse().map(Self).map_err(|_| text.to_owned())
        }
    }

    /// What the first of some ranks takes, until it breaks off at a number.
    fn taken_among(size: usize, last: u64) -> Vec<(u64, u64)> {
        let of_rank = |ranks: Ranks| {
            let mut taken = Vec::new();
            let each = |(): &mut (), job: u64| {
                // The last rank is slow.
                let slow = ranks.rank() + 1 == ranks.size();
                thread::sleep(Duration::from_micros(if slow { 3000 } else { 100 }));
                Ok(Square(job * job))
            };
            let take = |done: Option<(u64, Square)>| {
                let done = done.map(|(number, square)| (number, square.0));
                taken.extend(done);
                match done {
                    Some((number, _)) if number == last => Ok(ControlFlow::Break(())),
                    _ => go_on(),
                }
            };
            let batch = Batch::new(5..200, 2).among(ranks);
            // Twice: what is left of the first time does not disturb the second.
            let ends = |_| Ok::<_, PlayerFault>(ControlFlow::Break(()));
            games_in_order(&batch, || Ok(()), each, ends).unwrap();
            games_in_order::<_, _, PlayerFault>(&batch, || Ok(()), each, take).unwrap();
            taken
        };
        thread::scope(|scope| {
            let of_rank = &of_rank;
            let threads: Vec<_> = (crate::tests::thread_ranks(size).into_iter())
                .map(|ranks| scope.spawn(move || of_rank(ranks)))
                .collect();
            let mut taken = threads.into_iter().map(|thread| thread.join().unwrap());
            let first = taken.next().unwrap();
            assert!(taken.all(|others| others.is_empty()));
            first
        })
    }

    #[test]
    fn ranks_share_jobs_and_the_first_takes_all_in_order() {
        for last in [50, 199, 1000] {
            let expected: Vec<(u64, u64)> =
                (5..=last.min(199)).map(|job| (job, job * job)).collect();
            for size in 1..=4 {
                assert_eq!(taken_among(size, last), expected, "{size} {last}");
            }
        }
    }

    #[test]
    fn a_panic_on_the_first_rank_ends_its_jobs() {
        let first = crate::tests::thread_ranks(2).remove(0);
        let batch = Batch::new(0..100, 2).among(first);
        let played = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let each = |(): &mut (), job: u64| match job {
                0..20 => Ok(Square(job)),
                _ => panic!("job {job}"),
            };
            games_in_order::<_, _, PlayerFault>(&batch, || Ok(()), each, |_| go_on())
        }));
        assert!(played.is_err());
    }

    #[test]
    fn a_panic_on_another_rank_fails_on_the_first() {
        let of_rank = |ranks: Ranks| {
            let each = |(): &mut (), job: u64| {
                // The first rank is slow, so that others have jobs.
                thread::sleep(Duration::from_millis(if ranks.is_first() { 20 } else { 0 }));
                assert!(ranks.is_first() || job < 20, "job {job}");
                Ok(Square(job))
            };
            let batch = Batch::new(0..100, 1).among(ranks);
            games_in_order::<_, _, PlayerFault>(&batch, || Ok(()), each, |_| go_on())
        };
        thread::scope(|scope| {
            let of_rank = &of_rank;
            let threads: Vec<_> = (crate::tests::thread_ranks(3).into_iter())
                .map(|ranks| scope.spawn(move || of_rank(ranks)))
                .collect();
            let ends: Vec<_> = threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect();
            let words = ends[0].as_ref().unwrap_err().to_string();
            assert!(words.contains("panicked: job "), "{words}");
            assert!(ends[1..].iter().all(Result::is_ok));
        });
    }

    #[test]
    fn what_fails_on_another_rank_fails_on_the_first() {
        let failed = PlayerFault::Unusable;
        let of_rank = |ranks: Ranks| {
            let mut taken = 0;
            let each = |(): &mut (), job: u64| match job {
                0..20 => Ok(Square(job)),
                _ => Err(failed(format!("job {job}"))),
            };
            let batch = Batch::new(0..100, 1).among(ranks);
            let take = |done: Option<(u64, Square)>| {
                taken += usize::from(done.is_some());
                go_on()
            };
            let played: Result<(), PlayerFault> = games_in_order(&batch, || Ok(()), each, take);
            (played, taken)
        };
        thread::scope(|scope| {
            let of_rank = &of_rank;
            let threads: Vec<_> = (crate::tests::thread_ranks(3).into_iter())
                .map(|ranks| scope.spawn(move || of_rank(ranks)))
                .collect();
            let found: Vec<_> = (threads.into_iter())
                .map(|thread| thread.join().unwrap())
                .collect();
            assert_eq!(found[0], (Err(failed("job 20".to_owned())), 20));
            assert!(found[1..].iter().all(|other| *other == (Ok(()), 0)));
        });
    }
}
