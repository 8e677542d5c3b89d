//! A process that ends an engine whose match has ended without doing so.
//!
//! `PR_SET_PDEATHSIG` would do less: it is sent when the *thread* that started the engine ends,
//! reaches the engine alone and not what that has started, and has to be asked for between `fork`
//! and `exec`, where only unsafe code can be.

#[cfg(unix)]
pub use unix::Guard;

#[cfg(unix)]
mod unix {
    use std::io;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};

    use rustix::process::{Pid, Signal, kill_process_group};

    /// Waits until nobody holds the other end of its standard input any more, which the system
    /// closes however a process ends, and then ends its own group.
    const WAIT: &str = "trap '' HUP INT TERM; read -r _; kill -s KILL 0";

    /// The leader of the group of processes that a program is in: the keyboard's interrupt is for
    /// the match, which then ends its programs itself. Dropping it ends all in the group, and so
    /// does the end of this process, however it comes.
    #[derive(Debug)]
    pub struct Guard(Child);

    impl Guard {
        /// Starts a guard, before its program.
        ///
        /// # Errors
        /// If the system's shell does not start.
        pub fn start() -> io::Result<Self> {
            Command::new("/bin/sh")
                .args(["-c", WAIT])
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .process_group(0)
                .spawn()
                .map(Self)
        }

        /// Puts a program that is to be started into the group.
        pub fn guards(&self, engine: &mut Command) {
            // Numbers of processes are positive, and fit.
            engine.process_group(self.0.id().cast_signed());
        }
    }

    impl Drop for Guard {
        fn drop(&mut self) {
            let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
}

/// A guard that does nothing, where there are no groups of processes.
#[cfg(not(unix))]
#[derive(Debug)]
pub struct Guard;

#[cfg(not(unix))]
impl Guard {
    /// Makes one.
    ///
    /// # Errors
    /// None here.
    pub fn start() -> std::io::Result<Self> {
        Ok(Self)
    }

    /// Does nothing.
    pub fn guards(&self, _: &mut std::process::Command) {}
}
