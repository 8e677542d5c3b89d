#![allow(clippy::unwrap_used)] // a failure is a failed test

use super::*;

fn talk(input: &[u8]) -> String {
    let mut output = Vec::new();
    run(input, &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

#[test]
fn the_greeting_names_the_option() {
    let answer = talk(b"uci\nisready\n");
    assert!(answer.contains("option name Hash type spin"));
    assert!(answer.contains("\noption name Threads type spin default 1 min 1 max 1\n"));
    assert_eq!(
        talk(b"setoption name Threads value 1\nisready\n"),
        "readyok\n"
    );
    assert!(answer.ends_with("uciok\nreadyok\n"));
}

#[test]
fn a_search_ends_with_a_legal_move() {
    let answer = talk(b"position startpos moves e2e4 e7e5\ngo depth 3\n");
    let best = answer
        .lines()
        .last()
        .unwrap()
        .strip_prefix("bestmove ")
        .unwrap();
    let line = format!("position startpos moves e2e4 e7e5 {best}");
    assert!(matches!(parse(&line), Ok(Some(Command::Position(..)))));
}

#[test]
fn only_stop_ends_an_infinite_search_with_an_answer() {
    let answer = talk(b"position fen 7k/5Q2/6K1/8/8/8/8/8 w - - 0 1\ngo infinite\nisready\nstop\n");
    assert!(answer.contains("readyok"));
    assert_eq!(answer.matches("bestmove").count(), 1);
}

#[test]
fn every_go_is_answered() {
    let answer = talk(b"go nodes 500\ngo nodes 500\ngo movetime 5\ngo wtime 50 btime -3\nquit\n");
    assert_eq!(answer.matches("bestmove").count(), 4);
}

#[test]
fn an_invalid_go_is_answered_too() {
    for go in ["depth", "depth x", "nodes -1", "depth 2 searchmoves e2e4"] {
        let answer = talk(format!("position startpos\ngo {go}\n").as_bytes());
        assert!(answer.starts_with("info string "), "{go}: {answer}");
        assert_eq!(answer.matches("bestmove").count(), 1, "{go}: {answer}");
    }
}

#[test]
fn readyok_waits_for_memory() {
    let answer = talk(b"setoption name Hash value 64\nisready\ngo depth 1\nisready\n");
    assert_eq!(answer.matches("readyok").count(), 2, "{answer}");
    assert!(answer.starts_with("readyok"), "{answer}");
}

#[test]
fn a_finished_game_has_no_best_move() {
    let mated = b"position fen R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1\ngo depth 4\n";
    assert_eq!(talk(mated), "bestmove 0000\n");
}

/// Each number of the search is an option, and the search heeds it.
#[test]
fn numbers_of_the_search_are_options() {
    let greeting = talk(b"uci\n");
    let line = "option name FutilityMargin type spin default 80 min 0 max 1000\n";
    assert!(greeting.contains(line), "{greeting}");
    let found = |option: &str| {
        let answer = talk(format!("{option}\nposition startpos\ngo depth 7\n").as_bytes());
        let last = answer.lines().rev().nth(1).unwrap_or_default().to_owned();
        last.split(" nps ").next().unwrap_or_default().to_owned()
    };
    let usual = found("");
    for (name, same, other) in [
        ("FutilityMargin", 80, 5),
        ("LateMoves", 3, 0),
        ("reduction", 25, 90),
        ("CaptureMargin", 200, -900),
    ] {
        let set = |value: i32| found(&format!("setoption name {name} value {value}"));
        assert_eq!(set(same), usual, "{name}");
        assert_ne!(set(other), usual, "{name}");
    }
    let refused = talk(b"setoption name LateMoves value 61\n");
    assert_eq!(refused, "info string LateMoves is 61, expected 0 to 60\n");
}

#[test]
fn invalid_lines_are_answered_and_change_nothing() {
    let lines: [&[u8]; 14] = [
        b"xyzzy",
        b"\xff\xfe\x00",
        b"position",
        b"position fen",
        b"position fen 8/8/8/8/8/8/8/8 w - - 0 1",
        b"position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",
        b"position startpos moves e2e5",
        b"position startpos moves e2e4 0000",
        b"position startpos moves \xc3\xa9",
        b"position startpos e2e4",
        b"setoption",
        b"setoption name Hash value 0",
        b"setoption name Threads value 4",
        b"bench x",
    ];
    let mut input = b"position startpos moves d2d4\n".to_vec();
    for line in lines {
        input.extend_from_slice(line);
        input.push(b'\n');
    }
    input.extend_from_slice(b"eval\n");
    let answer = talk(&input);
    assert_eq!(answer.lines().count(), lines.len() + 1, "{answer}");
    assert!(answer.lines().all(|line| line.starts_with("info string")));
    let after_d4 = talk(b"position startpos moves d2d4\neval\n");
    assert!(answer.ends_with(&after_d4));
}

#[test]
fn mates_are_told_in_moves() {
    let result = |score| SearchResult {
        score,
        ..SearchResult::default()
    };
    let told = |score| progress(&result(score), Duration::ZERO);
    assert!(told(MATE - 1).contains("score mate 1 "));
    assert!(told(MATE - 3).contains("score mate 2 "));
    assert!(told(2 - MATE).contains("score mate -1 "));
    assert!(told(-35).contains("score cp -35 "));
}
