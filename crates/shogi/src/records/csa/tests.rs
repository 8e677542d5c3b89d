#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use tuner_data::Outcome;

use super::*;
use crate::records::tests::read;

/// A game of some lines behind the usual head.
fn game(lines: &str) -> String {
    format!("V2.2\nPI\n+\n{lines}")
}

#[test]
fn every_end_has_its_result() {
    use Outcome::{Draw, Loss, Win};
    for (end, expected) in [
        ("%TORYO", Some((Loss, false))),
        ("%TSUMI", Some((Loss, false))),
        ("%KACHI", Some((Win, false))),
        ("%TIME_UP", Some((Loss, true))),
        ("%ILLEGAL_MOVE", Some((Loss, true))),
        ("%+ILLEGAL_ACTION", Some((Loss, true))),
        ("%-ILLEGAL_ACTION", Some((Win, true))),
        ("%SENNICHITE", Some((Draw, false))),
        ("%HIKIWAKE", Some((Draw, false))),
        ("%JISHOGI", Some((Draw, false))),
        ("%MAX_MOVES", Some((Draw, false))),
        ("%CHUDAN", None),
        ("%MATTA", None),
        ("%ERROR", None),
        ("%FUZUMI", None),
        ("", None),
    ] {
        let text = game(&format!("+7776FU\n-3334FU\n{end}\nT1\n'summary\n"));
        assert_eq!(read(&CSA, text.as_bytes()).result(), expected, "{end}");
    }
    // Where the other side is to move, the other side is meant.
    let text = game("+7776FU\n%TORYO\n");
    assert_eq!(read(&CSA, text.as_bytes()).result(), Some((Win, false)));
    // A mate needs no end.
    let mate = "P1 *  *  *  * -OU\nP3 *  *  *  * +FU *  *  *  * \n\
        P9 *  *  *  * +OU\nP+00KI\n+\n+0052KI\n";
    assert_eq!(read(&CSA, mate.as_bytes()).result(), Some((Win, false)));
    // The same end twice is one.
    let text = game("+7776FU\n%KACHI,'* -5000 win\n'summary\n%KACHI\n");
    assert_eq!(read(&CSA, text.as_bytes()).result(), Some((Loss, false)));
}

#[test]
fn perpetual_check_is_no_draw() {
    let start = "P1 *  *  *  * -OU\nP9 *  *  *  * +OU *  *  * +HI\n+\n";
    let round = "-5152OU\n+1112HI\n-5251OU\n+1211HI\n".repeat(3);
    let text = format!("{start}+1911HI\n{round}%SENNICHITE\n");
    assert_eq!(
        read(&CSA, text.as_bytes()).result(),
        Some((Outcome::Loss, false))
    );
    let quiet = "+2838HI\n-8272HI\n+3828HI\n-7282HI\n".repeat(3);
    let text = game(&format!("{quiet}%SENNICHITE\n"));
    assert_eq!(
        read(&CSA, text.as_bytes()).result(),
        Some((Outcome::Draw, false))
    );
}

#[test]
fn start_positions_are_read_in_all_their_forms() {
    let first = |text: &str| {
        let read = read(&CSA, format!("{text}\n%TORYO\n").as_bytes());
        assert_eq!(read.rejected.len(), 0, "{text} {:?}", read.rejected);
        read.positions[0].1.position.to_sfen()
    };
    let start = Position::start().to_sfen();
    assert_eq!(first("PI\n+\n+7776FU"), start);
    assert_eq!(first("+7776FU"), start);
    assert_eq!(
        first("V2.2\nN+a,b\nN-c\n$EVENT:x,y\nPI,+,+7776FU,T3"),
        start
    );
    let rows = "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY\nP2 * -HI *  *  *  *  * -KA *.\n\
        P3-FU-FU-FU-FU-FU-FU-FU-FU-FU\nP4\nP5 *  *  *  *  *  *  *  *  *  \nP6 * \n\
        P7+FU+FU+FU+FU+FU+FU+FU+FU+FU\nP8 * +KA *  *  *  *  * +HI *\n\
        P9+KY+KE+GI+KI+OU+KI+GI+KE+KY";
    assert_eq!(first(&format!("{rows}\n+\n+7776FU")), start);
    assert_eq!(
        first("PI82HI22KA\n-\n-3334FU"),
        "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
    );
    assert_eq!(
        first("P-51OU\nP+59OU00FU00FU\nP-00AL\n+\n+5958OU"),
        "4k4/9/9/9/9/9/9/9/4K4 b 2P2r2b4g4s4n4l16p 1"
    );
}

#[test]
fn games_are_apart_and_counted() {
    let text = format!(
        "{}/\n{}/\r\n\n'only a comment\n/\n{}",
        game("+7776FU\n%TORYO\n"),
        "PI\n+\n+7775FU\n%TORYO\n",
        game("+2726FU\n%CHUDAN\n")
    );
    let whole = read(&CSA, text.as_bytes());
    assert_eq!(
        (whole.units, whole.unfinished, whole.rejected.len()),
        (1, 1, 1)
    );
    assert_eq!((whole.rejected[0].0, whole.rejected[0].1), (9, 1));
    let end = (CSA.cut)(text.as_bytes()).unwrap();
    let (first, second) = (
        read(&CSA, &text.as_bytes()[..end]),
        read(&CSA, &text.as_bytes()[end..]),
    );
    assert_eq!(first.units + second.units, whole.units);
    assert_eq!((first.rejected.len(), second.unfinished), (1, 1));
    assert_eq!((CSA.cut)(b"PI\n+\n"), None);
    assert_ne!(
        read(&CSA, game("+7776FU\n%TORYO\n").as_bytes()).positions[0]
            .1
            .game,
        read(&CSA, game("+2726FU\n%TORYO\n").as_bytes()).positions[0]
            .1
            .game
    );
}

#[test]
fn scores_are_those_of_the_first_player() {
    let text = game(
        "+7776FU\nT1\n'** 104 -3334FU +2726FU\n'** 7\n-3334FU,T1,'** -30\n+2726FU\n'* 5\n\
         -8384FU\n'**評価値=-8\n+2625FU\n'** x\n%TORYO\n",
    );
    let scores: Vec<Option<i32>> = read(&CSA, text.as_bytes())
        .positions
        .iter()
        .map(|(_, read)| read.search_score)
        .collect();
    assert_eq!(scores, [Some(104), Some(-30), None, Some(-8), None]);
}

#[test]
fn an_illegal_move_ends_a_game_only_if_the_record_says_so() {
    use Outcome::{Loss, Win};
    for (end, expected) in [
        ("%ILLEGAL_MOVE", (Win, true)),
        ("%-ILLEGAL_ACTION", (Win, true)),
    ] {
        let text = game(&format!("+7776FU\n-3335FU\n{end}\n"));
        let read = read(&CSA, text.as_bytes());
        assert_eq!(read.result(), Some(expected), "{end}");
        assert_eq!(read.positions.len(), 1);
    }
    let text = game("+7775FU\n%ILLEGAL_MOVE\n");
    let none = read(&CSA, text.as_bytes());
    assert_eq!((none.units, none.positions.len()), (1, 0));
    for end in [
        "%TORYO",
        "%+ILLEGAL_ACTION",
        "%CHUDAN",
        "",
        "-8384FU",
        "+7776FU",
    ] {
        let text = game(&format!("+7776FU\n-3335FU\n{end}\n"));
        let read = read(&CSA, text.as_bytes());
        let (line, _, words) = read.rejection();
        assert!(
            words.contains("-3335FU") || words.contains("not legal"),
            "{end} {words}"
        );
        assert_eq!(line, 5, "{end}");
    }
    let text = game("+7776FU\n%-ILLEGAL_ACTION\n");
    assert_eq!(read(&CSA, text.as_bytes()).result(), Some((Win, true)));
    let text = game("+7776FU\n%+ILLEGAL_ACTION\n");
    assert_eq!(read(&CSA, text.as_bytes()).result(), Some((Loss, true)));
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (text, line, column, part) in [
        (game("+7776FU\n-7776FU\n"), 5, 1, "not legal"),
        (game("+7776FU\n+2726FU\n"), 5, 1, "other side"),
        (game("-3334FU\n"), 4, 1, "other side"),
        (game("+7776FU,-3335FU\n"), 4, 9, "not legal"),
        (game("+7776\n"), 4, 1, "a move such as"),
        (game("+7776TO\n"), 4, 1, "not legal"),
        (game("+7776XX\n"), 4, 1, "a move such as"),
        (game("+0076KI\n"), 4, 1, "not legal"),
        (game("+7700FU\n"), 4, 1, "a move such as"),
        (game("%NANI\n"), 4, 1, "an end such as"),
        (game("%TORYO\n+7776FU\n"), 5, 1, "behind the end"),
        (game("%TORYO\n%KACHI\n"), 5, 1, "one end"),
        (game("hello\n"), 4, 1, "a line of CSA"),
        (game("Tx\n"), 4, 1, "a line of CSA"),
        (game("+\n"), 4, 1, "once"),
        (game("PI\n"), 4, 1, "no start position"),
        ("PX\n".into(), 1, 1, "PI, P1 to P9"),
        ("P1-XX\n".into(), 1, 1, "nine squares"),
        ("P1-FUx\n".into(), 1, 1, "nine squares"),
        ("PI82KA\n".into(), 1, 1, "take away"),
        ("PI8\n".into(), 1, 1, "take away"),
        ("P+5\n".into(), 1, 1, "pieces such as"),
        ("P+59OU59KI\n".into(), 1, 1, "one piece a square"),
        ("P+00OU\n".into(), 1, 1, "pieces such as"),
        ("P+59OU00FU\n+\n".into(), 2, 1, "no king of gote"),
        ("P+59OU\nP-51OU58HI\n-\n".into(), 3, 1, "in check"),
    ] {
        let read = read(&CSA, text.as_bytes());
        let (found_line, found_column, words) = read.rejection();
        assert_eq!((found_line, found_column), (line, column), "{text} {words}");
        assert!(words.contains(part), "{text} {words}");
    }
}

#[test]
fn problems_are_no_games() {
    let text = "P1 *  *  *  * -OU\nP+00KI00KI\n+\n+0052KI\n-5152OU\n%TSUMI\n";
    let read = read(&CSA, text.as_bytes());
    assert_eq!(
        (read.unfinished, read.positions.len(), read.rejected.len()),
        (1, 0, 0)
    );
}
