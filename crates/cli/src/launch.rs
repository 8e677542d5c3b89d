//! How this process was started: alone, or by `mpirun`.

use std::sync::OnceLock;
use std::thread;

use tuner_base::Ranks;

/// The processes of this command, once they are joined.
static RANKS: OnceLock<Ranks> = OnceLock::new();

/// Returns the processes of this command, of which this is one; one that is alone before they are
/// joined.
pub(crate) fn ranks() -> Ranks {
    RANKS.get().copied().unwrap_or_default()
}

#[cfg_attr(
    not(feature = "mpi"),
    allow(dead_code, reason = "one process has no others")
)]
/// Says that this process is one of several; the first call counts, and its ranks are returned.
pub(crate) fn join(ranks: Ranks) -> Ranks {
    *RANKS.get_or_init(|| ranks)
}

/// Returns the threads of this process where nothing is said of them: its share of those of its
/// machine. `None` where no others are on the machine: it may have all.
pub(crate) fn threads() -> Option<usize> {
    let beside = Launch::find()?.on_this_machine.filter(|&count| count > 1)?;
    // The processors that this process may use, as it may be bound to some, and those of the
    // machine.
    let own = thread::available_parallelism().map_or(1, usize::from);
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let all = cpus.lines().filter(|line| line.starts_with("processor"));
    Some(own.min(all.count().max(own).div_ceil(beside)))
}

/// The ranks as their launcher announces them in the environment, before MPI is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    pub(crate) size: usize,
    rank: usize,
    /// How many of them are on this machine, where the launcher says.
    on_this_machine: Option<usize>,
}

impl Launch {
    /// What the environment announces; `None` where no launcher started this process.
    pub(crate) fn find() -> Option<Self> {
        Self::of(|name| std::env::var_os(name)?.to_str()?.parse().ok())
    }

    /// What a launcher announces by variables of the environment, of which `number` reads one as a
    /// number.
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

    /// Tells whether this process is one of several and not the first, which alone says and writes
    /// something. It is known from the environment, before the processes are joined.
    pub(crate) fn is_silent() -> bool {
        Self::find().is_some_and(|launch| launch.rank > 0)
    }
}
