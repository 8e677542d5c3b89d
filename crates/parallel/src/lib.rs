//! Jobs on the threads of the current rayon pool, compiled once for all.
//!
//! Rayon's iterators are compiled anew for each closure, some thousand lines each. Here a
//! job is called by pointer, which costs nothing where it is worth some microseconds.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

/// Runs `job` for each number of a range, on the threads of the current rayon pool and in any
/// order.
pub fn for_each(numbers: Range<usize>, job: &(dyn Fn(usize) + Sync)) {
    // One number at a time: jobs, such as those of a triangle's rows, differ in length.
    numbers.into_par_iter().with_max_len(1).for_each(job);
}

/// Returns what `job` gives for each number of a range, in the order of the numbers; it runs on the
/// threads of the current rayon pool.
pub fn map<T: Send>(numbers: Range<usize>, job: impl Fn(usize) -> T + Sync) -> Vec<T> {
    results(numbers, &job)
}

/// Returns what `job` gives for each number of a range, in the order of the numbers. It takes `job`
/// by a pointer, so that it is compiled once for each type of result, and not once for each caller.
fn results<T: Send>(numbers: Range<usize>, job: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let (first, count) = (numbers.start, numbers.len());
    let slots: Mutex<Vec<Option<T>>> = Mutex::new((0..count).map(|_| None).collect());
    for_each(numbers, &|number| {
        let result = job(number);
        locked(&slots)[number - first] = Some(result);
    });
    let mut slots = locked(&slots);
    slots.iter_mut().filter_map(Option::take).collect()
}

/// Returns what `job` gives for each number of a range, in the order of the numbers. Each call of
/// `job` is handed something to work with, such as buffers, of which `init` makes about as many as
/// there are threads. The next job that gets one finds it as the last left it, so what a job gives
/// must not depend on that.
pub fn map_init<S: Send, T: Send>(
    numbers: Range<usize>,
    init: impl Fn() -> S + Sync,
    job: impl Fn(&mut S, usize) -> T + Sync,
) -> Vec<T> {
    let spare: Mutex<Vec<S>> = Mutex::default();
    map(numbers, |number| {
        let taken = locked(&spare).pop();
        let mut work = taken.unwrap_or_else(&init);
        let result = job(&mut work, number);
        locked(&spare).push(work);
        result
    })
}

/// Cuts values into chunks of `size`, of which 0 counts as 1, the last one maybe shorter, and runs
/// `job` on each with the chunk's number, from 0, on all threads. `job` is also handed something to
/// work with, which `init` makes once for each run of neighbouring chunks, so what it does must not
/// depend on what it finds there.
pub fn for_each_chunk<S>(
    values: &mut [f64],
    size: usize,
    init: impl Fn() -> S + Sync,
    job: impl Fn(&mut S, usize, &mut [f64]) + Sync,
) {
    let size = size.max(1);
    // Chunks may be a few sums each, so several make one job of the pool: about eight jobs a
    // thread.
    let together = (values.len() / size / (8 * threads())).max(1);
    for_each_run(values, together * size, &|number, run| {
        let mut work = init();
        for (place, chunk) in run.chunks_mut(size).enumerate() {
            job(&mut work, number * together + place, chunk);
        }
    });
}

/// Runs `job` on each of some parts, on the threads of the current rayon pool and in any order.
pub fn for_each_part<T: Send>(parts: impl Iterator<Item = T>, job: impl Fn(T) + Sync) {
    let parts: Vec<Mutex<Option<T>>> = parts.map(|part| Mutex::new(Some(part))).collect();
    for_each(0..parts.len(), &|number| {
        let part = locked(&parts[number]).take();
        if let Some(part) = part {
            job(part);
        }
    });
}

/// Cuts values into runs of `size`, the last one maybe shorter, and calls `job` with the number of
/// each run, from 0, and its values, on all threads. It takes `job` by a pointer, so that it is
/// compiled once for all callers.
fn for_each_run(values: &mut [f64], size: usize, job: &(dyn Fn(usize, &mut [f64]) + Sync)) {
    let runs = values.par_chunks_mut(size).enumerate();
    runs.with_max_len(1)
        .for_each(|(number, run)| job(number, run));
}

/// Locks a mutex, also if a job panicked while it held the lock: a panic ends the whole work, so
/// nobody reads a value that is half changed.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns pairs of a key and its place among the keys, from 0, sorted by key and then by place.
/// *Cost*: eight bytes a key.
pub fn sorted(keys: impl Iterator<Item = u32>) -> Vec<(u32, u32)> {
    let mut sorted = Vec::with_capacity(keys.size_hint().0);
    sorted.extend(keys.zip(0..));
    sort(&mut sorted);
    sorted
}

/// Sorts pairs of a key and its place by key and then by place, on all threads.
pub fn sort(keys: &mut [(u32, u32)]) {
    keys.par_sort_unstable();
}

/// Returns the number of threads of the current rayon pool.
pub fn threads() -> usize {
    rayon::current_num_threads()
}
