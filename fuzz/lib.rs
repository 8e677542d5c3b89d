//! What every target does: read bytes as one of a game's own formats, whole and
//! in two parts, and compare the counts.

use tuner_chess::Fen;
use tuner_data::{Found, PositionNotation, Records};
use tuner_shogi::{Position, Sfen};

/// Positions, whole units, unfinished ones, rejected ones.
fn counts<N: PositionNotation>(
    notation: &N,
    format: &dyn Records<N::Position>,
    bytes: &[u8],
) -> [u64; 4] {
    let mut counts = [0; 4];
    format.parse(bytes, &mut |found| {
        counts[match found {
            Found::Position(_, labelled) => {
                // What is read can be written and read again.
                let text = notation.describe(&labelled.position);
                assert!(notation.parse(&text).is_ok(), "{text}");
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
fn read<N: PositionNotation>(notation: &N, name: &str, bytes: &[u8]) {
    let format = notation.records().iter().find(|format| format.name() == name);
    let format = *format.expect("a format of this name");
    let whole = counts(notation, format, bytes);
    let _ = format.recognises(bytes, true);
    if let Some(end) = format.cut(bytes) {
        let (first, second) = bytes.split_at(end);
        let (first, second) = (counts(notation, format, first), counts(notation, format, second));
        for i in 0..4 {
            assert_eq!(whole[i], first[i] + second[i]);
        }
    }
}

/// Reads bytes as a format of chess.
pub fn records(name: &str, bytes: &[u8]) {
    read(&Fen, name, bytes);
}

/// Reads bytes as a format of shogi.
pub fn shogi(name: &str, bytes: &[u8]) {
    read(&Sfen, name, bytes);
}

/// Reads bytes as a position of shogi, and plays all moves there.
pub fn sfen(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(position) = Position::from_sfen(text) else { return };
    assert_eq!(Position::from_sfen(&position.to_sfen()), Ok(position));
    for m in &position.legal_moves() {
        assert_eq!(position.read_usi(&m.to_string()), Some(*m));
        let mut after = position;
        after.play(*m);
        assert!(Position::from_sfen(&after.to_sfen()).is_ok(), "{position} {m}");
    }
}

/// Reads bytes as a file of traces made elsewhere: Arrow, CSV or libsvm.
pub fn traces(bytes: &[u8]) {
    let path = std::env::temp_dir().join(format!("tuner-fuzz-{}.traces", std::process::id()));
    std::fs::write(&path, bytes).expect("a temporary file");
    let _ = tuner_rows::import::read(&path, None);
}
