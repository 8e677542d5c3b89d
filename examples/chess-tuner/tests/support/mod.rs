//! The program, and the positions that come with it.

#![allow(dead_code, reason = "no test uses all of it")]

use std::path::Path;
use std::process::{Command, Output};

/// Returns the command `chess-tuner`, run in a folder.
pub(crate) fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chess-tuner"));
    command.current_dir(folder).args(args);
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

/// Returns the first positions that come with the engine, as a table.
pub(crate) fn table(positions: usize) -> String {
    let bytes = zstd::decode_all(chess_tuner::DATA).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = text.lines().take(positions + 1).collect();
    lines.join("\n")
}
