//! Processes that work together on one task, each with a part of its data.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers from which on a sum is worked on in parts: each rank adds up a part of
/// them for all. Chosen: a message of so many takes about as long as its start.
const LONG: usize = 2048;

/// A carrier of messages between ranks. It handles errors itself: they end all ranks.
///
/// Messages of two ranks arrive in the order in which they were sent.
pub trait Transport: fmt::Debug + Send + Sync {
    /// Returns the number of this rank, counted from 0.
    fn rank(&self) -> usize;

    /// Returns the number of ranks.
    fn size(&self) -> usize;

    /// Returns the name of the machine that this rank is on.
    fn machine(&self) -> String;

    /// Sends a message to the rank `to`, which takes it by [`receive`](Self::receive); the call may
    /// wait until that rank does.
    fn send(&self, to: usize, message: &[u8]);

    /// Waits for the next message of a rank.
    fn receive(&self, from: usize) -> Vec<u8>;

    /// Sends a message to a rank and returns the one that it sends meanwhile. Both call this, so
    /// neither waits for the other to receive first.
    fn swap(&self, with: usize, message: &[u8]) -> Vec<u8>;

    /// Sends a message to the rank `to` that only [`poll`](Self::poll) receives. The call may wait
    /// for that rank to poll if the message is longer than some thousand bytes.
    fn post(&self, to: usize, topic: Topic, message: &[u8]);

    /// Returns the next message on a topic and who sent it, if there is one.
    fn poll(&self, topic: Topic) -> Option<(usize, Vec<u8>)>;

    /// Ends all ranks at once, with this exit status.
    fn abort(&self, status: u8) -> !;
}

/// The topic of a message that nobody waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// Jobs and their results.
    Work,
    /// That a rank has ended.
    End,
}

/// The processes of a task, as one of them sees them: all run the same program
/// on the same input, and call what is here alike and in the same order.
///
/// By default a process is alone: then nothing is sent and nothing waits.
///
/// *Numerics*: sums are formed over a tree of ranks, so their bits depend on the
/// number of ranks and not on who is first.
#[derive(Clone, Copy, Default)]
pub struct Ranks(Option<&'static Counted>);

/// A transport, and the bytes that were sent by it.
#[derive(Debug)]
struct Counted {
    transport: Box<dyn Transport>,
    sent: AtomicU64,
    messages: AtomicU64,
}

impl Ranks {
    /// A process that is alone.
    pub const ALONE: Self = Self(None);

    /// Makes the ranks that a transport joins; if it joins one rank only, a process that is alone.
    /// The transport lives as long as the process.
    pub fn new(transport: impl Transport + 'static) -> Self {
        if transport.size() < 2 {
            return Self::default();
        }
        Self(Some(Box::leak(Box::new(Counted {
            transport: Box::new(transport),
            sent: AtomicU64::new(0),
            messages: AtomicU64::new(0),
        }))))
    }

    /// Returns the number of this rank, counted from 0.
    pub fn rank(self) -> usize {
        self.0.map_or(0, |ranks| ranks.transport.rank())
    }

    /// Returns the number of ranks, 1 where a process is alone.
    pub fn size(self) -> usize {
        self.0.map_or(1, |ranks| ranks.transport.size())
    }

    /// Returns the name of the machine that this rank is on; empty where a process is alone.
    pub fn machine(self) -> String {
        self.0
            .map_or_else(String::new, |ranks| ranks.transport.machine())
    }

    /// Tells whether there is no other rank.
    pub fn is_alone(self) -> bool {
        self.0.is_none()
    }

    /// Tells whether this is the rank that prints and writes.
    pub fn is_first(self) -> bool {
        self.rank() == 0
    }

    /// Tells whether the piece of work with this number is for this rank: numbers are dealt out to
    /// the ranks in turn. To a process that is alone all of them are.
    pub fn has(self, number: u32) -> bool {
        self.0.is_none() || number as usize % self.size() == self.rank()
    }

    /// Returns how many messages this rank has sent so far, and how many bytes they had in all.
    pub fn sent(self) -> (u64, u64) {
        self.0.map_or((0, 0), |ranks| {
            let [messages, bytes] =
                [&ranks.messages, &ranks.sent].map(|count| count.load(Ordering::Relaxed));
            (messages, bytes)
        })
    }

    /// Replaces numbers by their sums over all ranks, the same bits on each.
    ///
    /// *Shapes*: as many on each rank. *Cost*: of n numbers on r ranks each sends
    /// 8·n·log₂ r bytes, of many numbers 16·n.
    /// *Source*: R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective
    /// communication operations in MPICH, IJHPCA 19, 2005, §4.5.
    pub fn sum(self, numbers: &mut [f64]) {
        let Some(ranks) = self.0 else { return };
        if numbers.is_empty() {
            return;
        }
        let (rank, size) = (self.rank(), self.size());
        // Ranks below the largest power of two form the tree; the numbers of a rank beyond are
        // added to those of one of them first.
        let paired = 1 << size.ilog2();
        if rank >= paired {
            ranks.send(rank - paired, numbers);
            put(numbers, &ranks.transport.receive(rank - paired));
            return;
        }
        // The rank beyond whose numbers this one adds and to which it sends the sums, if there is
        // one.
        let beyond = (rank + paired < size).then_some(rank + paired);
        if let Some(beyond) = beyond {
            add(numbers, &ranks.transport.receive(beyond));
        }
        // Few numbers are swapped as a whole, with partners at distances 1, 2, 4 and so on; of many
        // each rank adds up a part.
        if numbers.len() < LONG {
            let mut distance = 1;
            while distance < paired {
                let theirs = ranks.swap(rank ^ distance, numbers);
                add(numbers, &theirs);
                distance *= 2;
            }
        } else {
            ranks.sum_in_parts(rank, paired, numbers);
        }
        if let Some(beyond) = beyond {
            ranks.send(beyond, numbers);
        }
    }

    /// Returns the sum of `count` over all ranks, exact below 2⁵³.
    #[must_use]
    pub fn total(self, count: u64) -> u64 {
        if self.is_alone() {
            return count;
        }
        let mut sum = [count as f64];
        self.sum(&mut sum);
        sum[0] as u64
    }

    /// Tells whether `here` is true on any rank.
    #[must_use]
    pub fn any(self, here: bool) -> bool {
        self.total(u64::from(here)) > 0
    }

    /// Sets each flag that is set on some rank. All ranks must have as many flags, in the same
    /// order.
    pub fn any_of(self, flags: &mut [bool]) {
        if self.is_alone() {
            return;
        }
        let mut counts: Vec<f64> = flags.iter().map(|&flag| f64::from(flag)).collect();
        self.sum(&mut counts);
        for (flag, count) in flags.iter_mut().zip(counts) {
            *flag = count > 0.0;
        }
    }

    /// Returns the smallest of the numbers that the ranks give, one each.
    #[must_use]
    pub fn least(self, number: f64) -> f64 {
        let all = self.gather(&[number]);
        all.iter().flatten().copied().fold(f64::INFINITY, f64::min)
    }

    /// Returns the numbers that each rank gives, a list for each in the order of the ranks; lists
    /// may differ in length.
    ///
    /// *Cost*: each rank sends what it has to the first, which broadcasts all of it.
    #[must_use]
    pub fn gather(self, numbers: &[f64]) -> Vec<Vec<f64>> {
        if self.is_alone() {
            return vec![numbers.to_vec()];
        }
        let all = self.gather_bytes(&bytes(numbers));
        let numbers = all.iter().map(|bytes| numbers_of(bytes).collect());
        numbers.collect()
    }

    /// Returns the bytes that each rank gives, a list for each in the order of the ranks; lists may
    /// differ in length. The first rank collects them, each behind its length in 8 bytes, and
    /// broadcasts all.
    #[must_use]
    pub fn gather_bytes(self, here: &[u8]) -> Vec<Vec<u8>> {
        let Some(ranks) = self.0 else {
            return vec![here.to_vec()];
        };
        let mut together = Vec::new();
        if self.is_first() {
            let others = (1..self.size()).map(|from| ranks.transport.receive(from));
            for part in std::iter::once(here.to_vec()).chain(others) {
                together.extend((part.len() as u64).to_le_bytes());
                together.extend(part);
            }
        } else {
            ranks.send_bytes(0, here);
        }
        let together = self.broadcast(together);
        let mut rest = &*together;
        let mut all = Vec::with_capacity(self.size());
        while let Some((length, parts)) = rest.split_first_chunk() {
            let length = u64::from_le_bytes(*length) as usize;
            // `min`: a damaged length must not panic.
            let (part, others) = parts.split_at(length.min(parts.len()));
            all.push(part.to_vec());
            rest = others;
        }
        all
    }

    /// Returns on every rank the bytes that the first rank gives; those of the others are dropped.
    ///
    /// *Cost*: a rank sends it at most log₂ r times: who has it sends it on.
    #[must_use]
    pub fn broadcast(self, here: Vec<u8>) -> Vec<u8> {
        let Some(ranks) = self.0 else { return here };
        let (rank, size) = (self.rank(), self.size());
        // A rank has the message from the rank whose number is its own without the lowest set bit.
        let mut distance = 1;
        while distance < size && rank & distance == 0 {
            distance *= 2;
        }
        let message = if rank == 0 {
            here
        } else {
            ranks.transport.receive(rank - distance)
        };
        while distance > 1 {
            distance /= 2;
            if rank + distance < size {
                ranks.send_bytes(rank + distance, &message);
            }
        }
        message
    }

    /// Sends a message that the rank `to` gets only by asking for it with [`poll`](Self::poll). The
    /// call may wait for that if the message is longer than some thousand bytes. Does nothing where
    /// a process is alone.
    pub fn post(self, to: usize, topic: Topic, message: &[u8]) {
        if let Some(ranks) = self.0 {
            ranks.count(message);
            ranks.transport.post(to, topic, message);
        }
    }

    /// Returns the next message that was posted to this rank on a topic, and the rank that sent it;
    /// `None` if there is none yet.
    #[must_use]
    pub fn poll(self, topic: Topic) -> Option<(usize, Vec<u8>)> {
        self.0.and_then(|ranks| ranks.transport.poll(topic))
    }

    /// Ends all ranks at once with this exit status; a process that is alone ends itself.
    pub fn abort(self, status: u8) -> ! {
        match self.0 {
            Some(ranks) => ranks.transport.abort(status),
            None => std::process::exit(status.into()),
        }
    }
}

impl Counted {
    /// Sends a message to the rank `to`, and counts it.
    fn send_bytes(&self, to: usize, message: &[u8]) {
        self.count(message);
        self.transport.send(to, message);
    }

    /// Adds a message that is sent to the counts of messages and bytes.
    fn count(&self, message: &[u8]) {
        self.messages.fetch_add(1, Ordering::Relaxed);
        self.sent.fetch_add(message.len() as u64, Ordering::Relaxed);
    }

    /// Sends numbers to the rank `to`, 8 bytes each, and counts the message.
    fn send(&self, to: usize, numbers: &[f64]) {
        self.send_bytes(to, &bytes(numbers));
    }

    /// Sends numbers to the rank `with`, 8 bytes each; returns the numbers that it sends meanwhile,
    /// as bytes.
    fn swap(&self, with: usize, numbers: &[f64]) -> Vec<u8> {
        let message = bytes(numbers);
        self.count(&message);
        self.transport.swap(with, &message)
    }

    /// Sums numbers over the first `paired` ranks, a power of two. At each distance, from the
    /// largest, a rank and its partner split the part of the numbers, from `begin` to `end`, that
    /// both add up: each sends one half and adds up the other. In the end each rank has the sums of
    /// one part; then the parts are exchanged in the reverse order.
    fn sum_in_parts(&self, rank: usize, paired: usize, numbers: &mut [f64]) {
        let (mut begin, mut end) = (0, numbers.len());
        let mut parts = Vec::new();
        let mut distance = paired / 2;
        while distance > 0 {
            let middle = begin + (end - begin) / 2;
            let lower = rank & distance == 0;
            let (mine, theirs) = if lower {
                (begin..middle, middle..end)
            } else {
                (middle..end, begin..middle)
            };
            let received = self.swap(rank ^ distance, &numbers[theirs.clone()]);
            add(&mut numbers[mine.clone()], &received);
            parts.push((distance, theirs));
            (begin, end) = (mine.start, mine.end);
            distance /= 2;
        }
        for (distance, theirs) in parts.into_iter().rev() {
            let received = self.swap(rank ^ distance, &numbers[begin..end]);
            put(&mut numbers[theirs.clone()], &received);
            (begin, end) = (begin.min(theirs.start), end.max(theirs.end));
        }
    }
}

/// Returns numbers as the bytes of a message: 8 each, the lowest first.
fn bytes(numbers: &[f64]) -> Vec<u8> {
    let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
    bytes.collect()
}

/// Iterates over the numbers of a message: 8 bytes each, the lowest first.
fn numbers_of(bytes: &[u8]) -> impl Iterator<Item = f64> {
    let (words, _) = bytes.as_chunks();
    words.iter().map(|&word| f64::from_le_bytes(word))
}

/// Adds the numbers of a partner's message to ours. The partner adds ours to its own: a + b has the
/// same bits as b + a, so both get the same sums.
fn add(numbers: &mut [f64], theirs: &[u8]) {
    for (number, their) in numbers.iter_mut().zip(numbers_of(theirs)) {
        *number += their;
    }
}

/// Overwrites numbers by those of a message, which has as many of them.
fn put(numbers: &mut [f64], theirs: &[u8]) {
    for (number, their) in numbers.iter_mut().zip(numbers_of(theirs)) {
        *number = their;
    }
}

crate::impl_fmt! { Debug for Ranks, |self, f| write!(f, "rank {} of {}", self.rank(), self.size()) }

#[cfg(test)]
#[path = "tests/thread_ranks.rs"]
mod thread_ranks;

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use std::thread;

    use super::*;

    /// What each of some ranks comes to.
    fn each<T: Send>(size: usize, of: impl Fn(Ranks) -> T + Sync) -> Vec<T> {
        let ranks = thread_ranks::thread_ranks(size);
        thread::scope(|scope| {
            let of = &of;
            let threads: Vec<_> = (ranks.into_iter())
                .map(|ranks| scope.spawn(move || of(ranks)))
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect()
        })
    }

    #[test]
    fn sums_are_those_of_all_ranks_and_the_same_on_each() {
        for size in 1..=9 {
            for length in [0, 1, 7, LONG - 1, LONG, LONG + 5] {
                let number = |rank: usize, at: usize| 0.1 * rank as f64 + at as f64;
                let all = each(size, |ranks| {
                    let mut numbers: Vec<f64> =
                        (0..length).map(|at| number(ranks.rank(), at)).collect();
                    ranks.sum(&mut numbers);
                    numbers
                });
                for sums in &all {
                    assert_eq!(sums.len(), length);
                    assert!(
                        sums.iter()
                            .zip(&all[0])
                            .all(|(a, b)| a.to_bits() == b.to_bits())
                    );
                    for (at, sum) in sums.iter().enumerate() {
                        let expected: f64 = (0..size).map(|rank| number(rank, at)).sum();
                        assert!((sum - expected).abs() < 1e-9, "{size} {length} {at}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_ranks_have_comes_in_their_order() {
        for size in [1, 2, 3, 5] {
            let all = each(size, |ranks| {
                let mine = vec![ranks.rank() as u8; ranks.rank()];
                let first = ranks.broadcast(vec![7 + ranks.rank() as u8]);
                let mut flags = [false, ranks.rank() + 1 == size];
                ranks.any_of(&mut flags);
                let least = ranks.least(3.0 - ranks.rank() as f64);
                (
                    ranks.gather_bytes(&mine),
                    first,
                    flags,
                    ranks.total(2),
                    least,
                )
            });
            let parts: Vec<Vec<u8>> = (0..size).map(|rank| vec![rank as u8; rank]).collect();
            for (gathered, first, flags, total, least) in all {
                assert_eq!(gathered, parts);
                assert_eq!((first, flags), (vec![7], [false, true]));
                assert_eq!(total, 2 * size as u64);
                assert!((least - (4.0 - size as f64)).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn what_is_sent_is_counted() {
        let sent = each(4, |ranks| {
            ranks.sum(&mut [1.0; 10]);
            let short = ranks.sent();
            ranks.sum(&mut vec![1.0; 2 * LONG]);
            let all = ranks.sent();
            (short, (all.0 - short.0, all.1 - short.1))
        });
        for counts in sent {
            // Two partners; a half and a quarter of the numbers, twice.
            let long = 2 * 8 * (LONG as u64 + LONG as u64 / 2);
            assert_eq!(counts, ((2, 2 * 80), (4, long)));
        }
    }
}
