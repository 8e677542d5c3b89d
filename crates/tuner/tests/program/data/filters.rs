//! Filters by what records tell of their games, and what is said of filters.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{SKIP, folder, tuner};

/// Four positions each: in the second game two of them from a book.
const TOLD: &str = "[Event \"Cup 2024\"]\n[White \"Ann\"]\n[Black \"Bo\"]\n[WhiteElo \"2400\"]\n\
    [BlackElo \"2300\"]\n[Date \"2024.05.06\"]\n[TimeControl \"300+3\"]\n[Result \"1-0\"]\n\n\
    1. e4 e5 2. Nf3 Nc6 1-0\n\n\
    [Event \"League\"]\n[White \"Cy\"]\n[Black \"Ann\"]\n[WhiteElo \"2100\"]\n\
    [BlackElo \"?\"]\n[Date \"2019.??.??\"]\n[TimeControl \"40/60\"]\n[Result \"0-1\"]\n\n\
    1. d4 {book} d5 {book} 2. c4 {+0.10/9 1s} e6 {-0.10/9 1s} 0-1\n\n\
    [Event \"?\"]\n[Result \"1/2-1/2\"]\n\n1. c4 e5 2. g3 d5 1/2-1/2\n";

/// How many positions an option leaves out, and how many it cannot judge.
fn left_out(folder: &Path, option: &str, value: &str) -> (u64, u64) {
    let words = ["filter", "told.pgn", "-o", "a.tsv", option, value, "--json"];
    let run = tuner(folder, &words);
    assert_eq!(run.code, 0, "{}", run.err);
    let json: Value = serde_json::from_str(&run.out).unwrap();
    let untold = format!(" positions not judged by {option} because the input does not tell");
    let untold = run.err.lines().find_map(|line| line.strip_suffix(&untold));
    let untold = untold.map_or(0, |count| count.parse().unwrap());
    let filters = &json["filters"][&option[2..]];
    (filters.as_u64().unwrap_or(0), untold)
}

#[test]
fn games_are_filtered_by_what_is_told_of_them() {
    let folder = folder();
    fs::write(folder.path().join("told.pgn"), TOLD).unwrap();
    for (option, value, expected) in [
        ("--min-rating", "2300", (4, 4)),
        ("--min-rating", "2000", (0, 8)),
        ("--min-rating", "2301", (8, 4)),
        ("--player", "ANN", (0, 4)),
        ("--player", "bo", (4, 4)),
        ("--event", "cup", (4, 4)),
        ("--dates", "2019..2020", (4, 4)),
        ("--dates", "2019.06..", (0, 8)),
        ("--time-control", "..60", (4, 4)),
        ("--time-control", "420..420.5", (4, 4)),
        ("--book", "drop", (2, 8)),
        ("--book", "keep", (0, 0)),
        ("--pieces", "..31", (12, 0)),
        ("--material", "78..78", (0, 0)),
        ("--material", "..77", (12, 0)),
    ] {
        let found = left_out(folder.path(), option, value);
        assert_eq!(found, expected, "{option} {value}");
    }
}

#[test]
fn a_table_keeps_which_moves_a_book_made() {
    let folder = folder();
    fs::write(folder.path().join("told.pgn"), TOLD).unwrap();
    let run = tuner(folder.path(), &["convert", "told.pgn", "-o", "told.tsv"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let words = [
        "filter", "told.tsv", "-o", "a.tsv", "--book", "drop", "--player", "bo",
    ];
    let run = tuner(folder.path(), &words);
    assert_eq!(run.code, 0, "{}", run.err);
    for words in [
        "2 positions in which a book's move was played left out",
        "8 positions not judged by --book because",
        "12 positions not judged by --player because",
    ] {
        assert!(run.err.contains(words), "{}", run.err);
    }
}

#[test]
fn ranges_that_make_no_sense_are_refused() {
    let folder = folder();
    for (option, value, part) in [
        ("--pieces", "8", "expected FROM..TO"),
        ("--pieces", "9..8", "the smaller end first"),
        ("--dates", "yesterday..", "dates such as 2021"),
        ("--min-rating", "high", "invalid value"),
        ("--against-quiescence", "30", "no evaluator"),
    ] {
        let words = ["filter", "games.pgn", "-o", "a.tsv", option, value];
        let run = tuner(folder.path(), &words);
        assert_eq!(run.code, 2, "{option}: {}", run.err);
        assert!(run.err.contains(part), "{option}: {}", run.err);
    }
}

#[test]
fn it_is_said_where_nearly_nothing_is_left() {
    let folder = folder();
    let words = [
        "filter",
        "games.pgn",
        "-o",
        "a.tsv",
        "--opening-plies",
        "100",
    ];
    let run = tuner(folder.path(), &[&words[..], &SKIP].concat());
    let said = "nearly nothing is left, 0 of 17 positions: --opening-plies left out the most, 17";
    assert!(run.err.contains(said), "{}", run.err);
    let words = [
        "filter",
        "games.pgn",
        "-o",
        "a.tsv",
        "--opening-plies",
        "13",
    ];
    let run = tuner(folder.path(), &[&words[..], &SKIP].concat());
    assert!(run.err.contains("1 written"), "{}", run.err);
    assert!(!run.err.contains("nearly nothing"), "{}", run.err);
}
