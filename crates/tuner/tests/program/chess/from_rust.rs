//! The example of a fit from Rust against the command line.

use std::fs;

use crate::chess::support::{engine, table, words};
use crate::examples::as_typed;

#[allow(dead_code, reason = "its `main` is not called")]
#[path = "../../../../../examples/chess/examples/fit_from_rust.rs"]
mod fit_from_rust;

#[test]
fn a_fit_from_rust_writes_what_the_command_line_writes() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data.tsv");
    fs::write(&data, table(2999)).unwrap();
    let fit = ["fit", "data.tsv", "--fast-games", "0", "--out", "run"];
    let output = as_typed(engine(), folder.path(), &fit).output().unwrap();
    assert!(output.status.success(), "{}", words(&output));
    let written = fs::read_to_string(folder.path().join("run/tuned_weights.rs")).unwrap();
    assert_eq!(fit_from_rust::tuned_weights(&[data]).unwrap(), written);
}
