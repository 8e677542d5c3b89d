//! How this process was started: alone, or by `mpirun`.

use std::sync::OnceLock;
use std::thread;

use tuner_base::Ranks;

/// The processes of this command, once they are joined.
static RANKS: OnceLock<Ranks> = OnceLock::new();

/// Returns all processes (ranks) of this command, and which of them this one is. Before they are
/// joined by MPI it is a single process.
pub(crate) fn ranks() -> Ranks {
    RANKS.get().copied().unwrap_or_default()
}

#[cfg_attr(
    not(feature = "mpi"),
    allow(dead_code, reason = "one process has no others")
)]
/// Sets the processes (ranks) of this command, for `ranks()`. Only the first call has an effect;
/// returns what that call set.
pub(crate) fn join(ranks: Ranks) -> Ranks {
    *RANKS.get_or_init(|| ranks)
}

/// Returns how many threads this process has by default: the processors of its machine, divided
/// among the processes of the command there, but no more than it may use. `None` where the launcher
/// names no other process on this machine, so that it may have all.
pub(crate) fn threads() -> Option<usize> {
    let beside = Launch::find()?.on_this_machine.filter(|&count| count > 1)?;
    // `own`: the processors that this process may use, as it may be bound to some; `all`: those of
    // the machine, on Linux a line in `/proc/cpuinfo` each, elsewhere taken to be the same.
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

/// Where Slurm says how many ranks each machine has.
const SLURM_LOCAL: &str = "SLURM_TASKS_PER_NODE";

impl Launch {
    /// Returns what a launcher announces in the environment; `None` where no launcher started this
    /// process.
    pub(crate) fn find() -> Option<Self> {
        // Slurm's variable has a count for each kind of machine; the largest leaves no machine with
        // too many threads.
        Self::of(|name| largest_count(&std::env::var(name).ok()?))
    }

    /// Reads the announcement of a launcher. `number` reads a variable of the environment as a
    /// number, `None` where it is unset or something else.
    fn of(number: impl Fn(&str) -> Option<usize>) -> Option<Self> {
        // Size, rank and ranks on this machine: of Open MPI; of PMI, for MPICH and Slurm; of
        // Slurm's steps.
        let names = [
            [
                "OMPI_COMM_WORLD_SIZE",
                "OMPI_COMM_WORLD_RANK",
                "OMPI_COMM_WORLD_LOCAL_SIZE",
            ],
            ["PMI_SIZE", "PMI_RANK", "MPI_LOCALNRANKS"],
            ["SLURM_STEP_NUM_TASKS", "SLURM_PROCID", SLURM_LOCAL],
        ];
        names.iter().find_map(|[size, rank, local]| {
            Some(Self {
                size: number(size)?,
                rank: number(rank)?,
                // Slurm may give size and rank by the variables of PMI, and the third only by its
                // own.
                on_this_machine: number(local).or_else(|| number(SLURM_LOCAL)),
            })
        })
    }

    /// Tells whether this process is one of several and not the first; the first alone prints and
    /// writes. It is known from the environment, before the processes are joined.
    pub(crate) fn is_silent() -> bool {
        Self::find().is_some_and(|launch| launch.rank > 0)
    }
}

/// Returns the largest number of a list with commas, of which each number may have more text behind
/// it: Slurm writes `4(x2),1` for four ranks on each of two machines and one on a third. `None`
/// where there is no number.
fn largest_count(text: &str) -> Option<usize> {
    let number = |part: &str| {
        let end = part.find(|c: char| !c.is_ascii_digit());
        part[..end.unwrap_or(part.len())].parse().ok()
    };
    text.split(',').filter_map(number).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slurm_tells_the_ranks_of_a_machine_by_the_names_of_pmi_too() {
        let of = |variables: &[(&str, &str)]| {
            let find = |name: &str| variables.iter().find(|(of, _)| *of == name);
            Launch::of(|name| largest_count(find(name)?.1))
        };
        let pmi = [("PMI_SIZE", "8"), ("PMI_RANK", "3")];
        let found = of(&[&pmi[..], &[("SLURM_TASKS_PER_NODE", "1,4(x2)")]].concat());
        let found = found.map(|launch| (launch.size, launch.rank, launch.on_this_machine));
        assert_eq!(found, Some((8, 3, Some(4))));
        let found = of(&pmi).map(|launch| launch.on_this_machine);
        assert_eq!(found, Some(None));
        assert!(of(&[("SLURM_TASKS_PER_NODE", "4")]).is_none());
    }
}
