//! The program, and the positions that come with it.

#![allow(dead_code, reason = "no test uses all of it")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// Returns the command `chess-tuner`, run in a folder. A fit plays no games unless they
/// are asked for.
pub(crate) fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chess-tuner"));
    command.current_dir(folder).args(args);
    if args.first() == Some(&"fit") && !args.contains(&"--fast-games") {
        command.args(["--fast-games", "0"]);
    }
    command
}

/// Runs the program.
pub(crate) fn tuner(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().unwrap()
}

/// Returns what a run printed for people: on standard error.
pub(crate) fn words(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Returns the one object that a run printed.
pub(crate) fn json(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", words(output));
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!(text.lines().count(), 1, "one object on one line");
    serde_json::from_str(&text).unwrap()
}

/// Runs the program, which is to fail with this status and these words and print
/// nothing.
pub(crate) fn assert_fails(folder: &Path, args: &[&str], code: i32, expected: &str) {
    let output = tuner(folder, args);
    let words = words(&output);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {words}");
    assert!(words.contains(expected), "{args:?}: {words}");
    assert!(output.stdout.is_empty());
}

/// Returns the first positions that come with the engine, as a table.
pub(crate) fn table(positions: usize) -> String {
    let bytes = zstd::decode_all(chess_tuner::DATA).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = text.lines().take(positions + 1).collect();
    lines.join("\n")
}
