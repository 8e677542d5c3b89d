//! The program.

use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

/// Runs the program, which is to succeed. A fit plays no games.
pub(crate) fn run(folder: &Path, args: &[&str]) -> Output {
    let output = Command::cargo_bin("shogi-tuner")
        .unwrap()
        .current_dir(folder)
        .args(args)
        .args(
            ["--fast-games", "0"]
                .iter()
                .filter(|_| args.first() == Some(&"fit")),
        )
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {words}");
    output
}

/// Runs a command with `--json`.
pub(crate) fn json(folder: &Path, args: &str) -> Value {
    let args: Vec<&str> = args.split(' ').chain(["--json"]).collect();
    serde_json::from_slice(&run(folder, &args).stdout).unwrap()
}
