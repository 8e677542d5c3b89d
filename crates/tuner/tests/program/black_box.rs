//! Evaluators that only score: their fits are those of the same evaluation with rows.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failing test may end with a panic")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{tuner, words};
use tempfile::TempDir;

/// What makes an evaluator of the example that traces.
const TRACES: &str = r#"
plain = answer
def answer(command, rest, state):
    if command == "tuner":
        return plain(command, rest, state).replace("ok", "can trace\nok")
    if command != "trace":
        return plain(command, rest, state)
    phase, counts = features(state["fen"])
    mg, eg = (" ".join(f"{2 * n + lane}:{count}" for n, count in enumerate(counts) if count) for lane in (0, 1))
    return f"row {evaluate(**state)} slack {23 / 24} form {phase / 24} {mg} form {1 - phase / 24} {eg}"
"#;

fn example() -> String {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/python/score/evaluator.py");
    fs::read_to_string(path).unwrap()
}

fn data() -> String {
    let path: PathBuf =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/chess/data/selfplay.tsv.zst");
    format!("{}:limit=3000", path.canonicalize().unwrap().display())
}

/// A folder with an evaluator in Python, and its tuner.toml.
fn folder(program: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("evaluator.py"), program).unwrap();
    let settings = "[evaluator]\nrun = \"python3 evaluator.py\"\n";
    fs::write(folder.path().join("tuner.toml"), settings).unwrap();
    folder
}

fn has(found: &str, parts: &[&str]) {
    for part in parts {
        assert!(found.contains(part), "no {part:?} in\n{found}");
    }
}

/// Fits, and returns what was said and the weights.
fn fitted(folder: &TempDir, more: &[&str]) -> (String, Vec<(String, f64)>) {
    let data = data();
    let args = [&["fit", &data, "--prior", "50", "--write-worse"], more].concat();
    let output = tuner(folder.path(), &args);
    assert!(output.status.success(), "{}", words(&output));
    let text = fs::read_to_string(folder.path().join("tuner-run/weights.txt")).unwrap();
    let pairs = text.lines().filter_map(|line| line.rsplit_once(' '));
    let weights = pairs.map(|(name, value)| (name.to_owned(), value.parse().unwrap()));
    (words(&output), weights.collect())
}

#[test]
fn an_evaluator_that_only_scores_fits_as_with_rows() {
    let by_scores = folder(&example());
    let by_rows =
        folder(&example().replace("\n\nif __name__", &format!("\n{TRACES}\n\nif __name__")));
    let (said, scores) = fitted(&by_scores, &["--threads", "2"]);
    has(
        &said,
        &[
            "only scores",
            "28 scorings of each position for 26 weights",
            "linear in the weights",
        ],
    );
    let (said, rows) = fitted(&by_rows, &[]);
    has(&said, &["3000 positions, 0 mismatches"]);
    assert_eq!(scores.len(), 26);
    for ((name, score), (_, row)) in scores.iter().zip(&rows) {
        assert!(
            (score - row).abs() <= 1.0,
            "{name}: {score} by scores, {row} by rows"
        );
    }
    let moved = scores
        .iter()
        .zip([82.0, 94.0])
        .any(|((_, new), old)| (new - old).abs() > 1.0);
    assert!(moved, "{scores:?}");
    // The number of threads changes nothing.
    let (_, again) = fitted(&by_scores, &["--threads", "1"]);
    assert_eq!(scores, again);
}
