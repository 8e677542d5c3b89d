//! From the engine's source to its spec and back.

use std::fs;
use std::path::Path;
use std::process::Output;

use chess_engine::evaluator::ChessEngine;
use serde_json::Value;
use tuner_core::engine::{Evaluation, Link};
use tuner_core::spec::{Dim, Layout, Spec};

use crate::chess::support::{assert_fails, root, table, tuner, words};

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
            let lengths = p.dims.iter().map(Dim::len).collect();
            (p.name().to_owned(), lengths, p.phases.count())
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
        let evaluation = Evaluation::playing(ChessEngine).unwrap();
        let link = Link::new(evaluation.weights(), imported.layout()).unwrap();
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
    run(
        folder.path(),
        &["fit", "data.tsv", "--lambda", "1", "--free", "PST"],
    );
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

#[test]
fn errors_are_next_to_the_weights_and_the_file_can_be_patched() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data.tsv"), table(1199)).unwrap();
    let fit = ["fit", "data.tsv", "--lambda", "1", "--write-worse", "--out"];
    run(folder.path(), &[&fit[..], &["plain"]].concat());
    run(
        folder.path(),
        &[&fit[..], &["errors", "--errors-in-code"]].concat(),
    );
    let [plain, errors] = ["plain", "errors"].map(|run| {
        let path = folder.path().join(run).join("tuned_weights.rs");
        fs::read_to_string(path).unwrap()
    });
    assert!(errors.contains("//! - behind ±: standard errors"));
    assert!(!plain.contains('±') && errors.matches('±').count() > 20);
    assert_eq!(numbers(&bare(&errors)), numbers(&bare(&plain)));
    // From a generated file back to the spec.
    let spec = root().join("specs/chess.toml").display().to_string();
    run(folder.path(), &["patch", &spec, "errors/tuned_weights.rs"]);
    let patched = fs::read_to_string(folder.path().join("errors/tuned_weights.rs")).unwrap();
    let source = fs::read_to_string(root().join("examples/chess/src/tuned_weights.rs")).unwrap();
    assert_eq!(numbers(&bare(&patched)), numbers(&bare(&source)));
    assert!(patched.contains('±'));
}

#[test]
fn weights_that_are_worse_are_not_patched() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data.tsv"), table(1199)).unwrap();
    run(
        folder.path(),
        &["fit", "data.tsv", "--write-worse", "--free", "PST"],
    );
    let summary = folder.path().join("tuner-run/summary.json");
    let text = fs::read_to_string(&summary).unwrap();
    let mut found: Value = serde_json::from_str(&text).unwrap();
    found["verdict"] = "worse".into();
    fs::write(&summary, found.to_string()).unwrap();
    let copy = folder.path().join("weights.rs");
    let source = root().join("examples/chess/src/tuned_weights.rs");
    fs::copy(&source, &copy).unwrap();
    let read = || fs::read_to_string(&copy).unwrap();
    let before = read();
    let patch = ["patch", "tuner-run/summary.json", "weights.rs"];
    assert_fails(folder.path(), &patch, 3, "worse than before");
    assert_eq!(read(), before);
    let dry = run(folder.path(), &[&patch[..], &["--dry-run"]].concat());
    assert!(words(&dry).contains("worse than before") && !dry.stdout.is_empty());
    run(folder.path(), &[&patch[..], &["--write-worse"]].concat());
    assert_ne!(read(), before);
    // What held-out games do not tell is said.
    found["verdict"] = "not-judged".into();
    fs::write(&summary, found.to_string()).unwrap();
    let said = words(&run(folder.path(), &[&patch[..], &["--dry-run"]].concat()));
    assert!(said.contains("weights is: not judged"), "{said}");
    // Nor are those that fit refused for another reason.
    fs::copy(&source, &copy).unwrap();
    found["verdict"] = "better".into();
    found["refused"] = "they do not surely win games: keep yours".into();
    fs::write(&summary, found.to_string()).unwrap();
    assert_fails(folder.path(), &patch, 3, "keep yours; no file was changed");
    assert_eq!(read(), before);
    run(folder.path(), &[&patch[..], &["--write-worse"]].concat());
    assert_ne!(read(), before);
    let spec = root().join("specs/chess.toml").display().to_string();
    let patch = ["patch", &spec, "weights.rs", "--write-worse"];
    assert_fails(folder.path(), &patch, 2, "a spec has no verdict");
}

/// The code of a file: no comments.
fn bare(text: &str) -> String {
    let code = text.lines().map(|line| line.split("//").next().unwrap());
    code.collect::<Vec<_>>().join("\n")
}

/// A text without the spaces that only keep columns.
fn numbers(code: &str) -> String {
    let dense: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    // A list that is too long for a line ends with a comma, and keeps its lines.
    dense.replace(",]", "]").replace("#[rustfmt::skip]", "")
}
