//! Positions and games.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use tuner_chess::Fen;
use tuner_data::{
    Input, OnBadLine, PositionNotation, ReadOptions, RecordEvent, Records, StatedScores, any_game,
    read,
};
use tuner_play::Book;
use tuner_shogi::{Position, Sfen};

/// What is found: positions, whole units, unfinished ones, rejected ones.
fn found<N: PositionNotation>(
    notation: &N,
    format: &Records<N::Position>,
    bytes: &[u8],
) -> ([u64; 4], u64) {
    let mut counts = [0; 4];
    let mut hash = DefaultHasher::new();
    (format.parse)(bytes, StatedScores::default(), &mut |event| {
        counts[match event {
            RecordEvent::Position(_, labelled) => {
                // What is read can be written and read again.
                let text = notation.describe(&labelled.position);
                assert!(notation.parse(&text).is_ok(), "{text}");
                text.hash(&mut hash);
                0
            }
            RecordEvent::Unit | RecordEvent::Text | RecordEvent::Unread(..) => 1,
            RecordEvent::Unfinished => 2,
            RecordEvent::Rejected(_, fault) => {
                assert!(!fault.to_string().is_empty());
                3
            }
        }] += 1;
    });
    (counts, hash.finish())
}

/// Reads bytes as the format of a name, whole and in two parts.
fn records<N: PositionNotation>(notation: &N, name: &str, bytes: &[u8]) {
    let format = notation.records().iter().find(|format| format.name == name);
    let format = *format.expect("a format of this name");
    let (whole, hash) = found(notation, format, bytes);
    let (again, hash_again) = found(notation, format, bytes);
    assert_eq!((whole, hash), (again, hash_again));
    let _ = (format.recognises)(bytes, true);
    let _ = (format.count)(bytes);
    if let Some(end) = (format.cut)(bytes) {
        let (first, second) = bytes.split_at(end);
        let parts = [first, second].map(|part| found(notation, format, part).0);
        for (index, count) in whole.into_iter().enumerate() {
            assert_eq!(count, parts[0][index] + parts[1][index], "cut at {end}");
        }
    }
}

pub(crate) fn chess(name: &str, bytes: &[u8]) {
    records(&Fen, name, bytes);
}

pub(crate) fn shogi(name: &str, bytes: &[u8]) {
    records(&Sfen, name, bytes);
}

/// A position of shogi, and all moves there.
pub(crate) fn sfen(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let Ok(position) = Position::from_sfen(text) else {
        return;
    };
    assert_eq!(Position::from_sfen(&position.to_sfen()), Ok(position));
    for m in &position.legal_moves() {
        assert_eq!(position.read_usi(&m.to_string()), Some(*m));
        let mut after = position;
        after.play(*m);
        assert!(
            Position::from_sfen(&after.to_sfen()).is_ok(),
            "{position} {m}"
        );
    }
}

/// A table or lines of positions; every line is counted.
pub(crate) fn lines(bytes: &[u8]) {
    super::as_file("lines", bytes, |path| {
        let options = ReadOptions {
            on_bad_line: OnBadLine::Skip,
            ..ReadOptions::default()
        };
        let input = [Input::File(path.to_owned())];
        let (read, report) = match read(&input, &options, any_game(Fen), |_| Ok(())) {
            Ok((samples, report)) => (samples.len() as u64, report),
            Err(error) => (error.report.total().positions, error.report),
        };
        let total = report.total();
        assert_eq!(total.positions, read);
        if total.unit.is_none() {
            let counted = total.headers + total.blank + total.positions + total.rejected;
            assert_eq!(total.lines, counted);
        }
    });
}

/// Openings of matches.
pub(crate) fn book(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match Book::parse(&Fen, text, 8) {
        Ok(book) => assert!(book.len() > 0),
        Err(words) => assert!(!words.trim().is_empty()),
    }
}
