//! Truncated and changed bytes.

use proptest::prelude::*;

use super::super as formats;
use super::{Outcome, Records, read};
use crate::Position;

pub(super) const CSA: &str = "V2.2\nN+先手\nN-gote\nPI82HI\n-\n-3334FU\nT12\n'** 30 +7776FU\n\
    +7776FU,T1\n-2288UM\n+7988GI\n-0055KA\n%TORYO\n/\nPI\n+\n+2726FU\n%CHUDAN\n";
pub(super) const KIF: &str = "# KIF\n手合割：角落ち\n上手：上\n下手：下\n\
    手数----指手---------消費時間--\n   1 ３四歩(33)   ( 0:01/00:00:01)\n*comment\n\
    \u{20}  2 ７六歩(77)\n   3 ４四歩(43)+\n   4 投了\nまで3手で上手の勝ち\n\n\
    変化：2手\n   2 ２六歩(27)\n";
pub(super) const KI2: &str = "手合割：平手\n先手：先\n\n▲７六歩    △３四歩    ▲２二角成  △同　銀\n\
    ▲４五角    △５二金右\nまで6手で後手の勝ち\n";
pub(super) const JKF: &str = r#"{"header":{},"initial":{"preset":"KA"},"moves":[{},
    {"move":{"from":{"x":3,"y":3},"to":{"x":3,"y":4},"color":1,"piece":"FU"}},
    {"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"color":0,"piece":"FU"}},
    {"special":"TORYO"}]}"#;
const USI: &str = "1.0 position startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e\n\n\
    0.5 position sfen 4k4/9/9/9/9/9/9/9/4K4 b P 1 moves P*5e 5a5b\n* position startpos\n";

fn samples() -> Vec<(&'static Records<Position>, Vec<u8>)> {
    let sjis = |text: &str| encoding_rs::SHIFT_JIS.encode(text).0.into_owned();
    let utf8 = |text: &str| text.as_bytes().to_vec();
    let other = rsshogi::board::hirate_position();
    let hcpe = [&other.to_huffman_coded_pos().data[..], &[1, 0, 0, 0, 1, 0]].concat();
    let psv = [
        &other.to_packed_sfen().as_bytes()[..],
        &[1, 0, 0, 0, 8, 0, 1, 0],
    ]
    .concat();
    // 7g7f (squares 59 and 60 by files) without candidates, 3c3d with two.
    let hcpe3 = [
        &other.to_huffman_coded_pos().data[..],
        &[2, 0, 1, 0],
        &(60_u16 * 128 + 59).to_le_bytes(),
        &[0, 0, 0, 0],
        &(20_u16 * 128 + 21).to_le_bytes(),
        &[50, 0, 2, 0, 1, 2, 3, 4, 5, 6, 7, 8],
    ]
    .concat();
    vec![
        (&formats::CSA, utf8(CSA)),
        (&formats::KIF, utf8(KIF)),
        (&formats::KIF, sjis(KIF)),
        (&formats::KI2, utf8(KI2)),
        (&formats::KI2, sjis(KI2)),
        (&formats::JKF, utf8(JKF)),
        (&formats::USI, utf8(USI)),
        (&formats::HCPE, hcpe.repeat(3)),
        (&formats::PSV, psv.repeat(3)),
        (&formats::HCPE3, hcpe3.repeat(2)),
    ]
}

#[test]
fn the_samples_are_valid() {
    for (format, bytes) in samples() {
        let read = read(format, &bytes);
        assert!(
            read.rejected.is_empty() && read.units > 0,
            "{} {read:?}",
            format.name
        );
        assert!((format.recognises)(&bytes, true), "{}", format.name);
    }
}

/// Truncated input has no other positions and results than the whole.
#[test]
fn truncated_input_adds_nothing() {
    for (format, bytes) in samples() {
        let whole = read(format, &bytes);
        for end in 0..bytes.len() {
            let truncated = read(format, &bytes[..end]);
            for ((_, truncated), (_, whole)) in truncated.positions.iter().zip(&whole.positions) {
                assert_eq!(truncated.position, whole.position, "{} {end}", format.name);
                // A label of USI is complete only with the space after it.
                assert_eq!(truncated.outcome, whole.outcome, "{} {end}", format.name);
            }
            assert!(truncated.positions.len() <= whole.positions.len());
            let counted = truncated.units + truncated.unfinished + truncated.rejected.len() as u64;
            let text = bytes[..end].trim_ascii();
            assert!(
                counted > 0 || text.is_empty() || text.len() < 60,
                "{} {end}",
                format.name
            );
        }
    }
}

proptest! {
    #[test]
    fn changed_input_does_not_panic(
        number in 0..10_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let (format, mut bytes) = samples().swap_remove(number);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        read(format, &bytes);
        let _ = (format.recognises)(&bytes, true);
        let end = cut.index(bytes.len());
        if let Some(end) = (format.cut)(&bytes[..end]) {
            prop_assert!(end <= bytes.len());
        }
        let _ = (format.count)(&bytes);
    }

    #[test]
    fn any_bytes_do_not_panic(number in 0..10_usize, bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let (format, _) = samples().swap_remove(number);
        read(format, &bytes);
        let _ = (format.recognises)(&bytes, false);
        let _ = (format.cut)(&bytes);
    }

    /// Words of the formats in any order.
    #[test]
    fn any_words_do_not_panic(
        number in 0..7_usize,
        words in prop::collection::vec(prop::sample::select(&WORDS[..]), 0..40),
    ) {
        let (format, _) = samples().swap_remove(number);
        read(format, words.concat().as_bytes());
    }
}

const WORDS: [&str; 48] = [
    "\n",
    "\n",
    "\n",
    " ",
    ",",
    "+",
    "-",
    "PI",
    "P1",
    "P+",
    "P-",
    "00AL",
    "77FU",
    "+7776FU",
    "-3334FU",
    "%TORYO",
    "%SENNICHITE",
    "/",
    "'** 3",
    "T1",
    "手合割：",
    "平手",
    "その他",
    "角落ち",
    "|",
    " ・",
    "v玉",
    "玉",
    "一",
    "後手の持駒：",
    "飛十",
    "変化：1手",
    "まで3手で",
    "先手の勝ち",
    "1 ",
    "2 ",
    "７六歩",
    "(77)",
    "同　",
    "打",
    "成",
    "右",
    "▲",
    "△",
    "投了",
    "1.0 position startpos moves ",
    "7g7f ",
    "sfen ",
];

/// Without a sign, as JKF writes it, the last move was at fault, or the illegal
/// one.
#[test]
fn an_illegal_action_without_a_side_is_of_who_moved_last() {
    for (last, won) in [
        (r#"{"special":"ILLEGAL_ACTION"}"#, Outcome::Loss),
        (
            r#"{"move":{"from":{"x":3,"y":4},"to":{"x":3,"y":6},"color":1,"piece":"FU"}},{"special":"ILLEGAL_ACTION"}"#,
            Outcome::Win,
        ),
    ] {
        let text = JKF.replace(r#"{"special":"TORYO"}"#, last);
        let found = read(&formats::JKF, text.as_bytes());
        assert_eq!(found.result(), Some((won, true)));
        assert_eq!(found.positions.len(), 2);
    }
}
