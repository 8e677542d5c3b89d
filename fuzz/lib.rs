//! What every target does: read bytes as one of the game's own formats, whole
//! and in two parts, and compare the counts.

use shakmaty::Chess;
use tuner_chess::Fen;
use tuner_core::data::{Found, PositionNotation, Records};

/// Positions, whole units, unfinished ones, rejected ones.
fn counts(format: &dyn Records<Chess>, bytes: &[u8]) -> [u64; 4] {
    let mut counts = [0; 4];
    format.parse(bytes, &mut |found| {
        counts[match found {
            Found::Position(_, labelled) => {
                // What is read can be written and read again.
                let text = Fen.describe(&labelled.position);
                assert!(Fen.parse(&text).is_ok(), "{text}");
                0
            }
            Found::Unit => 1,
            Found::Unfinished => 2,
            Found::Rejected(..) => 3,
        }] += 1;
    });
    counts
}

/// Reads bytes as the format of a name.
pub fn records(name: &str, bytes: &[u8]) {
    let format = Fen.records().iter().find(|format| format.name() == name);
    let format = *format.expect("a format of this name");
    let whole = counts(format, bytes);
    let _ = format.recognises(bytes, true);
    if let Some(end) = format.cut(bytes) {
        let (first, second) = (counts(format, &bytes[..end]), counts(format, &bytes[end..]));
        for i in 0..4 {
            assert_eq!(whole[i], first[i] + second[i]);
        }
    }
}
