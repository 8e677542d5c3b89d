//! Runs the `tuner` program.

use std::path::Path;
use std::process::Output;

use assert_cmd::Command;

/// Runs it in a folder.
pub(crate) fn tuner(folder: &Path, args: &[&str]) -> Output {
    Command::cargo_bin("tuner")
        .unwrap()
        .current_dir(folder)
        .args(args)
        .output()
        .unwrap()
}

/// What it said on standard error.
pub(crate) fn words(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}
