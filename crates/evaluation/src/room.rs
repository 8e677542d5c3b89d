//! Whether there is memory for the rows of all positions, found out before they take it.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tuner_base::available_memory;
use tuner_data::{Input, LittleMemory, Observer, ReadOptions};

/// Growth of the rows, in bytes, after which the system is asked again. Chosen: small against
/// what a machine has, and a question costs less than a thousandth of the rows' reading.
const STEP: u64 = 4 << 20;

/// Memory that reading and fitting take besides rows and matrices, about. Chosen: measured with the
/// chess example on two threads, of which the system grants each 64 MB of addresses at once.
const BESIDE: u64 = 96 << 20;

/// Memory that a row takes in vectors of a fit: its score, result and weight where K is fitted, and
/// what is noted of its position.
const BESIDE_ROW: u64 = 24 + 12;

/// The part of the inputs, as 1 of so many, from which the rest is estimated.
const ESTIMATED: u64 = 10;

/// Returns the bytes of the inputs; `None` if those of one are not known, or a limit leaves some
/// out.
pub fn bytes_to_read(inputs: &[Input], options: &ReadOptions) -> Option<u64> {
    let limited = options.inputs.iter().any(|own| own.limit.is_some());
    let size = inputs.iter().map(Input::size).sum::<Option<u64>>();
    size.filter(|_| !limited)
}

/// Watches the memory while rows are gathered.
#[derive(Debug)]
pub(super) struct Room {
    /// Bytes of the inputs, if [`bytes_to_read`] knows them.
    size: Option<u64>,
    /// Bytes that have been read.
    read: Arc<AtomicU64>,
    /// Bytes of the rows when the system is asked next.
    next: u64,
}

impl Room {
    /// Prepares to watch the memory while `inputs` are read.
    pub(super) fn of(inputs: &[Input], options: &ReadOptions) -> Self {
        Self {
            size: bytes_to_read(inputs, options),
            read: Arc::default(),
            next: 0,
        }
    }

    /// Returns the options with an observer that notes how many bytes have been read.
    pub(super) fn observed(&self, options: &ReadOptions) -> ReadOptions {
        let (read, told) = (Arc::clone(&self.read), options.observer.clone());
        let observer = Observer::new(move |at| {
            read.store(at.bytes, Ordering::Relaxed);
            (told.as_ref()).map_or(ControlFlow::Continue(()), |told| told.tell(at))
        });
        ReadOptions {
            observer: Some(observer),
            ..options.clone()
        }
    }

    /// Returns what is lacking if the rows of so many `positions`, which take `taken` bytes now,
    /// find too little memory. `None` where there is enough, the system does not say, or rows have
    /// hardly grown since it was asked.
    pub(super) fn little(&mut self, positions: u64, taken: u64) -> Option<LittleMemory> {
        if taken < self.next {
            return None;
        }
        self.next = taken + STEP;
        self.lacks(positions, taken, available_memory()?)
    }

    /// Returns what is lacking where the system has `left` bytes more than are `taken`; `None` if
    /// that is enough. Once a tenth of the inputs is read, what rows take is estimated for all of
    /// them.
    fn lacks(&self, positions: u64, taken: u64, left: u64) -> Option<LittleMemory> {
        let read = self.read.load(Ordering::Relaxed);
        let all = |count: u64| match self.size {
            Some(size) if read >= size / ESTIMATED && read > 0 => {
                let times = size as f64 / read as f64;
                // At least as much as now: a file may have grown.
                (count as f64 * times.max(1.0)) as u64
            }
            _ => count,
        };
        let needed = all(taken);
        // What reading and a fit take besides the rows.
        let beside = BESIDE + BESIDE_ROW * all(positions);
        (needed - taken + beside > left).then_some(LittleMemory {
            positions,
            taken,
            needed: needed + beside,
            left: left + taken,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_rows_take_is_seen_after_a_tenth_of_them() {
        let room = Room {
            size: Some(1000),
            read: Arc::new(AtomicU64::new(100)),
            next: 0,
        };
        // A tenth takes a gigabyte.
        let (taken, gigabyte) = (1 << 30, 1 << 30);
        assert_eq!(room.lacks(1000, taken, 10 * gigabyte), None);
        let little = room.lacks(1000, taken, 9 * gigabyte);
        let little = little.map(|little| (little.needed >> 30, little.left >> 30));
        assert_eq!(little, Some((10, 10)));
        room.read.store(99, Ordering::Relaxed);
        assert_eq!(room.lacks(1000, taken, gigabyte), None);
        let full = room.lacks(1000, taken, 1 << 20).map(|little| little.left);
        assert_eq!(full, Some((1 << 30) + (1 << 20)));
    }
}
