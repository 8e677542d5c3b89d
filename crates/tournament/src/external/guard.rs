//! A process that ends a program whose match has ended without doing so.
//!
//! `PR_SET_PDEATHSIG` would do less: it is sent when the *thread* that started the program ends,
//! reaches the program alone and not what that has started, and has to be asked for between `fork`
//! and `exec`, where only unsafe code can be.

use std::io;
use std::process::{Child, Command};

/// A program that is ended, with what it has started, when this is dropped, and when this process
/// ends, however it ends.
///
/// The program is in a group of processes of its own, so the keyboard's interrupt does not reach
/// it. Where there are no groups of processes it alone is ended, and only when this is dropped.
#[derive(Debug)]
pub struct GuardedChild {
    child: Child,
    _leader: system::Leader,
}

impl GuardedChild {
    /// Starts a program in a group of processes of its own, for which `program` is changed. The
    /// group is led by a shell that is started first, and ends it when this process ends. Where
    /// there are no groups of processes only the program is started.
    ///
    /// # Errors
    /// If it does not start, or the system's shell does not.
    pub fn start(program: &mut Command) -> io::Result<Self> {
        let leader = system::Leader::start().map_err(|error| {
            io::Error::new(error.kind(), format!("/bin/sh does not start: {error}"))
        })?;
        leader.guards(program);
        Ok(Self {
            child: program.spawn()?,
            _leader: leader,
        })
    }

    /// The program.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }
}

impl Drop for GuardedChild {
    /// Ends the program. The rest of its group is ended after this, when the field `_leader` is
    /// dropped.
    fn drop(&mut self) {
        // Fails only if the program has ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
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
        /// Starts a shell that leads a new group of processes. It waits until the other end of its
        /// standard input is closed, as it is when this process ends in any way, and then ends all
        /// of the group.
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

        /// Has a program that is started later join the group that this shell leads.
        pub(super) fn guards(&self, program: &mut Command) {
            // Numbers of processes are positive and fit an `i32`.
            program.process_group(self.0.id().cast_signed());
        }
    }

    impl Drop for Leader {
        /// Ends all processes of the group, and the shell that leads it.
        fn drop(&mut self) {
            // These fail only if the processes have ended already.
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

    /// The leader of no group: there are no groups of processes here.
    #[derive(Debug)]
    pub(super) struct Leader;

    impl Leader {
        /// Starts nothing, as this system has no groups of processes.
        #[allow(clippy::unnecessary_wraps, reason = "as where it can fail")]
        pub(super) fn start() -> io::Result<Self> {
            Ok(Self)
        }

        /// Does nothing, as this system has no groups of processes.
        #[allow(clippy::unused_self, reason = "as where it has something to do")]
        pub(super) fn guards(&self, _: &mut Command) {}
    }
}
