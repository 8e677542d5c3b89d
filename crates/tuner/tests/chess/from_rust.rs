//! The example of a fit from Rust against the command line.

#![allow(
    clippy::unwrap_used,
    reason = "a test that says what is wrong by failing"
)]

use std::fs;

use assert_cmd::Command;

#[allow(dead_code, reason = "its `main` is not called")]
#[path = "../../../../examples/chess/examples/fit_from_rust.rs"]
mod fit_from_rust;

#[test]
fn a_fit_from_rust_writes_what_the_command_line_writes() {
    let folder = tempfile::tempdir().unwrap();
    let all = zstd::decode_all(chess_tuner::DATA).unwrap();
    let lines = String::from_utf8(all).unwrap();
    let some: Vec<&str> = lines.lines().take(3000).collect();
    let data = folder.path().join("data.tsv");
    fs::write(&data, some.join("\n")).unwrap();
    let status = Command::cargo_bin("chess-tuner")
        .unwrap()
        .current_dir(folder.path())
        .args(["fit", "data.tsv", "--out", "run", "--fast-games", "0"])
        .output()
        .unwrap();
    assert!(status.status.success());
    let written = fs::read_to_string(folder.path().join("run/tuned_weights.rs")).unwrap();
    assert_eq!(fit_from_rust::tuned_weights(&[data]).unwrap(), written);
}
