//! Fits that are killed, interrupted or limited, and end with the same bits when
//! resumed.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use super::support::{
    AGAIN, ENOUGH, SHORT, checkpoint, command, done, files, fit, folder, limited, place, results,
    saved, signal, started, words,
};

#[test]
fn a_killed_fit_ends_with_the_same_bits() {
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
    assert_eq!(
        files(folder.path()),
        [
            "report.html",
            "runs",
            "summary.json",
            "tuned_weights.rs",
            "weights.txt"
        ]
    );
    let nothing = fit(folder.path(), &["data.tsv", "--out", "run", "--resume"]);
    assert_eq!(nothing.status.code(), Some(1));
    let words = words(&nothing);
    assert!(words.contains("--init run/summary.json"), "{words}");
}

/// An anchor, which sets the scale.
const PAWN: &str = "MATERIAL[pawn].mg=100";

/// Options that change every choice of a fit.
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

/// Kills a fit at the first checkpoint of each stage, and asserts that it ends
/// with the same results; returns the last checkpoint, and what the resumed fit
/// printed.
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
fn a_fit_in_another_scale_with_a_chosen_prior_resumes_in_either_scale() {
    let folder = folder(400);
    let stages: [&dyn Fn(&Value) -> bool; 2] =
        [&|saved| !scaled(saved) && place(saved) >= (0, 1), &scaled];
    let (left, said) = killed_in(folder.path(), &CHOSEN, &stages);
    assert!(left["prior"]["tried"].is_array(), "{left}");
    assert!(said.contains("is not chosen again"), "{said}");
}

#[test]
fn a_fit_in_another_scale_resumes_after_positions_were_traced_again() {
    let folder = folder(ENOUGH);
    let args = [&AGAIN[..], &["--anchor", PAWN]].concat();
    let stages: [&dyn Fn(&Value) -> bool; 3] =
        [&|saved| place(saved) >= (0, 2), &scaled, &|saved| {
            place(saved).0 >= 1
        }];
    let (left, _) = killed_in(folder.path(), &args, &stages);
    let factor = left["previous_fit"]["anchored"]["factor"].as_f64().unwrap();
    assert!(factor > 0.0 && !scaled(&left), "the scale is changed once");
}

#[test]
fn ctrl_c_while_strengths_are_tried_leaves_nothing() {
    leaves_nothing(&["--prior", "auto"], "while strengths of the prior");
}

#[test]
fn ctrl_c_while_files_are_weighed_leaves_nothing() {
    let args = [
        "data.tsv:limit=1000",
        "--weigh-sources",
        "data.tsv:limit=1000",
    ];
    leaves_nothing(&args, "while files were weighed");
}

fn leaves_nothing(args: &[&str], expected: &str) {
    let folder = folder(ENOUGH);
    let args = [args, &SHORT, &["--out", "run"]].concat();
    let mut child = command(folder.path(), &args)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The line of the check is printed right before the trials.
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let check = |line: &String| line.starts_with("check:");
    assert!(lines.any(|line| check(&line.unwrap())));
    sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none());
    signal(&child, "-INT");
    let said: Vec<String> = lines.map(Result::unwrap).collect();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let said = said.join("\n");
    for part in [expected, "nothing was written"] {
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
        let condition = |saved: &Value| place(saved) >= (round, 1);
        let (child, seen) = started(folder.path(), &AGAIN, condition).unwrap();
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
        assert!(said.contains("resumed after iteration"), "{said}");
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
fn signals_within_a_second_are_one_wish() {
    let folder = folder(ENOUGH);
    let (child, _) = started(folder.path(), &AGAIN, |_| true).unwrap();
    for kind in ["-INT", "-TERM", "-INT"] {
        signal(&child, kind);
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let weights = folder.path().join("run/weights.txt");
    assert!(weights.exists(), "{}", words(&output));
}

#[test]
fn a_later_ctrl_c_ends_at_once() {
    let folder = tempfile::tempdir().unwrap();
    // Nobody writes the rest of what it reads, so it cannot end before.
    let mut child = command(folder.path(), &["-", "--out", "run"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input
        .write_all(b"4k3/8/8/8/8/8/8/4K2R w K - 0 1 [1.0]\n")
        .unwrap();
    sleep(Duration::from_secs(1));
    signal(&child, "-INT");
    sleep(Duration::from_millis(2_500));
    assert!(child.try_wait().unwrap().is_none());
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(words(&output).contains("once more ends at once"));
    drop(input);
}

#[test]
fn a_limited_fit_resumes_after_its_limit() {
    let folder = folder(1200);
    done(folder.path(), &SHORT, &[]);
    let whole = results(folder.path());
    limited(folder.path());
    let said = done(folder.path(), &SHORT, &["--resume", "--threads", "1"]);
    assert!(said.contains("resumed after iteration"), "{said}");
    assert!(results(folder.path()) == whole);
}

#[test]
fn a_fit_continues_where_no_checkpoint_can_be_written() {
    let folder = folder(ENOUGH);
    let args = [&AGAIN[..], &["--details"]].concat();
    let (child, _) = started(folder.path(), &args, |_| true).unwrap();
    // Permissions do not stop root, but a missing folder does. It is renamed, so
    // that a fit that writes meanwhile cannot create it again.
    fs::rename(folder.path().join("run"), folder.path().join("gone")).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = words(&output);
    assert_eq!(said.matches("the fit continues").count(), 1, "{said}");
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
