//! A fit of traces that is killed, and resumes.

#![cfg(unix)] // signals
#![allow(
    clippy::unwrap_used,
    reason = "a test that says what is wrong by failing"
)]

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use arrow_array::builder::{Float64Builder, Int32Builder, ListBuilder};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use arrow_ipc::writer::FileWriter;
use serde_json::Value;

use crate::support::{tuner, words};

/// Features: enough that an iteration takes a while.
const FEATURES: i32 = 120;

/// Longest that is waited for anything.
const PATIENCE: Duration = Duration::from_mins(2);

/// Rows of a few features each, with results that go with some of them.
fn write_traces(path: &Path, rows: i32, seed: i32) {
    let mut feature = ListBuilder::new(Int32Builder::new());
    let mut coefficient = ListBuilder::new(Float64Builder::new());
    let (mut outcome, mut game) = (Vec::new(), Vec::new());
    let mut phase = Vec::new();
    for row in 0..rows {
        let number = |part: i32| (row * 31 + part * 17 + row / 7 * part + seed) % 101;
        let entries = (0..12).map(|part| (number(part) * 7 + part * 10) % FEATURES);
        let counts = (0..12).map(|part| f64::from(number(part + 20) % 5 - 2));
        let sum: f64 = counts
            .clone()
            .zip(1..)
            .map(|(c, i)| c * f64::from(i % 4))
            .sum();
        feature.append_value(entries.map(Some));
        coefficient.append_value(counts.map(Some));
        phase.push(f64::from(row % 25) / 24.0);
        game.push(i64::from(row / 4));
        let wins = sum + f64::from(number(50) - 50) / 3.0 > 0.0;
        // Some surprise, without which there is no optimum.
        let surprise = row % 11 == 0;
        outcome.push(if wins == surprise { 0.0 } else { 1.0 });
    }
    let same = |value: f64| Arc::new(Float64Array::from(vec![value; rows as usize])) as ArrayRef;
    let batch = RecordBatch::try_from_iter([
        ("outcome", Arc::new(Float64Array::from(outcome)) as ArrayRef),
        ("phase", Arc::new(Float64Array::from(phase))),
        ("eg_scale", same(1.0)),
        ("constant", same(0.0)),
        ("feature", Arc::new(feature.finish())),
        ("coefficient", Arc::new(coefficient.finish())),
        ("game", Arc::new(Int64Array::from(game))),
    ])
    .unwrap();
    let mut writer = FileWriter::try_new(File::create(path).unwrap(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
}

const FIT: [&str; 6] = ["fit", "traces.arrow", "--k", "1", "--out", "run"];

/// What the fit wrote, but for the command and the seconds.
fn summary(folder: &Path) -> Value {
    let text = fs::read_to_string(folder.join("run/summary.json")).unwrap();
    let mut summary: Value = serde_json::from_str(&text).unwrap();
    summary["command"] = Value::Null;
    summary["date"] = Value::Null;
    summary["seconds"] = Value::Null;
    summary["solver"]["seconds"] = Value::Null;
    for record in summary["solver"]["records"].as_array_mut().unwrap() {
        record["seconds"] = Value::Null;
    }
    summary
}

fn iteration(folder: &Path) -> Option<u64> {
    let text = fs::read_to_string(folder.join("run/checkpoint.json")).ok()?;
    let saved: Value = serde_json::from_str(&text).expect("whole at any moment");
    saved["iteration"].as_u64()
}

#[test]
fn a_killed_fit_of_traces_ends_as_if_it_had_not_been() {
    let folder = tempfile::tempdir().unwrap();
    write_traces(&folder.path().join("traces.arrow"), 12_000, 0);
    let output = tuner(folder.path(), &FIT);
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    let whole = summary(folder.path());
    assert!(whole["solver"]["records"].as_array().unwrap().len() > 4);
    fs::remove_dir_all(folder.path().join("run")).unwrap();
    let mut kills = 0;
    let mut last = None;
    'kills: loop {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tuner"));
        command.current_dir(folder.path()).args(FIT);
        if kills > 0 {
            command.arg("--resume");
        }
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        let since = Instant::now();
        while iteration(folder.path()) <= last {
            if child.try_wait().unwrap().is_some() {
                break 'kills;
            }
            assert!(since.elapsed() < PATIENCE);
            sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let Some(left) = iteration(folder.path()) else {
            break; // it ended before it was killed
        };
        assert!(Some(left) > last, "no iteration is lost");
        last = Some(left);
        kills += 1;
    }
    assert!(kills >= 3, "{kills}");
    assert!(summary(folder.path()) == whole);
    assert!(!folder.path().join("run/checkpoint.json").exists());
}

#[test]
fn other_traces_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let traces = folder.path().join("traces.arrow");
    write_traces(&traces, 4000, 0);
    let two = [&FIT[..], &["--max-iterations", "2"]].concat();
    assert_eq!(tuner(folder.path(), &two).status.code(), Some(0));
    write_traces(&traces, 4000, 1);
    let resume = [&FIT[..], &["--resume"]].concat();
    let output = tuner(folder.path(), &resume);
    let said = words(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for part in [
        "the data",
        "4000 positions then",
        "same files",
        "--init run/checkpoint.json",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    write_traces(&traces, 4000, 0);
    assert_eq!(tuner(folder.path(), &resume).status.code(), Some(0));
}
