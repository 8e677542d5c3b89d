//! Scores in comments, which all formats of games share.

use tuner_data::{MATE, Perspective, RecordEvent, Records, ScoreUnit, StatedScores};

use crate::Position;
use crate::records::{CSA, JKF, KIF};

/// The scores of the two positions of a game of two moves, with `comment` behind the first move,
/// and how many comments look as if they had one that is not read.
fn of(format: &Records<Position>, text: &str, stated: StatedScores) -> ([Option<i32>; 2], u64) {
    let (mut scores, mut unread) = (Vec::new(), 0);
    (format.parse)(text.as_bytes(), stated, &mut |found| match found {
        RecordEvent::Position(_, labelled) => scores.push(labelled.search_score),
        RecordEvent::Unread(_, count, words) => {
            assert!(words.contains("write them as"), "{words}");
            unread += count;
        }
        RecordEvent::Rejected(_, fault) => panic!("{fault}"),
        _ => {}
    });
    (scores.try_into().unwrap(), unread)
}

/// What all three formats read, which must be the same.
fn read(comment: &str, stated: StatedScores) -> ([Option<i32>; 2], u64) {
    let line = |mark: &str| mark.to_owned() + &comment.replace('\n', &format!("\n{mark}"));
    let kif = format!(
        "手合割：平手\n1 ７六歩(77)\n{}\n2 ３四歩(33)\n3 投了\n*評価値=9\n",
        line("*")
    );
    let csa = format!("PI\n+\n+7776FU\n{}\n-3334FU\n%TORYO\n'** 9\n", line("'*"));
    let quoted = serde_json::to_string(comment).unwrap();
    let jkf = format!(
        r#"{{"header":{{}},"moves":[{{}},{{"move":{{"from":{{"x":7,"y":7}},"to":{{"x":7,"y":6}}}},
        "comments":[{quoted}]}},{{"move":{{"from":{{"x":3,"y":3}},"to":{{"x":3,"y":4}}}}}},
        {{"special":"TORYO"}}]}}"#
    );
    let found = of(&KIF, &kif, stated);
    assert_eq!(found, of(&CSA, &csa, stated), "{comment}");
    assert_eq!(found, of(&JKF, &jkf, stated), "{comment}");
    found
}

#[test]
fn scores_of_every_program_are_read_or_counted() {
    let before = |score| ([Some(score), None], 0);
    let after = |score| ([None, Some(score)], 0);
    let unread = ([None; 2], 1);
    let none = ([None; 2], 0);
    for (comment, expected) in [
        // floodgate, CSA 3.
        ("* 104 -3334FU +2726FU #1234", before(104)),
        ("* -30", before(-30)),
        ("* +30", before(30)),
        ("*30", before(30)),
        ("* 99999", before(MATE)),
        ("* M5", before(MATE - 5)),
        ("* -M5 -3334FU", before(5 - MATE)),
        ("* M-5", before(5 - MATE)),
        ("* #3", before(MATE - 3)),
        ("* mate 5", before(MATE - 5)),
        ("* mate -4", before(4 - MATE)),
        ("* mate +", before(MATE - 1000)),
        ("* x", none),
        ("* 30.5", unread),
        ("* 0.31", unread),
        ("* 99999999999", unread),
        ("* -", none),
        ("* 30cp", unread),
        ("* 30%", unread),
        // ShogiHome: of a player, and of an analysis.
        ("*互角\n*評価値=-8\n*読み筋=△３四歩", before(-8)),
        ("#評価値=58\n#深さ=12", after(58)),
        ("#評価値＝－５８", after(-58)),
        ("*評価値：+12", before(12)),
        ("*評価値=", unread),
        ("*詰み=先手勝ち:5手\n*評価値=31111", before(MATE - 5)),
        ("*詰み=後手勝ち:4手", before(4 - MATE)),
        ("#詰み=後手勝ち", after(1000 - MATE)),
        ("#詰み=勝ち", unread),
        // ShogiGUI.
        (
            "*対局 時間 00:03.2 深さ 15/25 ノード数 123 評価値 71 読み筋 △３四歩(33)",
            before(71),
        ),
        ("*対局 深さ 15 評価値 1,234", before(1234)),
        (
            "*解析 0 ○ 候補1 時間 00:02.0 深さ 16/21 評価値 79 読み筋 ▲７六歩(77) △３四歩(33)",
            before(79),
        ),
        (
            "*解析 0 候補1 時間 00:02.0 評価値 -12 読み筋 △８四歩(83) ▲２六歩(27)",
            after(-12),
        ),
        (
            "*検討 候補2 深さ 7 評価値 -300 読み筋 △１四歩(13)\n*検討 候補1 深さ 7 評価値 -7 読み筋 △３四歩(33)",
            after(-7),
        ),
        (
            "*解析 0 候補1 評価値 +詰 5 読み筋 △３四歩(33)",
            after(MATE - 5),
        ),
        (
            "*解析 0 候補1 評価値 -詰み 12手 読み筋 △３四歩(33)",
            after(12 - MATE),
        ),
        ("*解析 0 候補1 評価値 詰 5", unread),
        // Other programs.
        ("* 時間 00:01 評価値 33 読み筋 △３四歩(33)", after(33)),
        ("#形勢[-120]△３四歩", after(-120)),
        ("#指し手[+15]▲７六歩", before(15)),
        ("#推奨手[+44]▲２六歩", none),
        ("#形勢[?]", unread),
        // Comments without the mark of a score.
        ("評価値=30", unread),
        ("評価値 +300", unread),
        ("30", unread),
        (" -5", unread),
        ("+120cp", unread),
        ("0.15", unread),
        ("▲有利 +120", unread),
        ("互角 (0.15)", unread),
        ("評価値 先手 +120", unread),
        ("評価：+120", unread),
        ("(+120)", unread),
        ("[-120]", unread),
        ("▲+120", unread),
        ("先手 +120点", unread),
        ("+120 先手良し", unread),
        ("*後手評価値=120", unread),
        ("*後手の評価値 120", unread),
        ("*評価値\t77", before(77)),
        ("先手 10-20手", none),
        ("▲76歩 (2024-01-01)", none),
        ("有利が続く", none),
        ("評価値が動いた。", none),
        ("互角", none),
        ("2手前から互角", none),
        ("", none),
    ] {
        assert_eq!(
            read(comment, StatedScores::default()),
            expected,
            "{comment}"
        );
    }
}

#[test]
fn a_score_of_the_move_itself_counts_more_than_one_of_the_position_before() {
    let text = "手合割：平手\n*#評価値=5\n1 ７六歩(77)\n*#評価値=20\n**評価値=7\n**評価値=8\n\
        2 ３四歩(33)\n**評価値=9\n3 投了\n**評価値=-900\n";
    let (scores, unread) = of(&KIF, text, StatedScores::default());
    assert_eq!((scores, unread), ([Some(7), Some(9)], 0));
}

#[test]
fn a_stated_view_and_unit_count() {
    let stated = |perspective, unit| StatedScores {
        perspective,
        unit,
        ..StatedScores::default()
    };
    let mover = stated(Some(Perspective::SideToMove), None);
    assert_eq!(read("* 30", mover).0, [Some(30), None]);
    assert_eq!(read("#評価値=30", mover).0, [None, Some(-30)]);
    assert_eq!(read("* M5", mover).0, [Some(MATE - 5), None]);
    assert_eq!(read("*詰み=後手勝ち:4手", mover).0, [Some(4 - MATE), None]);
    let first = stated(Some(Perspective::FirstPlayer), None);
    assert_eq!(read("#評価値=30", first).0, [None, Some(30)]);
    let pawns = stated(None, Some(ScoreUnit::Pawns));
    assert_eq!(read("* 0.315", pawns).0, [Some(32), None]);
    assert_eq!(read("* -3", pawns).0, [Some(-300), None]);
    let centipawns = stated(None, Some(ScoreUnit::Centipawns));
    assert_eq!(read("* -30.5", centipawns).0, [Some(-31), None]);
}
