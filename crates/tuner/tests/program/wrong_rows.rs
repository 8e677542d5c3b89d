//! Rows that contradict themselves, or that nothing could contradict.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failing test may end with a panic")]

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;

use crate::evaluator::{RIGHT, change, check, failed, fit_of_toy, folder, has};
use crate::support::{tuner, words};

#[test]
fn a_row_that_contradicts_itself_at_other_weights_is_a_bad_line() {
    let folder = folder(":", RIGHT, "", "");
    fs::write(folder.path().join("weights.txt"), "A 11\nB 3\n").unwrap();
    let row = "row $((a*x+b*y)) form 1 0:$x 1:$y";
    for (wrong, what) in [
        (
            "row $((10*x+3*y)) form 1 0:$x 1:$y",
            "misses the score that it gives by 1.000e0",
        ),
        (
            "row $((a*x+b*y)) form 1 0:$x 1:$y form 0 0:1 step input 1 \
             step guard 0 negative $([ $a = 10 ] && echo no || echo yes) step value 0",
            "a guard of the row contradicts the weights",
        ),
    ] {
        change(&folder, row, wrong);
        let args = "outliers toy.txt:format=bracketed --weights weights.txt --k 1 --lambda 1";
        let output = tuner(folder.path(), &args.split(' ').collect::<Vec<_>>());
        let found = words(&output);
        assert_eq!(output.status.code(), Some(1), "{found}");
        let cure = "correct what the evaluator answers to `trace` after `set`";
        has(&found, &["toy.txt:", what, cure]);
        change(&folder, wrong, row);
    }
}

/// A row that any score would satisfy, or no weights, shows nothing.
#[test]
fn a_row_that_says_nothing_fails_the_check() {
    let folder = folder(":", RIGHT, "", "");
    let mut row = "row $((a*x+b*y)) form 1 0:$x 1:$y".to_owned();
    let held = "form 0 0:$x 1:$y step input 0 step value $((-a*x-b*y)) step add 0 1 \
                step guard 2 zero yes step value 0";
    for (wrong, says) in [
        ("slack 1e9 form 1 0:$x", "allow any score within 1.0e9"),
        ("rounding 1e300 form 1 0:1", "allow any score within"),
        (
            "form 1 0:$x 1:$y form 0 0:1 step input 1 step value 0 step div 0 1",
            "miss the score by more than truncation explains, first by inf",
        ),
        (
            &format!("constant $((a*x+b*y)) {held}"),
            "none could be compared, on any position of the sample, of A, B:",
        ),
    ] {
        let changed = format!("row $((a*x+b*y)) {wrong}");
        change(&folder, &row, &changed);
        row = changed;
        has(&failed(&folder), &[says]);
    }
    let output = tuner(
        folder.path(),
        &["check", "toy.txt:format=bracketed", "--allow-constants"],
    );
    assert_eq!(output.status.code(), Some(1));
    has(&words(&output), &["no derivative of a weight that is read"]);
}

/// A known endgame has a score of its own, which no weight changes: one of a hundred positions is
/// told of, two are refused.
#[test]
fn a_few_scores_without_weights_are_those_of_known_endgames() {
    let known = |positions: &str| {
        let known =
            |row: &str, rest: &str| format!("if [ $x -lt {positions} ]; then {row} 9000{rest}");
        let folder = folder(
            ":",
            &format!("{}; else {RIGHT}; fi", known("echo score", "")),
            "",
            "",
        );
        let row = "echo \"row $((a*x+b*y)) form 1 0:$x 1:$y\"";
        let constant = known("echo row", " constant 9000");
        change(&folder, row, &format!("{constant}; else {row}; fi"));
        folder
    };
    let folder = known("1 ] && [ $y = 3");
    let output = check(&folder, &[]);
    let found = words(&output);
    assert!(output.status.success(), "{found}");
    has(
        &found,
        &["on 1 position the score depends on no weight at all, first: 0 3"],
    );
    has(
        &failed(&known("2 ] && [ $y = 3")),
        &["on 2 positions", "--allow-constants"],
    );
}

#[test]
fn a_guard_that_its_weights_contradict_fails_the_check() {
    let folder = folder(":", RIGHT, "", "");
    let row = "form 1 0:$x 1:$y";
    let guard = "form 0 0:1 step input 1 step guard 0 negative yes step value 0";
    change(&folder, row, &format!("{row} {guard}"));
    has(
        &failed(&folder),
        &[
            "100 traces go another way at a branch than their own weights say",
            "correct their guards",
        ],
    );
}

/// It is read twice, the second time from memory.
#[test]
fn standard_input_that_is_cut_off_is_not_fitted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let line = |row: usize| {
        format!(
            "{} {}:1 {}:{}\n",
            row % 2,
            row % 3,
            row % 5 + 3,
            row % 7 + 1
        )
    };
    let text: String = (0..600).map(line).collect();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    let whole = encoder.finish().unwrap();
    let cut = &whole[..whole.len() / 2];
    for (bytes, status, says) in [(&*whole, 0, "600 positions"), (cut, 1, "it is cut off")] {
        let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_tuner"));
        let command = command.current_dir(path).write_stdin(bytes);
        let args = ["fit", "-", "--k", "1", "--write-worse"];
        let output = command.args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{}", words(&output));
        assert!(words(&output).contains(says), "{}", words(&output));
    }
}

/// One weight can only grow and the other only shrink, and scores beyond are others.
#[test]
fn no_weight_is_moved_beyond_its_bounds_where_derivatives_are_compared() {
    let within = "[ $a -ge 10 ] && [ $a -le 12 ] && [ $b -ge 0 ] && [ $b -le 3 ]";
    let score = format!("if {within}; then {RIGHT}; else echo score 9; fi");
    let folder = folder(":", &score, "", "");
    change(
        &folder,
        "parameter A values",
        "parameter A bounds 10,12 values",
    );
    change(
        &folder,
        "parameter B values",
        "parameter B bounds 0,3 values",
    );
    has(
        &words(&check(&folder, &[])),
        &["0 mismatches, 200 derivatives compared, 0 wrong"],
    );
    // A mistake is found all the same.
    change(&folder, "form 1 0:$x 1:$y", "form 1 0:$y 1:$x");
    has(&failed(&folder), &["derivative of A is"]);
}

/// Two mistakes that cancel each other where both weights move alike, and weights that can move by
/// one unit, or by less, alone.
#[test]
fn bounds_hide_no_mistake() {
    let score = r#"awk "BEGIN { print \"score\", $a * $x + $b * $y }""#;
    for (bounds, step) in [
        ("0,50", 1.0),
        ("0,1", 1.0),
        ("-1,1", 1.0),
        ("0,0.4", 0.1),
        ("-640,640", 64.0),
    ] {
        let folder = folder(":", score, "", "");
        change(&folder, "a=10; b=3\nwhile", "a=0; b=0\nwhile");
        change(&folder, "then a=10; b=3;", "then a=0; b=0;");
        let row = "row $((a*x+b*y)) form 1 0:$x 1:$y";
        change(&folder, row, "row 0 form 1 0:$y 1:$x");
        let mut spec = "version = 1\nname = \"toy\"\n".to_owned();
        for (weight, value) in [("A", 10), ("B", 3)] {
            let to = format!("parameter {weight} bounds {bounds} values 0");
            change(&folder, &format!("parameter {weight} values {value}"), &to);
            let text = "[[parameter]]\nname = \"NAME\"\ninitial = 0\n".replace("NAME", weight);
            writeln!(spec, "{text}bounds = [{bounds}]\nstep = {step}").unwrap();
        }
        fs::write(folder.path().join("toy.toml"), spec).unwrap();
        fs::write(folder.path().join("toy.txt"), "1 4 [1.0]\n5 2 [0.0]\n").unwrap();
        let settings = fs::read_to_string(folder.path().join("tuner.toml")).unwrap();
        let settings = format!("spec = \"toy.toml\"\n{settings}");
        fs::write(folder.path().join("tuner.toml"), settings).unwrap();
        let found = failed(&folder);
        has(&found, &["derivative of A is", "derivative of B is"]);
    }
}

/// A guard that truncation contradicts by less than a unit, at the very weights of the row.
#[test]
fn branches_of_rows_at_their_own_weights_have_not_changed() {
    let folder = folder(":", RIGHT, "", "");
    let guard = "g=; [ $x = 7 ] && g=' step value 0.5 step guard 0 positive no'";
    change(&folder, "else echo", &format!("else {guard}; echo"));
    change(&folder, "1:$y", "1:$y$g");
    let found = fit_of_toy(&folder, "0.001");
    has(&found, &["0 weights changed"]);
    assert!(!found.contains("another branch"), "{found}");
}

#[test]
fn weights_without_phases_have_no_sums_of_them() {
    let folder = folder(":", RIGHT, "", "");
    let found = words(&tuner(folder.path(), &["explain", "7 7"]));
    let mut lines = found.lines().map(|line| line.split_whitespace().collect());
    let has_sum = lines.any(|words: Vec<&str>| words == ["score", "+91.0"]);
    assert!(has_sum, "{found}");
}

/// What is asked of a program that begins with other weights is answered like all else.
#[test]
fn nonsense_far_from_the_source_fails_a_check() {
    let score = format!("if [ -n \"$TUNER_WEIGHTS\" ]; then echo score abc; else {RIGHT}; fi");
    let found = failed(&folder(":", &score, "", ""));
    has(
        &found,
        &["found \"abc\", expected a score", "at position 0 0"],
    );
}

/// As commands can name them.
#[test]
fn the_doctor_notes_what_the_settings_need_not_say() {
    let output = tuner(folder(":", RIGHT, "", "").path(), &["doctor"]);
    let said = words(&output);
    assert!(output.status.success(), "{said}");
    let end = "\nnothing else would stop check, fit or games here";
    has(
        &said,
        &[
            "note: check, fit: tuner.toml names no data",
            "note: games: ",
            end,
        ],
    );
}
