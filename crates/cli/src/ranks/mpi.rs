//! Ranks that MPI joins.

use mpi::environment::processor_name;
use mpi::point_to_point::{Destination, MatchedReceiveVec, Source};
use mpi::request::{WaitGuard, scope};
use mpi::topology::{Communicator, Process, SimpleCommunicator};
use mpi::{Tag, Threading};

use tuner_base::{Ranks, Topic, Transport};

/// Longest part of a message in bytes: MPI counts in 31 bits. A part of this length has
/// another one behind it.
const PART: usize = 1 << 30;

/// The tag of messages that a receiver waits for.
const WAITED: Tag = 1;

/// All processes of MPI, and which of them this one is.
#[derive(Debug)]
struct World {
    rank: usize,
    size: usize,
}

/// Joins the ranks that were started together by MPI, and calls `run` with them, on each rank.
/// Returns the exit status: that of `run`, or 1 where MPI cannot be used.
pub(super) fn joined(run: impl FnOnce(Ranks) -> u8) -> u8 {
    // One thread at a time calls MPI, but not always the same one.
    let Some((universe, threading)) = mpi::initialize_with_threading(Threading::Serialized) else {
        say!("error: MPI could not be initialised");
        return 1;
    };
    if threading < Threading::Serialized {
        say!(
            "error: this MPI lets only the first thread of a program send ({threading:?}); expected \
             MPI_THREAD_SERIALIZED, as Open MPI 3 and later have it"
        );
        return 1;
    }
    let world = universe.world();
    let status = run(Ranks::new(World {
        rank: world.rank() as usize,
        size: world.size() as usize,
    }));
    // Ends the use of MPI, for which all ranks have to come here.
    drop(universe);
    status
}

/// Returns MPI's handle of the process of a rank.
fn process(world: &SimpleCommunicator, rank: usize) -> Process<'_> {
    world.process_at_rank(rank as i32)
}

/// Returns MPI's tag of messages that a receiver polls for, by their topic; 1 is the tag of those
/// that it waits for.
fn tag(topic: Topic) -> Tag {
    match topic {
        Topic::Work => 2,
        Topic::End => 3,
    }
}

/// Returns a message in parts of `PART` (2³⁰) bytes, of which the last is always shorter, and
/// perhaps empty, so that the receiver knows the end by it.
fn parts(message: &[u8]) -> impl Iterator<Item = &[u8]> {
    (0..=message.len() / PART).map(|part| {
        let start = part * PART;
        &message[start..message.len().min(start + PART)]
    })
}

/// Waits for a message of a process, and joins its parts: a part of `PART` bytes has another
/// behind it.
fn receive(from: &Process<'_>) -> Vec<u8> {
    let (mut message, _) = from.receive_vec_with_tag::<u8>(WAITED);
    let mut last = message.len();
    while last == PART {
        let (more, _) = from.receive_vec_with_tag::<u8>(WAITED);
        last = more.len();
        message.extend(more);
    }
    message
}

impl Transport for World {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn machine(&self) -> String {
        processor_name().unwrap_or_default()
    }

    /// Sends a message to the rank `to`, which waits for it.
    fn send(&self, to: usize, message: &[u8]) {
        let world = SimpleCommunicator::world();
        for part in parts(message) {
            process(&world, to).send_with_tag(part, WAITED);
        }
    }

    fn receive(&self, from: usize) -> Vec<u8> {
        receive(&process(&SimpleCommunicator::world(), from))
    }

    /// Sends a message to the rank `with` and returns the one that it sends, in either order.
    fn swap(&self, with: usize, message: &[u8]) -> Vec<u8> {
        let world = SimpleCommunicator::world();
        let other = process(&world, with);
        scope(|scope| {
            // Sent without waiting: otherwise each side would wait until the other one receives.
            let sent: Vec<_> = parts(message)
                .map(|part| WaitGuard::from(other.immediate_send_with_tag(scope, part, WAITED)))
                .collect();
            let received = receive(&other);
            drop(sent);
            received
        })
    }

    /// Sends a message to the rank `to`, which polls for messages of a topic.
    fn post(&self, to: usize, topic: Topic, message: &[u8]) {
        let world = SimpleCommunicator::world();
        process(&world, to).send_with_tag(message, tag(topic));
    }

    /// Returns the next message of a topic and the rank that sent it; `None` where none has come.
    fn poll(&self, topic: Topic) -> Option<(usize, Vec<u8>)> {
        let world = SimpleCommunicator::world();
        let found = world
            .any_process()
            .immediate_matched_probe_with_tag(tag(topic))?;
        let (message, status) = found.matched_receive_vec();
        Some((status.source_rank() as usize, message))
    }

    fn abort(&self, status: u8) -> ! {
        SimpleCommunicator::world().abort(status.into())
    }
}
