//! A process that ends a program whose match has ended without doing so.
//!
//! `PR_SET_PDEATHSIG` would do less: it is sent when the *thread* that started the program ends,
//! reaches the program alone and not what that has started, and has to be asked for between `fork`
//! and `exec`, where only unsafe code can be.

use std::io;
use std::process::Command;

/// Ends a program, and what that has started, when it is dropped, and when this process ends,
/// however it ends.
///
/// The program is in a group of processes of its own, so the keyboard's interrupt does not reach
/// it. Where there are no groups of processes a guard does nothing.
#[derive(Debug)]
pub struct Guard(system::Leader);

impl Guard {
    /// Starts a guard, before its program.
    ///
    /// # Errors
    /// If the system's shell does not start.
    pub fn start() -> io::Result<Self> {
        system::Leader::start().map(Self)
    }

    /// Puts a program that is to be started into the group.
    pub fn guards(&self, program: &mut Command) {
        self.0.guards(program);
    }
}

#[cfg(unix)]
mod system {
    use std::io;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};

    use rustix::process::{Pid, Signal, kill_process_group};

    /// Waits until nobody holds the other end of its standard input any more, which the system
    /// closes however a process ends, and then ends its own group.
    const WAIT: &str = "trap '' HUP INT TERM; read -r _; kill -s KILL 0";

    /// The leader of the group that a program is in: the keyboard's interrupt is for the match,
    /// which then ends its programs itself. Dropping it ends all in the group.
    #[derive(Debug)]
    pub(super) struct Leader(Child);

    impl Leader {
        pub(super) fn start() -> io::Result<Self> {
            Command::new("/bin/sh")
                .args(["-c", WAIT])
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .process_group(0)
                .spawn()
                .map(Self)
        }

        pub(super) fn guards(&self, program: &mut Command) {
            // Numbers of processes are positive, and fit.
            program.process_group(self.0.id().cast_signed());
        }
    }

    impl Drop for Leader {
        fn drop(&mut self) {
            let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::io;
    use std::process::Command;

    #[derive(Debug)]
    pub(super) struct Leader;

    impl Leader {
        #[allow(clippy::unnecessary_wraps, reason = "as where it can fail")]
        pub(super) fn start() -> io::Result<Self> {
            Ok(Self)
        }

        #[allow(clippy::unused_self, reason = "as where it has something to do")]
        pub(super) fn guards(&self, _: &mut Command) {}
    }
}
