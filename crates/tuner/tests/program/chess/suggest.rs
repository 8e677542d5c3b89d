//! `suggest` from outside.

use std::fs;
use std::path::Path;

use chess_engine::eval::evaluate;
use serde_json::Value;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Color, Position};

use crate::chess::support::{assert_fails, json, table, tuner, words};

/// Terms that are missing, and words of a feature that is one, or is of one.
const MISSING: [(&str, &[&str]); 3] = [
    (
        "BISHOP_PAIR",
        &["two bishops or more", "bishops times bishops"],
    ),
    ("ROOK_OPEN_FILE", &["rooks on open files"]),
    ("THREAT_BY_PAWN", &["attacked by pawns"]),
];

/// White's score by the complete evaluation.
fn score(fen: &str) -> f64 {
    let fen: Fen = fen.parse().unwrap();
    let position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
    let score = f64::from(evaluate(&position));
    if position.turn() == Color::White {
        score
    } else {
        -score
    }
}

/// Positions that come with the engine, with results by the complete evaluation: the luck of a
/// game is that of all its positions.
fn drawn(positions: usize, folder: &Path) {
    let text = table(positions);
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap().split('\t').collect();
    let column = |name| head.iter().position(|head| *head == name).unwrap();
    let (fen, game) = (column("fen"), column("game"));
    let mut drawn = "fen\tresult\tgame\n".to_owned();
    for line in lines {
        let fields: Vec<&str> = line.split('\t').collect();
        let number: u64 = fields[game].parse().unwrap();
        let luck = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11;
        let luck = luck as f64 / (1_u64 << 53) as f64;
        let expected = 1.0 / (1.0 + 10_f64.powf(-score(fields[fen]) / 400.0));
        let result = if luck < expected { "1-0" } else { "0-1" };
        drawn += &[fields[fen], result, fields[game]].join("\t");
        drawn.push('\n');
    }
    fs::write(folder.join("drawn.tsv"), drawn).unwrap();
}

fn list(value: &Value) -> Vec<&str> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_str().unwrap())
        .collect()
}

#[test]
fn terms_that_are_missing_are_suggested() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    drawn(100_000, path);
    let zero = MISSING.map(|(name, _)| name);
    let names = [
        "BISHOP_PAIR.mg",
        "BISHOP_PAIR.eg",
        "ROOK_OPEN_FILE.mg",
        "ROOK_OPEN_FILE.eg",
    ];
    let mut at: String = names.map(|name| format!("{name} 0\n")).concat();
    let victims = ["knight", "bishop", "rook", "queen"].iter();
    at.extend(
        victims.map(|victim| {
            format!("THREAT_BY_PAWN[{victim}].mg 0\nTHREAT_BY_PAWN[{victim}].eg 0\n")
        }),
    );
    fs::write(path.join("without.txt"), at).unwrap();
    let args = [
        "suggest",
        "drawn.tsv",
        "--weights",
        "without.txt",
        "--k",
        "1",
        "--json",
        "--freeze",
        &format!("{},PST,*_MOBILITY,STORM,SHELTER", zero.join(",")),
    ];
    let output = tuner(path, &args);
    let found = json(&output);
    let suggested = found["suggestions"].as_array().unwrap();
    for (term, features) in MISSING {
        let is_one = |words: &str| features.iter().any(|feature| words.contains(feature));
        let first = suggested.iter().take(5);
        let place = first
            .clone()
            .position(|of| is_one(of["words"].as_str().unwrap()));
        assert!(place.is_some(), "{term}: {:?}", first.collect::<Vec<_>>());
    }
    // Terms that are there.
    let read = list(&found["already_read"]);
    for words in [
        "isolated pawns",
        "rooks on half-open files",
        "passed pawns on rank 6",
        "pawns",
    ] {
        assert!(read.contains(&words), "{words}: {read:?}");
    }
    assert!(!read.contains(&"rooks on open files") && !read.contains(&"two bishops or more"));
    let first = &suggested[0];
    for (language, head) in [("rust", "pub fn "), ("cpp", "inline int ")] {
        let name = first["name"].as_str().unwrap();
        let code = first[language].as_str().unwrap();
        assert!(code.starts_with(&format!("{head}{name}(")), "{code}");
    }
}

#[test]
fn suggestions_are_a_table_or_code() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("data.tsv"), table(6_000)).unwrap();
    // With fewer weights fewer positions tell.
    let few = "PST,*_MOBILITY,STORM,SHELTER";
    let two = ["suggest", "data.tsv", "--freeze", few, "--top", "2"];
    let output = tuner(path, &two);
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(
        text.contains("E falls by") && text.lines().count() <= 3,
        "{text}"
    );
    assert!(
        words(&output).contains(" features tested: "),
        "{}",
        words(&output)
    );
    let threads = tuner(path, &[&two[..], &["--threads", "1"]].concat());
    assert_eq!(threads.stdout, output.stdout);
    let code = tuner(path, &[&two[..], &["--code", "cpp"]].concat());
    let text = String::from_utf8_lossy(&code.stdout);
    // Engines have functions of these names, and the file is included more than once.
    for part in [
        "#pragma once\n#include <cstdint>\n\nnamespace suggested {\n\n",
        "\nstruct Side {",
        "\n} // namespace suggested\n",
    ] {
        assert_eq!(text.matches(part).count(), 1, "{text}");
    }
    assert_eq!(text.matches("#include").count(), 1, "{text}");
    // Of next to none there is nothing to show.
    fs::write(path.join("next.tsv"), table(100)).unwrap();
    let none = tuner(path, &["suggest", "next.tsv"]);
    assert!(none.stdout.is_empty() && none.status.success(), "{none:?}");
    assert!(words(&none).contains(" 0 are listed"), "{}", words(&none));
    // Without games each position counts as one.
    let text = table(3_000);
    let lines: Vec<&str> = text
        .lines()
        .map(|line| line.rsplitn(3, '\t').last().unwrap())
        .collect();
    fs::write(path.join("alone.tsv"), lines.join("\n")).unwrap();
    let alone = tuner(path, &["suggest", "alone.tsv", "--freeze", few]);
    assert!(
        words(&alone).contains("no games are known"),
        "{}",
        words(&alone)
    );
}

#[test]
fn what_nothing_can_be_suggested_of_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let text = table(2_000);
    let won: String = text
        .replace("\t0-1\t", "\t1-0\t")
        .replace("\t1/2-1/2\t", "\t1-0\t");
    fs::write(path.join("won.tsv"), won).unwrap();
    assert_fails(path, &["suggest", "won.tsv"], 1, "K");
    assert_fails(
        path,
        &["suggest", "won.tsv", "--k", "1"],
        1,
        "the same result",
    );
    let one: Vec<&str> = text.lines().take(2).collect();
    fs::write(path.join("one.tsv"), one.join("\n")).unwrap();
    assert_fails(path, &["suggest", "one.tsv", "--k", "1"], 1, "result");
    fs::write(path.join("data.tsv"), &text).unwrap();
    let traced = tuner(path, &["trace", "data.tsv", "--output", "rows.arrow"]);
    assert_eq!(traced.status.code(), Some(0), "{}", words(&traced));
    assert_fails(path, &["suggest", "rows.arrow"], 1, "rows.arrow");
    let variant = "fen\tresult\n8/8/8/8/8/8/8/8[Qq] w - - 0 1\t1-0\n";
    fs::write(path.join("variant.tsv"), variant).unwrap();
    assert_fails(path, &["suggest", "variant.tsv"], 1, "variant.tsv:2");
    assert_fails(
        path,
        &["suggest", "data.tsv", "--freeze", "NONE"],
        2,
        "--freeze",
    );
}
