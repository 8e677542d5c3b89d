//! Valid games and damaged ones.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod compared;

use shakmaty::{Chess, Position};
use tuner_data::Outcome;
use tuner_data::{
    Fault, LabelledPosition, MATE, PositionNotation, RecordEvent, RecordPlace, StatedScores,
};

use super::PGN;
use crate::Fen;

#[derive(Default)]
struct All {
    positions: Vec<(RecordPlace, LabelledPosition<Chess>)>,
    games: usize,
    unfinished: usize,
    texts: usize,
    unread: Vec<(u64, u64, Box<str>)>,
    rejected: Vec<(RecordPlace, Fault)>,
}

fn parse(bytes: &[u8]) -> All {
    let mut all = All::default();
    (PGN.parse)(bytes, StatedScores::default(), &mut |found| match found {
        RecordEvent::Position(place, labelled) => all.positions.push((place, labelled)),
        RecordEvent::Unit => all.games += 1,
        RecordEvent::Text => all.texts += 1,
        RecordEvent::Unread(place, count, first) => all.unread.push((place.line, count, first)),
        RecordEvent::Unfinished => all.unfinished += 1,
        RecordEvent::Rejected(place, fault) => all.rejected.push((place, fault)),
    });
    all
}

/// Positions of one game that must be good.
fn good(text: &str) -> Vec<LabelledPosition<Chess>> {
    let all = parse(text.as_bytes());
    assert_eq!(
        (all.games, all.rejected.len()),
        (1, 0),
        "{text}: {:?}",
        all.rejected
    );
    all.positions
        .into_iter()
        .map(|(_, labelled)| labelled)
        .collect()
}

/// Line, column and words of one game that must be bad.
fn bad(text: &[u8]) -> (u64, u64, String) {
    let all = parse(text);
    assert_eq!((all.games, all.positions.len()), (0, 0));
    let [(place, fault)] = all.rejected.as_slice() else {
        panic!("{:?}", all.rejected)
    };
    (place.line + 1, place.column, fault.to_string())
}

#[test]
fn positions_have_result_ply_and_the_moves_around_them() {
    let game = good("[Result \"0-1\"]\n\n1. e4 d5 2. exd5 Qxd5 3. Nc3 0-1\n");
    assert_eq!(game.len(), 5);
    assert!(game.iter().all(|p| p.outcome == Outcome::Loss));
    assert_eq!(game[0].position, Chess::default());
    let plies: Vec<_> = game.iter().map(|p| p.ply.unwrap()).collect();
    assert_eq!(plies, [0, 1, 2, 3, 4]);
    let left: Vec<_> = game.iter().map(|p| p.around.plies_left.unwrap()).collect();
    assert_eq!(left, [5, 4, 3, 2, 1]);
    let next: Vec<_> = game
        .iter()
        .map(|p| p.around.next_tactical.unwrap())
        .collect();
    assert_eq!(next, [false, false, true, true, false]);
    let last: Vec<_> = game.iter().map(|p| p.around.last_tactical).collect();
    assert_eq!(
        last,
        [None, Some(false), Some(false), Some(true), Some(true)]
    );
    assert_eq!(game[4].position.board().to_string().matches('q').count(), 1);
}

#[test]
fn scores_are_from_whites_view() {
    let game = good(
        "[Result \"1-0\"]\n\n1. e4 {+0.30/12 0.5s} e5 {+0.25/11 1s, nice} 2. Nf3 {book}\n\
         Nc6 { d=3, wv=0.42, } 3. Bb5 {+M7/20 1s} a6 {-M6/9 0s} 4. Ba4 $1 {[%eval -1.5]}\n\
         Nf6 {(Ng8-f6) -0.10/12 3} 1-0",
    );
    let scores: Vec<_> = game.iter().map(|p| p.search_score).collect();
    assert_eq!(
        scores,
        [
            Some(30),
            Some(-25),
            None,
            Some(42),
            Some(MATE - 7),
            Some(MATE - 6),
            None,
            Some(10)
        ]
    );
}

/// As lichess writes them, and as python-chess' `node.eval()` has them.
#[test]
fn an_evaluation_is_of_the_position_after_the_move() {
    let game = good(
        "[Result \"0-1\"]\n\n{[%eval 0.15]} 1. f3 { [%eval -0.61] [%clk 0:10:00] } \
         (1. e4 {[%eval 0.3]}) e5 { [%eval -0.5,22] } 2. g4 {a move} { [%eval #-1] } Qh4# 0-1",
    );
    let scores: Vec<_> = game.iter().map(|p| p.search_score).collect();
    // Black's move is mate: one half-move.
    let mate = -(MATE - 1);
    assert_eq!(scores, [Some(15), Some(-61), Some(-50), Some(mate)]);
    let game = good(
        "[Result \"1-0\"]\n\n1. e4 {[%eval #2]} e5 {[%eval #-3]} 2. Nf3 {+0.2/9 1s} {[%eval 1]} \
         Nc6 {-0.1/9 1s} 1-0",
    );
    let scores: Vec<_> = game.iter().map(|p| p.search_score).collect();
    let [second, third] = [MATE - 4, -(MATE - 6)];
    assert_eq!(scores, [None, Some(second), Some(20), Some(10)]);
    let game = good("[Result \"1-0\"]\n\n1. e4 e5 {[%eval #-3]} 2. Nf3 1-0");
    assert_eq!(game[2].search_score, Some(third));
}

#[test]
fn everything_else_is_ignored() {
    let plain = good("[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. O-O 1-0");
    let decorated = good(
        "%escape [\n[Event \"a \\\"quoted\\\" [name]\"] [Site \"two on a line\"]\r\n\
         [Result \"1-0\"]\r\n\r\n\
         {before} 1.e4! (1. d4 {no } (1. c4) d5) 1... e5?! $14 ; rest of line ) }\r\n\
         2 . Nf3 $1$2 Nc6!? {a} {b}\n%1. illegal\n3.\n\nBc4 Nf6 4. 0-0 {Wei\u{df}} 1-0 {after}\n\u{1a}",
    );
    let positions = |game: &[LabelledPosition<Chess>]| -> Vec<Chess> {
        game.iter().map(|p| p.position.clone()).collect()
    };
    assert_eq!(positions(&plain), positions(&decorated));
    let latin = b"[White \"M\xfcller\"]\n[Result \"1-0\"]\n\n1. e4 {Gr\xfc\xdfe} e5 1-0\n";
    assert_eq!(parse(latin).positions.len(), 2);
}

#[test]
fn tags_and_moves_may_share_a_line() {
    let line = "[Event \"x\"] [Result \"1-0\"] 1. e4 e5 2. Nf3 1-0\n";
    let all = parse(line.repeat(2).as_bytes());
    assert_eq!(
        (all.games, all.positions.len(), all.rejected.len()),
        (2, 6, 0)
    );
    assert_eq!(
        all.positions[3].0,
        RecordPlace {
            line: 1,
            column: 31
        }
    );
    let (line, column, words) = bad(b"[Result \"1-0\"] e5 1-0");
    assert_eq!((line, column), (1, 16), "{words}");
}

#[test]
fn a_number_is_not_a_first_move() {
    for (text, expected) in [
        ("1. e4", true),
        ("1.e4", true),
        ("1... e5", true),
        ("1. {book} e4", true),
        ("1.\ne4", true),
        ("[Event \"x\"]", true),
        ("1.0 4k3/8/8/8/8/8/8/4K3 w - - 0 1", false),
        ("1.5", false),
        ("1 e4", false),
    ] {
        assert_eq!((PGN.recognises)(text.as_bytes(), true), expected, "{text}");
    }
}

#[test]
fn games_begin_anywhere_in_chess960_too() {
    let game = good(
        "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 3 40\"]\n[Result \"1/2-1/2\"]\n\n40... Kd7 41. e4 1/2-1/2",
    );
    assert_eq!(game[0].ply, Some(79));
    let game = good(
        "[Variant \"fischerandom\"]\n\
         [FEN \"rqbknnrb/pppppppp/8/8/8/8/PPPPPPPP/RQBKNNRB w KQkq - 0 1\"]\n[Result \"1-0\"]\n\n\
         1. Ng3 Ng6 2. Nf3 Nf6 3. O-O d6 4. d3 1-0",
    );
    let fen = Fen.describe(&game[6].position);
    assert!(fen.contains("RQB2RKB") && fen.contains(" kq "), "{fen}");
    assert_eq!(Fen.parse(&fen).unwrap(), game[6].position);
}

#[test]
fn results_come_from_tag_and_moves_and_must_agree() {
    for (text, outcome) in [
        ("[Result \"1-0\"]\n\n1. e4 e5", Outcome::Win),
        ("[White \"x\"]\n\n1. e4 e5 0-1", Outcome::Loss),
        ("1. e4 e5 1/2-1/2", Outcome::Draw),
        (
            "[Result \"1/2-1/2\"]\n\n1. e4 1/2-1/2 {x} 1/2-1/2",
            Outcome::Draw,
        ),
    ] {
        assert!(good(text).iter().all(|p| p.outcome == outcome), "{text}");
    }
    let text = b"[Result \"*\"]\n\n1. e4 nonsense\n\n[Event \"x\"]\n\n1. e4 *\n";
    let all = parse(text);
    assert_eq!((all.unfinished, all.games, all.rejected.len()), (2, 0, 0));
    let (_, _, words) = bad(b"[Result \"*\"]\n\n1. e4 1-0\n");
    assert!(
        words.contains("expected *, as the tag Result says"),
        "{words}"
    );
}

/// Scores of the positions of a game with such moves.
fn scores(moves: &str) -> Vec<Option<i32>> {
    let game = good(&format!("[Result \"1-0\"]\n\n{moves} 1-0\n"));
    game.iter().map(|labelled| labelled.search_score).collect()
}

#[test]
fn evals_are_read_however_they_are_written() {
    // White's view throughout; of the position before the move where there is a depth.
    for (moves, expected) in [
        (
            "1. d4 {[%eval 23,14] [%emt 0:00:27]} d5 {[%eval -17,27]} 2. c4 {[%eval 25,16]}",
            &[Some(23), Some(-17), Some(25)][..],
        ),
        (
            "1. e4 {[%eval\n0.17] [%clk 0:00:30]} c5 {[%clk 0:00:30] [%eval\n0.19]} \
             2. Nf3 {[%eval  0.25]} Nc6 {[%eval\t.33]} 3. d4 {[%EVAL 0.40]}",
            &[None, Some(17), Some(19), Some(25), Some(33)],
        ),
        (
            "1. e4 { [%eval 0.2] } e5 { (0.20 → 0.31) Inaccuracy. [%eval 0.31] } \
             2. f4 { 2nd best [%eval -0.25] } exf4 { - a gambit [%eval -0.4] } 3. Nf3",
            &[None, Some(20), Some(31), Some(-25), Some(-40)],
        ),
        // Whole numbers: centipawns, but where others have a point.
        (
            "1. e4 {[%eval 20]} e5 {[%eval -31]} 2. f4",
            &[None, Some(20), Some(-31)],
        ),
        (
            "1. e4 {[%eval 1]} e5 {[%eval -0.3]} 2. f4",
            &[None, Some(100), Some(-30)],
        ),
        // A comma in the place of the point, as the second one tells.
        (
            "1. e4 {[%eval 0,20]} e5 {[%eval -0,31]} 2. f4 {[%eval 1,05]} d6",
            &[None, Some(20), Some(-31), Some(105)],
        ),
    ] {
        assert_eq!(scores(moves), expected, "{moves}");
    }
}

#[test]
fn comments_with_scores_that_are_not_read_are_told() {
    let game =
        "[Result \"1-0\"]\n\n1. e4 {book} e5 {+30/12 1s}\n2. f4 {(+0.30/12)} f5 {+0.1/2} 1-0\n";
    let [(line, count, first)] = &parse(game.as_bytes()).unread[..] else {
        panic!("one event a game");
    };
    assert_eq!((*line, *count), (2, 2));
    assert!(first.contains("such as \"+30/12 1s\"; write"), "{first}");
    assert!(parse(b"1. e4 {book} e5 {+0.1/2} 1-0").unread.is_empty());
}

#[test]
fn moves_may_be_those_of_uci() {
    let game = good("1. e2e4 e7e5 2. g1f3 b8c6 3. f1b5 a7a6 4. e1g1 1-0");
    assert_eq!(game.len(), 7);
}

#[test]
fn chess_and_chess960_by_any_name_and_nothing_else() {
    let game = |variant: &str| format!("[Variant \"{variant}\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n");
    for variant in [
        "Standard",
        "From Position",
        "chess 960",
        "Fischer Random Chess",
        "normal",
        "",
    ] {
        assert_eq!(good(&game(variant)).len(), 1, "{variant}");
    }
    for variant in [
        "nocastle",
        "5-check",
        "Chess with different armies",
        "shatranj",
        "Horde",
    ] {
        let text = game(variant).replace("[Variant", "[VARIANT");
        let (_, _, words) = bad(text.as_bytes());
        assert!(words.contains("expected chess, or Chess960"), "{words}");
    }
}

#[test]
fn no_game_begins_within_a_comment_that_ends() {
    let quoted = "[Event \"a\"]\n[Result \"1-0\"]\n\n1. e4 {The model game ended 0-1\n\n\
                  1. d4 d5 2. c4 0-1\n\nand was quoted; see 1-0\n\nbelow.} e5 1-0\n\n\
                  [Event \"b {\"]\n[Result \"1/2-1/2\"]\n\n1. c4 c5 1/2-1/2\n";
    let all = parse(quoted.as_bytes());
    assert_eq!(
        (all.games, all.rejected.len(), all.positions.len()),
        (2, 0, 4)
    );
    let with_tags = quoted.replace(
        "1. d4 d5 2",
        "[Event \"x\"]\n[Result \"0-1\"]\n\n1. d4 d5 2",
    );
    let all = parse(with_tags.as_bytes());
    assert_eq!(
        (all.games, all.rejected.len(), all.positions.len()),
        (2, 0, 4)
    );
    // A comment that is never closed costs its game, however long the file is.
    let open = format!(
        "[Event \"a\"]\n\n1. e4 {{open\n\n{}",
        "[Event \"b\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n".repeat(4_000)
    );
    let all = parse(open.as_bytes());
    assert_eq!((all.games, all.rejected.len()), (4_000, 1));
}

#[test]
fn text_between_games_is_counted() {
    let game = "[Event \"T\"]\n[Result \"0-1\"]\n\n1. e4 c5 0-1\n\n";
    for head in [
        "Games of the club, typed in by hand\n\n",
        ";; <P // R (R3.1) 25 1-0>\n",
        "# x\n",
    ] {
        let text = [head, game, head, game].concat();
        assert!((PGN.recognises)(text.as_bytes(), true), "{head}");
        let all = parse(text.as_bytes());
        assert_eq!(
            (all.games, all.rejected.len(), all.texts),
            (2, 0, 2),
            "{head}"
        );
    }
    // What has a move or a result is a game, and a bad one.
    assert!(bad(b"1. e4 nonsense\n").2.contains("expected a move"));
}

#[test]
fn games_not_decided_by_their_moves_are_forfeits() {
    for (tag, forfeit) in [
        ("Termination \"time forfeit\"", true),
        ("Termination \"abandoned\"", true),
        ("Termination \"adjudication\"", false),
        ("Termination \"Time forfeit\"", true),
        ("TerminationDetails \"White's connection stalls\"", true),
        ("Termination \"amy won on time\"", true),
        ("termination \"won by forfeit\"", true),
        ("Termination \"White timed out\"", true),
        (
            "Termination \"Game drawn by timeout vs insufficient material\"",
            false,
        ),
    ] {
        let game = good(&format!("[{tag}]\n[Result \"1-0\"]\n\n1. e4 1-0"));
        assert_eq!(game[0].around.forfeit, Some(forfeit), "{tag}");
    }
    for (moves, forfeit) in [
        ("1. e4 {time forfeit}", Some(true)),
        ("1. e4 {White resigns}", None),
        ("1. e4 {White forfeits on time}", Some(true)),
        ("1. e4 {-0.1/5 1s, Black loses on time}", Some(true)),
        ("1. e4 {Black forfeits on time} e5", None),
    ] {
        let game = good(&format!("[Event \"time forfeit\"]\n\n{moves} 1-0"));
        assert_eq!(game[0].around.forfeit, forfeit, "{moves}");
    }
}

#[test]
fn a_result_is_that_of_the_board() {
    for (game, line, column, words) in [
        (
            "[Result \"1-0\"]\n\n1. f3 e5 2. g4 Qh4# 1-0",
            3,
            21,
            "found the result 1-0, expected 0-1, as the moves end in checkmate by Black",
        ),
        (
            "[Result \"1/2-1/2\"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7",
            3,
            39,
            "expected 1-0, as the moves end in checkmate by White",
        ),
        (
            "[FEN \"k7/3Q4/8/8/8/8/8/7K w - - 0 1\"]\n[Result \"1-0\"]\n\n1. Qc7 1-0",
            4,
            8,
            "expected 1/2-1/2, as the moves end in stalemate",
        ),
    ] {
        let (found_line, found_column, found) = bad(game.as_bytes());
        assert_eq!(
            (found_line, found_column),
            (line, column),
            "{game}: {found}"
        );
        assert!(found.contains(words), "{game}: {found}");
    }
    // What the board says, or lack of material, which time may run out upon.
    let mate = "[Result \"0-1\"]\n\n1. f3 e5 2. g4 Qh4# 0-1";
    let bare = "[FEN \"k7/8/8/8/8/8/6r1/7K w - - 0 1\"]\n[Result \"0-1\"]\n\n1. Kxg2 0-1";
    for game in [mate, bare] {
        good(game);
    }
}

#[test]
fn a_bad_game_is_rejected_where_it_is_bad() {
    for (text, line, column, part) in [
        (
            "[Result \"1-0\"]\n\n1. e4 e5\n2. Ke3 1-0",
            4,
            4,
            "found Ke3, which is not legal in",
        ),
        (
            "[Result \"1-0\"]\n\n1. e4 xyz 2. Nf3 1-0",
            3,
            7,
            "found \"xyz\", expected a move",
        ),
        ("[Result \"1-0\"]\n\n1. e4 e5x 1-0", 3, 7, "found \"e5x\""),
        (
            "[Result \"1-0\"]\n\n1. e4 e5 0-1",
            3,
            10,
            "found 0-1 at the end of the moves, expected 1-0",
        ),
        (
            "[Result \"1-0\"]\n\n1. e4 e5 *",
            3,
            10,
            "found * at the end",
        ),
        (
            "[Result \"1-0\"]\n\n1. e4 1-0 e5",
            3,
            11,
            "behind the result",
        ),
        ("[Event \"x\"]\n\n1. e4 e5", 3, 9, "found no result"),
        ("[Event \"x\"]\n\n1. e4 1-0 0-1", 3, 11, "a second result"),
        (
            "[Result \"won\"]\n\n1. e4",
            1,
            1,
            "found \"won\", expected a result",
        ),
        (
            "[Result \"1-0\"]\n[Result \"0-1\"]\n\n1. e4",
            2,
            1,
            "one result",
        ),
        (
            "[Result \"1-0\"]\n[FEN \"8/8 w\"]\n\n1. e4",
            2,
            1,
            "a FEN of 2 fields",
        ),
        (
            "[Result \"1-0\"]\n[Variant \"Atomic\"]\n\n1. e4",
            2,
            1,
            "expected chess",
        ),
        (
            "[Result \"1-0\"]\n[Event \"x]\n\n1. e4",
            2,
            1,
            "expected a tag",
        ),
        (
            "[Result \"1-0\"]\n\n1. e4 {no end\n2. d4 1-0",
            3,
            7,
            "a comment that ends",
        ),
        (
            "[Result \"1-0\"]\n\n1. e4 (1. d4 (d5) 1-0",
            3,
            7,
            "a variation that ends",
        ),
        ("[Result \"1-0\"]\n\n1. e4 e5) 1-0", 3, 9, "found \")\""),
        ("[Result \"1-0\"]\n\n1. e4 -- 1-0", 3, 7, "-"),
        ("[Result \"1-0\"]\n\n1. e4 0-2", 3, 7, "found \"0-2\""),
    ] {
        let (found_line, found_column, words) = bad(text.as_bytes());
        assert_eq!(
            (found_line, found_column),
            (line, column),
            "{text}: {words}"
        );
        assert!(
            words.contains(part) && words.contains("; "),
            "{text}: {words}"
        );
    }
}

#[test]
fn a_result_in_other_words_tells_of_all_games() {
    for (result, all) in [
        ("0.5-0.5", true),
        ("draw", true),
        ("0-0", false),
        ("?", false),
    ] {
        let (_, _, words) = bad(format!("[Result \"{result}\"]\n\n1. e4 *\n").as_bytes());
        assert_eq!(words.contains("another way"), all, "{words}");
    }
}

#[test]
fn a_bad_game_is_rejected_alone() {
    let good = "[Event \"g\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n";
    let bad = "[Event \"b\"]\n[Result \"1-0\"]\n\n1. e4 {never ends\n\n";
    let all = parse([good, bad, good].concat().as_bytes());
    assert_eq!(
        (all.games, all.rejected.len(), all.positions.len()),
        (2, 1, 4)
    );
    assert_eq!(all.rejected[0].0, RecordPlace { line: 8, column: 7 });
    let keys: Vec<_> = all.positions.iter().map(|(_, p)| p.game).collect();
    assert_eq!(keys[0], keys[2], "the same game twice is one game");
}

#[test]
fn endless_tokens_do_not_overflow_the_stack() {
    let text = format!("[Result \"1-0\"]\n\n{} e4 1-0", "1 ".repeat(1_000_000));
    assert_eq!(good(&text).len(), 1);
    let text = format!("[Result \"1-0\"]\n\n1. e4 {}", "(".repeat(1_000_000));
    assert!(bad(text.as_bytes()).2.contains("variation"));
}
