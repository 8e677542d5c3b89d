//! The program about the engine, and the positions that come with that engine.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::OnceLock;

use serde_json::Value;

use crate::examples::{self, Example};

/// The positions that come with the engine.
pub(crate) const DATA: &[u8] =
    include_bytes!("../../../../../../examples/shogi/data/selfplay.tsv.zst");

/// The first positions that come with the engine, as a table.
pub(crate) fn table(positions: usize) -> String {
    let text = String::from_utf8(zstd::decode_all(DATA).unwrap()).unwrap();
    let lines = text.lines().take(positions + 1);
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The engine.
pub(crate) const EXAMPLE: Example = Example {
    name: "shogi",
    evaluator: "shogi-evaluator",
};

/// The folder of the engine, whose evaluator is built once for all tests.
pub(crate) fn engine() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| EXAMPLE.folder())
}

/// Runs the program about the engine, which is to succeed.
pub(crate) fn run(folder: &Path, args: &[&str]) -> Output {
    examples::run(engine(), folder, args)
}

/// Runs a command with `--json`.
pub(crate) fn json(folder: &Path, args: &str) -> Value {
    let args: Vec<&str> = args.split(' ').chain(["--json"]).collect();
    serde_json::from_slice(&run(folder, &args).stdout).unwrap()
}
