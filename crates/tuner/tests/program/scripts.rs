//! Engines that are scripts.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One test at a time: a process started while another test still writes its
/// script would keep that file open, and it could not be run.
static SERIAL: Mutex<()> = Mutex::new(());

pub(crate) fn serial() -> MutexGuard<'static, ()> {
    SERIAL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An engine that answers `go` as a shell script says, which has the position in `$last`.
pub(crate) fn script(folder: &Path, name: &str, go: &str) {
    let path = folder.join(name);
    let text = format!(
        "#!/bin/sh\nwhile read -r word rest; do case $word in\n\
         uci) echo id name {name} by script; echo option name Hash type spin min 1 max 9; \
         echo uciok;; isready) r=1; echo readyok;;\n\
         position) last=\"$rest\";;\n go) {go};;\nesac; done\n"
    );
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Moves knights out and home: it counts the words of the position's line.
pub(crate) const SHUFFLE: &str = "set -- $last; k=$#; if [ $k -gt 8 ]; then k=$((k-8)); else k=0; fi; \
     case $((k % 4)) in 0) echo info score cp 5 nodes 9; echo bestmove g1f3;; \
     1) echo bestmove g8f6;; 2) echo bestmove f3g1;; 3) echo bestmove f6g8;; esac";

/// An engine that moves knights out and home, until the position has come three times.
pub(crate) fn shuffler(folder: &Path, name: &str) {
    script(folder, name, SHUFFLE);
}
