//! Fits of traces made elsewhere with a spec, and weights in other languages.

#![allow(
    clippy::unwrap_used,
    reason = "a test that says what is wrong by failing"
)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

#[cfg(unix)]
use crate::scripts::executable;
use crate::support::{tuner, words};

const SPEC: &str = r#"
version = 1
name = "engine"

[[parameter]]
name = "TEMPO"
initial = 10
bounds = [0, 12]

[[parameter]]
name = "PAWN"
phases = ["mg", "eg"]
initial = [100, 120]

[[parameter]]
name = "KNIGHT"
phases = ["mg", "eg"]
initial = [300, 320]
frozen = true

[[parameter]]
name = "ISOLATED"
shape = [2]
initial = [-10, -10]

[[tie]]
entry = "ISOLATED[1]"
to = "ISOLATED[0]"
"#;

/// Rows: outcome, phase in twelfths, and how often tempo, pawn, knight and the two
/// isolated pawns count for the first player.
fn rows() -> impl Iterator<Item = (f64, i32, [i32; 5])> {
    (0..600_i32).map(|row| {
        let counts = [
            if row % 2 == 0 { 1 } else { -1 },
            row % 7 - 3,
            row % 3 - 1,
            row % 5 - 2,
            row % 4 - 2,
        ];
        let [tempo, pawns, knights, first, second] = counts.map(f64::from);
        let sum = 3.0 * tempo + pawns + 3.0 * knights - 0.5 * (first + second);
        let noise = f64::from((row * 37) % 17 - 8) / 4.0;
        let outcome = if sum + noise > 0.0 { 1.0 } else { 0.0 };
        (outcome, row * 5 % 13, counts)
    })
}

fn write_csv(folder: &Path) {
    let mut text = String::from(
        "outcome,game,TEMPO,PAWN.mg,PAWN.eg,KNIGHT.mg,KNIGHT.eg,ISOLATED[0],ISOLATED[1],score\n",
    );
    for (row, (outcome, phase, [tempo, pawns, knights, first, second])) in rows().enumerate() {
        let phase = f64::from(phase) / 12.0;
        let (mg, eg) = (
            |count: i32| f64::from(count) * phase,
            |count: i32| f64::from(count) * (1.0 - phase),
        );
        let tapered =
            100.0 * mg(pawns) + 120.0 * eg(pawns) + 300.0 * mg(knights) + 320.0 * eg(knights);
        let score = 10 * tempo - 10 * (first + second) + tapered as i32;
        writeln!(
            text,
            "{outcome},{},{tempo},{},{},{},{},{first},{second},{score}",
            row / 4,
            mg(pawns),
            eg(pawns),
            mg(knights),
            eg(knights)
        )
        .unwrap();
    }
    fs::write(folder.join("traces.csv"), text).unwrap();
}

/// The same in lines `outcome index:coefficient …`, weights in the order of the spec.
fn write_libsvm(folder: &Path) {
    let mut text = String::new();
    for (row, (outcome, phase, [tempo, pawns, knights, first, second])) in rows().enumerate() {
        let phase = f64::from(phase) / 12.0;
        let counts = [tempo, pawns, pawns, knights, knights, first, second].map(f64::from);
        let factors = [1.0, phase, 1.0 - phase, phase, 1.0 - phase, 1.0, 1.0];
        write!(text, "{outcome} qid:{}", row / 4).unwrap();
        for (index, (count, factor)) in counts.iter().zip(factors).enumerate() {
            write!(text, " {index}:{}", count * factor).unwrap();
        }
        text.push('\n');
    }
    fs::write(folder.join("traces.txt"), text).unwrap();
}

fn fit(folder: &Path, traces: &str, more: &[&str]) -> (Value, String) {
    let mut args = vec!["fit", traces, "--spec", "engine.toml", "--json"];
    args.extend(more);
    let output = tuner(folder, &args);
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    (
        serde_json::from_slice(&output.stdout).unwrap(),
        words(&output),
    )
}

pub(crate) fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("engine.toml"), SPEC).unwrap();
    write_csv(folder.path());
    write_libsvm(folder.path());
    folder
}

#[test]
fn a_spec_gives_names_bounds_ties_and_frozen_weights() {
    let folder = folder();
    let (found, said) = fit(folder.path(), "traces.csv", &["--prior", "none"]);
    assert!(
        said.contains("600 positions of 150 games, 600 scores compared"),
        "{said}"
    );
    let weights = found["weights"].as_object().unwrap();
    let names: Vec<&str> = weights.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "TEMPO",
            "PAWN.mg",
            "PAWN.eg",
            "KNIGHT.mg",
            "KNIGHT.eg",
            "ISOLATED[0]",
            "ISOLATED[1]"
        ]
    );
    let weight = |name: &str| weights[name].as_i64().unwrap();
    assert_eq!(weight("TEMPO"), 12, "at its bound");
    assert_eq!(
        [weight("KNIGHT.mg"), weight("KNIGHT.eg")],
        [300, 320],
        "frozen"
    );
    assert_eq!(weight("ISOLATED[0]"), weight("ISOLATED[1]"), "tied");
    assert_ne!(weight("ISOLATED[0]"), -10, "and fitted");
    assert_eq!(found["spec"]["name"], "engine");
    // By lines without names: the same.
    let (other, said) = fit(folder.path(), "traces.txt", &["--prior", "none"]);
    assert_eq!(other["weights"], found["weights"]);
    assert!(
        said.contains("no column `score`: nothing tells whether"),
        "{said}"
    );
    // The default prior is that of an engine.
    let (_, said) = fit(folder.path(), "traces.csv", &["--details"]);
    assert!(
        said.contains("prior: standard deviations by the evidence"),
        "{said}"
    );
}

#[test]
fn what_is_not_chosen_stays_where_the_fit_starts() {
    let folder = folder();
    let path = folder.path();
    fs::write(
        path.join("w.txt"),
        "PAWN.mg 90\nPAWN.eg 130\nISOLATED[0] -3\n",
    )
    .unwrap();
    let args = ["--prior", "none", "--init", "w.txt", "--only", "TEMPO"];
    let (found, _) = fit(path, "traces.csv", &args);
    let weight = |name: &str| found["weights"][name].as_i64().unwrap();
    assert_eq!([weight("PAWN.mg"), weight("PAWN.eg")], [90, 130]);
    assert_eq!(
        [weight("ISOLATED[0]"), weight("ISOLATED[1]")],
        [-3, -3],
        "tied"
    );
    assert_eq!(weight("KNIGHT.mg"), 300);
    assert_ne!(weight("TEMPO"), 10);
    let output = tuner(
        path,
        &["fit", "traces.csv", "--k", "1", "--freeze", "TEMPO"],
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(words(&output).contains("without --spec weights have no names"));
}

#[test]
fn names_that_a_language_cannot_have_are_refused_before_the_fit() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("engine.toml"), SPEC.replace("TEMPO", "NULL")).unwrap();
    let table = fs::read_to_string(path.join("traces.csv")).unwrap();
    fs::write(path.join("traces.csv"), table.replace("TEMPO", "NULL")).unwrap();
    let args = ["fit", "traces.csv", "--spec", "engine.toml", "--to", "c"];
    let output = tuner(path, &args);
    assert_eq!(output.status.code(), Some(1));
    assert!(words(&output).contains("NULL"), "{}", words(&output));
    assert!(!path.join("tuner-run").exists());
}

#[test]
fn weights_are_written_in_each_language_at_once_or_later() {
    let folder = folder();
    for (language, extension, words) in [
        ("rust", "rs", "pub const TEMPO: i32 = 12;"),
        ("c", "h", "static const int32_t TEMPO = 12;"),
        ("cpp", "hpp", "inline constexpr std::int32_t TEMPO = 12;"),
        ("json", "json", "\"values\": 12"),
    ] {
        fit(
            folder.path(),
            "traces.csv",
            &["--prior", "none", "--to", language],
        );
        let path = folder
            .path()
            .join(format!("tuner-run/tuned_weights.{extension}"));
        let code = fs::read_to_string(path).unwrap();
        assert!(code.contains(words), "{code}");
        assert!(
            code.contains("positions of 150 games") || code.contains("positions of "),
            "{code}"
        );
        for file in ["tuner-run/weights.txt", "tuner-run/summary.json"] {
            let args = [
                "spec",
                "emit",
                "engine.toml",
                "--to",
                language,
                "--weights",
                file,
            ];
            let output = tuner(folder.path(), &args);
            let later = String::from_utf8(output.stdout.clone()).unwrap();
            assert!(later.contains(words), "{later}");
            assert_eq!(
                tuner(folder.path(), &args).stdout,
                output.stdout,
                "stable bytes"
            );
        }
    }
    fs::write(folder.path().join("w.txt"), "TEMPO 1.5\n").unwrap();
    let args = ["spec", "emit", "engine.toml", "--weights", "w.txt"];
    let output = tuner(folder.path(), &args);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        words(&output).contains("w.txt: TEMPO is 1.5; expected a multiple of 1, as the spec has")
    );
}

#[test]
fn specs_that_try_to_be_code_are_refused_for_every_language() {
    let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs/invalid");
    let mut count = 0;
    for entry in fs::read_dir(&specs).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if !name.starts_with("hostile") || path.extension().is_none_or(|end| end != "toml") {
            continue;
        }
        count += 1;
        for language in ["rust", "c", "cpp", "json"] {
            let output = tuner(&specs, &["spec", "emit", name, "--to", language]);
            assert_eq!(output.status.code(), Some(1), "{name} {language}");
            assert!(output.stdout.is_empty(), "{name} {language}");
        }
    }
    assert!(count > 2, "{count}");
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let folder = folder();
    let path = folder.path();
    let text = fs::read_to_string(path.join("traces.csv")).unwrap();
    let (header, first) = (text.lines().next().unwrap(), text.lines().nth(1).unwrap());
    let write = |text: &str| fs::write(path.join("bad.csv"), text).unwrap();
    for (text, message) in [
        (
            text.replace("PAWN.mg", "PAWM.mg"),
            "bad.csv: feature no parameter `PAWM` in path `PAWM.mg`",
        ),
        (
            text.replace("PAWN.mg", "PAWN"),
            "bad.csv: feature \"PAWN\" is 2 weights of the spec",
        ),
        (
            format!("{header}\n{first}9\n"),
            "bad.csv: line 2: column `score` is",
        ),
        (
            format!("{header}\n{first},1\n"),
            "bad.csv: line 2: has 11 cells, the header 10",
        ),
    ] {
        write(&text);
        let output = tuner(path, &["fit", "bad.csv", "--spec", "engine.toml"]);
        assert_eq!(output.status.code(), Some(1));
        assert!(words(&output).contains(message), "{}", words(&output));
        assert!(!path.join("tuner-run").exists(), "nothing is written");
    }
    // The advice on --to is followed; a table of rows has a unit by --k 1.
    let output = tuner(path, &["fit", "traces.csv", "--to", "c"]);
    assert_eq!(output.status.code(), Some(2), "--to needs a spec");
    assert!(words(&output).contains("`tuner spec init engine -o engine.toml`"));
    let init = ["spec", "init", "engine", "-o", "engine.toml", "--force"];
    assert!(tuner(path, &init).status.success());
    let output = tuner(path, &["fit", "traces.csv"]);
    assert!(words(&output).contains("give --k 1"), "{}", words(&output));
    fs::write(path.join("one.txt"), "1 1:1\n0 1:-1\n".repeat(50)).unwrap();
    let output = tuner(path, &["fit", "one.txt", "--k", "1", "--write-worse"]);
    assert!(words(&output).contains("no row has index 0; if indices count from 1"));
}

/// All that the first player wins has a positive score.
#[test]
fn results_that_weights_predict_surely_are_no_optimum() {
    let folder = tempfile::tempdir().unwrap();
    let mut rows = String::from("outcome,A\n");
    for row in 0..400 {
        let count = [-2, -1, 1, 2][row % 4];
        let _ = writeln!(rows, "{},{count}", u8::from(count > 0));
    }
    fs::write(folder.path().join("rows.csv"), rows).unwrap();
    let fit = |more: &[&str]| {
        let fit = ["fit", "rows.csv", "--k", "1", "--out", "run"];
        tuner(folder.path(), &[&fit[..], more].concat())
    };
    let output = fit(&[]);
    let said = words(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for part in [
        "no optimum: the error falls ever further as the weights grow",
        "give --prior evidence, or bounds in the spec: A",
    ] {
        assert!(said.contains(part), "{said}");
    }
    assert!(!said.contains("no weight is free"), "{said}");
    assert!(!folder.path().join("run/weights.txt").exists());
    // The cures.
    let spec = "version = 1\nname = \"engine\"\n[[parameter]]\nname = \"A\"\ninitial = 0\nbounds = [-500, 500]\n";
    fs::write(folder.path().join("engine.toml"), spec).unwrap();
    for (cure, least) in [
        (&["--prior", "evidence"][..], 100.0),
        (&["--spec", "engine.toml", "--prior", "none"], 500.0),
    ] {
        let output = fit(cure);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{cure:?}: {}",
            words(&output)
        );
        let found = fs::read_to_string(folder.path().join("run/weights.txt")).unwrap();
        let weight: f64 = found.trim().split("\nA ").nth(1).unwrap().parse().unwrap();
        assert!(weight >= least, "{cure:?}: {found}");
    }
}

#[test]
fn results_at_random_do_not_look_flipped() {
    let folder = tempfile::tempdir().unwrap();
    let mut rows = String::from("outcome,a\n");
    for row in 0..1000 {
        let against = row % 100 < 51;
        let count = [-1, 1][row / 100 % 2];
        let _ = writeln!(rows, "{},{count}", u8::from((count < 0) == against));
    }
    fs::write(folder.path().join("rows.csv"), rows).unwrap();
    fs::write(folder.path().join("weights.txt"), "a 100\n").unwrap();
    let output = tuner(folder.path(), &["fit", "rows.csv", "--init", "weights.txt"]);
    let said = words(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("scores hardly go with results: their correlation is -0.0"),
        "{said}"
    );
    assert!(!said.contains("flipped"), "{said}");
}

/// |p − R| of linear rows: what is said of the end is no word about `max` or `clamp`.
#[test]
fn an_end_by_a_power_loss_is_not_told_of_kinks_of_scores() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("outcome,a,b\n");
    for (outcome, _, counts) in self::rows() {
        let _ = writeln!(text, "{outcome},{},{}", counts[1], counts[3]);
    }
    fs::write(folder.path().join("rows.csv"), text).unwrap();
    for loss in ["power:1", "power:1.1", "power:1.5", "power:3", "squared"] {
        let fit = [
            "fit", "rows.csv", "--k", "1", "--loss", loss, "--prior", "100",
        ];
        let output = tuner(folder.path(), &fit);
        let said = words(&output);
        assert_eq!(output.status.code(), Some(0), "{loss}: {said}");
        let kinks = ["`max`", "`min`", "`clamp`", "kinks"];
        assert!(
            !kinks.iter().any(|kink| said.contains(kink)),
            "{loss}: {said}"
        );
    }
}

/// A score that is not linear: 100·A plus the square of B times a count, over 128.
fn danger(weights: [f64; 2], [a, b]: [f64; 2]) -> f64 {
    weights[0] * a + (weights[1] * b).powi(2) / 128.0
}

/// Writes the derivatives of that score at some weights, and the spec with these; returns counts
/// and results.
fn write_linearisation(folder: &Path, [a, b]: [f64; 2], head: &str) -> Vec<([f64; 2], f64)> {
    let spec = "version = 1\nname = \"engine\"\n[[parameter]]\nname = \"A\"\ninitial = ";
    let second = "\n[[parameter]]\nname = \"B\"\ninitial = ";
    fs::write(
        folder.join("danger.toml"),
        format!("{spec}{a}{second}{b}\n"),
    )
    .unwrap();
    let mut text = format!("{head}outcome,game,score,constant,A,B\n");
    let rows: Vec<_> = (0..2000_i32)
        .map(|row| {
            let counts = [f64::from(row % 7 - 3), f64::from(row % 5)];
            let expected =
                1.0 / (1.0 + 10_f64.powf(-(danger([100.0, 40.0], counts) - 30.0) / 400.0));
            let outcome = f64::from(u8::from(f64::from(row * 37 % 101) / 101.0 < expected));
            let (score, slope) = (danger([a, b], counts), b * counts[1].powi(2) / 64.0);
            let constant = score - a * counts[0] - b * slope;
            let [first, _] = counts;
            writeln!(text, "{outcome},{row},{score},{constant},{first},{slope}").unwrap();
            (counts, outcome)
        })
        .collect();
    fs::write(folder.join("danger.csv"), text).unwrap();
    rows
}

/// The error of weights by true scores.
fn true_error(rows: &[([f64; 2], f64)], score: impl Fn([f64; 2]) -> f64, k: f64) -> f64 {
    let losses = rows.iter().map(|&(counts, outcome)| {
        let expected = 1.0 / (1.0 + 10_f64.powf(-k * score(counts) / 400.0));
        (expected - outcome).powi(2)
    });
    losses.sum::<f64>() / rows.len() as f64
}

#[test]
#[expect(clippy::print_stderr, reason = "the page on traces shows it")]
fn rows_that_hold_near_their_weights_alone_give_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut weights = [60.0, 4.0];
    let head = "# tuner.version: 1\n# tuner.linearised: yes\n";
    let mut k = None;
    for round in 0..4 {
        let rows = write_linearisation(path, weights, head);
        let mut args = vec!["fit", "danger.csv", "--spec", "danger.toml", "--json"];
        args.extend(["--prior", "none", "--held-out", "0.2"]);
        let given = k.map(|k: f64| k.to_string());
        if let Some(given) = &given {
            args.extend(["--k", given]);
        }
        let output = tuner(path, &args);
        let said = words(&output);
        assert_eq!(output.status.code(), Some(0), "{said}");
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        k = found["k"].as_f64();
        let error = |weights| true_error(&rows, |counts| danger(weights, counts), k.unwrap());
        let before = error(weights);
        weights = ["A", "B"].map(|name| found["weights"][name].as_f64().unwrap());
        let after = error(weights);
        eprintln!(
            "round {round}: {before:.6} → {after:.6}, told {}",
            found["error"]
        );
        let first = said
            .lines()
            .find(|line| line.contains("held-out E"))
            .unwrap();
        assert!(
            first.starts_with("the gain is predicted by a linear model and not measured: "),
            "{first}"
        );
        assert!(!said.contains("better than before"), "{said}");
        assert_eq!(found["judgement"]["verdict"], "predicted");
    }
}

/// An evaluator of `danger` that answers `score` alone, and rows of it that hold at A 60 and B 4.
const SCORES: &str = r#"#!/bin/sh
a=60; b=4
while read -r word rest; do case $word in
    tuner) printf 'version 1\nname danger\ngame toy\nview first-player\nok\n';;
    weights) printf 'parameter A values 60\nparameter B values 4\nok\n';;
    set) if [ "$rest" = source ]; then a=60; b=4; else for pair in $rest; do case $pair in
            0=*) a=${pair#0=};; 1=*) b=${pair#1=};; esac; done; fi; echo ok;;
    position) set -- $rest; x=$1; y=$2; echo position first;;
    score) echo "score $((a*x+b*y*b*y/128))";;
    quit) exit 0;;
esac; done
"#;

/// Writes the rows of the toy with their positions; returns counts and results.
#[cfg(unix)]
fn write_rows(folder: &Path, head: &str) -> Vec<([f64; 2], f64)> {
    let rows = write_linearisation(folder, [60.0, 4.0], "");
    let mut text = format!(
        "version 1\nname danger\ngame toy\nview first-player\n{head}ok\nparameter A values 60\n\
         parameter B values 4\nok\n"
    );
    for (row, ([a, b], outcome)) in rows.iter().enumerate() {
        let (score, slope) = (60.0 * a + (b * b / 8.0).trunc(), 4.0 * b * b / 64.0);
        let constant = score - 60.0 * a - 4.0 * slope;
        writeln!(
            text,
            "{outcome} game {row} row {score} constant {constant} form 1 0:{a} form {slope} 1:1 \
             position {a} {b}"
        )
        .unwrap();
    }
    fs::write(folder.join("danger.rows"), text).unwrap();
    executable(&folder.join("danger.sh"), SCORES);
    fs::write(
        folder.join("tuner.toml"),
        "[evaluator]\nrun = \"./danger.sh\"\n",
    )
    .unwrap();
    rows
}

#[test]
#[cfg(unix)]
fn an_evaluator_tells_the_true_error_of_rows_that_hold_near_their_weights() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for head in ["linearised\n", ""] {
        let rows = write_rows(path, head);
        let args = [
            "fit",
            "danger.rows",
            "--json",
            "--prior",
            "none",
            "--held-out",
            "0.2",
        ];
        let output = tuner(
            path,
            &[&args[..], &["--retrace", "40", "--details"]].concat(),
        );
        let said = words(&output);
        assert_eq!(output.status.code(), Some(0), "{said}");
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        let k = found["k"].as_f64().unwrap();
        let weights = ["A", "B"].map(|name| found["weights"][name].as_f64().unwrap());
        // Of all rows: those fitted and those held out.
        let parts = ["positions_fitted", "positions_held_out"];
        let counts = parts.map(|name| found[name].as_f64().unwrap());
        let told = [&found["error"], &found["held_out_error"]].map(|e| e.as_f64().unwrap());
        let told = (told[0] * counts[0] + told[1] * counts[1]) / (counts[0] + counts[1]);
        // As the evaluator divides.
        let whole = |[a, b]: [f64; 2], [x, y]: [f64; 2]| a * x + ((b * y).powi(2) / 128.0).trunc();
        let error = |weights| true_error(&rows, |counts| whole(weights, counts), k);
        let truth = error(weights);
        assert!((told - truth).abs() < 1e-9, "{told} {truth}: {said}");
        assert!(truth < error([60.0, 4.0]), "{said}");
        assert!(said.contains("better than before: held-out E"), "{said}");
        assert!(said.contains(": not taken"), "{said}");
    }
    // Without it nothing is known but what the rows say.
    let rows = fs::read_to_string(path.join("danger.rows")).unwrap();
    fs::write(
        path.join("danger.rows"),
        rows.replacen("first-player\n", "first-player\nlinearised\n", 1),
    )
    .unwrap();
    let args = ["fit", "danger.rows", "--spec", "danger.toml", "--k", "1"];
    let said = words(&tuner(path, &args));
    assert!(
        said.contains("predicted by a linear model and not measured"),
        "{said}"
    );
    // Rows of another evaluation.
    let other = rows.replacen("row 0 constant 0", "row 1 constant 1", 1);
    fs::write(path.join("danger.rows"), other).unwrap();
    let said = words(&tuner(path, &["fit", "danger.rows"]));
    assert!(
        said.contains("1 of 2000 rows have another score than the evaluator gives"),
        "{said}"
    );
    let other =
        rows.replace(" position", " nodes 5 position")
            .replacen(" position 0 ", " nodes 0 ", 0);
    fs::write(
        path.join("danger.rows"),
        other.split(" position").next().unwrap().to_owned() + "\n",
    )
    .unwrap();
    let said = words(&tuner(path, &["fit", "danger.rows"]));
    assert!(said.contains("1 of 1 rows have no position"), "{said}");
}

#[test]
fn a_spec_hands_k_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    write_libsvm(path);
    fs::write(path.join("engine.toml"), SPEC).unwrap();
    let (first, _) = fit(path, "traces.txt", &[]);
    let set = ["spec", "set", "tuner-run", "-o", "engine.toml"];
    for _ in 0..2 {
        let output = tuner(path, &set);
        assert_eq!(output.status.code(), Some(0), "{}", words(&output));
        let (next, said) = fit(path, "traces.txt", &["--write-worse"]);
        let apart = next["k"].as_f64().unwrap() - first["k"].as_f64().unwrap();
        assert!(apart.abs() < 1e-9, "{said}");
    }
    tuner(path, &set);
    let text = fs::read_to_string(path.join("engine.toml")).unwrap();
    assert_eq!(text.matches("\nk = ").count(), 1, "{text}");
    // Where K alone is another it is written as well.
    let other = text.replace("\nk = ", "\nk = 9");
    fs::write(path.join("engine.toml"), other).unwrap();
    assert!(words(&tuner(path, &set)).contains("0 of 7 weights change; K becomes "));
    assert_eq!(fs::read_to_string(path.join("engine.toml")).unwrap(), text);
    assert!(words(&tuner(path, &set)).contains("has these values already"));
    fs::write(path.join("engine.toml"), text.replace("\nk = ", "\nk = -")).unwrap();
    let output = tuner(path, &["spec", "check", "engine.toml"]);
    assert!(
        words(&output).contains("a number from 1e-6 to 1e6"),
        "{}",
        words(&output)
    );
}
