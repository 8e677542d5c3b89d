//! From the engine's source to its spec and back.

#![allow(
    clippy::unwrap_used,
    reason = "a test that says what is wrong by failing"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use tuner_core::engine::Link;
use tuner_core::spec::{Dim, Layout, Spec};

mod support;

use support::{table, tuner, words};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the program, which must succeed.
fn run(folder: &Path, args: &[&str]) -> Output {
    let output = tuner(folder, args);
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    output
}

/// Names, lengths and phases, in an order that does not depend on the file.
fn shapes(layout: &Layout) -> Vec<(String, Vec<usize>, usize)> {
    let all = layout.parameters().iter();
    let mut all: Vec<_> = all
        .map(|p| {
            let lengths = p.dims().iter().map(Dim::len).collect();
            (p.name().to_owned(), lengths, p.phases().count())
        })
        .collect();
    all.sort();
    all
}

#[test]
fn the_imported_spec_is_the_one_that_the_source_comes_from() {
    let declared = Spec::load(&root().join("specs/chess.toml")).unwrap();
    for sources in ["examples/chess/src/tuned_weights.rs", "examples/chess/src"] {
        let output = run(&root(), &["spec", "import", sources, "--name", "chess"]);
        let text = String::from_utf8(output.stdout).unwrap();
        let imported = Spec::parse(Path::new("imported"), &text).unwrap();
        assert_eq!(shapes(imported.layout()), shapes(declared.layout()));
        assert_eq!(imported.layout().initial(), declared.layout().initial());
        let link = Link::new(chess_engine::registry(), imported.layout()).unwrap();
        assert_eq!(link.source_weights(), declared.layout().initial());
    }
}

/// Fitted on the first positions: what counts is that the weights move.
#[test]
fn the_weights_of_a_fit_are_patched_into_the_source() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data.tsv"), table(1199)).unwrap();
    let source = root().join("examples/chess/src/tuned_weights.rs");
    let copy = folder.path().join("weights.rs");
    fs::copy(&source, &copy).unwrap();
    run(folder.path(), &["fit", "data.tsv"]);
    run(
        folder.path(),
        &["patch", "tuner-run/summary.json", "weights.rs"],
    );
    // The generated file has another header, and the same numbers.
    let code = |path: &Path| {
        let text = fs::read_to_string(path).unwrap();
        let lines = text.lines().filter(|line| !line.starts_with("//!"));
        lines.collect::<Vec<_>>().join("\n")
    };
    let generated = code(&folder.path().join("tuner-run/tuned_weights.rs"));
    assert!(code(&copy) != code(&source));
    assert_eq!(numbers(&code(&copy)), numbers(&generated));
}

/// A text without the spaces that only keep columns.
fn numbers(code: &str) -> String {
    code.chars().filter(|c| !c.is_whitespace()).collect()
}
