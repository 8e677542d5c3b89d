#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use tuner_data::Outcome;

use super::*;
use crate::records::tests::{Read, read};

const FIRST: &str = r#"{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"color":0,"piece":"FU"}}"#;

fn game(moves: &str) -> Read {
    read(
        &JKF,
        format!("{{\"header\":{{}},\"moves\":[{{}},{moves}]}}").as_bytes(),
    )
}

#[test]
fn ends_have_their_results() {
    use Outcome::{Draw, Loss, Win};
    for (end, expected) in [
        ("TORYO", Some((Win, false))),
        ("KACHI", Some((Loss, false))),
        ("TIME_UP", Some((Win, true))),
        ("+ILLEGAL_ACTION", Some((Loss, true))),
        ("SENNICHITE", Some((Draw, false))),
        ("CHUDAN", None),
    ] {
        let read = game(&format!("{FIRST},{{\"special\":\"{end}\"}}"));
        assert_eq!(read.result(), expected, "{end}");
    }
    assert_eq!(game(FIRST).result(), None);
}

#[test]
fn short_moves_and_drops_are_read() {
    let short = r#"{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6}}},
        {"move":{"from":{"x":3,"y":3},"to":{"x":3,"y":4}}},
        {"move":{"from":{"x":8,"y":8},"to":{"x":2,"y":2},"promote":true}},
        {"move":{"from":{"x":3,"y":1},"to":{"x":2,"y":2},"same":true}},
        {"move":{"to":{"x":4,"y":5},"piece":"KA","relative":"H"}},{"special":"TORYO"}"#;
    let read = game(short);
    assert_eq!(
        (read.result(), read.positions.len()),
        (Some((Outcome::Win, false)), 5)
    );
    assert_eq!(read.positions[4].0, RecordPlace { line: 0, column: 6 });
}

#[test]
fn start_positions_are_read() {
    let start = |initial: &str| {
        let text = format!(
            "{{\"initial\":{initial},\"moves\":[{{}},{{\"move\":{{\"from\":{{\"x\":5,\"y\":1}},\
             \"to\":{{\"x\":5,\"y\":2}}}}}},{{\"special\":\"TORYO\"}}]}}"
        );
        let read = read(&JKF, text.as_bytes());
        read.positions
            .first()
            .map(|(_, read)| read.position.to_sfen())
    };
    let six = "2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
    assert_eq!(start("{\"preset\":\"6\"}").as_deref(), Some(six));
    let mut board = vec![vec![serde_json::json!({}); 9]; 9];
    board[4][0] = serde_json::json!({"color": 1, "kind": "OU"});
    board[4][8] = serde_json::json!({"color": 0, "kind": "OU"});
    let initial = serde_json::json!({"preset": "OTHER", "data": {"color": 1, "board": board,
        "hands": [{"FU": 2}, {"HI": 1}]}});
    assert_eq!(
        start(&initial.to_string()).as_deref(),
        Some("4k4/9/9/9/9/9/9/9/4K4 w 2Pr 1")
    );
    let mut problem = initial.clone();
    problem["data"]["board"][4][8] = serde_json::json!({});
    let text = serde_json::json!({"initial": problem, "moves": [{}]}).to_string();
    assert_eq!(read(&JKF, text.as_bytes()).unfinished, 1);
}

#[test]
fn what_is_wrong_is_told_with_the_move() {
    for (moves, number, part) in [
        (r#"{"move":{"to":{"x":7,"y":6}}}"#, 2, "a piece to drop"),
        (
            r#"{"move":{"to":{"x":10,"y":6}}}"#,
            2,
            "x and y from 1 to 9",
        ),
        (
            r#"{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":5}}}"#,
            2,
            "not legal",
        ),
        (
            r#"{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"KA"}}"#,
            2,
            "the piece that is there",
        ),
        (
            r#"{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"color":1}}"#,
            2,
            "other side",
        ),
        (
            r#"{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"color":2}}"#,
            2,
            "0 or 1",
        ),
        (
            r#"{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"promote":1}}"#,
            2,
            "true or false",
        ),
        (r#"{"special":"X"}"#, 2, "an end such as"),
        (r#"{"special":1}"#, 2, "an end such as"),
        (r#"{"special":"TORYO"},{"special":"KACHI"}"#, 3, "one end"),
    ] {
        let read = game(moves);
        let (line, column, words) = read.rejection();
        assert_eq!((line, column), (1, number), "{moves} {words}");
        assert!(words.contains(part), "{moves} {words}");
    }
    let read = game(&format!("{{\"special\":\"TORYO\"}},{FIRST}"));
    assert!(read.rejection().2.contains("behind the end"));
    for (text, part) in [
        ("{\"moves\":", "line 1 column"),
        ("{\"moves\":1}", "a list of moves"),
        ("{\"initial\":{\"preset\":\"X\"},\"moves\":[]}", "HIRATE"),
        ("{\"initial\":{},\"moves\":[]}", "HIRATE"),
        ("[]", "a list of moves"),
        ("{\"moves\":[\"7776FU\"]}", "an object of a move"),
        ("{\"initial\":{\"data\":[]},\"moves\":[]}", "as \"data\""),
    ] {
        let found = read_words(text);
        assert!(found.contains(part), "{text} {found}");
    }
    let deep = format!("{{\"moves\":{}", "[".repeat(100_000));
    assert!(read_words(&deep).contains("recursion"));
}

#[test]
fn a_board_and_hands_of_other_types_are_rejected() {
    for (name, value, expected) in [
        ("hands", "{\"0\":{\"FU\":2}}", "two hands"),
        ("hands", "[\"2FU\",{}]", "counts of pieces"),
        ("hands", "[{},[\"HI\"]]", "counts of pieces"),
        ("board", "\"startpos\"", "nine files"),
        ("board", "[1]", "nine squares"),
        ("board", "[[\"+KY\"]]", "color and kind"),
    ] {
        let initial = format!("{{\"data\":{{\"{name}\":{value}}}}}");
        let found = read_words(&format!("{{\"initial\":{initial},\"moves\":[]}}"));
        assert!(found.contains(name), "{value} {found}");
        assert!(found.contains(expected), "{value} {found}");
    }
}

fn read_words(text: &str) -> String {
    read(&JKF, text.as_bytes()).rejection().2.to_owned()
}
