//! Jobs that several processes share.
//!
//! The first rank hands out numbers to who asks for some and puts the results in their
//! order, so that no rank waits for a slower one:
//!
//! ```text
//! others → first   ask COUNT            give me so many numbers
//! first → others   jobs NUMBER…         none: there are none left
//! others → first   done NUMBER RESULT
//! others → first   failed NUMBER WORDS
//! first → others   stop                 no further result is wanted
//! others → first   left                 nothing comes after this
//! ```

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::{Batch, LOOK, Numbers, on_threads};
use tuner_base::{Ranks, Topic};
use tuner_play::{GameText, PlayerFault, guarded};

/// Jobs that wait for each thread, so that none waits for an answer.
const AHEAD: usize = 2;

// The first byte of a message: what it is. Numbers follow, 8 bytes each, then a text.
const ASK: u8 = 0;
const JOBS: u8 = 1;
const DONE: u8 = 2;
const STOP: u8 = 3;
const LEFT: u8 = 4;
const FAILED: u8 = 5;

/// Longest reason that is sent, in bytes: short messages do not wait for who reads them.
const REASON: usize = 2000;

/// Makes a message to another rank: a byte for its kind, numbers of 8 bytes each, the lowest byte
/// first, and a text (`rest`).
fn message(kind: u8, numbers: &[u64], rest: &[u8]) -> Vec<u8> {
    let numbers: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    [&[kind], &*numbers, rest].concat()
}

/// Reads the numbers of a message without text, 8 bytes each, the lowest first. `bytes` are what
/// follows the byte of its kind.
fn numbers(bytes: &[u8]) -> impl Iterator<Item = u64> {
    let (words, _) = bytes.as_chunks();
    words.iter().map(|&word| u64::from_le_bytes(word))
}

/// Answers the messages that have come from other ranks; returns the jobs that they did, with their
/// numbers. `jobs`: the numbers that are still to be given out.
pub(super) fn messages<T: GameText>(
    ranks: Ranks,
    jobs: &Numbers,
) -> Vec<(u64, Result<T, PlayerFault>)> {
    let come = std::iter::from_fn(|| ranks.poll(Topic::Work));
    let done = come.filter_map(|(rank, message)| answer(ranks, rank, &message, jobs));
    done.collect()
}

/// Takes a message of another rank: gives it numbers of `jobs` if it asks for some; returns the
/// number and the result, or the fault, of a job that it did, and `None` otherwise.
fn answer<T: GameText>(
    ranks: Ranks,
    rank: usize,
    bytes: &[u8],
    jobs: &Numbers,
) -> Option<(u64, Result<T, PlayerFault>)> {
    let (&kind, rest) = bytes.split_first()?;
    if kind == ASK {
        // All that ask say how many.
        let count = numbers(rest).next().unwrap_or(1);
        let given: Vec<u64> = (0..count).map_while(|_| jobs.next()).collect();
        ranks.post(rank, Topic::Work, &message(JOBS, &given, &[]));
        return None;
    }
    let (job, rest) = rest.split_first_chunk()?;
    let text = String::from_utf8_lossy(rest);
    let done = match kind {
        DONE => T::read(&text).map_err(|words| {
            format!(
                "another rank sent what is no game here ({words}): all ranks need the same program"
            )
        }),
        FAILED => Err(text.into_owned()),
        _ => return None,
    };
    let failed = |words| PlayerFault::Unusable(words);
    Some((u64::from_le_bytes(*job), done.map_err(failed)))
}

/// Tells the other ranks that no more results are wanted, and waits until each has said that
/// nothing comes from it any more; results that still come are thrown away.
pub(super) fn dismiss(ranks: Ranks) {
    for rank in 1..ranks.size() {
        ranks.post(rank, Topic::Work, &[STOP]);
    }
    let mut left = 1;
    while left < ranks.size() {
        match ranks.poll(Topic::Work) {
            Some((_, message)) => left += usize::from(message == [LEFT]),
            None => thread::sleep(LOOK),
        }
    }
}

/// Does the jobs of a rank other than the first: those whose numbers the first rank gives it, and
/// sends the results there. `start` makes the state of a thread, with which `each` does a job; a
/// panic in them is sent as the fault of the job, for which the first rank would wait without end.
/// Returns once the first rank says that it wants no more.
pub(super) fn other<S, T: GameText>(
    batch: &Batch,
    start: impl Fn() -> Result<S, PlayerFault> + Sync,
    each: impl Fn(&mut S, u64) -> Result<T, PlayerFault> + Sync,
) {
    let threads = batch.threads.max(1);
    // Numbers come by `given`; `waiting` says how many of them no thread has taken yet.
    let (to, given) = channel();
    let (given, waiting) = (Mutex::new(given), AtomicUsize::new(0));
    let next = || {
        // A thread that waits for a number holds the lock, so that the others wait for it: there is
        // no number for them either.
        let given = given.lock().unwrap_or_else(PoisonError::into_inner);
        let number = given.recv().ok()?;
        waiting.fetch_sub(1, Ordering::Relaxed);
        Some(number)
    };
    let start = || guarded(&start);
    let each = |state: &mut S, job| guarded(|| each(state, job));
    on_threads(threads, next, &start, &each, |from| {
        serve(batch.ranks, threads, &to, &waiting, from);
        // Without a sender the threads end, once there are no numbers either. Those that no thread
        // has taken are dropped, as the first rank wants no more results.
        drop(to);
        while next().is_some() {}
    });
}

/// Asks the first rank for numbers, and sends it results, until it wants no more. Numbers go to
/// `given`, from which threads take them; `waiting` counts those that are there; results come by
/// `from`.
fn serve<T: GameText>(
    ranks: Ranks,
    threads: usize,
    given: &Sender<u64>,
    waiting: &AtomicUsize,
    from: &Receiver<(u64, Result<T, PlayerFault>)>,
) {
    // Whether numbers were asked for that have not come; whether no more are to be asked for, as
    // there are none left or a job has failed.
    let (mut asked, mut exhausted) = (false, false);
    loop {
        // So many are asked for before the threads have nothing to do, so that they need not wait
        // for an answer.
        let ahead = AHEAD * threads;
        if !asked && !exhausted && waiting.load(Ordering::Relaxed) < ahead {
            ranks.post(0, Topic::Work, &message(ASK, &[ahead as u64], &[]));
            asked = true;
        }
        match from.recv_timeout(LOOK) {
            Ok((job, Ok(done))) => {
                let text = done.write();
                ranks.post(0, Topic::Work, &message(DONE, &[job], text.as_bytes()));
            }
            Ok((job, Err(error))) => {
                let mut words = error.to_string();
                words.truncate(words.floor_char_boundary(REASON));
                ranks.post(0, Topic::Work, &message(FAILED, &[job], words.as_bytes()));
                exhausted = true;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => thread::sleep(LOOK),
        }
        while let Some((_, bytes)) = ranks.poll(Topic::Work) {
            match bytes.split_first() {
                Some((&JOBS, jobs)) => {
                    asked = false;
                    exhausted |= jobs.is_empty();
                    for number in numbers(jobs) {
                        waiting.fetch_add(1, Ordering::Relaxed);
                        // The threads have not ended.
                        let _ = given.send(number);
                    }
                }
                Some((&STOP, _)) => {
                    ranks.post(0, Topic::Work, &[LEFT]);
                    return;
                }
                _ => {}
            }
        }
    }
}
