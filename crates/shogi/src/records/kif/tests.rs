#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use tuner_data::Outcome;

use super::*;
use crate::records::tests::{Read, read};

const TITLE: &str = "手数----指手---------消費時間--\n";

fn kif(lines: &str) -> Read {
    read(&KIF, format!("手合割：平手\n{TITLE}{lines}").as_bytes())
}

fn ki2(lines: &str) -> Read {
    read(&KI2, lines.as_bytes())
}

#[test]
fn every_end_has_its_result() {
    use Outcome::{Draw, Loss, Win};
    for (end, expected) in [
        ("投了", Some((Loss, false))),
        ("詰み", Some((Loss, false))),
        ("入玉勝ち", Some((Win, false))),
        ("切れ負け", Some((Loss, true))),
        ("Time-up", Some((Loss, true))),
        ("反則負け", Some((Loss, true))),
        ("反則勝ち", Some((Win, true))),
        ("不戦敗", Some((Loss, true))),
        ("不戦勝", Some((Win, true))),
        ("千日手", Some((Draw, false))),
        ("持将棋", Some((Draw, false))),
        ("中断", None),
        ("封じ手", None),
        ("不詰", None),
    ] {
        let lines = format!("   1 ７六歩(77)\n   2 ３四歩(33)\n   3 {end}   ( 0:00/00:00:01)\n");
        assert_eq!(kif(&lines).result(), expected, "{end}");
    }
    assert_eq!(kif("1 ７六歩(77)\n2 投了\n").result(), Some((Win, false)));
    assert_eq!(kif("1 ７六歩(77)\n").result(), None);
}

#[test]
fn the_last_line_says_how_it_ended() {
    use Outcome::{Draw, Loss, Win};
    for (end, expected) in [
        ("先手の勝ち", Some((Win, false))),
        ("後手の勝ち", Some((Loss, false))),
        ("下手の勝ち", Some((Win, false))),
        ("上手の勝ち", Some((Loss, false))),
        ("時間切れにより先手の勝ち", Some((Win, true))),
        ("先手の反則負け", Some((Loss, true))),
        ("後手の反則勝ち", Some((Loss, true))),
        ("先手の入玉勝ち", Some((Win, false))),
        ("千日手", Some((Draw, false))),
        ("持将棋", Some((Draw, false))),
        ("詰み", Some((Loss, false))),
        ("中断", None),
        ("不詰", None),
    ] {
        let read = ki2(&format!("▲７六歩 △３四歩\nまで2手で{end}\n"));
        assert_eq!(read.result(), expected, "{end}");
    }
    assert_eq!(
        ki2("▲７六歩 △３四歩\nまで２手で後手の勝ち\n").result(),
        Some((Loss, false))
    );
    // Both agree, or the game is refused.
    let moves = "1 ７六歩(77)\n2 ３四歩(33)\n3 投了\n";
    assert_eq!(
        kif(&format!("{moves}まで2手で後手の勝ち\n")).result(),
        Some((Loss, false))
    );
    for (line, part) in [
        ("まで2手で先手の勝ち", "contradicts"),
        ("まで3手で後手の勝ち", "behind 2 moves"),
        ("まで2手でおわり", "how the game ended"),
    ] {
        let read = kif(&format!("{moves}{line}\n"));
        let (at, column, words) = read.rejection();
        assert_eq!((at, column), (6, 1), "{words}");
        assert!(words.contains(part), "{words}");
    }
}

#[test]
fn perpetual_check_is_no_draw() {
    let head = "後手の持駒：なし\n| ・ ・ ・ ・v玉 ・ ・ ・ ・|一\n".to_owned()
        + &"| ・ ・ ・ ・ ・ ・ ・ ・ ・|\n".repeat(7)
        + "| ・ ・ ・ ・ 玉 ・ ・ ・ 飛|九\n先手の持駒：なし\n";
    let round = "△５二玉 ▲１二飛 △５一玉 ▲１一飛 ".repeat(3);
    let read = ki2(&format!("{head}▲１一飛 {round}\nまで13手で千日手\n"));
    assert_eq!(read.result(), Some((Outcome::Loss, false)));
}

#[test]
fn handicaps_and_diagrams_are_start_positions() {
    let first = |head: &str, m: &str| {
        let read = read(&KIF, format!("{head}\n{TITLE}1 {m}\n2 投了\n").as_bytes());
        assert!(read.rejected.is_empty(), "{head} {:?}", read.rejected);
        let (_, first) = &read.positions[0];
        (first.position.to_sfen(), first.outcome.outcome().unwrap())
    };
    let (sfen, outcome) = first("手合割：二枚落ち　　", "３四歩(33)");
    assert_eq!(
        sfen,
        "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
    );
    assert_eq!(outcome, Outcome::Loss, "gote moved, sente gave up");
    let diagram =
        "後手の持駒：飛　歩十七　\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n\
        |v香 ・ ・ ・v玉 ・ ・ ・v杏|一\n| ・ 馬 ・ ・ ・ ・ ・ 龍 ・|二\n"
            .to_owned()
            + &"| ・ ・ ・ ・ ・ ・ ・ ・ ・|三\n".repeat(6)
            + "| ・ ・ ・ ・ 王 ・ 全 圭 と|九\n+---------------------------+\n先手の持駒：金二　銀\n";
    let (sfen, _) = first(&format!("{diagram}後手番"), "４一玉(51)");
    assert_eq!(sfen, "l3k3+l/1+B5+R1/9/9/9/9/9/9/4K1+S+N+P w 2GSr17p 1");
    let (sfen, _) = first(&format!("手合割：その他\n{diagram}"), "５八玉(59)");
    assert_eq!(sfen, "l3k3+l/1+B5+R1/9/9/9/9/9/9/4K1+S+N+P b 2GSr17p 1");
    // The same without a king is a problem, whatever its moves are.
    let problem = diagram.replace('王', "・");
    let read = read(
        &KIF,
        format!("{problem}{TITLE}1 ５二金打\nまで1手で詰\n").as_bytes(),
    );
    assert_eq!(
        (read.unfinished, read.rejected.len()),
        (1, 0),
        "{:?}",
        read.rejected
    );
}

/// An empty rank of a diagram.
const E: &str = " ・ ・ ・ ・ ・ ・ ・ ・ ・";

#[test]
fn words_tell_pieces_apart() {
    let sfen = |rows: [&str; 9]| {
        let rows = rows.iter().map(|row| format!("|{row}|\n"));
        rows.collect::<String>()
    };
    let golds = sfen([
        " ・ ・ ・ ・v玉 ・ ・ ・ ・",
        E,
        E,
        " ・ ・ ・ 金 ・ 金 ・ ・ ・",
        " ・ ・ ・ ・ ・ ・ ・ ・ ・",
        " ・ ・ ・ 金 金 ・ ・ ・ ・",
        E,
        E,
        " ・ ・ ・ ・ 玉 ・ ・ ・ ・",
    ]);
    // What is wrong with a move; nothing, if it is played.
    let from = |board: &str, hands: &str, m: &str| {
        let text = format!("{board}先手の持駒：{hands}\n▲{m}\nまで1手で先手の勝ち\n");
        let read = ki2(&text);
        assert_eq!(read.positions.len() + read.rejected.len(), 1, "{m}");
        let rejected = read.rejected.into_iter().next();
        rejected.map_or_else(String::new, |(.., words)| words)
    };
    // 5e is reached by golds from 6f (diagonal), 5f (straight): 上 is both.
    assert_eq!(from(&golds, "なし", "５五金直"), "");
    assert_eq!(from(&golds, "なし", "５五金左上"), "");
    assert!(from(&golds, "なし", "５五金上").contains("several"));
    assert!(from(&golds, "なし", "５五金").contains("several"));
    assert!(from(&golds, "なし", "５五金寄").contains("not legal"));
    assert!(from(&golds, "なし", "５五金右").contains("not legal"));
    assert!(from(&golds, "なし", "５五金打").contains("not legal"));
    // 5d: sideways from 6d and 4d.
    assert_eq!(from(&golds, "なし", "５四金右"), "");
    assert!(from(&golds, "なし", "５四金寄").contains("several"));
    // From hand without 打, if nothing on the board could.
    assert_eq!(from(&golds, "銀", "５五銀"), "");
    assert_eq!(from(&golds, "銀", "５五銀打"), "");
}

#[test]
fn only_the_main_line_is_read() {
    let read = kif(
        "1 ７六歩(77)+\n2 ３四歩(33)\n3 投了\nまで2手で後手の勝ち\n\n変化：2手\n   2 ８四歩(83)\n何か\n",
    );
    assert_eq!(
        (read.result(), read.positions.len()),
        (Some((Outcome::Loss, false)), 2)
    );
    let read = kif(&format!("1 ７六歩(77)\n2 投了\n変化：1手\n{TITLE}"));
    assert!(read.rejection().2.contains("a second game"));
}

#[test]
fn notes_behind_the_first_move_are_passed_over() {
    for note in ["備考：封じ手", "備考:封じ手", "消費時間: 0:12"] {
        let read = kif(&format!("1 ７六歩(77)\n{note}\n2 投了\n"));
        assert_eq!(read.result(), Some((Outcome::Win, false)), "{note}");
    }
    // A move without its number is not a note, though its time has colons.
    let read = kif("1 ７六歩(77)\n３四歩(33) ( 0:01/00:00:01)\n");
    assert!(read.rejection().2.contains("a head such as"));
}

#[test]
fn an_illegal_move_ends_a_game_only_if_the_record_says_so() {
    let moves = "1 ７六歩(77)\n2 ３五歩(33)\n";
    let read = kif(&format!("{moves}3 反則勝ち\nまで2手で先手の反則勝ち\n"));
    assert_eq!(
        (read.result(), read.positions.len()),
        (Some((Outcome::Win, true)), 1)
    );
    for end in [
        "3 反則負け",
        "3 投了",
        "",
        "3 ２六歩(27)",
        "*反則手にて終局",
    ] {
        let read = kif(&format!("{moves}{end}\n"));
        assert!(read.rejection().2.contains("not legal"), "{end}");
    }
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (lines, line, column, part) in [
        ("1 ７五歩(77)\n", 3, 3, "not legal"),
        ("   1 ７六香(77)\n", 3, 6, "not legal"),
        ("1 同　歩(77)\n", 3, 3, "not legal"),
        ("1 ７六(77)\n", 3, 3, "a move such as"),
        ("1 ７六歩(7)\n", 3, 3, "a move such as"),
        ("1 ７六歩\n2 何か\n", 4, 3, "a move such as"),
        (
            "1 ７六歩(77)\n3 ３四歩(33)\n",
            4,
            3,
            "move number 3 where 2",
        ),
        ("1 ７六歩(77) なに\n", 3, 3, "nothing but a time"),
        ("1 投了\n2 ７六歩(77)\n", 4, 3, "behind the end"),
        ("1 投了\n2 中断\n", 4, 3, "behind the end"),
        ("なに\n", 3, 1, "a head such as"),
        ("▲７六歩\n▲２六歩\n", 4, 1, "other side"),
        ("▲７六歩 ３四歩\n", 3, 6, "▲ or △"),
    ] {
        let read = kif(lines);
        let (at, found, words) = read.rejection();
        assert_eq!((at, found), (line, column), "{lines} {words}");
        assert!(words.contains(part), "{lines} {words}");
    }
    for (head, part) in [
        ("手合割：百枚落ち", "a handicap such as"),
        ("先手の持駒：玉", "pieces in hand"),
        ("先手の持駒：歩百", "pieces in hand"),
        ("手番：猫", "先手 or 後手"),
        ("| ・ ・|一", "nine squares"),
        ("| ・ ・ ・ ・ 猫 ・ ・ ・ ・|一", "nine squares"),
        ("| ・ ・ ・ ・ 玉 ・ ・ ・ ・|一", "a diagram of 1 ranks"),
    ] {
        let read = read(&KIF, format!("{head}\n{TITLE}1 ７六歩(77)\n").as_bytes());
        assert!(
            read.rejection().2.contains(part),
            "{head} {:?}",
            read.rejected
        );
    }
}

#[test]
fn wrong_bytes_are_placed() {
    let mut bytes = "手合割：平手\n1 ７六歩(77)\n".as_bytes().to_vec();
    bytes.truncate(bytes.len() - 7);
    bytes.truncate(bytes.len() - 1);
    let truncated = read(&KIF, &bytes);
    assert_eq!(truncated.rejection().0, 2, "{:?}", truncated.rejected);
    let neither = [&b"\x8e\xe8\x8d\x87\x8a\x84\n"[..], b"\x81\n"].concat();
    let neither = read(&KIF, &neither);
    assert!(!neither.rejected.is_empty());
    // Shift_JIS whatever the head says.
    let text =
        format!("#KIF version=2.0 encoding=UTF-8\n手合割：平手\n{TITLE}1 ７六歩(77)\n2 投了\n");
    let (bytes, ..) = encoding_rs::SHIFT_JIS.encode(&text);
    assert_eq!(read(&KIF, &bytes).result(), Some((Outcome::Win, false)));
    let marked = [b"\xef\xbb\xbf", text.as_bytes()].concat();
    assert_eq!(read(&KIF, &marked).result(), Some((Outcome::Win, false)));
    let dos = text.replace('\n', "\r\n");
    assert_eq!(
        read(&KIF, dos.as_bytes()).result(),
        Some((Outcome::Win, false))
    );
}

#[test]
fn formats_are_told_apart() {
    assert!((KIF.recognises)("手合割：平手\n".as_bytes(), true));
    assert!((KI2.recognises)("先手：a\n\n▲７六歩\n".as_bytes(), true));
    assert!(!(KIF.recognises)("先手：a\n\n▲７六歩\n".as_bytes(), true));
    assert!(!(KIF.recognises)(b"lnsgkgsnl/9 b - 1 [1.0]\n", true));
    assert!(!(KI2.recognises)(b"[Event \"x\"]\n", true));
    assert!(!(KIF.recognises)(b"", true));
    assert_eq!((KIF.cut)("手合割：平手\n".as_bytes()), None);
}
