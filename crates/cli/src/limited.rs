//! Commands under a limit of addresses (`ulimit -v`).
//!
//! Where an allocation fails a process of Rust aborts, and nothing in it can say more. So such a
//! command runs in a process of its own, and this one says what the end means. That process has
//! one arena of memory, as the allocator of Linux else takes 64 MB of addresses for each thread.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGABRT, SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use signal_hook::flag;

use crate::launch::Launch;
use tuner_base::address_limit;

/// Set for the process that is limited.
const LIMITED: &str = "TUNER_LIMITED";

/// How often it is looked whether there is a signal to pass on, or an end; chosen.
const LOOK: Duration = Duration::from_millis(10);

/// Runs this command again in a process of its own, passes signals on to it, and returns how it
/// ended: where memory was too little, with a message. `None` where the command is to run in this
/// process: addresses have no limit (`ulimit -v`), this is the second process already, a launcher
/// started several, or no process can be started.
pub(crate) fn within_limit() -> Option<ExitCode> {
    let limit = address_limit()?;
    if std::env::var_os(LIMITED).is_some() || Launch::find().is_some() {
        return None;
    }
    let signals = [
        (SIGINT, Signal::INT),
        (SIGTERM, Signal::TERM),
        (SIGHUP, Signal::HUP),
        (SIGUSR1, Signal::USR1),
    ];
    let mut caught = Vec::new();
    for (number, signal) in signals {
        let is_caught = Arc::new(AtomicBool::new(false));
        flag::register(number, Arc::clone(&is_caught)).ok()?;
        caught.push((is_caught, signal));
    }
    let mut again = Command::new(std::env::current_exe().ok()?);
    again.args(std::env::args_os().skip(1));
    again.env(LIMITED, "1").env("MALLOC_ARENA_MAX", "1");
    let mut child = again.spawn().ok()?;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => {}
            // How the second process does is not known then, and the command must not run twice.
            Err(_) => return Some(ExitCode::FAILURE),
        }
        for (is_caught, signal) in &caught {
            if is_caught.swap(false, Ordering::SeqCst) {
                // The second process may have ended by now, which is no mistake.
                let _ = kill_process(Pid::from_child(&child), *signal);
            }
        }
        thread::sleep(LOOK);
    };
    let code = match (status.code(), status.signal()) {
        (Some(code), _) => code,
        // Rust aborts where an allocation fails.
        (None, Some(SIGABRT)) => {
            say!(
                "error: too little memory (see above): `ulimit -v` grants {} MB; raise it, or give \
                 less data (`FILE:limit=100000`, or fewer rows) or fewer --threads",
                limit >> 20
            );
            1
        }
        // 128 plus the signal, as shells give the status of a command that a signal ended.
        (None, signal) => 128 + signal.unwrap_or_default(),
    };
    Some(ExitCode::from(code as u8))
}
