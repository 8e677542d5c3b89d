//! Ctrl-C, SIGTERM, SIGHUP and SIGUSR1: the first asks a command to end, one that comes more than
//! a second later ends it.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use std::{io, thread};

#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGUSR1, SIGXFSZ};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use tuner_base::break_if;

/// Exit status of a command that a second signal ends at once.
const EXIT: u8 = 130;

/// How often the watching thread looks for a signal; chosen.
const LOOK: Duration = Duration::from_millis(50);

/// Signals within this time are one wish, chosen: `timeout -s INT` sends one to the program and
/// one to its group.
const ONE_WISH: Duration = Duration::from_secs(1);

/// Whether this process was asked to end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Starts to watch for the signals that ask a command to end, or returns the watch that exists,
    /// as all steps of a command share one. The first signal is noted; one that comes more than a
    /// second later ends the process. A SIGHUP that is ignored, as by `nohup`, stays so. SIGUSR1 is
    /// watched because `mpirun` and Slurm pass it on to all ranks without ending them.
    pub(crate) fn watch() -> io::Result<Self> {
        static WATCHED: OnceLock<Interrupt> = OnceLock::new();
        if let Some(watched) = WATCHED.get() {
            return Ok(watched.clone());
        }
        let asked = Self::default();
        let ends_all = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM].into_iter().chain(more_signals()) {
            // Where `ends_all` is set already the signal ends the process; else it is only noted.
            flag::register_conditional_shutdown(signal, EXIT.into(), Arc::clone(&ends_all))?;
            flag::register(signal, Arc::clone(&asked.0))?;
        }
        let heard = asked.clone();
        thread::spawn(move || {
            while !heard.asked() {
                thread::sleep(LOOK);
            }
            say!("interrupted: ending after what is being done (once more ends at once)");
            thread::sleep(ONE_WISH);
            ends_all.store(true, Ordering::SeqCst);
        });
        Ok(WATCHED.get_or_init(|| asked).clone())
    }

    /// Tells whether this process was asked to end.
    pub(crate) fn asked(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// Returns `Break` if this process was asked to end.
    pub(crate) fn flow(&self) -> ControlFlow<()> {
        break_if(self.asked())
    }
}

/// Lets a write beyond the limit of a file's size (`ulimit -f`) fail, and not end the program.
pub(crate) fn full_files_are_errors() {
    // The flag is never looked at: that the signal is caught is enough. Where it cannot be caught,
    // such a write ends the program.
    #[cfg(unix)]
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// Returns the further signals that ask a command to end: SIGUSR1, and SIGHUP unless it is ignored.
#[cfg(unix)]
fn more_signals() -> impl Iterator<Item = i32> {
    let hangup = (!hangup_is_ignored()).then_some(SIGHUP);
    [SIGUSR1].into_iter().chain(hangup)
}

/// Returns no further signals: systems other than Unix have only SIGINT and SIGTERM.
#[cfg(not(unix))]
const fn more_signals() -> [i32; 0] {
    []
}

/// Tells whether this process was started with SIGHUP ignored, as by `nohup`. Only Linux tells;
/// elsewhere the answer is yes, so that SIGHUP is left as it is.
#[cfg(unix)]
fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // proc_pid_status(5): hexadecimal, the lowest bit for signal 1, which SIGHUP is.
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_none_or(|mask| mask & 1 == 1)
}
