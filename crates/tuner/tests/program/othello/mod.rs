//! From weights that only count discs to weights that win, by games of its own.

#![allow(
    clippy::unwrap_used,
    reason = "a test that says what is wrong by failing"
)]

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::examples::{self, Example};
use serde_json::Value;

/// The folder of the engine, whose evaluator is built once for all tests.
fn engine() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let (name, evaluator) = ("othello", "othello");
        Example { name, evaluator }.folder()
    })
}

fn othello(folder: &Path, args: &str) -> (String, String) {
    let args: Vec<&str> = args.split(' ').collect();
    let output = examples::run(engine(), folder, &args);
    (
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[test]
fn games_of_its_own_make_it_stronger() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let play = "selfplay games.tsv --games 600 --nodes 60 --win none --first-ply 8 --balance 2000";
    othello(folder, play);
    let (_, words) = othello(folder, "check games.tsv");
    assert!(words.contains(" 0 mismatches"), "{words}");
    assert!(words.contains(" 0 wrong"), "{words}");
    let fit = "fit games.tsv --lambda 1 --fast-games 0 --out run";
    let (screen, words) = othello(folder, &format!("{fit} --details"));
    assert!(screen.contains("better than before"), "{screen}");
    assert!(words.contains(" per hundredth of a disc"), "{words}");
    let versus =
        "match run/weights.txt spec --nodes 60 --games 60 --win none --balance 2000 --json";
    let (found, _) = othello(folder, versus);
    let found: Value = serde_json::from_str(&found).unwrap();
    let low = found["elo_interval"][0].as_f64().unwrap();
    assert!(low > 50.0, "{found}");
}

#[test]
fn a_pass_is_a_move_of_records_too() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let versus = "match source source --nodes 20 --games 40 --win none --balance 2000 --pgn g.pgn";
    othello(folder, versus);
    let games = std::fs::read_to_string(folder.join("g.pgn")).unwrap();
    assert!(games.contains(" pass "), "{games}");
    assert_eq!(
        games
            .matches("[Termination \"no move on either side\"]")
            .count(),
        40
    );
}
