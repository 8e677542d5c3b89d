//! The program from outside: what it prints, writes and returns.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;

use crate::chess::support::{assert_fails, engine, json, table, tuner, tuner_reads, words};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A folder of its own, with a small data set in it.
fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data.tsv");
    fs::write(&data, table(1200)).unwrap();
    (folder, data)
}

#[test]
fn a_fit_writes_weights_and_a_summary() {
    let (folder, _) = folder();
    let out = folder.path().join("run");
    let args = ["fit", "data.tsv", "--out", "run"];
    let output = tuner(folder.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    let screen = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(screen.lines().count() <= 25, "{screen}");
    assert!(screen.contains(": held-out E "), "{screen}");
    assert!(
        screen.contains("next: look at run/report.html\n"),
        "{screen}"
    );
    assert!(!words(&output).contains("iteration 1"), "{screen}");

    let summary: Value =
        serde_json::from_str(&fs::read_to_string(out.join("summary.json")).unwrap()).unwrap();
    for field in ["error", "held_out_error", "k", "seconds"] {
        assert!(summary[field].as_f64().unwrap() > 0.0, "{field}");
    }
    for field in ["iterations", "passes"] {
        assert!(summary[field].as_u64().unwrap() > 0, "{field}");
    }
    assert!(summary["termination"].is_string());
    let weights = summary["weights"].as_object().unwrap();
    assert_eq!(weights.len(), 1256);
    assert!(weights.values().all(Value::is_i64));

    let code = fs::read_to_string(out.join("tuned_weights.rs")).unwrap();
    assert!(code.contains("pub const MATERIAL: [S; 6]"));
    assert_ne!(
        code,
        include_str!("../../../../../examples/chess/src/tuned_weights.rs")
    );
    let pawn = &weights["MATERIAL[pawn].mg"];
    let start = code.split_once("pub const MATERIAL").unwrap().1;
    let numbers: String = start.chars().filter(|c| !c.is_whitespace()).collect();
    assert!(numbers.contains(&format!("=[S({pawn},")), "{start}");

    // The same again: the file holds what it should and stays untouched.
    let path = out.join("tuned_weights.rs");
    let before = fs::metadata(&path).unwrap().modified().unwrap();
    assert_eq!(tuner(folder.path(), &args).status.code(), Some(0));
    assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), before);
}

#[test]
fn a_fit_ends_where_the_data_say_no_more_and_an_exact_one_later() {
    let (folder, _) = folder();
    let fit = |more: &[&str]| -> Value {
        let args = "fit data.tsv --json --fast-games 0 --freeze PST";
        let args: Vec<&str> = args.split(' ').chain(more.iter().copied()).collect();
        json(&tuner(folder.path(), &args))
    };
    let (early, exact) = (fit(&[]), fit(&["--exact"]));
    assert_eq!(early["termination"], "within-standard-error");
    assert_ne!(exact["termination"], "within-standard-error");
    assert!(early["passes"].as_u64() < exact["passes"].as_u64());
    let weights = |of: &Value| of["weights"].as_object().unwrap().clone();
    let (early, exact) = (weights(&early), weights(&exact));
    let differences = early
        .iter()
        .map(|(name, weight)| (weight.as_i64().unwrap() - exact[name].as_i64().unwrap()).abs());
    let differences: Vec<i64> = differences.filter(|&difference| difference > 0).collect();
    assert!(differences.len() < early.len() / 20, "{differences:?}");
    assert!(differences.iter().all(|&by| by == 1), "{differences:?}");

    // Where a fit goes to rounding anyhow the option would do nothing.
    let args = ["fit", "data.tsv", "--prior", "none", "--exact"];
    let refused = tuner(folder.path(), &args);
    assert_eq!(refused.status.code(), Some(2), "{}", words(&refused));
    assert!(
        words(&refused).contains("leave it out"),
        "{}",
        words(&refused)
    );
    let args = [
        "fit",
        "data.tsv",
        "--prior",
        "none",
        "--max-iterations",
        "3",
    ];
    let taken = tuner(folder.path(), &args);
    assert_ne!(taken.status.code(), Some(2), "{}", words(&taken));
    assert!(!words(&taken).contains("as far as the data tell"));
}

#[test]
fn timings_say_how_long_each_phase_took() {
    let (folder, _) = folder();
    let read = |out: &str| -> Value {
        let summary = fs::read_to_string(folder.path().join(out).join("summary.json"));
        serde_json::from_str(&summary.unwrap()).unwrap()
    };
    let args = ["fit", "data.tsv", "--timings", "--out", "timed"];
    let output = tuner(folder.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    let timings = read("timed")["timings"].clone();
    let phase = |name: &str| {
        let mut phases = timings.as_array().unwrap().iter();
        let found = phases.find(|phase| phase["phase"] == name);
        assert!(found.is_some(), "no {name} in {timings}");
        let found = found.unwrap();
        assert!(found["count"].as_u64().unwrap() > 0, "{found}");
        found["seconds"].as_f64().unwrap()
    };
    let passes = phase("fit/descents/gradients") + phase("fit/descents/values");
    assert!(passes > 0.0 && passes <= phase("fit/descents"));
    assert!(phase("fit/descents") <= phase("fit"));
    assert!(phase("rows/tracing") > 0.0 && phase("judgement") > 0.0);
    for line in [
        "  descents",
        "judgement",
        "writing",
        "everything else",
        "all",
    ] {
        let begins = |words: &str| words.lines().any(|found| found.starts_with(line));
        assert!(begins(&words(&output)), "{line}: {}", words(&output));
    }
    // Only where it is asked for: times are never the same twice.
    let args = ["fit", "data.tsv", "--quiet", "--out", "untimed"];
    let quiet = tuner(folder.path(), &args);
    assert_eq!(quiet.status.code(), Some(0));
    assert!(quiet.stderr.is_empty() && words(&quiet).lines().count() <= 3);
    assert!(read("untimed").get("timings").is_none());
    assert!(words(&output).contains("next: look at "));
    assert!(!words(&quiet).contains("next: "));
}

#[test]
fn the_result_is_the_same_on_any_number_of_threads() {
    let (folder, _) = folder();
    let fit = |threads: &str| {
        let out = format!("run-{threads}");
        let args = [
            "fit",
            "data.tsv",
            "--json",
            "--threads",
            threads,
            "--out",
            &out,
        ];
        let mut found = json(&tuner(folder.path(), &args));
        // All but the time, and the command, must be equal to the last bit.
        let fields = found.as_object_mut().unwrap();
        fields.remove("seconds").unwrap();
        fields.remove("command").unwrap();
        fields.remove("date").unwrap();
        let solver = found["solver"].as_object_mut().unwrap();
        solver.remove("seconds").unwrap();
        for record in solver["records"].as_array_mut().unwrap() {
            record.as_object_mut().unwrap().remove("seconds").unwrap();
        }
        let code = fs::read_to_string(folder.path().join(&out).join("tuned_weights.rs")).unwrap();
        (found.to_string(), code)
    };
    assert_eq!(fit("1"), fit("2"));
}

#[test]
fn json_of_a_fit_is_its_summary() {
    let (folder, _) = folder();
    let args = [
        "fit",
        "data.tsv",
        "--json",
        "--loss",
        "cross-entropy",
        "--k",
        "1",
    ];
    let found = json(&tuner(folder.path(), &args));
    let path = folder.path().join("tuner-run/summary.json");
    let written: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(found, written);
    assert_eq!(found["k"], 1.0);
    assert_eq!(found["data"]["positions"], 1200);
}

#[test]
fn json_of_a_check_has_the_documented_fields() {
    let (folder, _) = folder();
    let found = json(&tuner(
        folder.path(),
        &["check", "data.tsv", "--json", "--differences", "5"],
    ));
    assert_eq!(found["positions"], 1200);
    assert_eq!(found["mismatches"], 0);
    assert_eq!(found["rejected"], 0);
    assert_eq!(found["derivatives_wrong"], 0);
    assert_eq!(found["derivatives"], 5 * 1256);
    let never: Vec<&str> = found["never_read"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(never.contains(&"MATERIAL[king].mg") && !never.contains(&"MATERIAL[pawn].mg"));
    let read_by = |name: &str| found["read_by"][name].as_u64();
    assert_eq!(
        read_by("TEMPO.mg"),
        Some(1200),
        "once a position, not once a form"
    );
    assert_eq!(read_by("MATERIAL[king].mg"), Some(0));
}

#[test]
fn compressed_data_reads_the_same() {
    let (folder, data) = folder();
    let text = fs::read(&data).unwrap();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, &text).unwrap();
    // The name says nothing, the content does.
    fs::write(folder.path().join("one"), encoder.finish().unwrap()).unwrap();
    fs::write(
        folder.path().join("two"),
        zstd::encode_all(&text[..], 1).unwrap(),
    )
    .unwrap();
    let check = |name| json(&tuner(folder.path(), &["check", name, "--json"])).to_string();
    assert_eq!(check("one"), check("data.tsv"));
    assert_eq!(check("two"), check("data.tsv"));
}

#[test]
fn standard_input_is_data_too() {
    let (folder, _) = folder();
    let output = tuner_reads(folder.path(), &["check", "-", "--json"], table(50));
    assert_eq!(json(&output)["positions"], 50);
}

#[test]
fn bad_lines_are_listed_with_their_places() {
    let (folder, _) = folder();
    let bad = format!("{START} [1.7]\n").repeat(14);
    let text = format!("{START} [0.5]\n\n{bad}{START} [1.0]");
    fs::write(folder.path().join("bad.txt"), text).unwrap();

    let stopped = tuner(folder.path(), &["check", "bad.txt"]);
    assert_eq!(stopped.status.code(), Some(1));
    let words_stopped = words(&stopped);
    let column = START.len() + 3;
    assert!(
        words_stopped.contains(&format!("bad.txt:3:{column}: found \"1.7\"")),
        "{words_stopped}"
    );
    assert!(words_stopped.contains(&format!("bad.txt:12:{column}:")));
    assert!(
        !words_stopped.contains(&format!("bad.txt:13:{column}:")),
        "at most ten"
    );
    assert!(words_stopped.contains("4 more bad lines, 14 in all"));

    let args = ["check", "bad.txt", "--json", "--on-bad-line", "skip"];
    let skipped = tuner(folder.path(), &args);
    assert_eq!(words(&skipped).matches("found \"1.7\"").count(), 10);
    let found = json(&skipped);
    assert_eq!(
        (&found["positions"], &found["rejected"]),
        (&2.into(), &14.into())
    );
}

#[test]
fn failures_end_with_1_and_wrong_usage_with_2() {
    let (folder, _) = folder();
    fs::write(folder.path().join("a-file"), "").unwrap();
    let draws = format!("{START} [0.5]\n").repeat(3);
    fs::write(folder.path().join("draws.txt"), draws).unwrap();
    for (args, code, expected) in [
        (&["fit", "missing.tsv"][..], 1, "missing.tsv"),
        (&["fit", "data.tsv", "--out", "a-file"], 1, "a-file"),
        (
            &["fit", "data.tsv", "--init", "missing.json"],
            1,
            "missing.json",
        ),
        (
            &["fit", "draws.txt", "--held-out", "0"],
            1,
            "K cannot be fitted",
        ),
        (&["fit", "data.tsv", "--k", "0"], 2, "positive"),
        (&["fit", "data.tsv", "--held-out", "1"], 2, "below 1"),
        (&["fit", "data.tsv", "--solver", "magic"], 2, "gauss-newton"),
        (&["fit", "data.tsv", "--format", "kif"], 2, "bracketed"),
        (&["fit", "data.tsv", "--threads", "0"], 2, "--threads"),
        (&["fit", "data.tsv", "--no-such-flag"], 2, "--no-such-flag"),
        (
            &["fit", "data.tsv", "--ablate", "TEMP"],
            2,
            "did you mean TEMPO",
        ),
        (
            &["fit", "data.tsv", "--ablate", "TEMPO", "--held-out", "0"],
            2,
            "--ablate: compares fits on held-out games",
        ),
        (
            &["fit", "data.tsv", "--learning-curve", "--held-out", "0"],
            2,
            "--learning-curve: compares fits on held-out games",
        ),
        (
            &["fit", "data.tsv", "--canonical", "--errors-in-code"],
            2,
            "cannot be used with",
        ),
        (
            &["fit", "data.tsv", "--lambda", "1", "--score-k", "1"],
            2,
            "--score-k 1: does nothing",
        ),
        (
            &["report", "x", "--text", "-o", "y.html"],
            2,
            "cannot be used with",
        ),
        (&["tune"], 2, "tune"),
        (&[], 2, "Usage"),
    ] {
        assert_fails(folder.path(), args, code, expected);
    }
}

#[test]
fn a_fit_can_start_from_another() {
    let (folder, _) = folder();
    let fit = ["fit", "data.tsv", "--json", "--free", "PST"];
    let first = json(&tuner(folder.path(), &fit));
    let args = [
        "fit",
        "data.tsv",
        "--json",
        "--free",
        "PST",
        "--init",
        "tuner-run/summary.json",
        "--out",
        "next",
    ];
    let next = json(&tuner(folder.path(), &args));
    let held_out = |summary: &Value, field: &str| summary[field].as_f64().unwrap();
    let ended = held_out(&first, "held_out_error");
    // K is another, as it is fitted where the descent starts.
    assert!((held_out(&next, "held_out_error_at_start") / ended - 1.0).abs() < 0.2);
    assert_ne!(
        first["held_out_error_at_start"],
        next["held_out_error_at_start"]
    );
}

/// A fit without prior on few positions, which learns their noise.
const WORSE: [&str; 12] = [
    "fit",
    "data.tsv",
    "--only",
    "PST",
    "--prior",
    "none",
    "--max-iterations",
    "4",
    "--held-out",
    "0.4",
    "--out",
    "run",
];

#[test]
fn weights_that_are_worse_are_not_written() {
    let (folder, _) = folder();
    let run = folder.path().join("run");
    let weights = run.join("weights.txt");
    assert_eq!(
        tuner(folder.path(), &["fit", "data.tsv", "--out", "run"])
            .status
            .code(),
        Some(0)
    );
    let good = fs::read_to_string(&weights).unwrap();
    let output = tuner(folder.path(), &WORSE);
    assert_eq!(output.status.code(), Some(3), "{}", words(&output));
    let said = words(&output);
    let parts = ["worse than before: held-out E", "were not replaced"];
    assert!(parts.iter().all(|part| said.contains(part)), "{said}");
    assert_eq!(fs::read_to_string(&weights).unwrap(), good);
    let anew = [&WORSE[..WORSE.len() - 1], &["anew"]].concat();
    let said = words(&tuner(folder.path(), &anew));
    assert!(said.contains("tuned_weights.* were not written"), "{said}");
    // They are in the folder of their run, and where that is asked for.
    assert_ne!(
        fs::read_to_string(run.join("runs/0002/weights.txt")).unwrap(),
        good
    );
    let output = tuner(folder.path(), &[&WORSE[..], &["--write-worse"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    assert_ne!(fs::read_to_string(&weights).unwrap(), good);
}

#[test]
fn each_fit_has_a_folder_of_its_own() {
    let (folder, _) = folder();
    let fit = ["fit", "data.tsv", "--out", "run", "--only", "MATERIAL"];
    for _ in 0..2 {
        assert_eq!(tuner(folder.path(), &fit).status.code(), Some(0));
    }
    let runs = json(&tuner(folder.path(), &["runs", "run", "--json"]));
    let runs = runs.as_array().unwrap();
    assert_eq!(runs.len(), 2);
    for (number, run) in (1..).zip(runs) {
        assert_eq!(run["run"], number);
        let command = format!(
            "-C {} {} --fast-games 0 --differences 5",
            engine().display(),
            fit.join(" ")
        );
        assert_eq!(run["command"], command);
        assert!(run["standard_error"].is_f64(), "{run}");
        assert!(run["ended"].as_u64() > Some(1_700_000_000), "{run}");
        assert!(run["elo"].is_null(), "no games were played");
    }
    // A run that was killed has no record, and the others are listed.
    fs::create_dir(folder.path().join("run/runs/0003")).unwrap();
    let output = tuner(folder.path(), &["runs", "run"]);
    assert!(
        words(&output).contains("the run did not end"),
        "{}",
        words(&output)
    );
    let table = String::from_utf8(output.stdout).unwrap();
    assert_eq!(table.lines().count(), 3, "{table}");
    let output = tuner(folder.path(), &["runs", "elsewhere"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(words(&output).contains("expected the folder of --out"));
}

#[test]
fn a_fit_is_judged_and_has_a_page() {
    let (folder, _) = folder();
    let output = tuner(
        folder.path(),
        &["fit", "data.tsv", "--prior", "20", "--json"],
    );
    let summary = json(&output);
    let judgement = &summary["judgement"];
    assert_eq!(summary["verdict"], judgement["verdict"]);
    assert!(judgement["held_out"]["standard_error"].as_f64().unwrap() > 0.0);
    let weights = judgement["weights"].as_array().unwrap();
    assert_eq!(weights.len(), 1256);
    let pawn = weights
        .iter()
        .find(|w| w["name"] == "MATERIAL[pawn].mg")
        .unwrap();
    assert!(pawn["standard_error"].as_f64().unwrap() > 0.0, "{pawn}");
    assert_eq!(
        weights
            .iter()
            .find(|w| w["name"] == "MATERIAL[king].mg")
            .unwrap()["status"],
        "frozen"
    );
    let page = fs::read_to_string(folder.path().join("tuner-run/report.html")).unwrap();
    assert!(
        page.contains("</html>") && page.len() < 500_000,
        "{}",
        page.len()
    );
    let text = tuner(folder.path(), &["report", "--text"]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("held"), "{text}");
    assert!(text.lines().count() <= 30, "{text}");
}

#[test]
fn more_fits_are_made_where_they_are_asked_for() {
    let (folder, _) = folder();
    let args = [
        "fit",
        "data.tsv",
        "--prior",
        "20",
        "--learning-curve",
        "--folds",
        "3",
    ];
    let output = tuner(
        folder.path(),
        &[
            &args[..],
            &["--ablate", "TEMPO,PUSH_T*T", "--json"],
            &["--ablate-games", "60"],
        ]
        .concat(),
    );
    let summary = json(&output);
    assert!(
        summary["learning_curve"]["points"]
            .as_array()
            .unwrap()
            .len()
            > 1
    );
    assert_eq!(summary["folds"]["folds"].as_array().unwrap().len(), 3);
    let ablation = &summary["ablations"][0];
    assert_eq!(ablation["group"], "TEMPO");
    assert!(ablation["without"]["standard_error"].as_f64().unwrap() > 0.0);
    assert!(ablation["unchanged"]["standard_error"].as_f64().unwrap() > 0.0);
    // Its weights are 0 before, so that is one fit.
    let of_zero = &summary["ablations"][1];
    assert_eq!(of_zero["group"], "PUSH_THREAT");
    assert!(of_zero["without"]["standard_error"].as_f64().unwrap() > 0.0);
    assert!(of_zero["unchanged"].is_null());
    // Both share what was asked for, and each has played.
    let said = words(&output);
    assert!(said.contains("at most 120 games, 100 at a time"), "{said}");
    let terms = summary["terms"].as_array().unwrap();
    let games = |term: &Value| term["games"].as_u64().unwrap();
    assert!(terms.iter().all(|term| games(term) >= 20), "{terms:?}");
    assert!(terms.iter().map(games).sum::<u64>() <= 120, "{terms:?}");
    assert!(terms[0]["elo_interval"][0].is_number(), "{terms:?}");
    assert!(
        said.contains("at most 5 % are so by chance (Benjamini-Hochberg)"),
        "{said}"
    );
    let wrong = tuner(folder.path(), &["fit", "data.tsv", "--ablate", "TEMP"]);
    assert_eq!(wrong.status.code(), Some(2), "{}", words(&wrong));
    assert!(words(&wrong).contains("TEMPO"), "{}", words(&wrong));
}
