//! Runs the `tuner` program.

use std::path::Path;
use std::process::Output;

use assert_cmd::Command;

/// Runs it in a folder.
pub(crate) fn tuner(folder: &Path, args: &[&str]) -> Output {
    Command::cargo_bin("tuner")
        .unwrap()
        .current_dir(folder)
        .env("COLUMNS", "200")
        .args(args)
        .output()
        .unwrap()
}

/// What it said, on standard error first.
pub(crate) fn words(output: &Output) -> String {
    let both = [&*output.stderr, &*output.stdout].concat();
    String::from_utf8(both).unwrap()
}
