//! A fit that is interrupted, by whatever, and goes on.

#![cfg(unix)] // signals
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that says what is wrong by failing"
)]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Longest that is waited for anything.
const PATIENCE: Duration = Duration::from_secs(120);

/// Options with which positions are traced again, so that there are rounds.
const AGAIN: [&str; 5] = ["data.tsv", "--prior", "100", "--differences", "0"];

/// Positions with which they are.
const ENOUGH: usize = 1500;

/// Options of a short fit.
const SHORT: [&str; 5] = ["data.tsv", "--retrace", "0", "--differences", "0"];

/// A folder of its own, with the first positions of the engine in it.
fn folder(positions: usize) -> TempDir {
    let bytes = zstd::decode_all(chess_tuner::DATA).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = text.lines().take(positions + 1).collect();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data.tsv"), lines.join("\n")).unwrap();
    folder
}

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chess-tuner"));
    command.current_dir(folder).arg("fit").args(args);
    command
}

fn fit(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().unwrap()
}

/// The fit in folder `run`, which must succeed.
fn done(folder: &Path, args: &[&str], more: &[&str]) -> String {
    let output = fit(folder, &[args, &["--out", "run"], more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    words(&output)
}

fn words(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn checkpoint(folder: &Path) -> PathBuf {
    folder.join("run/checkpoint.json")
}

fn saved(folder: &Path) -> Option<Value> {
    let text = fs::read_to_string(checkpoint(folder)).ok()?;
    Some(serde_json::from_str(&text).expect("whole at any moment"))
}

/// What the fit in folder `run` wrote, but for the seconds.
fn results(folder: &Path) -> (Value, String) {
    let text = fs::read_to_string(folder.join("run/summary.json")).unwrap();
    let mut summary: Value = serde_json::from_str(&text).unwrap();
    summary["seconds"] = Value::Null;
    summary["solver"]["seconds"] = Value::Null;
    for record in summary["solver"]["records"].as_array_mut().unwrap() {
        record["seconds"] = Value::Null;
    }
    if let Some(tried) = summary["prior_choice"]["tried"].as_array_mut() {
        for trial in tried {
            trial["seconds"] = Value::Null;
        }
    }
    let code = fs::read_to_string(folder.join("run/tuned_weights.rs")).unwrap();
    (summary, code)
}

fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder.join("run")).unwrap();
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<String> = entries.map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

/// Starts a fit in folder `run` and waits until its checkpoint is as wanted;
/// `None` if it ends before.
fn started(
    folder: &Path,
    args: &[&str],
    wanted: impl Fn(&Value) -> bool,
) -> Option<(Child, Value)> {
    let mut child = command(folder, args)
        .args(["--out", "run"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let since = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(since.elapsed() < PATIENCE, "no such checkpoint came");
        if let Some(saved) = saved(folder).filter(|saved| wanted(saved)) {
            return Some((child, saved));
        }
        sleep(Duration::from_millis(2));
    }
    None
}

/// Where a checkpoint is: round, and iteration within it.
fn place(saved: &Value) -> (u64, u64) {
    let number = |value: &Value| value.as_u64().unwrap();
    (
        number(&saved["rounds"]["done"]),
        number(&saved["iteration"]),
    )
}

fn signal(child: &Child, signal: &str) {
    let process = child.id().to_string();
    let status = Command::new("kill").args([signal, &process]).status();
    assert!(status.unwrap().success());
}

#[test]
fn a_killed_fit_ends_as_if_it_had_not_been() {
    let folder = folder(ENOUGH);
    done(folder.path(), &AGAIN, &[]);
    let whole = results(folder.path());
    fs::remove_dir_all(folder.path().join("run")).unwrap();
    // Killed again and again, each time some iterations later.
    let (mut last, mut kills, mut rounds) = ((0, 0), 0, 0);
    let mut args = AGAIN.to_vec();
    loop {
        let later = |saved: &Value| kills == 0 || place(saved) > (last.0, last.1 + 2);
        let Some((mut child, seen)) = started(folder.path(), &args, later) else {
            break;
        };
        child.kill().unwrap();
        child.wait().unwrap();
        let Some(left) = saved(folder.path()) else {
            break; // it ended before it was killed
        };
        assert!(place(&left) >= place(&seen), "no iteration is lost");
        last = place(&left);
        kills += 1;
        rounds = rounds.max(last.0);
        if kills == 1 {
            args.push("--resume");
        }
    }
    assert!(kills >= 5 && rounds >= 1, "{kills} kills, {rounds} rounds");
    assert!(results(folder.path()) == whole);
    assert_eq!(files(folder.path()), ["summary.json", "tuned_weights.rs"]);
    let nothing = fit(folder.path(), &["data.tsv", "--out", "run", "--resume"]);
    assert_eq!(nothing.status.code(), Some(1));
    let words = words(&nothing);
    assert!(words.contains("--init run/summary.json"), "{words}");
}

/// A scale.
const PAWN: &str = "MATERIAL[pawn].mg=100";

/// Options of a fit of which everything is chosen.
const CHOSEN: [&str; 15] = [
    "data.tsv",
    "--differences",
    "0",
    "--prior",
    "auto",
    "--anchor",
    PAWN,
    "--loss",
    "power:1.8",
    "--lambda",
    "0.7",
    "--weigh",
    "games",
    "--solver",
    "hybrid",
];

/// Tells whether a checkpoint is of the descent after the change of scale.
fn scaled(saved: &Value) -> bool {
    !saved["fit"]["scaled"].is_null()
}

/// Kills a fit at the first checkpoint of each stage; returns the last one,
/// and what was said when it went on to the end that it has without.
fn killed_in(folder: &Path, args: &[&str], stages: &[&dyn Fn(&Value) -> bool]) -> (Value, String) {
    done(folder, args, &[]);
    let whole = results(folder);
    assert_eq!(whole.0["weights"]["MATERIAL[pawn].mg"], 100);
    fs::remove_dir_all(folder.join("run")).unwrap();
    let mut args = args.to_vec();
    for (number, stage) in stages.iter().enumerate() {
        let started = started(folder, &args, stage);
        let (mut child, _) = started.unwrap_or_else(|| panic!("no stage {number}"));
        child.kill().unwrap();
        child.wait().unwrap();
        if number == 0 {
            args.push("--resume");
        }
    }
    let left = saved(folder).unwrap();
    let said = done(folder, &args, &[]);
    assert!(results(folder) == whole);
    (left, said)
}

#[test]
fn a_fit_in_another_scale_with_a_prior_that_was_chosen_goes_on_in_either_scale() {
    let folder = folder(400);
    let stages: [&dyn Fn(&Value) -> bool; 2] =
        [&|saved| !scaled(saved) && place(saved) >= (0, 1), &scaled];
    let (left, said) = killed_in(folder.path(), &CHOSEN, &stages);
    assert!(left["strength"]["trials"].is_array(), "{left}");
    assert!(said.contains("are not tried again"), "{said}");
}

#[test]
fn a_fit_in_another_scale_goes_on_after_positions_were_traced_again() {
    let folder = folder(ENOUGH);
    let args = [&AGAIN[..], &["--anchor", PAWN]].concat();
    let stages: [&dyn Fn(&Value) -> bool; 3] =
        [&|saved| place(saved) >= (0, 2), &scaled, &|saved| {
            place(saved).0 >= 1
        }];
    let (left, _) = killed_in(folder.path(), &args, &stages);
    let factor = left["found"]["anchored"]["factor"].as_f64().unwrap();
    assert!(factor > 0.0 && !scaled(&left), "the scale is changed once");
}

#[test]
fn ctrl_c_while_strengths_are_tried_leaves_nothing() {
    let folder = folder(ENOUGH);
    let args = [&SHORT[..], &["--prior", "auto", "--out", "run"]].concat();
    let mut child = command(folder.path(), &args)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // What is said of the check comes right before the trials.
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let check = |line: &String| line.starts_with("check:");
    assert!(lines.any(|line| check(&line.unwrap())));
    sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none());
    signal(&child, "-INT");
    let said: Vec<String> = lines.map(Result::unwrap).collect();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let said = said.join("\n");
    for part in ["while strengths of the prior", "nothing was written"] {
        assert!(said.contains(part), "{said}");
    }
    assert!(files(folder.path()).is_empty());
}

#[test]
fn ctrl_c_keeps_the_best_weights() {
    let folder = folder(ENOUGH);
    done(folder.path(), &AGAIN, &[]);
    let whole = results(folder.path());
    for (kind, round) in [("-INT", 0), ("-TERM", 1)] {
        let wanted = |saved: &Value| place(saved) >= (round, 1);
        let (child, seen) = started(folder.path(), &AGAIN, wanted).unwrap();
        signal(&child, kind);
        let output = child.wait_with_output().unwrap();
        let said = words(&output);
        assert_eq!(output.status.code(), Some(130), "{said}");
        for part in ["best weights so far", "--resume"] {
            assert!(said.contains(part), "{said}");
        }
        let (summary, _) = results(folder.path());
        assert_eq!(summary["termination"], "interrupted");
        assert!(summary["error"].as_f64() < whole.0["solver"]["initial_error"].as_f64());
        let left = saved(folder.path()).unwrap();
        let (before, after) = (place(&seen), place(&left));
        assert!(
            after.0 == before.0 && after.1 <= before.1 + 2,
            "{seen} {left}"
        );
        let said = done(folder.path(), &AGAIN, &["--resume"]);
        assert!(said.contains("going on after iteration"), "{said}");
        assert!(results(folder.path()) == whole, "{kind}");
    }
}

#[test]
fn ctrl_c_before_the_fit_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    // All positions that come with the engine, some seconds' work.
    let mut child = command(folder.path(), &["--out", "run"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !folder.path().join("run").exists() {
        assert!(child.try_wait().unwrap().is_none());
        sleep(Duration::from_millis(1));
    }
    sleep(Duration::from_millis(300));
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let words = words(&output);
    assert!(words.contains("nothing was written"), "{words}");
    assert!(files(folder.path()).is_empty());
}

#[test]
fn the_second_ctrl_c_ends_at_once() {
    let folder = folder(ENOUGH);
    let (child, _) = started(folder.path(), &AGAIN, |_| true).unwrap();
    signal(&child, "-INT");
    signal(&child, "-INT");
    signal(&child, "-TERM");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(saved(folder.path()).is_some());
}

/// A fit stopped by the limit of iterations.
fn limited(folder: &Path) -> Value {
    let said = done(folder, &SHORT, &["--max-iterations", "2"]);
    assert!(said.contains("higher --max-iterations"), "{said}");
    saved(folder).unwrap()
}

#[test]
fn a_limited_fit_goes_on_behind_its_limit() {
    let folder = folder(1200);
    done(folder.path(), &SHORT, &[]);
    let whole = results(folder.path());
    limited(folder.path());
    let said = done(folder.path(), &SHORT, &["--resume", "--threads", "1"]);
    assert!(said.contains("going on after iteration"), "{said}");
    assert!(results(folder.path()) == whole);
}

/// Resumes a fit with a checkpoint that was tampered with.
fn resumed(folder: &Path, text: &str, more: &[&str]) -> Output {
    fs::write(checkpoint(folder), text).unwrap();
    fit(
        folder,
        &[&SHORT[..], &["--out", "run", "--resume"], more].concat(),
    )
}

#[test]
fn another_fit_is_refused_with_both_values_and_the_cure() {
    let folder = folder(1200);
    let good = limited(folder.path());
    let whole = good.to_string();
    let data = fs::read_to_string(folder.path().join("data.tsv")).unwrap();
    let fewer: Vec<&str> = data.lines().take(1000).collect();
    fs::write(folder.path().join("other.tsv"), fewer.join("\n")).unwrap();
    let changed = |place: &str, value: Value| {
        let mut changed = good.clone();
        *changed.pointer_mut(place).unwrap() = value;
        changed.to_string()
    };
    let identity = &good["identity"];
    for (text, more, expected) in [
        (
            &whole,
            &["--loss", "cross-entropy"][..],
            vec!["--loss: squared then, cross-entropy now"],
        ),
        (
            &whole,
            &["--k", "1.5"],
            vec!["--k: not given then, 1.5 now; leave it out"],
        ),
        (
            &whole,
            &["--lambda", "0.5", "--score-k", "1.2", "--weigh", "sqrt"],
            vec![
                "--lambda: 1 then, 0.5 now; give --lambda 1",
                "--score-k: not given then, 1.2 now; leave it out",
                "--weigh: positions then, sqrt now",
            ],
        ),
        (
            &whole,
            &["--anchor", "MATERIAL[pawn].mg=90", "--prior", "auto"],
            vec![
                "--anchor: not given then, MATERIAL[pawn].mg=90 now; leave it out",
                "--prior: not given then, auto now; leave it out",
            ],
        ),
        (
            &whole,
            &["--init", "zero"],
            vec!["--init: spec then, zero now"],
        ),
        (
            &whole,
            &["other.tsv"],
            vec!["the data", "of 1200 positions then", "of 2199 now"],
        ),
        (
            &whole,
            &["--held-out", "0.3", "--prior", "none"],
            vec!["--held-out: 0.1 then", "--prior: not given then"],
        ),
        (
            &changed("/identity/traces", json!("0123456789abcdef")),
            &[],
            vec![
                "the evaluation",
                "0123456789abcdef",
                identity["traces"].as_str().unwrap(),
            ],
        ),
        (
            &changed("/identity/variables", json!("0123456789abcdef")),
            &[],
            vec![
                "the spec",
                "0123456789abcdef",
                identity["variables"].as_str().unwrap(),
            ],
        ),
        (
            &whole,
            &["--renamed", "NO_SUCH=TEMPO"],
            vec!["no parameter NO_SUCH"],
        ),
        (
            &whole,
            &["--renamed", "TEMPO=MATERIAL"],
            vec!["has a parameter MATERIAL"],
        ),
    ] {
        let output = resumed(folder.path(), text, more);
        let said = words(&output);
        assert_eq!(output.status.code(), Some(1), "{more:?}: {said}");
        for part in expected
            .into_iter()
            .chain(["--init run/checkpoint.json instead"])
        {
            assert!(said.contains(part), "{part}: {said}");
        }
        assert!(checkpoint(folder.path()).exists(), "it is left alone");
    }
    // What the message says works.
    let args = ["--init", "run/checkpoint.json", "--loss", "cross-entropy"];
    done(folder.path(), &SHORT, &args);
    let wrong = fit(folder.path(), &["data.tsv", "--renamed", "A=B"]);
    assert_eq!(wrong.status.code(), Some(2), "--renamed needs --resume");
}

#[test]
fn a_damaged_checkpoint_is_refused() {
    let folder = folder(1200);
    let good = limited(folder.path());
    let text = good.to_string();
    let mut texts: Vec<(String, &str)> = (0..10)
        .map(|part| (text[..text.len() * part / 10].to_owned(), "damaged"))
        .collect();
    texts.push((text[..text.len() - 1].to_owned(), "damaged"));
    texts.push(("{}".to_owned(), "found format none"));
    texts.push(("[1, 2]".to_owned(), "found format none"));
    texts.push(("\u{feff}♞".to_owned(), "damaged"));
    for (place, value, expected) in [
        ("/format", json!(1), "found format 1, written by tuner"),
        ("/scale", json!(-1.0), "a scale is -1"),
        (
            "/strength",
            json!({ "trials": [], "chosen": 0, "positions": [0, 0] }),
            "none that was tried",
        ),
        ("/fit", json!({}), "damaged"),
        ("/fit/k", json!(-1.0), "K is -1"),
        ("/fit/held", json!([1_000_000]), "ran away does not exist"),
        ("/fit/descent/x", json!([1.0]), "1 variables"),
        ("/fit/descent/value", json!(null), "damaged"),
        ("/start", json!([]), "found 0 weights in one place and 1153"),
        ("/weights/TEMPO.mg", json!("many"), "expected a number"),
        ("/identity", json!({ "data": "" }), "damaged"),
    ] {
        let mut changed = good.clone();
        *changed.pointer_mut(place).expect(place) = value;
        texts.push((changed.to_string(), expected));
    }
    for (text, expected) in texts {
        let output = resumed(folder.path(), &text, &[]);
        let said = words(&output);
        assert_eq!(output.status.code(), Some(1), "{expected}: {said}");
        assert!(said.contains(expected), "{expected}: {said}");
    }
    // Bytes that are no text.
    fs::write(checkpoint(folder.path()), [0xff, 0xfe, 0x00]).unwrap();
    let output = fit(folder.path(), &["data.tsv", "--out", "run", "--resume"]);
    assert_eq!(output.status.code(), Some(1), "{}", words(&output));
}

/// The checkpoint of an engine that called a parameter otherwise.
fn with_old_name(good: &Value, new: &str, old: &str) -> Value {
    let mut changed = good.clone();
    let weights = good["weights"].as_object().unwrap().iter();
    changed["weights"] = weights
        .map(|(name, value)| {
            let rest = name
                .strip_prefix(new)
                .filter(|rest| rest.starts_with(['[', '.']));
            let name = rest.map_or(name.clone(), |rest| format!("{old}{rest}"));
            (name, value.clone())
        })
        .collect::<serde_json::Map<_, _>>()
        .into();
    changed
}

#[test]
fn a_renamed_parameter_changes_nothing() {
    let folder = folder(1200);
    done(folder.path(), &SHORT, &[]);
    let whole = results(folder.path());
    let old = with_old_name(&limited(folder.path()), "MATERIAL", "PIECES").to_string();
    let output = resumed(folder.path(), &old, &["--renamed", "PIECES=MATERIAL"]);
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    assert!(results(folder.path()) == whole);

    // Without a word about it, its weights are dropped and begin anew.
    let output = resumed(folder.path(), &old, &[]);
    let said = words(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let counts =
        "1141 weights carried over by name, 12 new ones at their initial values, 12 dropped";
    assert!(said.contains(counts), "{said}");
    let (summary, _) = results(folder.path());
    assert_eq!(summary["k"], whole.0["k"], "the scale stays");
    let error = |summary: &Value| summary["error"].as_f64().unwrap();
    assert!((error(&summary) / error(&whole.0) - 1.0).abs() < 1e-3);
    assert!(!checkpoint(folder.path()).exists());
}

#[test]
fn added_and_removed_parameters_carry_the_others_over() {
    let folder = folder(1200);
    let good = limited(folder.path());
    let first = results(folder.path()).0;
    // The engine had no TEMPO then, and one that it has no more.
    let mut old = good.clone();
    let names: Vec<&String> = good["weights"].as_object().unwrap().keys().collect();
    let gone: Vec<bool> = names
        .iter()
        .map(|name| name.starts_with("TEMPO."))
        .collect();
    for vector in ["start", "anchor"] {
        let kept = good[vector].as_array().unwrap().iter().zip(&gone);
        let kept: Vec<Value> = kept
            .filter(|(_, gone)| !**gone)
            .map(|(v, _)| v.clone())
            .collect();
        old[vector] = kept.into_iter().chain([json!(1.5)]).collect();
    }
    let weights = old["weights"].as_object_mut().unwrap();
    weights.retain(|name, _| !name.starts_with("TEMPO."));
    weights.insert("SINCE_REMOVED".to_owned(), json!(1.5));
    let output = resumed(folder.path(), &old.to_string(), &["--json"]);
    let said = words(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let counts = "1151 weights carried over by name, 2 new ones at their initial values, 1 dropped";
    assert!(said.contains(counts), "{said}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let initial = |summary: &Value| summary["solver"]["initial_error"].as_f64().unwrap();
    assert!(
        initial(&found) < initial(&first),
        "it starts from where it was"
    );
    assert_eq!(found["k"], first["k"]);

    let mut none = good.clone();
    none["weights"] = json!({ "X": 1 });
    none["start"] = json!([1]);
    none["anchor"] = json!([1]);
    let output = resumed(folder.path(), &none.to_string(), &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(words(&output).contains("none of the 1 weights"));
}

#[test]
fn a_fit_goes_on_where_no_checkpoint_can_be_written() {
    let folder = folder(ENOUGH);
    let (child, _) = started(folder.path(), &AGAIN, |_| true).unwrap();
    // Nobody's rights keep root out, but a folder that is gone does.
    fs::remove_dir_all(folder.path().join("run")).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = words(&output);
    assert_eq!(said.matches("the fit goes on").count(), 1, "{said}");
    assert_eq!(
        output.status.code(),
        Some(1),
        "the results cannot be written: {said}"
    );
    assert!(said.contains("optimum"), "{said}");

    fs::create_dir_all(checkpoint(folder.path())).unwrap();
    let output = fit(folder.path(), &["data.tsv", "--out", "run"]);
    let said = words(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("checkpoint.json: found a folder"), "{said}");
}
