//! The program, the engine that it is about, and the positions that come with that engine.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;

pub(crate) use crate::examples::root;
use crate::examples::{self, Example};

/// The positions that come with the engine.
pub(crate) const DATA: &[u8] =
    include_bytes!("../../../../../../examples/chess/data/selfplay.tsv.zst");

/// The engine.
pub(crate) const EXAMPLE: Example = Example {
    name: "chess",
    evaluator: "chess-evaluator",
};

/// The folder of the engine, whose evaluator is built once for all tests.
pub(crate) fn engine() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| EXAMPLE.folder())
}

/// Returns the command `tuner` about the engine, run in a folder. A fit plays no games unless
/// they are asked for.
pub(crate) fn command(folder: &Path, args: &[&str]) -> Command {
    examples::command(engine(), folder, args)
}

/// Runs the program.
pub(crate) fn tuner(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().unwrap()
}

/// Runs the program with a text on its standard input.
pub(crate) fn tuner_reads(folder: &Path, args: &[&str], text: String) -> Output {
    assert_cmd::Command::from_std(command(folder, args))
        .write_stdin(text)
        .output()
        .unwrap()
}

/// The words that start the program about the engine, for a shell.
pub(crate) fn shell_command() -> String {
    let words = [
        env!("CARGO_BIN_EXE_tuner"),
        "-C",
        engine().to_str().unwrap(),
    ];
    shlex::try_join(words).unwrap()
}

/// Returns what a run printed for people: on standard error.
pub(crate) fn words(output: &Output) -> String {
    let both = [&*output.stderr, &*output.stdout].concat();
    String::from_utf8(both).unwrap()
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
    let bytes = zstd::decode_all(DATA).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = text.lines().take(positions + 1).collect();
    lines.join("\n")
}
