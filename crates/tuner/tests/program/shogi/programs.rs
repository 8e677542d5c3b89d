//! `tuner --game shogi`: data, and matches of programs that speak USI.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::scripts::executable;
use crate::support::{tuner, words};

/// A program that answers `go` as a shell script says; `$last` is the line of
/// the position.
fn script(folder: &Path, name: &str, go: &str) {
    let path = folder.join(name);
    let text = format!(
        "#!/bin/sh\nwhile read -r word rest; do case $word in\n\
         usi) echo id name {name} by script; echo usiok;; isready) echo readyok;;\n\
         position) last=\"$rest\";;\n go) {go};;\nesac; done\n"
    );
    executable(&path, &text);
}

/// A program that moves its rook out and home.
fn shuffler(folder: &Path, name: &str) {
    let go = "set -- $last; k=$#; if [ $k -gt 6 ]; then k=$((k-6)); else k=0; fi; \
              case $((k % 4)) in 0) echo info score cp 5 nodes 9; echo bestmove 2h3h;; \
              1) echo bestmove 8b7b;; 2) echo bestmove 3h2h;; 3) echo bestmove 7b8b;; esac";
    script(folder, name, go);
}

fn play(folder: &Path, first: &str, second: &str) -> (i32, Value, String) {
    fs::write(folder.join("start.sfen"), "startpos\nstartpos\n").unwrap();
    // Of the match before.
    let _ = fs::remove_file(folder.join("games.usi"));
    let (first, second) = (format!("./{first}"), format!("./{second}"));
    let mut args = vec!["--game", "shogi", "match", &first, &second];
    args.extend(["--book", "start.sfen", "--games", "4", "--nodes", "10"]);
    args.extend(["--threads", "2", "--json", "--pgn", "games.usi"]);
    let output = tuner(folder, &args);
    let found = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code().unwrap(), found, words(&output))
}

#[test]
fn two_programs_play_to_the_end_and_the_games_are_data() {
    let folder = tempfile::tempdir().unwrap();
    shuffler(folder.path(), "one");
    shuffler(folder.path(), "two");
    let (status, found, said) = play(folder.path(), "one", "two");
    assert_eq!((status, &found["draws"]), (0, &4.into()), "{said}");
    let games = fs::read_to_string(folder.path().join("games.usi")).unwrap();
    let game = format!(
        "0.5 position startpos moves {}\n",
        ["2h3h 8b7b 3h2h 7b8b"; 3].join(" ")
    );
    assert_eq!(games, game.repeat(4));
    let args = ["--game", "shogi", "data", "profile", "games.usi", "--json"];
    let output = tuner(folder.path(), &args);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&found["positions"], &found["games"]),
        (&48.into(), &1.into())
    );
}

#[test]
fn who_resigns_loses_and_is_not_at_fault() {
    for (name, answer, fault) in [
        ("resigns", "resign", ""),
        ("declares", "win", "expected a legal move"),
        ("nonsense", "7g7e", "expected a legal move"),
        ("nifu", "P*5e", "expected a legal move"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        shuffler(folder.path(), "good");
        script(folder.path(), name, &format!("echo bestmove {answer}"));
        let (status, found, said) = play(folder.path(), "good", name);
        assert_eq!((status, &found["wins"]), (0, &4.into()), "{name} {said}");
        assert_eq!(
            said.contains("the game is lost"),
            !fault.is_empty(),
            "{said}"
        );
        assert!(said.contains(fault), "{name} {said}");
    }
}

#[test]
fn a_game_is_for_commands_that_have_rules() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("lines"),
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 [1.0]\n\
         sfen 4k4/9/9/9/9/9/9/9/4K4 w 2P 1 [0.5]\n",
    )
    .unwrap();
    for (args, status, part) in [
        (
            vec!["--game", "shogi", "data", "profile", "lines"],
            0,
            "positions",
        ),
        (
            vec!["data", "profile", "lines", "--game", "shogi"],
            0,
            "positions",
        ),
        (vec!["data", "profile", "lines"], 1, "4k3"),
        (
            vec!["--game", "go", "data", "profile", "lines"],
            2,
            "chess, shogi",
        ),
        (vec!["--game", "shogi", "spec", "schema"], 2, "leave it out"),
    ] {
        let output = tuner(folder.path(), &args);
        assert_eq!(
            output.status.code(),
            Some(status),
            "{args:?} {}",
            words(&output)
        );
        let all = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            words(&output)
        );
        assert!(all.contains(part), "{args:?} {all}");
    }
}
