#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use crate::records::tests::read;

fn packed() -> [u8; 32] {
    rsshogi::board::hirate_position()
        .to_huffman_coded_pos()
        .data
}

fn record(packed: [u8; 32], result: u8) -> Vec<u8> {
    [&packed[..], &[0, 0, 0, 0, result, 0]].concat()
}

#[test]
fn results_are_sentes_in_one_format_and_the_movers_in_the_other() {
    for (result, expected) in [
        (0, Outcome::Draw),
        (1, Outcome::Win),
        (2, Outcome::Loss),
        (4, Outcome::Draw),
        (8 | 1, Outcome::Win),
        (16, Outcome::Draw),
    ] {
        let read = read(&HCPE, &record(packed(), result));
        assert_eq!(read.positions[0].1.outcome, expected, "{result}");
    }
    for result in [3, 7, 32, 255] {
        let read = read(&HCPE, &record(packed(), result));
        assert!(read.rejection().2.contains("the result"), "{result}");
    }
}

#[test]
fn scores_beyond_a_mate_are_counted() {
    for (score, count) in [(-32_000_i16, 0), (32_001, 1), (i16::MIN, 1)] {
        let mut bytes = record(packed(), 1);
        bytes[32..34].copy_from_slice(&score.to_le_bytes());
        assert_eq!(read(&HCPE, &bytes).unread, count, "{score}");
        let [a, b] = score.to_le_bytes();
        for (candidates, searched) in [(1, true), (0, false)] {
            let m = rsshogi::types::Move::from_usi("7g7f").unwrap();
            let m = m.to_apery().raw().to_le_bytes();
            let game = [&packed()[..], &[1, 0, 1, 0], &m, &[a, b, candidates, 0]].concat();
            let game = [game, vec![0; 4 * usize::from(candidates)]].concat();
            let found = read(&HCPE3, &game);
            assert!(found.rejected.is_empty(), "{:?}", found.rejected);
            assert_eq!(found.unread, if searched { count } else { 0 }, "{score}");
        }
    }
}

#[test]
fn damage_is_found() {
    let whole = read(&HCPE, &record(packed(), 1)).positions[0].1.position;
    let mut refused = 0;
    for bit in 0..256 {
        let mut damaged = packed();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let found = read(&HCPE, &record(damaged, 1));
        refused += found.rejected.len();
        // What is left are positions with another side to move, or promoted
        // pieces, which nothing tells from damage.
        assert!(
            found
                .positions
                .iter()
                .all(|(_, read)| read.position != whole)
        );
        assert_eq!(found.positions.len() + found.rejected.len(), 1);
    }
    assert!(refused > 180, "{refused}");
    // No bits at all, and all of them.
    for packed in [[0; 32], [255; 32]] {
        assert_eq!(read(&HCPE, &record(packed, 1)).rejected.len(), 1);
        assert_eq!(
            read(&PSV, &[&packed[..], &[0; 8]].concat()).rejected.len(),
            1
        );
    }
    let bytes = [record(packed(), 1), record(packed(), 2), vec![1; 7]].concat();
    let truncated = read(&HCPE, &bytes);
    assert_eq!(
        (truncated.positions.len(), truncated.rejected.len()),
        (2, 1)
    );
    assert_eq!(truncated.rejected[0].0, 3);
    assert_eq!(((HCPE.cut)(&bytes), (HCPE.count)(&bytes)), (Some(76), 3));
    assert_eq!((HCPE.cut)(&[0; 37]), None);
    assert!((HCPE.recognises)(&bytes, false) && !(HCPE.recognises)(&bytes, true));
    assert!(!(HCPE.recognises)(b"", true) && !(PSV.recognises)(b"", true));
}
