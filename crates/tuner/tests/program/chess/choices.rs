//! Losses, targets, weights, scales and priors of a fit, from outside.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

use crate::chess::support::{table, tuner, words};

/// A folder with the first positions that come with the engine: a table.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = table(1200);
    let lines: Vec<&str> = text.lines().collect();
    fs::write(folder.path().join("data.tsv"), &text).unwrap();
    // The same without games and search scores, and with results swapped.
    let columns = |line: &&str| line.split('\t').map(str::to_owned).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = lines.iter().map(columns).collect();
    let bare: Vec<String> = rows.iter().map(|row| row[..2].join("\t")).collect();
    fs::write(folder.path().join("bare.tsv"), bare.join("\n")).unwrap();
    let turned = |row: &Vec<String>| {
        let result = match row[1].as_str() {
            "1-0" => "0-1",
            "0-1" => "1-0",
            other => other,
        };
        format!("{}\t{result}", row[0])
    };
    let turned: Vec<String> = rows.iter().map(turned).collect();
    fs::write(folder.path().join("turned.tsv"), turned.join("\n")).unwrap();
    folder
}

/// Runs `fit` in a folder.
fn run_fit(folder: &Path, args: &[&str]) -> Output {
    tuner(folder, &[&["fit"], args].concat())
}

/// Words, summary and generated header of a fit.
fn fit(folder: &Path, args: &[&str]) -> (String, Value, String) {
    let common = [
        "data.tsv",
        "--differences",
        "0",
        "--retrace",
        "0",
        "--json",
        "--details",
    ];
    let args: Vec<&str> = common.iter().chain(args).copied().collect();
    let output = run_fit(folder, &args);
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    let summary = serde_json::from_slice(&output.stdout).unwrap();
    let code = fs::read_to_string(folder.join("tuner-run/tuned_weights.rs")).unwrap();
    let header = code.lines().take_while(|line| line.starts_with("//!"));
    (
        words(&output),
        summary,
        header.collect::<Vec<_>>().join("\n"),
    )
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[test]
fn any_loss_is_named_in_every_output() {
    let folder = folder();
    let (_, summary, header) = fit(folder.path(), &["--loss", "power:1.5"]);
    assert_eq!(summary["loss"], "power:1.5");
    assert!(header.contains("- loss: power:1.5, K ="), "{header}");
    let (_, squared, _) = fit(folder.path(), &["--lambda", "1", "--loss", "power:2"]);
    let (_, default, _) = fit(folder.path(), &["--lambda", "1"]);
    assert_eq!(default["loss"], "squared");
    assert!((number(&squared["error"]) / number(&default["error"]) - 1.0).abs() < 1e-6);
    assert_eq!(default["against_results"], Value::Null);
    for field in ["target", "anchor"] {
        assert_eq!(default[field], Value::Null, "{field}");
    }
    assert_eq!(default["prior_choice"]["by"], "evidence");
    assert_eq!(default["weigh"], "positions");
}

#[test]
fn targets_and_weights_are_printed_and_results_remain_the_measure() {
    let folder = folder();
    let args = ["--lambda", "0.5", "--weigh", "sqrt"];
    let (words, summary, header) = fit(folder.path(), &args);
    for text in [&words, &header] {
        assert!(
            text.contains("0.5·result + 0.5·σ(search score) on 1200"),
            "{text}"
        );
        assert!(text.contains("on 0 without a search score"), "{text}");
        assert!(text.contains("1/√n"), "{text}");
        assert!(text.contains("against results"), "{text}");
    }
    let target = &summary["target"];
    assert_eq!(
        (number(&target["lambda"]), &summary["weigh"]),
        (0.5, &"sqrt".into())
    );
    assert!(target["score_k_fitted"].as_bool().unwrap() && number(&target["score_k"]) > 0.1);
    let results = &summary["against_results"];
    assert!(number(&results["error"]) > 1.2 * number(&summary["error"]));
    for field in ["held_out_error", "held_out_error_at_start"] {
        assert!(number(&results[field]) > number(&summary[field]), "{field}");
    }
    let (words, _, _) = fit(folder.path(), &["--lambda", "0"]);
    assert!(words.contains("against the scores that is "), "{words}");
    let options = ["--lambda", "0.5", "--score-k", "tanh:0.0043"];
    let (words, summary, _) = fit(folder.path(), &options);
    assert!(words.contains("K of the scores = 1.493973018"), "{words}");
    assert_eq!(summary["target"]["score_k_fitted"], false);
}

#[test]
fn k_is_read_and_printed_in_other_forms() {
    let folder = folder();
    let (words, summary, _) = fit(folder.path(), &["--k", "tanh:0.0043"]);
    assert!((number(&summary["k"]) - 0.0086 * 400.0 / 10_f64.ln()).abs() < 1e-12);
    assert!(words.contains("a = 0.004300000"), "{words}");
    assert!(words.contains("K′ = 3.440000000"), "{words}");
    let (_, summary, _) = fit(folder.path(), &["--k", "e:2.5"]);
    assert!((number(&summary["k"]) - 2.5 / 10_f64.ln()).abs() < 1e-12);
}

#[test]
fn an_anchored_weight_has_its_value_and_k_scales_with_it() {
    let folder = folder();
    let name = "MATERIAL[pawn].mg";
    let (words, summary, header) = fit(folder.path(), &["--anchor", "MATERIAL[pawn].mg=100"]);
    assert_eq!(summary["weights"][name], 100);
    let anchor = &summary["anchor"];
    assert_eq!(anchor["weight"], name);
    let (factor, before) = (number(&anchor["factor"]), number(&anchor["k_before"]));
    assert!((number(&summary["k"]) * factor / before - 1.0).abs() < 1e-12);
    assert!(words.contains("MATERIAL[pawn].mg is 100"), "{words}");
    assert!(
        header.contains("scale: MATERIAL[pawn].mg is 100"),
        "{header}"
    );
}

#[test]
fn the_strength_of_the_prior_is_chosen_and_printed() {
    let folder = folder();
    let (words, summary, header) = fit(folder.path(), &["--prior", "auto"]);
    let choice = &summary["prior_choice"];
    let tried = choice["tried"].as_array().unwrap();
    assert_eq!(tried.len(), 9);
    let best = tried
        .iter()
        .min_by(|a, b| number(&a["held_out_error"]).total_cmp(&number(&b["held_out_error"])))
        .unwrap();
    assert_eq!(choice["deviation"], best["deviation"]);
    assert_eq!(summary["prior"], best["deviation"]);
    assert!(
        words.contains("  chosen") && words.contains("held-out E"),
        "{words}"
    );
    assert!(
        header.contains("chosen by games held out of those fitted"),
        "{header}"
    );
    // With the chosen deviation as the option the fit is the same.
    let deviation = number(&best["deviation"]).to_string();
    let (_, same, _) = fit(folder.path(), &["--prior", &deviation]);
    assert_eq!(same["weights"], summary["weights"]);
}

#[test]
fn games_of_a_trusted_file_say_how_much_others_count() {
    let folder = folder();
    let few = "--lambda 1 --prior none --only MATERIAL --fast-games 0 --write-worse";
    let mut few: Vec<&str> = few.split(' ').collect();
    let (_, alone, _) = fit(folder.path(), &few);
    // K of both files together would be none.
    let k = alone["k"].to_string();
    few.extend(["--k", &k]);
    let weigh = |file| [&["turned.tsv", "--weigh-sources", file], &*few].concat();
    let (words, summary, _) = fit(folder.path(), &weigh("data.tsv"));
    let factors = &summary["sources"]["factors"];
    assert!(factors[0] == 1.0 && number(&factors[1]) < 0.1, "{factors}");
    assert!(number(&summary["sources"]["change"]["difference"]) < 0.0);
    let said = "sources: by games of data.tsv positions count so many times as much: data.tsv 1.000, turned.tsv 0.0";
    assert!(words.contains(said), "{words}");
    // Again with what was found.
    let run = ["residuals", "--run", "tuner-run"];
    let output = tuner(folder.path(), &run);
    let weight = format!("turned.tsv:weight={}", number(&factors[1]));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains(&weight), "{said}");
    // Games without weight teach nothing.
    let (_, alike, _) = fit(folder.path(), &[&["turned.tsv"], &*few].concat());
    let of = |summary: &Value| number(&summary["weights"]["MATERIAL[queen].mg"]);
    assert!((of(&summary) - of(&alone)).abs() < 0.2 * (of(&alike) - of(&alone)).abs());
    // It counts as much of a game of 1 as of single positions.
    let by_game = [weigh("data.tsv"), vec!["--weigh", "games"]].concat();
    let (_, summary, _) = fit(folder.path(), &by_game);
    assert!((of(&summary) - of(&alone)).abs() < 0.5 * (of(&alike) - of(&alone)).abs());
    // By the other, the other way round, as far as bounds of the weights allow.
    let (_, summary, _) = fit(folder.path(), &weigh("turned.tsv"));
    let factors = &summary["sources"]["factors"];
    assert!(factors[1] == 1.0 && number(&factors[0]) < 0.9, "{factors}");
}

#[test]
fn known_weights_come_back() {
    let folder = folder();
    let output = tuner(folder.path(), &["recover", "data.tsv", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    assert!(
        words(&output).contains("all weights came back"),
        "{}",
        words(&output)
    );
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["positions"], 1200);
    let square = number(&found["mean_square"]);
    assert!((0.7..1.3).contains(&square), "{square}");
    let weights = found["weights"].as_array().unwrap();
    let drawn = weights
        .iter()
        .filter(|w| number(&w["standard_error"]) < 10.0);
    assert!(drawn.count() > 500);
    let refused = tuner(folder.path(), &["recover", "data.tsv", "--deviation", "-1"]);
    assert_eq!(refused.status.code(), Some(2), "{}", words(&refused));
}

#[test]
fn what_is_not_chosen_stays() {
    let folder = folder();
    let args = [
        "--only",
        "material",
        "--freeze",
        "*[knight]*",
        "--prior",
        "50",
    ];
    let output = run_fit(folder.path(), &[&["data.tsv"], &args[..]].concat());
    assert_eq!(output.status.code(), Some(2), "{}", words(&output));
    assert!(
        words(&output).contains("--freeze *[knight]*"),
        "{}",
        words(&output)
    );
    let args = [
        "--only",
        "material",
        "--freeze",
        "MATERIAL[knight]",
        "--prior",
        "50",
    ];
    let (_, summary, header) = fit(folder.path(), &args);
    let (new, old) = (&summary["weights"], &summary["initial"]);
    let moved = |name: &&String| (number(&new[*name]) - number(&old[*name])).abs() > 0.0;
    let moved: Vec<&String> = new.as_object().unwrap().keys().filter(moved).collect();
    let group = ["TEMPO", "MATERIAL", "BISHOP_PAIR"];
    let right = |name: &&String| {
        group.iter().any(|stem| name.starts_with(stem)) && !name.contains("knight")
    };
    assert!(moved.len() >= 5 && moved.iter().all(right), "{moved:?}");
    for part in [
        "weights, only: material",
        "weights, frozen: MATERIAL[knight]",
    ] {
        assert!(header.contains(part), "{header}");
    }
}

#[test]
fn wrong_choices_are_refused_with_a_cure() {
    let folder = folder();
    for (args, code, expected) in [
        (&["data.tsv", "--loss", "cubed"][..], 2, "power:Q"),
        (&["data.tsv", "--loss", "power:0.5"], 2, "from 1 to 10"),
        (&["data.tsv", "--lambda", "1.5"], 2, "results alone"),
        (&["data.tsv", "--lambda", "-0.1"], 2, "results alone"),
        (
            &["data.tsv", "--lambda", "1", "--score-k", "1"],
            2,
            "does nothing with --lambda 1",
        ),
        (
            &["data.tsv", "--lambda", "0.5", "--score-k", "0"],
            2,
            "tanh:A",
        ),
        (&["data.tsv", "--weigh", "evenly"], 2, "sqrt"),
        (&["data.tsv", "--k", "tanh:-1"], 2, "tanh:A"),
        (&["data.tsv", "--prior", "strong"], 2, "auto"),
        (&["data.tsv", "--anchor", "MATERIAL"], 2, "NAME=VALUE"),
        (
            &["data.tsv", "--anchor", "MATERIAL[pawm].mg=100"],
            1,
            "did you mean `pawn`?",
        ),
        (&["data.tsv", "--anchor", "MATERIAL=100"], 1, "12 weights"),
        (
            &["data.tsv", "--anchor", "MATERIAL[king].mg=100"],
            1,
            "frozen",
        ),
        (
            &["data.tsv", "--anchor", "MATERIAL[pawn].mg=-100"],
            1,
            "its bounds are 0 to 2500",
        ),
        (
            &["data.tsv", "--anchor", "BISHOP_PAIR.mg=-50"],
            1,
            "no positive factor",
        ),
        (
            &["data.tsv", "--anchor", "MATERIAL[pawn].mg=99.5"],
            1,
            "whole number",
        ),
        (
            &["bare.tsv", "--lambda", "0.5"],
            1,
            "no position has a search score",
        ),
        (&["bare.tsv", "--weigh", "games"], 1, "of one game"),
        (
            &["data.tsv", "--weigh-sources", "data.tsv"],
            2,
            "nothing to weigh",
        ),
        (
            &["data.tsv", "bare.tsv", "--weigh-sources", "own.tsv"],
            2,
            "is none of the data, which are data.tsv, bare.tsv",
        ),
        (
            &[
                "data.tsv",
                "bare.tsv:limit=9",
                "bare.tsv",
                "--weigh-sources",
                "bare.tsv",
            ],
            2,
            "is there twice",
        ),
        (
            &["turned.tsv"],
            1,
            "results look flipped; see --perspective",
        ),
    ] {
        let output = run_fit(folder.path(), args);
        let words = words(&output);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {words}");
        assert!(words.contains(expected), "{args:?}: {words}");
        assert!(!folder.path().join("tuner-run/summary.json").exists());
    }
}

#[test]
fn the_header_says_which_weights_the_prior_is_around() {
    let folder = folder();
    fs::write(folder.path().join("other.txt"), "TEMPO.mg 12\n").unwrap();
    let only = ["--only", "material", "--prior"];
    for (args, line) in [
        (
            &["50"][..],
            "prior: around the initial values, standard deviation 50",
        ),
        (
            &["50", "--prior-mean", "other.txt"],
            "prior: around those of other.txt, standard deviation 50",
        ),
        (
            &["50", "--init", "other.txt"],
            "prior: around those of other.txt, standard deviation 50",
        ),
        (&["evidence", "--prior-mean", "zero"], "prior: around zero"),
    ] {
        let (_, _, header) = fit(folder.path(), &[&only, args].concat());
        assert!(header.contains(line), "{line}: {header}");
    }
}

/// Fits that follow each other would let it drift, and the scale of all weights with it.
#[test]
fn k_is_handed_on_until_another_is_asked_for() {
    let folder = folder();
    let path = folder.path();
    let few = "--only material --prior 50 --fast-games 0 --write-worse";
    let few: Vec<&str> = few.split(' ').collect();
    let (_, first, _) = fit(path, &few);
    let k = number(&first["k"]);
    let weights = path.join("tuner-run/weights.txt");
    let text = fs::read_to_string(&weights).unwrap();
    assert!(text.starts_with(&format!("# K {k}\n")), "{text}");
    for init in ["tuner-run/weights.txt", "tuner-run/summary.json"] {
        let (said, next, _) = fit(path, &[&few[..], &["--init", init]].concat());
        assert_eq!(number(&next["k"]).to_bits(), k.to_bits(), "{init}");
        assert!(said.contains("handed on by weights or spec"), "{said}");
    }
    let anew = ["--init", "tuner-run/weights.txt", "--k", "fitted"];
    let (said, anew, _) = fit(path, &[&few[..], &anew].concat());
    assert!((number(&anew["k"]) - k).abs() > 1e-4, "{k}: {said}");
    assert!(said.contains("fitted at the weights"), "{said}");
}
