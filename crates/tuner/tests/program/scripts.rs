//! Engines that are scripts.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes a script that is a program. A child writes it: what this process has open to write is
/// open for a moment in each process that another test starts, and cannot be run until then.
pub(crate) fn executable(path: &Path, text: &str) {
    let mut writer = Command::new("sh")
        .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = writer.stdin.take().unwrap();
    input.write_all(text.as_bytes()).unwrap();
    drop(input);
    assert!(writer.wait().unwrap().success(), "{}", path.display());
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
    executable(&path, &text);
}

/// Moves knights out and home: it counts the words of the position's line.
pub(crate) const SHUFFLE: &str = "set -- $last; k=$#; if [ $k -gt 8 ]; then k=$((k-8)); else k=0; fi; \
     case $((k % 4)) in 0) echo info score cp 5 nodes 9; echo bestmove g1f3;; \
     1) echo bestmove g8f6;; 2) echo bestmove f3g1;; 3) echo bestmove f6g8;; esac";

/// An engine that moves knights out and home, until the position has come three times.
pub(crate) fn shuffler(folder: &Path, name: &str) {
    script(folder, name, SHUFFLE);
}
