//! Many processes as one command, started by `mpirun`.
//!
//! All ranks run the same command and decide the same, from numbers that were added up
//! over all of them. The first one prints and writes.

#[cfg(feature = "mpi")]
mod mpi;

use std::ffi::OsStr;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use super::Failure;
use tuner_base::{Ranks, Topic};

/// How long a rank that has failed waits for the others to end. Chosen: who fails for the
/// same reason does so at about the same time.
const PATIENCE: Duration = Duration::from_secs(3);

/// Longest reason of a failure that is sent to other ranks, in bytes: of Open MPI a message
/// of up to 4,096 does not wait for who reads it.
const SHORT: usize = 3_000;

/// How often it is looked whether others have ended.
const LOOK: Duration = Duration::from_millis(5);

static RANKS: OnceLock<Ranks> = OnceLock::new();

/// The processes of this command.
pub(super) fn ranks() -> Ranks {
    RANKS.get().copied().unwrap_or_default()
}

/// Runs a command, with the other ranks if this process is one of several; returns the exit
/// status.
pub(super) fn together(command: impl FnOnce() -> Result<(), Failure>) -> u8 {
    let launch = Launch::find();
    if launch.is_none_or(|launch| launch.size < 2) {
        return said(command());
    }
    #[cfg(feature = "mpi")]
    {
        mpi::joined(|ranks| {
            let ranks = *RANKS.get_or_init(|| ranks);
            // What is passed on reaches every rank, whatever it is doing.
            let watched = super::interrupt::Interrupt::watch();
            end(
                ranks,
                watched.map_err(Failure::from).and_then(|_| command()),
            )
        })
    }
    #[cfg(not(feature = "mpi"))]
    said(Err(Failure::Usage(
        "mpirun has started several processes of this program, and it was built without feature \
         `mpi`: each would do all of the work, and write the same files. Build it with it \
         (`--package tuner --features mpi`; docs/many-machines.md), or start it without mpirun"
            .to_owned(),
    )))
}

/// Says why a command failed; returns the exit status.
pub(super) fn said(result: Result<(), Failure>) -> u8 {
    let Err(failure) = result else { return 0 };
    say!("{}", failure.sentence());
    failure.status()
}

/// Ends together: where all have failed for one reason the first says it, and a rank that has
/// failed alone says so and ends the others.
#[cfg_attr(
    not(feature = "mpi"),
    allow(dead_code, reason = "one process has no others")
)]
fn end(ranks: Ranks, result: Result<(), Failure>) -> u8 {
    if ranks.is_alone() {
        return said(result);
    }
    let (status, words) = match &result {
        Ok(()) => (0, String::new()),
        Err(failure) => (failure.status(), failure.sentence()),
    };
    // Short, so that no rank waits for a reader.
    let mut message = vec![status];
    message.extend(words.bytes().take(SHORT));
    for other in (0..ranks.size()).filter(|&other| other != ranks.rank()) {
        ranks.post(other, Topic::End, &message);
    }
    let mut ends: Vec<Option<(u8, String)>> = vec![None; ranks.size()];
    ends[ranks.rank()] = Some((status, words.clone()));
    let begun = Instant::now();
    while ends.iter().any(Option::is_none) {
        if let Some((rank, message)) = ranks.poll(Topic::End) {
            let (status, words) = message.split_first().unwrap_or((&1, &[]));
            ends[rank] = Some((*status, String::from_utf8_lossy(words).into_owned()));
        } else if status != 0 && begun.elapsed() > PATIENCE {
            let (rank, machine) = (ranks.rank(), ranks.machine());
            super::output::words_of_any_rank(format_args!("rank {rank} on {machine}: {words}"));
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
            // What is said twice is one reason.
            if there.0 != 0 && (status == 0 || there.1.as_bytes() != &message[1..]) {
                say!("rank {rank}: {}", there.1);
            }
        }
    }
    status
}

/// Does something on the first rank; where it fails all fail alike. `None` on the others.
pub(super) fn on_first<T>(what: impl FnOnce() -> Result<T, Failure>) -> Result<Option<T>, Failure> {
    let ranks = ranks();
    if ranks.is_alone() {
        return what().map(Some);
    }
    let done = ranks.is_first().then(what);
    let told = match &done {
        Some(Err(failure)) => [&[failure.status()], failure.words().as_bytes()].concat(),
        _ => Vec::new(),
    };
    let told = ranks.broadcast(told);
    match (done, told.split_first()) {
        (Some(done), _) => done.map(Some),
        (None, None) => Ok(None),
        (None, Some((&status, words))) => {
            let words = String::from_utf8_lossy(words).into_owned();
            Err(Failure::of_status(status, words))
        }
    }
}

/// Fails on all ranks if one of them has something else than the first; `about` says what
/// each has.
pub(super) fn agree(about: &[(&'static str, String)]) -> Result<(), Failure> {
    let ranks = ranks();
    if ranks.is_alone() {
        return Ok(());
    }
    for (what, value) in about {
        let all = ranks.gather_bytes(value.as_bytes());
        if let Some(rank) = all.iter().position(|there| *there != all[0]) {
            let [there, first] = [rank, 0].map(|rank| String::from_utf8_lossy(&all[rank]));
            return Err(format!(
                "rank {rank} has another {what} than rank 0: {there}, where rank 0 has {first}. All \
                 ranks need the same program and the same files; nothing was done"
            )
            .into());
        }
    }
    Ok(())
}

/// The commands that several ranks share.
const SHARED: [&str; 6] = ["fit", "check", "trace", "selfplay", "match", "loop"];

pub(super) fn is_shared(command: &str) -> bool {
    SHARED.contains(&command)
}

/// Refuses a command that one process alone can do.
pub(super) fn share(command: &str) -> Result<(), Failure> {
    if ranks().is_alone() || is_shared(command) {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "{command}: works in one process; start it without mpirun. Those that share their work are: {}",
        SHARED.join(", ")
    )))
}

/// Threads of this process where nothing is said of them: its share of those of its machine.
pub(super) fn threads() -> Option<usize> {
    let beside = Launch::find()?.on_this_machine.filter(|&count| count > 1)?;
    // Of this process, which may be bound to some of them, and of the machine.
    let own = thread::available_parallelism().map_or(1, usize::from);
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let all = cpus
        .lines()
        .filter(|line| line.starts_with("processor"))
        .count();
    Some(own.min(all.max(own).div_ceil(beside)))
}

/// The ranks as their launcher announces them in the environment, before MPI is asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Launch {
    size: usize,
    rank: usize,
    on_this_machine: Option<usize>,
}

impl Launch {
    fn find() -> Option<Self> {
        Self::of(|name| std::env::var_os(name)?.to_str()?.parse().ok())
    }

    fn of(number: impl Fn(&str) -> Option<usize>) -> Option<Self> {
        // Open MPI's; those of PMI, which MPICH and Slurm set; those of Slurm's steps.
        let names = [
            [
                "OMPI_COMM_WORLD_SIZE",
                "OMPI_COMM_WORLD_RANK",
                "OMPI_COMM_WORLD_LOCAL_SIZE",
            ],
            ["PMI_SIZE", "PMI_RANK", "MPI_LOCALNRANKS"],
            [
                "SLURM_STEP_NUM_TASKS",
                "SLURM_PROCID",
                "SLURM_TASKS_PER_NODE",
            ],
        ];
        names.iter().find_map(|[size, rank, local]| {
            Some(Self {
                size: number(size)?,
                rank: number(rank)?,
                on_this_machine: number(local),
            })
        })
    }

    /// Tells whether this process is a rank that says nothing, before it is joined to others.
    pub(super) fn is_silent() -> bool {
        Self::find().is_some_and(|launch| launch.rank > 0)
    }
}

/// Refuses what only one process can read.
pub(super) fn refuse_stdin<'a>(files: impl IntoIterator<Item = &'a OsStr>) -> Result<(), Failure> {
    if ranks().is_alone() || files.into_iter().all(|file| file != "-") {
        return Ok(());
    }
    Err(Failure::Usage(
        "-: standard input comes to one process only; name files that all ranks can read"
            .to_owned(),
    ))
}
