//! Many processes as one command, started by `mpirun`.
//!
//! All ranks run the same command and decide the same, from numbers that were added up
//! over all of them. The first one prints and writes.

#[cfg(feature = "mpi")]
mod mpi;

use std::thread;
use std::time::{Duration, Instant};

#[cfg(feature = "mpi")]
use crate::interrupt::Interrupt;
use crate::launch::{Launch, ranks};
use crate::output;
use tuner_base::{Ranks, Topic};
use tuner_jobs::{JobFailure as Failure, JobResult as Result, misuse};

/// How long a rank that has failed waits for the others to end. Chosen: who fails for the
/// same reason does so at about the same time.
const PATIENCE: Duration = Duration::from_secs(3);

/// Longest reason of a failure that is sent to other ranks, in bytes: of Open MPI a message
/// of up to 4,096 does not wait for who reads it.
const SHORT: usize = 3_000;

/// How often it is looked whether others have ended.
const LOOK: Duration = Duration::from_millis(5);

/// Runs a command, with the other ranks if a launcher started several processes; returns the exit
/// status. Several processes of a program without MPI would each do all of the work, so that is
/// refused.
pub(crate) fn together(command: impl FnOnce() -> Result<()>) -> u8 {
    let launch = Launch::find();
    if launch.is_none_or(|launch| launch.size < 2) {
        return said(command());
    }
    #[cfg(feature = "mpi")]
    {
        mpi::joined(|ranks| {
            let ranks = crate::launch::join(ranks);
            // Signals that the launcher passes on reach every rank, whatever it is doing.
            let watched = Interrupt::watch();
            let done = watched.map_err(Failure::from).and_then(|_| command());
            end(ranks, done)
        })
    }
    #[cfg(not(feature = "mpi"))]
    said(Err(Failure::usage(
        "mpirun has started several processes of this program, and it was built without feature \
         `mpi`: each would do all of the work, and write the same files. Build it with it \
         (`--package tuner --features mpi`; docs/many-machines.md), or start it without mpirun",
    )))
}

/// Says on standard error why a command failed, if it did; returns the exit status.
pub(crate) fn said(result: Result<()>) -> u8 {
    let Err(failure) = result else { return 0 };
    say!("{}", failure.sentence());
    failure.status()
}

#[cfg_attr(
    not(feature = "mpi"),
    allow(dead_code, reason = "one process has no others")
)]
/// Ends this rank together with the others: sends them `result`, and waits until all have sent
/// theirs; returns the exit status of this rank.
///
/// Where all have failed for one reason the first rank says it. A rank that has failed alone, so
/// that the others still work, says so after `PATIENCE` (3 s) and ends them.
fn end(ranks: Ranks, result: Result<()>) -> u8 {
    if ranks.is_alone() {
        return said(result);
    }
    let (status, words) = match &result {
        Ok(()) => (0, String::new()),
        Err(failure) => (failure.status(), failure.sentence()),
    };
    // A byte for the status, then the reason, cut to a length that MPI sends without waiting for a
    // reader.
    let mut message = vec![status];
    message.extend(words.bytes().take(SHORT));
    for other in (0..ranks.size()).filter(|&other| other != ranks.rank()) {
        ranks.post(other, Topic::End, &message);
    }
    // How each rank ended, its status and reason; `None` while it works.
    let mut ends: Vec<Option<(u8, String)>> = vec![None; ranks.size()];
    ends[ranks.rank()] = Some((status, words.clone()));
    let begun = Instant::now();
    while ends.iter().any(Option::is_none) {
        if let Some((rank, message)) = ranks.poll(Topic::End) {
            // Every rank sends its status; a message without one would be a failure.
            let (status, words) = message.split_first().unwrap_or((&1, &[]));
            ends[rank] = Some((*status, String::from_utf8_lossy(words).into_owned()));
        } else if status != 0 && begun.elapsed() > PATIENCE {
            let (rank, machine) = (ranks.rank(), ranks.machine());
            output::words_of_any_rank(format_args!("rank {rank} on {machine}: {words}"));
            ranks.abort(status);
        } else {
            thread::sleep(LOOK);
        }
    }
    if ranks.is_first() {
        if status != 0 {
            say!("{words}");
        }
        for (rank, there) in ends.into_iter().flatten().enumerate().skip(1) {
            // `there` is a rank's status and reason. Reasons other than that of the first rank,
            // which was said above.
            if there.0 != 0 && (status == 0 || there.1.as_bytes() != &message[1..]) {
                say!("rank {rank}: {}", there.1);
            }
        }
    }
    status
}

/// The commands that several ranks share.
const SHARED: [&str; 6] = ["fit", "check", "trace", "selfplay", "match", "loop"];

/// Fails where several processes were started and `command` is none that they can share.
pub(crate) fn share(command: &str) -> Result<()> {
    if ranks().is_alone() || SHARED.contains(&command) {
        return Ok(());
    }
    misuse!(
        "{command}: works in one process; start it without mpirun. Those that share their work are: {}",
        SHARED.join(", ")
    )
}
