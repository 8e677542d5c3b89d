//! Sums over all rows that are the same bits on any number of threads.

use std::ops::Range;

use tuner_parallel as parallel;

/// Rows per chunk. Fixed, because the order of the sums depends on it; chosen so
/// that 50,000 rows still keep seven threads busy and adding up the results of
/// a chunk costs little against the chunk.
pub(super) const CHUNK: usize = 8192;

/// Results that may wait at a time where they are small: enough for any
/// machine's threads, little memory.
const WAVE: usize = 256;

/// Runs `map` on chunks of [`CHUNK`] rows, in parallel, and hands the results to `fold` in the
/// order of the rows. `init` makes scratch memory that `map` may use for several chunks. Up to
/// [`WAVE`] results exist at a time, so they should be small.
pub(super) fn in_chunks<S: Send, T: Send>(
    rows: usize,
    init: impl Fn() -> S + Sync,
    map: impl Fn(&mut S, Range<usize>) -> T + Sync,
    fold: impl FnMut(T),
) {
    deterministic_reduce(rows, CHUNK, WAVE, init, map, fold);
}

/// Runs `map` on chunks of `size` rows, in parallel, and hands the results to `fold` in the order
/// of the rows. `init` makes scratch memory for `map`, which must leave in it nothing that changes
/// a result, as it is used for several chunks.
///
/// Chunks are worked on `wave` at a time, so that at most so many results exist. `wave` may depend
/// on the number of threads, as it changes neither a chunk nor the order.
pub(super) fn deterministic_reduce<S: Send, T: Send>(
    rows: usize,
    size: usize,
    wave: usize,
    init: impl Fn() -> S + Sync,
    map: impl Fn(&mut S, Range<usize>) -> T + Sync,
    mut fold: impl FnMut(T),
) {
    let chunks = rows.div_ceil(size);
    for first in (0..chunks).step_by(wave) {
        let wave = first..(first + wave).min(chunks);
        let results = parallel::map_init(wave, &init, |work, chunk| {
            map(work, chunk * size..((chunk + 1) * size).min(rows))
        });
        results.into_iter().for_each(&mut fold);
    }
}

/// Adds a number to each of some sums, in their order.
pub(super) fn add_up(sums: &mut [f64], numbers: impl IntoIterator<Item = f64>) {
    (sums.iter_mut().zip(numbers)).for_each(|(sum, number)| *sum += number);
}
