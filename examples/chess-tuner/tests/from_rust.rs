//! The example of a fit from Rust against the command line.

#![allow(
    clippy::unwrap_used,
    reason = "a test that says what is wrong by failing"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use assert_cmd::Command;
use chess_tuner::ChessEngine;
use tuner_core::engine::{EngineRows, LinkedSpec, Positions};
use tuner_core::fit::run::{FitRun, RetraceError, RowFacts, RowSource, RunConfig};
use tuner_core::fit::{TracesMut, rows_with_changed_branch};
use tuner_core::rows::TraceSet;

#[allow(dead_code, reason = "its `main` is not called")]
#[path = "../examples/fit_from_rust.rs"]
mod fit_from_rust;

#[test]
fn a_fit_from_rust_writes_what_the_command_line_writes() {
    let folder = tempfile::tempdir().unwrap();
    let all = zstd::decode_all(chess_tuner::DATA).unwrap();
    let lines = String::from_utf8(all).unwrap();
    let some: Vec<&str> = lines.lines().take(3000).collect();
    let data = folder.path().join("data.tsv");
    fs::write(&data, some.join("\n")).unwrap();
    let status = Command::cargo_bin("chess-tuner")
        .unwrap()
        .current_dir(folder.path())
        .args(["fit", "data.tsv", "--out", "run", "--fast-games", "0"])
        .output()
        .unwrap();
    assert!(status.status.success());
    let written = fs::read_to_string(folder.path().join("run/tuned_weights.rs")).unwrap();
    assert_eq!(fit_from_rust::tuned_weights(&[data]).unwrap(), written);
}

#[test]
fn rows_of_changed_branches_are_those_of_all_positions_traced_again() {
    let linked = LinkedSpec::of(&ChessEngine).unwrap();
    let positions = || Positions::of(&ChessEngine, &[]).unwrap();
    let mut rows = EngineRows::read(&ChessEngine, &linked, positions()).unwrap();
    // Far enough for the sides that are ahead to be others.
    let values = linked.link.values().iter().zip(0..);
    let values = values.map(|(weight, leaf)| weight + f64::from(leaf * 37 % 61 - 30));
    let values: Vec<f64> = values.collect();
    let mut weights = vec![0.0; values.len()];
    for (weight, &value) in linked.link.weights().iter().zip(&values) {
        weights[weight.index()] = value;
    }
    let mut lanes = vec![0.0; 2 * linked.spec.layout().slots()];
    for (lane, &value) in linked.link.lanes().iter().zip(&values) {
        lanes[lane.index()] = value;
    }
    let scores = |set: &TraceSet| -> Vec<f64> {
        let mut scores = vec![f64::NAN; set.len()];
        for row in set.rows(0..set.len()) {
            scores[set.pushed_as(row.index)] = row.score(&lanes);
        }
        scores
    };
    let before = rows.rows().traces().in_memory().unwrap().clone();
    let before = &before;
    let changed = rows_with_changed_branch(before, &lanes).len();
    assert!(changed > 100 && changed < before.len() / 2, "{changed}");
    let before = scores(before);
    let again = scores(&rows.retrace(&weights).unwrap());
    let all = (positions()).trace(&ChessEngine, &linked, &values, 0);
    let all = all.unwrap().traces;
    // Where branches meet, rounding to integers decides, which rows do not know.
    let edges = rows_with_changed_branch(&all, &lanes).into_iter();
    let edges: BTreeSet<usize> = edges.map(|row| all.pushed_as(row)).collect();
    assert!(edges.len() < changed / 4, "{} of {changed}", edges.len());
    let all = scores(&all);
    let differ = |a: &[f64], b: &[f64]| -> BTreeSet<usize> {
        let pairs = a.iter().zip(b).enumerate();
        let differ = pairs.filter(|(_, (a, b))| (*a - *b).abs() > 1e-6);
        differ.map(|(number, _)| number).collect()
    };
    let wrong = differ(&again, &all);
    assert!(wrong.is_subset(&edges), "{wrong:?}");
    assert!(differ(&before, &all).len() > changed / 10);
}

/// Rows whose file is changed before the positions are traced again.
struct ChangedMeanwhile<'a> {
    rows: EngineRows<'a, ChessEngine>,
    file: PathBuf,
    text: String,
}

impl RowSource for ChangedMeanwhile<'_> {
    fn facts(&self) -> &RowFacts {
        self.rows.facts()
    }

    fn rows(&mut self) -> TracesMut<'_> {
        self.rows.rows()
    }

    fn can_retrace(&self) -> bool {
        self.rows.can_retrace()
    }

    fn retrace(&mut self, weights: &[f64]) -> Result<TraceSet, RetraceError> {
        fs::write(&self.file, &self.text)?;
        self.rows.retrace(weights)
    }
}

#[test]
fn data_that_change_during_a_fit_end_it() {
    let folder = tempfile::tempdir().unwrap();
    let all = zstd::decode_all(chess_tuner::DATA).unwrap();
    let lines = String::from_utf8(all).unwrap();
    let text = |count| -> String { lines.split_inclusive('\n').take(count).collect() };
    let file = folder.path().join("data.tsv");
    let fit = |meanwhile: String| {
        fs::write(&file, text(3000)).unwrap();
        let linked = LinkedSpec::of(&ChessEngine).unwrap();
        let positions = Positions::of(&ChessEngine, std::slice::from_ref(&file)).unwrap();
        let mut rows = ChangedMeanwhile {
            rows: EngineRows::read(&ChessEngine, &linked, positions).unwrap(),
            file: file.clone(),
            text: meanwhile,
        };
        let variables = linked.variables().unwrap();
        let config = RunConfig {
            resolve_every: Some(2),
            ..RunConfig::default()
        };
        let run = FitRun::new(&variables, config, &mut ()).unwrap();
        let end = run.run(&mut rows, &mut ());
        end.map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(fit(text(3000)), Ok(()));
    let turned = text(3000)
        .replace("1-0", "2-0")
        .replace("0-1", "1-0")
        .replace("2-0", "0-1");
    assert_ne!(turned, text(3000));
    for (meanwhile, now) in [
        (text(4000), "3999 now"),
        (turned, "2999 now, of other bytes"),
    ] {
        let error = fit(meanwhile).unwrap_err();
        let words =
            format!("data.tsv: changed since it was first read: 2999 positions then, {now};");
        assert!(error.contains(&words), "{error}");
    }
}
