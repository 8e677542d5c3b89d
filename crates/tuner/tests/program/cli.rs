//! The `tuner` program from outside: specs, and fits of traces made elsewhere.

#![allow(
    clippy::unwrap_used,
    reason = "a test that says what is wrong by failing"
)]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int32Builder, ListBuilder};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use arrow_ipc::writer::FileWriter;
use serde_json::Value;

use crate::support::{tuner, words};

fn specs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs")
}

#[test]
fn every_invalid_spec_is_refused_with_its_message() {
    let mut count = 0;
    for entry in fs::read_dir(specs().join("invalid")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        count += 1;
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let output = tuner(&specs().join("invalid"), &["spec", "check", &name]);
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert!(output.stdout.is_empty());
        let expected = fs::read_to_string(path.with_extension("txt")).unwrap();
        let found = words(&output);
        for line in expected.lines().filter(|line| line.contains(".toml:")) {
            let message = line.rsplit_once(".toml:").unwrap().1;
            assert!(found.contains(message), "{name}: {found}");
        }
        // What is refused by `check` is written by nobody.
        let emitted = tuner(&specs().join("invalid"), &["spec", "emit", &name]);
        assert_eq!(emitted.status.code(), Some(1), "{name}");
        assert!(emitted.stdout.is_empty());
    }
    assert!(count > 0);
}

#[test]
fn a_good_spec_is_counted() {
    let output = tuner(&specs(), &["spec", "check", "chess.toml"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(words(&output).contains("61 parameters, 1256 weights"));
}

#[test]
fn emitted_code_has_stable_bytes_and_is_written_once() {
    let folder = tempfile::tempdir().unwrap();
    let spec = specs().join("chess.toml");
    let spec = spec.to_str().unwrap();
    let printed = tuner(folder.path(), &["spec", "emit", spec]);
    assert_eq!(printed.status.code(), Some(0));
    let args = ["spec", "emit", spec, "-o", "weights.rs"];
    assert!(words(&tuner(folder.path(), &args)).contains("weights.rs: written"));
    let path = folder.path().join("weights.rs");
    assert_eq!(fs::read(&path).unwrap(), printed.stdout);
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    assert!(words(&tuner(folder.path(), &args)).contains("weights.rs: unchanged"));
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), before);
}

#[test]
fn the_schema_is_json() {
    let output = tuner(&specs(), &["spec", "schema"]);
    let schema: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(schema["properties"]["parameter"].is_object(), "{schema}");
}

/// Traces of 400 positions in which two features decide.
fn write_traces(path: &Path) {
    let mut feature = ListBuilder::new(Int32Builder::new());
    let mut coefficient = ListBuilder::new(Float64Builder::new());
    let (mut outcome, mut phase, mut game) = (Vec::new(), Vec::new(), Vec::new());
    let mut search_score = Vec::new();
    for row in 0..400_i32 {
        let (a, b) = (f64::from(row % 7 - 3), f64::from(row % 5 - 2));
        feature.append_value([Some(0), Some(1)]);
        coefficient.append_value([Some(a), Some(b)]);
        phase.push(f64::from(row % 25) / 24.0);
        game.push(i64::from(row / 4));
        // Every fifth position was not searched.
        search_score.push((row % 5 > 0).then_some((50.0 * (a + b)) as i64));
        // A result that goes with the features, but not always.
        let wins = a + b + f64::from(row % 11 - 5) > 0.0;
        outcome.push(if wins { 1.0 } else { 0.0 });
    }
    let ones = || Arc::new(Float64Array::from(vec![1.0; 400])) as ArrayRef;
    let zeros = Arc::new(Float64Array::from(vec![0.0; 400])) as ArrayRef;
    let batch = RecordBatch::try_from_iter([
        ("outcome", Arc::new(Float64Array::from(outcome)) as ArrayRef),
        ("phase", Arc::new(Float64Array::from(phase))),
        ("eg_scale", ones()),
        ("constant", zeros),
        ("feature", Arc::new(feature.finish())),
        ("coefficient", Arc::new(coefficient.finish())),
        ("game", Arc::new(Int64Array::from(game))),
        ("search_score", Arc::new(Int64Array::from(search_score))),
    ])
    .unwrap();
    let mut writer = FileWriter::try_new(File::create(path).unwrap(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
}

#[test]
fn traces_made_elsewhere_are_fitted() {
    let folder = tempfile::tempdir().unwrap();
    write_traces(&folder.path().join("traces.arrow"));
    let fit = |threads: &str, more: &[&str]| {
        let mut args = vec![
            "fit",
            "traces.arrow",
            "--k",
            "1",
            "--json",
            "--threads",
            threads,
        ];
        args.extend(more);
        let output = tuner(folder.path(), &args);
        assert_eq!(output.status.code(), Some(0), "{}", words(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let found = fit("1", &[]);
    assert!(
        found["error"].as_f64().unwrap() < 0.25,
        "better than a coin"
    );
    assert!(found["held_out_error"].is_f64());
    let weights = found["weights"].as_object().unwrap();
    assert_eq!(weights.len(), 4);
    assert!(
        weights
            .values()
            .all(|weight| weight.as_f64().unwrap() > 0.0)
    );
    assert!(!folder.path().join("tuner-run/tuned_weights.rs").exists());
    assert_eq!(fit("2", &[])["weights"], found["weights"]);

    let rounded = fit("1", &["--round"]);
    for (name, weight) in rounded["weights"].as_object().unwrap() {
        assert!((weight.as_f64().unwrap() - weights[name].as_f64().unwrap()).abs() < 2.0);
        assert!(weight.as_f64().unwrap().fract().abs() < 1e-12);
    }
}

#[test]
fn every_solver_can_be_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    write_traces(&folder.path().join("traces.arrow"));
    let fitted = |solver: &str| -> Value {
        let args = [
            "fit",
            "traces.arrow",
            "--k",
            "1",
            "--round",
            "--json",
            "--solver",
            solver,
        ];
        let output = tuner(folder.path(), &args);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{solver}: {}",
            words(&output)
        );
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let auto = fitted("auto");
    assert!(auto["fallback"].is_null());
    assert_eq!(auto["rounding"]["by"], "curvature");
    for solver in ["newton-cg", "cg", "lbfgs", "adam", "gd"] {
        let found = fitted(solver);
        let method = &found["solver"]["records"][1]["method"];
        assert_eq!(method, solver);
        let [found, auto] = [&found, &auto].map(|f| f["error"].as_f64().unwrap());
        assert!(
            (found / auto - 1.0).abs() < 1e-3,
            "{solver}: {found} {auto}"
        );
    }
}

#[test]
fn traces_take_every_loss_target_weight_scale_and_prior() {
    let folder = tempfile::tempdir().unwrap();
    write_traces(&folder.path().join("traces.arrow"));
    let fit = |more: &[&str]| {
        let mut args = vec!["fit", "traces.arrow", "--k", "1", "--json", "--details"];
        args.extend(more);
        let output = tuner(folder.path(), &args);
        assert_eq!(output.status.code(), Some(0), "{}", words(&output));
        let summary = serde_json::from_slice::<Value>(&output.stdout).unwrap();
        (words(&output), summary)
    };
    let plain = fit(&["--lambda", "1"]).1;
    let (told, mixed) = fit(&["--lambda", "0.25", "--weigh", "games"]);
    assert!(told.contains("on 320 positions"), "{told}");
    assert!(told.contains("the result on 80 without"), "{told}");
    let target = &mixed["target"];
    assert_eq!(target["positions_without_score"], 80);
    assert!(target["score_k"].as_f64().unwrap() > 0.0);
    assert!(mixed["error"].as_f64().unwrap() < plain["error"].as_f64().unwrap());
    assert!(mixed["against_results"]["error"].as_f64() >= plain["error"].as_f64());
    assert_eq!(fit(&["--loss", "power:1"]).1["loss"], "power:1");
    let anchored = fit(&["--lambda", "1", "--anchor", "feature[0].mg=100"]).1;
    assert!((anchored["weights"]["feature[0].mg"].as_f64().unwrap() - 100.0).abs() < 1e-9);
    // Untied and unbounded: only the scale has changed.
    assert!((anchored["error"].as_f64().unwrap() - plain["error"].as_f64().unwrap()).abs() < 1e-9);
    let chosen = fit(&["--prior", "auto"]).1;
    assert_eq!(chosen["prior_choice"]["tried"].as_array().unwrap().len(), 9);
    for (args, code, expected) in [
        (
            &["--anchor", "feature[9].mg=1"][..],
            1,
            "did you mean feature[0].mg",
        ),
        (
            &["--anchor", "feature[0].mg=-100"],
            1,
            "feature[0].mg=-100: fitted, it is",
        ),
        (&["--lambda", "x"], 2, "results alone"),
    ] {
        let mut all = vec!["fit", "traces.arrow", "--k", "1"];
        all.extend(args);
        let output = tuner(folder.path(), &all);
        let words = words(&output);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {words}");
        assert!(words.contains(expected), "{args:?}: {words}");
    }
}

const SPEC: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs/chess.toml");

#[test]
fn what_is_no_trace_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("traces.arrow");
    write_traces(&path);
    let bytes = fs::read(&path).unwrap();
    fs::write(folder.path().join("cut.arrow"), &bytes[..bytes.len() / 2]).unwrap();
    for (args, code, expected) in [
        (&["fit", "cut.arrow", "--k", "1"][..], 1, "cut off"),
        (&["fit", "missing.arrow", "--k", "1"], 1, "missing.arrow"),
        (&["fit", "traces.arrow"], 1, "--k"),
        (&["fit"], 2, "0 files of rows"),
        (
            &["fit", "games.txt:limit=3", "--spec", "engine.toml"],
            1,
            "engine.toml:1:1: the file cannot be read",
        ),
        (
            &["fit", "games.txt:limit=3", "--spec", SPEC],
            2,
            "to fit an engine, leave --spec out and name its spec in tuner.toml",
        ),
        (&["spec", "check", "missing.toml"], 1, "missing.toml"),
        (&["check"], 2, "found no tuner.toml"),
    ] {
        let output = tuner(folder.path(), args);
        let words = words(&output);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {words}");
        assert!(words.contains(expected), "{args:?}: {words}");
    }
}

#[test]
fn a_dash_is_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let chess = specs().join("chess.toml");
    let chess = chess.to_str().unwrap();
    let plain = tuner(folder.path(), &["spec", "emit", chess]);
    let dash = tuner(folder.path(), &["spec", "emit", chess, "-o", "-"]);
    assert_eq!(dash.status.code(), Some(0), "{}", words(&dash));
    assert!(!plain.stdout.is_empty() && plain.stdout == dash.stdout);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Completions and pages are of the commands that there are, under the program's name.
#[test]
fn shells_get_completions_and_pages() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for shell in ["bash", "zsh", "fish"] {
        let output = tuner(path, &["completions", shell]);
        assert_eq!(output.status.code(), Some(0), "{}", words(&output));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(
            text.contains("rescore") && text.contains("time-margin"),
            "{shell}"
        );
    }
    let output = tuner(path, &["man", "."]);
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    let page = fs::read_to_string(path.join("tuner-data-rescore.1")).unwrap();
    assert!(
        page.contains(".TH") && page.contains("\\-\\-engine"),
        "{page}"
    );
    let output = tuner(path, &["man", "made"]);
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    assert!(path.join("made/tuner-fit.1").is_file());
    let output = tuner(path, &["man", "made/tuner-fit.1"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(words(&output).contains("tuner-fit.1: cannot be written to"));
    let help = tuner(path, &["match", "--help"]);
    let text = String::from_utf8(help.stdout).unwrap();
    for heading in [
        "\nGames:\n",
        "\nOpenings:\n",
        "\nEngines:\n",
        "\nTest:\n",
        "\nOutput:\n",
    ] {
        assert!(text.contains(heading), "{heading}");
    }
    // The commands that refuse a game do not offer it.
    let help = words(&tuner(path, &["check", "--help"]));
    assert!(text.contains("--game <GAME>") && !help.contains("--game <GAME>"));
    assert!(
        text.lines().all(|line| line.chars().count() <= 100),
        "{text}"
    );
}
