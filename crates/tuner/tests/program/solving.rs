//! Fits of rows: where they end, and what they cost.

#![allow(
    clippy::unwrap_used,
    reason = "a test that says what is wrong by failing"
)]

use std::fmt::Write as _;
use std::fs;

use serde_json::Value;

use crate::support::{tuner, words};
use crate::traces::folder;

/// A combination of weights that predicts its results surely grows for ever.
#[test]
fn data_that_a_combination_separates_have_no_optimum() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut text = String::from("outcome,a,b,c,d\n");
    for row in 0..900_i32 {
        let [a, b, c] = [row % 7 - 3, row / 7 % 7 - 3, row / 49 % 7 - 3];
        let outcome = f64::from((4 * a + 2 * b + c).signum() + 1) / 2.0;
        writeln!(text, "{outcome},{a},{b},{c},0").unwrap();
    }
    fs::write(path.join("all.csv"), &text).unwrap();
    for solver in ["auto", "newton-cg", "cg", "lbfgs"] {
        let args = "fit all.csv --k 1 --prior none --held-out 0 --solver";
        let args: Vec<&str> = args.split(' ').chain([solver]).collect();
        let output = tuner(path, &args);
        let said = words(&output);
        assert_eq!(output.status.code(), Some(1), "{solver}: {said}");
        assert!(
            said.contains("no optimum: the error falls ever further"),
            "{solver}: {said}"
        );
        assert!(!path.join("tuner-run/weights.txt").exists());
    }
    // Another weight has an optimum.
    for row in 0..900_i32 {
        let outcome = u8::from((row % 5 > 1) != (row % 3 == 0));
        writeln!(text, "{outcome},0,0,0,{}", row % 5 - 1).unwrap();
    }
    fs::write(path.join("some.csv"), &text).unwrap();
    let args = [
        "fit",
        "some.csv",
        "--k",
        "1",
        "--held-out",
        "0",
        "--json",
        "--details",
    ];
    let output = tuner(path, &args);
    let said = words(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("weights have no optimum"), "{said}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    for (weight, least) in [("a", 0.0), ("b", 0.0), ("c", 0.0), ("d", 1.0)] {
        let value = found["weights"][weight].as_f64().unwrap().abs();
        assert!(
            (least..300.0).contains(&value),
            "{weight} = {value}: {said}"
        );
    }
}

#[test]
fn a_local_search_tells_its_rounds_and_its_cost() {
    let folder = folder();
    let args = "fit traces.txt --spec engine.toml --solver local-search --details";
    let output = tuner(folder.path(), &args.split(' ').collect::<Vec<_>>());
    let said = words(&output);
    let found = fs::read(folder.path().join("tuner-run/summary.json")).unwrap();
    let found: Value = serde_json::from_slice(&found).unwrap();
    let rounds = found["search"]["rounds"].as_array().unwrap().len();
    assert!(said.contains(&format!("iteration {rounds}: E ")), "{said}");
    assert!(said.contains(&format!(" in {rounds} rounds, ")), "{said}");
    assert!(said.contains(" scorings; no step"), "{said}");
    // Each scores all rows once, and but for the last takes a pass for what it gained.
    let passes = found["passes"].as_u64().unwrap() as usize;
    assert!(passes >= 2 * rounds, "{passes}: {said}");
}

#[cfg(target_os = "linux")]
#[test]
fn memory_that_runs_out_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let row: Vec<String> = (0..20).map(|n| format!("{n}:{}", 1 + n % 3)).collect();
    let rows = format!("1 {0}\n0 {0}\n", row.join(" ")).repeat(100_000);
    fs::write(folder.path().join("rows.txt"), rows).unwrap();
    let output = std::process::Command::new("sh")
        .current_dir(folder.path())
        .args(["-c", "ulimit -v 60000; exec \"$0\" fit rows.txt --k 1"])
        .arg(env!("CARGO_BIN_EXE_tuner"))
        .output()
        .unwrap();
    let said = words(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let cure = "error: too little memory (see above): `ulimit -v` grants 58 MB; raise it";
    assert!(
        said.contains(" bytes failed") && said.contains(cure),
        "{said}"
    );
}
