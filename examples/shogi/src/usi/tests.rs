#![allow(clippy::unwrap_used)] // a failure is a failed test

use super::*;

fn talk(input: &[u8]) -> String {
    let mut output = Vec::new();
    run(input, &mut output).unwrap();
    String::from_utf8(output).unwrap()
}

#[test]
fn the_greeting_names_the_option() {
    let answer = talk(b"usi\nisready\nusinewgame\n");
    assert!(answer.contains("option name USI_Hash type spin"));
    assert!(answer.ends_with("usiok\nreadyok\n"));
}

#[test]
fn a_search_ends_with_a_legal_move() {
    let answer = talk(b"position startpos moves 7g7f 3c3d\ngo depth 3\n");
    let best = answer.lines().last().unwrap();
    let best = best.strip_prefix("bestmove ").unwrap();
    let line = format!("position startpos moves 7g7f 3c3d {best}");
    assert!(matches!(parse(&line), Ok(Some(Command::Position(..)))));
}

#[test]
fn only_stop_ends_an_infinite_search_with_an_answer() {
    for stop in ["stop", "gameover win"] {
        let lines = format!("position startpos\ngo infinite\nisready\n{stop}\n");
        let answer = talk(lines.as_bytes());
        assert!(answer.contains("readyok"));
        assert_eq!(answer.matches("bestmove").count(), 1);
    }
}

#[test]
fn every_go_is_answered() {
    let lines = b"go nodes 500\ngo btime 0 wtime 0 byoyomi 30\ngo movetime 5\n\
        go btime -3 wtime 50 binc 10 winc 10\nquit\n";
    assert_eq!(talk(lines).matches("bestmove").count(), 4);
    assert_eq!(talk(b"go mate 1000\n"), "checkmate notimplemented\n");
}

#[test]
fn an_invalid_go_is_answered_too() {
    for go in ["depth", "depth x", "nodes -1", "depth 2 searchmoves 7g7f"] {
        let answer = talk(format!("position startpos\ngo {go}\n").as_bytes());
        assert!(answer.starts_with("info string "), "{go}: {answer}");
        assert_eq!(answer.matches("bestmove").count(), 1, "{go}: {answer}");
    }
}

#[test]
fn readyok_waits_for_memory() {
    let answer = talk(b"setoption name USI_Hash value 64\nisready\ngo depth 1\nisready\n");
    assert_eq!(answer.matches("readyok").count(), 2, "{answer}");
    assert!(answer.starts_with("readyok"), "{answer}");
}

#[test]
fn a_finished_game_is_resigned() {
    let mated = b"position sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1\ngo depth 4\n";
    assert_eq!(talk(mated), "bestmove resign\n");
    // Not in check, and no move: lost as well.
    let stuck = b"position sfen 8k/9/8G/9/9/9/9/7R1/4K4 w - 1\ngo depth 4\n";
    assert_eq!(talk(stuck), "bestmove resign\n");
}

#[test]
fn an_entering_king_declares() {
    let camp = "position sfen 1RRBB4/KGGSSLL2/9/9/9/9/9/9/8k b";
    assert_eq!(
        talk(format!("{camp} 2P 1\ngo depth 2\n").as_bytes()),
        "bestmove win\n"
    );
    let answer = talk(format!("{camp} P 1\ngo nodes 50\n").as_bytes());
    assert!(!answer.contains("bestmove win"), "{answer}");
}

#[test]
fn invalid_lines_are_answered_and_change_nothing() {
    let lines: [&[u8]; 14] = [
        b"xyzzy",
        b"\xff\xfe\x00",
        b"position",
        b"position sfen",
        b"position sfen 9/9/9/9/9/9/9/9/9 b - 1",
        b"position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL x - 1",
        b"position startpos moves 7g7e",
        b"position startpos moves 7g7f 0000",
        b"position startpos moves \xc3\xa9",
        b"position startpos 7g7f",
        b"setoption",
        b"setoption name USI_Hash value 0",
        b"setoption name Threads value 4",
        b"bench x",
    ];
    let mut input = b"position startpos moves 2g2f\n".to_vec();
    for line in lines {
        input.extend_from_slice(line);
        input.push(b'\n');
    }
    input.extend_from_slice(b"eval\n");
    let answer = talk(&input);
    assert_eq!(answer.lines().count(), lines.len() + 1, "{answer}");
    assert!(answer.lines().all(|line| line.starts_with("info string")));
    let after = talk(b"position startpos moves 2g2f\neval\n");
    assert!(answer.ends_with(&after));
}

#[test]
fn mates_are_told_in_plies() {
    let result = |score| SearchResult {
        score,
        ..SearchResult::default()
    };
    let told = |score| progress(&result(score), Duration::ZERO);
    assert!(told(MATE - 1).contains("score mate 1 "));
    assert!(told(MATE - 3).contains("score mate 3 "));
    assert!(told(2 - MATE).contains("score mate -2 "));
    assert!(told(-35).contains("score cp -35 "));
}
