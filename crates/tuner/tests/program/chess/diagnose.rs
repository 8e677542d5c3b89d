//! `explain`, `outliers`, `residuals`, `effect`, `profile` from outside.

use std::fs;
use std::path::Path;

use chess_engine::eval::evaluate;
use serde_json::{Value, json};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Color, Position};
use tempfile::TempDir;

use crate::chess::support::{assert_fails, json, table, tuner, tuner_reads, words};

/// A knight's entry of its own e5, and a value that it should not have.
const ENTRY: &str = "PST[knight][e5].mg";
const PLANTED: f64 = 224.0;

/// A middlegame, one where the king is in danger, and endgames that are scaled.
const POSITIONS: [&str; 4] = [
    "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 8",
    "r4rk1/ppp2p1p/2n3p1/3q4/3P1QN1/2P4R/PP3PPP/4R1K1 b - - 3 20",
    "8/5pk1/6p1/8/8/1R4P1/5PK1/3b4 b - - 3 41",
    "8/8/5k2/8/2B5/4K3/3P4/5b2 w - - 0 60",
];

/// A folder with some of the positions that come with the engine, and weights that
/// differ from the spec's by one entry.
fn folder(positions: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data.tsv"), table(positions)).unwrap();
    fs::write(
        folder.path().join("planted.txt"),
        format!("{ENTRY} {PLANTED}\n"),
    )
    .unwrap();
    folder
}

/// Runs a command on a folder, with `--json`.
fn found(folder: &Path, args: &str) -> Value {
    let args: Vec<&str> = args.split(' ').chain(["--json"]).collect();
    json(&tuner(folder, &args))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], |list| list)
}

/// Production's score, seen by White.
fn production(fen: &str) -> f64 {
    let fen: Fen = fen.parse().unwrap();
    let position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
    let score = f64::from(evaluate(&position));
    if position.turn() == Color::White {
        score
    } else {
        0.0 - score
    }
}

/// Sum of all parts of an explanation.
fn parts(explanation: &Value) -> f64 {
    let shares = list(&explanation["parameters"]).iter();
    let shares: f64 = shares.map(|parameter| number(&parameter["share"])).sum();
    let rest = ["constant", "nonlinear", "rounding"].map(|part| number(&explanation[part]));
    shares + rest.iter().sum::<f64>()
}

#[test]
fn shares_add_up_to_the_score_of_production() {
    let folder = tempfile::tempdir().unwrap();
    for fen in POSITIONS {
        let found = json(&tuner(
            folder.path(),
            &["explain", fen, "--json", "--k", "1"],
        ));
        let explanation = &found["positions"][0];
        let score = production(fen);
        assert!(
            (number(&explanation["score"]) - score).abs() < 1e-9,
            "{fen}"
        );
        assert!((parts(explanation) - score).abs() < 1e-9, "{fen}");
        assert!(
            number(&explanation["rounding"]).abs() < 3.0,
            "{explanation}"
        );
        assert_eq!(explanation["agrees"], true);
        let expected = 1.0 / (1.0 + 10_f64.powf(-score / 400.0));
        assert!((number(&found["expectations"][0]) - expected).abs() < 1e-12);
        for parameter in list(&explanation["parameters"]) {
            let weights = list(&parameter["weights"]).iter();
            let sum: f64 = weights.map(|weight| number(&weight["share"])).sum();
            assert!(
                (sum - number(&parameter["share"])).abs() < 1e-9,
                "{parameter}"
            );
            if parameter["mg"].is_number() {
                let halves = number(&parameter["mg"]) + number(&parameter["eg"]);
                assert!((halves - sum).abs() < 1e-9, "{parameter}");
            }
        }
    }
}

#[test]
fn two_positions_are_compared_and_errors_are_those_of_a_fit() {
    let folder = folder(3_000);
    let path = folder.path();
    let fit = "fit data.tsv --out run --write-worse --freeze PST";
    let fit = tuner(path, &fit.split(' ').collect::<Vec<_>>());
    assert_eq!(fit.status.code(), Some(0), "{}", words(&fit));
    let args = [
        "explain",
        POSITIONS[0],
        POSITIONS[1],
        "--run",
        "run",
        "--json",
    ];
    let found = json(&tuner(path, &args));
    let both = list(&found["positions"]);
    let total = number(&both[1]["score"]) - number(&both[0]["score"]);
    let differences = list(&found["differences"]);
    let shares: f64 = differences.iter().map(|d| number(&d["difference"])).sum();
    let rest = |part: &str| number(&both[1][part]) - number(&both[0][part]);
    let rest: f64 = ["constant", "nonlinear", "rounding"].map(rest).iter().sum();
    assert!((shares + rest - total).abs() < 1e-9);
    for explanation in both {
        assert!(number(&explanation["standard_error"]) > 0.0);
    }
    assert!(
        differences
            .iter()
            .any(|d| number(&d["standard_error"]) > 0.0)
    );
    // The weights are those of the run.
    let summary = fs::read_to_string(path.join("run/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    let weight = &both[0]["parameters"][0]["weights"][0];
    let name = weight["name"].as_str().unwrap();
    let written = number(&summary["weights"][name]);
    assert!((number(&weight["value"]) - written).abs() < 1e-9, "{name}");
    assert!(words(&tuner(path, &args)).contains("as if weights were independent"));
}

#[test]
fn a_wrong_table_entry_is_found_by_residuals() {
    let folder = folder(60_000);
    let found = found(
        folder.path(),
        "residuals data.tsv --by weight --weights planted.txt",
    );
    let mut weights: Vec<&Value> = list(&found["by_weight"]).iter().collect();
    let size = |weight: &Value| weight["z"].as_f64().map_or(0.0, f64::abs);
    weights.sort_by(|a, b| size(b).total_cmp(&size(a)));
    assert_eq!(weights.len(), 1256);
    let place = weights.iter().position(|weight| weight["name"] == ENTRY);
    assert!(place.unwrap() < 3, "{:?}", &weights[..3]);
    let planted = weights[place.unwrap()];
    assert_eq!(planted["stands_out"], true);
    // Back to where it was, by what a first step can know.
    let change = number(&planted["change"]);
    assert!((-300.0..-140.0).contains(&change), "{change}");
    assert!(number(&planted["games"]) < 64_000.0);
}

/// Whether a knight is on the square that its owner sees as e5.
fn has_the_knight(fen: &str) -> bool {
    let rows: Vec<&str> = fen.split(' ').next().unwrap().split('/').collect();
    let square = |row: &str| {
        let cells = row.chars().flat_map(|c| match c.to_digit(10) {
            Some(empty) => vec!['.'; empty as usize],
            None => vec![c],
        });
        cells.collect::<Vec<_>>()[4]
    };
    square(rows[3]) == 'N' || square(rows[4]) == 'n'
}

#[test]
fn a_wrong_table_entry_shows_in_outliers_and_effect() {
    let folder = folder(15_000);
    let count = |found: &Value, of: &str| {
        let positions = list(&found[of]).iter();
        let texts = positions.filter_map(|outlier| outlier["position"].as_str());
        texts.filter(|text| has_the_knight(text)).count()
    };
    let outliers = |weights: &str| {
        let args = format!("outliers data.tsv --k 1.09 --top 200 --weights {weights}");
        found(folder.path(), &args)
    };
    let [right, wrong] = ["spec", "planted.txt"].map(outliers);
    let counts = [&right, &wrong].map(|found| count(found, "outliers"));
    assert!(counts[1] >= 10 && counts[1] >= 3 * counts[0], "{counts:?}");
    assert!(number(&wrong["error"]) > number(&right["error"]));
    let losses: Vec<f64> = list(&wrong["outliers"])
        .iter()
        .map(|o| number(&o["loss"]))
        .collect();
    assert!(losses.len() == 200 && losses.windows(2).all(|w| w[0] >= w[1]));

    let effect = found(folder.path(), "effect spec planted.txt data.tsv --top 10");
    assert_eq!(effect["verdict"], "worse");
    assert!(number(&effect["difference"]["difference"]) > 0.0);
    assert_eq!((count(&effect, "hurt"), count(&effect, "helped")), (10, 10));
    let changed = number(&effect["changed"]);
    assert!(changed > 100.0 && changed < 4_000.0);
    let positions = list(&effect["tables"][0]["bins"]).iter();
    let positions: u64 = positions.filter_map(|bin| bin["positions"].as_u64()).sum();
    assert_eq!(positions, 15_000);
}

#[test]
fn a_weight_that_is_off_has_its_minimum_and_its_pulls_where_it_belongs() {
    let folder = folder(40_000);
    let args = format!("profile data.tsv --weight {ENTRY} --weights planted.txt --steps 9");
    let profile = found(folder.path(), &format!("{args} --from -100 --to 300"));
    let least = number(&profile["minimum"]["value"]);
    assert!((least - 24.0).abs() < 20.0, "{least}");
    assert_eq!(list(&profile["points"]).len(), 9);
    assert!(number(&profile["difference"]["difference"]) < 0.0);

    let args = format!("explain data.tsv --weight {ENTRY} --weights planted.txt --top 3");
    let pulls = found(folder.path(), &args);
    assert!(number(&pulls["step"]) < -100.0, "{pulls}");
    for (way, sign) in [("up", 1.0), ("down", -1.0)] {
        let positions = list(&pulls[way]);
        assert_eq!(positions.len(), 3);
        for position in positions {
            assert!(has_the_knight(position["position"].as_str().unwrap()));
            assert!(sign * number(&position["pull"]) > 0.0);
        }
        let games = list(&pulls[&*format!("games_{way}")]);
        assert!(games.iter().all(|game| sign * number(&game["pull"]) > 0.0));
    }
    // Without what pulls it up it would be lower, without what pulls it down higher.
    let after = number(&pulls["value_after_step"]);
    assert!(number(&pulls["without_up"]["value"]) < after);
    assert!(number(&pulls["without_down"]["value"]) > after);
}

#[test]
fn threads_change_nothing() {
    // More than a thread takes at a time.
    let folder = folder(9_000);
    for command in [
        "residuals data.tsv --json",
        "residuals data.tsv",
        "outliers data.tsv --weights planted.txt --json",
        "effect spec planted.txt data.tsv --json",
        "profile data.tsv --weight TEMPO.mg --steps 3 --json",
        "explain data.tsv --weight TEMPO.mg --json",
    ] {
        let run = |threads: &str| {
            let args: Vec<&str> = command.split(' ').chain(["--threads", threads]).collect();
            let output = tuner(folder.path(), &args);
            assert_eq!(output.status.code(), Some(0), "{}", words(&output));
            output.stdout
        };
        assert!(run("1") == run("2"), "{command}");
    }
}

#[test]
fn residuals_are_binned_by_what_was_asked_for() {
    let folder = folder(5_000);
    let found = found(
        folder.path(),
        "residuals data.tsv --by side,phase,score --k 1",
    );
    let names: Vec<&Value> = list(&found["tables"])
        .iter()
        .map(|table| &table["by"])
        .collect();
    assert_eq!(json!(names), json!(["side", "phase", "score"]));
    assert_eq!(found["by_weight"], Value::Null);
    for table in list(&found["tables"]) {
        let bins = list(&table["bins"]);
        let positions = bins.iter().filter_map(|bin| bin["positions"].as_u64());
        assert_eq!(positions.sum::<u64>(), 5_000);
        for bin in bins {
            let residual = number(&bin["outcome"]) - number(&bin["expectation"]);
            assert!((residual - number(&bin["residual"])).abs() < 1e-12);
        }
    }
    // With its engine's own quiescence search the positions are others.
    let args = "residuals data.tsv --by side --k 1 --resolve qsearch";
    let resolved = self::found(folder.path(), args);
    assert_ne!(resolved["tables"][0], found["tables"][0]);
}

#[test]
fn standard_input_is_read_once() {
    let folder = folder(100);
    let run = |args: &str| {
        let args: Vec<&str> = args.split(' ').collect();
        tuner_reads(folder.path(), &args, table(500))
    };
    let found = json(&run("outliers - --k 1 --lambda 1 --json"));
    assert_eq!(found["positions"], 500);
    let output = run("outliers - --json");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        words(&output).contains("give --k or a file"),
        "{}",
        words(&output)
    );
}

#[test]
fn mistakes_are_named_with_their_cure() {
    let folder = folder(100);
    for (args, code, expected) in [
        (&["explain"][..], 2, "one or two positions"),
        (&["explain", "8/8/8/8 w - - 0 1"], 2, "column 1"),
        (&["explain", "data.tsv"], 2, "explain --weight NAME"),
        (
            &["profile", "data.tsv", "--weight", "PST[knigt][e5].mg"],
            2,
            "did you mean `knight`?",
        ),
        (
            &["profile", "data.tsv", "--weight", "MATERIAL"],
            2,
            "that is 12 weights, MATERIAL[pawn].mg to MATERIAL[king].eg; expected one",
        ),
        (
            &[
                "profile", "data.tsv", "--weight", "TEMPO.mg", "--from", "9", "--to", "3",
            ],
            2,
            "expected the first value below the last",
        ),
        (
            &["outliers", "data.tsv", "--weights", "none.txt"],
            1,
            "none.txt",
        ),
        (
            &["explain", POSITIONS[0], "--run", "planted.txt"],
            1,
            "planted.txt",
        ),
        (&["residuals", "data.tsv", "--by", "colour"], 2, "material"),
        (&["outliers", "data.tsv", "--top", "0"], 2, "from 1"),
        (
            &["explain", POSITIONS[0], "--allow-constants"],
            2,
            "--allow-constants: does nothing for positions",
        ),
        (
            &["explain", POSITIONS[0], "--threads", "2"],
            2,
            "name a weight with --weight",
        ),
        (
            &["explain", POSITIONS[0], "--loss", "power:3"],
            2,
            "--loss: does nothing",
        ),
        (
            &["explain", POSITIONS[0], POSITIONS[1], "--top", "3"],
            2,
            "--top: does nothing for two positions",
        ),
        (
            &["outliers", "data.tsv", "--json", "--diagrams"],
            2,
            "cannot be used with",
        ),
        (
            &["residuals", "data.tsv", "--by", "side", "--top", "3"],
            2,
            "add weight to --by",
        ),
        (
            &["outliers", "data.tsv", "--lambda", "1", "--score-k", "1.5"],
            2,
            "--score-k 1.5: does nothing",
        ),
        (
            &["outliers", "--run", "nowhere"],
            1,
            "expected the folder of a fit",
        ),
        (
            &["outliers", "--run", "data.tsv"],
            1,
            "expected the summary.json of a fit",
        ),
    ] {
        assert_fails(folder.path(), args, code, expected);
    }
}

#[test]
fn boards_are_drawn() {
    let folder = folder(1_000);
    for args in [
        &["explain", POSITIONS[0]][..],
        &["outliers", "data.tsv", "--top", "2", "--diagrams"],
        &["explain", "data.tsv", "--weight", "TEMPO.mg", "--top", "1"],
    ] {
        let output = tuner(folder.path(), args);
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        assert!(text.contains("  a b c d e f g h\n"), "{args:?}: {text}");
        assert!(text.contains(" to move\n"), "{args:?}: {text}");
    }
}

#[test]
fn a_run_says_what_is_not_typed() {
    let folder = folder(3_000);
    let path = folder.path();
    let objective = "--lambda 0.4 --loss cross-entropy --weigh games --held-out 0 --retrace 0";
    let fit = format!("fit data.tsv --resolve qsearch {objective}");
    let summary = json(&tuner(
        path,
        &[&fit.split(' ').collect::<Vec<_>>()[..], &["--json"]].concat(),
    ));
    let found = self::found(path, "outliers --run tuner-run");
    for (field, expected) in [
        ("k", &summary["k"]),
        ("loss", &json!("cross-entropy")),
        ("lambda", &json!(0.4)),
        ("weigh", &json!("games")),
        ("positions", &json!(3_000)),
    ] {
        assert_eq!(&found[field], expected, "{field}");
    }
    // The same positions by the same measure: only branches may differ.
    let difference = number(&found["error"]) - number(&summary["error"]);
    assert!(difference.abs() < 1e-4, "{difference}");
    // What is typed goes first.
    let typed = self::found(
        path,
        "outliers --run tuner-run --lambda 1 --k 2 --weights spec",
    );
    assert_eq!(
        (&typed["k"], &typed["lambda"], &typed["weights"]),
        (&json!(2.0), &json!(1.0), &json!("spec"))
    );
    assert_eq!(typed["loss"], "cross-entropy");
    for args in [
        "residuals --run tuner-run --by weight,phase",
        "profile --run tuner-run --weight TEMPO.mg --steps 3",
        "effect spec tuner-run --run tuner-run",
        "explain --weight TEMPO.mg --run tuner-run",
    ] {
        let found = self::found(path, args);
        assert_eq!(found["k"], summary["k"], "{args}");
        assert_eq!(found["lambda"], 0.4, "{args}");
    }
    // Data that changed since are another matter.
    let outliers = |args: &[&str]| {
        let output = tuner(path, &[&["outliers", "--run", "tuner-run"], args].concat());
        words(&output).contains("the data have changed since they were fitted")
    };
    assert!(!outliers(&[]));
    fs::write(path.join("data.tsv"), table(2_999)).unwrap();
    assert!(outliers(&[]));
    fs::write(path.join("other.tsv"), table(2_000)).unwrap();
    assert!(!outliers(&["other.tsv"]), "they are not those of the fit");
    fs::write(path.join("data.tsv"), table(3_000)).unwrap();
    // At the optimum of this very objective, up to rounding and the prior.
    let tests = self::found(path, "residuals --run tuner-run --by weight");
    let found = list(&tests["by_weight"]).iter();
    assert_eq!(found.filter(|test| test["stands_out"] == true).count(), 0);
}

#[test]
fn the_objective_decides_what_is_an_outlier() {
    let folder = folder(3_000);
    let losses = |args: &str| {
        let found = found(folder.path(), &format!("outliers data.tsv --k 1 {args}"));
        let first = list(&found["outliers"])[0].clone();
        let distance = (number(&first["expectation"]) - number(&first["target"])).abs();
        (number(&first["loss"]), distance)
    };
    let (loss, distance) = losses("--lambda 1 --loss squared");
    assert!((loss - distance * distance).abs() < 1e-9);
    let (loss, distance) = losses("--lambda 1 --loss power:4");
    assert!((loss - distance.powi(4)).abs() < 1e-9);
    let (loss, distance) = losses("--lambda 1 --loss cross-entropy");
    assert!(
        (loss + (1.0 - distance).ln()).abs() < 1e-9,
        "{loss} {distance}"
    );
    // Scores of searches are nearer to those of the evaluation than results.
    let of_results = losses("--lambda 1 --loss squared").1;
    assert!(losses("--lambda 0 --score-k 1").1 < of_results);
    let output = tuner(
        folder.path(),
        &["outliers", "data.tsv", "--lambda", "0.5", "--top", "3"],
    );
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(text.contains("target"), "{text}");
    assert!(words(&output).contains("σ(search score)"));
}

#[test]
fn games_have_the_names_of_the_data() {
    let folder = folder(3_000);
    let path = folder.path();
    let text = table(3_000);
    let lines: Vec<&str> = text.lines().collect();
    let column = |line: &str, name: &str| {
        let at = lines[0].split('\t').position(|column| column == name);
        line.split('\t').nth(at.unwrap()).unwrap().to_owned()
    };
    let outliers = found(path, "outliers data.tsv --k 1 --top 50");
    for outlier in list(&outliers["outliers"]) {
        let line = lines[outlier["line"].as_u64().unwrap() as usize - 1];
        assert_eq!(outlier["game"], column(line, "game"), "{line}");
    }
    let pulls = found(path, "explain data.tsv --weight TEMPO.mg --k 1");
    let names: Vec<String> = lines[1..].iter().map(|l| column(l, "game")).collect();
    for game in list(&pulls["games_up"]) {
        assert!(names.contains(&game["game"].as_str().unwrap().to_owned()));
    }
    assert_eq!(pulls["without_up"]["game"], pulls["games_up"][0]["game"]);
    // Nothing of a file acts on a terminal.
    let fen = |line: &str| line.split('\t').next().unwrap().to_owned();
    let row = |line: &&str| format!("{}\t1-0\t\u{1b}[31mred\n", fen(line));
    let hostile: String = lines[1..20].iter().map(row).collect();
    fs::write(
        path.join("hostile.tsv"),
        format!("fen\tresult\tgame\n{hostile}"),
    )
    .unwrap();
    let args = ["outliers", "hostile.tsv", "--k", "1"];
    let shown = String::from_utf8(tuner(path, &args).stdout).unwrap();
    assert!(shown.contains("[31mred") && !shown.contains('\u{1b}'));
    // Without games there are no names.
    fs::write(path.join("bare.txt"), format!("{} [1.0]\n", fen(lines[1]))).unwrap();
    let bare = found(path, "outliers bare.txt --k 1");
    assert_eq!(bare["outliers"][0]["game"], Value::Null);
}
