//! `explain`, `outliers`, `residuals`, `effect`, `profile` on shogi.

use std::fs;

use serde_json::Value;
use shogi_engine::eval::evaluate;
use tempfile::TempDir;
use tuner_shogi::{Color, Position};

use crate::shogi::support::{json, run, table};

/// A middlegame with hands, gote to move.
const POSITION: &str =
    "lnsgk1snl/4r1g2/1ppp1p1p1/p2bp1p1p/9/P1P3PP1/1PSPP1S1P/7R1/LN2GGKNL w Bp 24";

/// A folder with the first of the embedded positions, and weights that differ by one
/// that many positions read.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data.tsv"), table(9_000)).unwrap();
    fs::write(folder.path().join("planted.txt"), "TEMPO.mg 400\n").unwrap();
    folder
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[test]
fn shares_add_up_to_the_score_of_production() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), &["explain", POSITION, "--json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let explanation = &found["positions"][0];
    let position = Position::from_sfen(POSITION).unwrap();
    let score = f64::from(evaluate(&position));
    assert_eq!(position.turn(), Color::Gote);
    assert!(
        (number(&explanation["score"]) + score).abs() < 1e-9,
        "{explanation}"
    );
    let parameters = explanation["parameters"].as_array().unwrap().iter();
    let shares: f64 = parameters
        .map(|parameter| number(&parameter["share"]))
        .sum();
    let rest = ["constant", "nonlinear", "rounding"].map(|part| number(&explanation[part]));
    let sum = shares + rest.iter().sum::<f64>();
    assert!((sum + score).abs() < 1e-9, "{sum} {score}");
    let drawn = run(folder.path(), &["explain", POSITION]).stdout;
    let drawn = String::from_utf8(drawn).unwrap();
    assert!(drawn.contains("Gote to move, in hand Bp"), "{drawn}");
}

#[test]
fn a_wrong_weight_is_found() {
    let folder = folder();
    let path = folder.path();
    let found = json(
        path,
        "residuals data.tsv --by weight,side,material --weights planted.txt",
    );
    let mut weights: Vec<&Value> = found["by_weight"].as_array().unwrap().iter().collect();
    let size = |weight: &Value| weight["z"].as_f64().map_or(0.0, f64::abs);
    weights.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let place = weights
        .iter()
        .position(|weight| weight["name"] == "TEMPO.mg");
    assert!(place.unwrap() < 3, "{:?}", &weights[..3]);
    assert_eq!(found["tables"][0]["bins"].as_array().unwrap().len(), 2);

    let effect = json(path, "effect spec planted.txt data.tsv --top 5");
    assert_eq!(effect["verdict"], "worse");
    assert_eq!(effect["hurt"].as_array().unwrap().len(), 5);
    let least = json(
        path,
        "profile data.tsv --weight TEMPO.mg --weights planted.txt --from -300 --to 400",
    );
    assert!(number(&least["minimum"]["value"]) < 250.0, "{least}");
    let pulls = json(
        path,
        "explain data.tsv --weight TEMPO.mg --weights planted.txt",
    );
    assert!(number(&pulls["step"]) < 0.0);
    let outliers = json(path, "outliers data.tsv --top 5");
    assert_eq!(outliers["outliers"].as_array().unwrap().len(), 5);
    assert_eq!(outliers["positions"], 9_000);
}

#[test]
fn threads_change_nothing() {
    let folder = folder();
    for command in ["residuals data.tsv", "effect spec planted.txt data.tsv"] {
        let of = |threads: &str| {
            let args: Vec<&str> = command
                .split(' ')
                .chain(["--json", "--threads", threads])
                .collect();
            run(folder.path(), &args).stdout
        };
        assert!(of("1") == of("2"), "{command}");
    }
}
