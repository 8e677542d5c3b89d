//! What becomes of the files: formats, games, positions, rejections.

use std::collections::BTreeMap;

use tuner_data::{Input, OnBadLine, ReadOptions, any_game, read};
use tuner_shogi::Sfen;

use super::{Games, suffix};

/// What was counted in the files of a suffix and format: files, games or
/// records, those without result, rejected ones, positions.
type Counts = [u64; 5];

/// By suffix and format; `none` is a format that is not read. The rejected games
/// are those of [`REASONS`].
const COUNTS: [(&str, &str, Counts); 11] = [
    ("csa", "csa", [251, 251, 26, 0, 25_812]),
    ("hcpe", "hcpe", [2, 100_221, 0, 0, 100_221]),
    ("hcpe3", "none", [2, 0, 0, 0, 0]),
    ("jkf", "jkf", [4, 4, 1, 0, 240]),
    ("ki2", "ki2", [43, 43, 11, 0, 3_621]),
    ("ki2u", "ki2", [9, 9, 7, 0, 269]),
    ("kif", "kif", [101, 101, 29, 4, 6_426]),
    ("kifu", "kif", [50, 50, 15, 0, 700]),
    ("psv", "psv", [2, 86, 0, 0, 86]),
    ("sfen", "bracketed", [2, 0, 0, 0, 168_708]),
    ("usi", "usi", [1, 1_225, 0, 0, 123_440]),
];

/// Lines and reasons of the rejected games, in the order of the files.
const REASONS: [(u64, &str); 4] = [
    (17, "found no king of gote"),
    (138, "expected nothing behind the end of the game"),
    (165, "which is not legal in"),
    (91, "which is not legal in"),
];

#[test]
#[ignore = "needs TUNER_DATA, the folder of real positions and games"]
fn samples_are_read_or_rejected_with_place_and_reason() {
    let games = Games::find();
    let mut counts: BTreeMap<(String, &str), Counts> = BTreeMap::new();
    let mut reasons = Vec::new();
    for path in &games.files {
        let options = ReadOptions {
            on_bad_line: OnBadLine::Skip,
            ..ReadOptions::default()
        };
        let read = read(
            &[Input::File(path.clone())],
            &options,
            any_game(Sfen),
            |_| Ok(()),
        );
        let report = match read {
            Ok((_, report)) => report,
            Err(error) => {
                println!("{error}");
                let count = counts.entry((suffix(path), "none")).or_default();
                count[0] += 1;
                continue;
            }
        };
        let file = &report.files[0];
        let format = file.format.map_or("none", |format| format.name());
        let rejected = file.rejected_units.max(file.rejected);
        let found = [1, file.units, file.unfinished, rejected, file.positions];
        let count = counts.entry((suffix(path), format)).or_default();
        for (count, found) in count.iter_mut().zip(found) {
            *count += found;
        }
        for line in report.bad_lines {
            println!("{line}");
            reasons.push((line.location.line, line.message));
        }
    }
    let counts: Vec<(&str, &str, Counts)> = counts
        .iter()
        .map(|((suffix, format), counts)| (suffix.as_str(), *format, *counts))
        .collect();
    assert_eq!(counts, COUNTS);
    assert_eq!(reasons.len(), REASONS.len(), "{reasons:?}");
    for ((line, message), (expected, part)) in reasons.iter().zip(REASONS) {
        assert_eq!(*line, expected, "{message}");
        assert!(message.contains(part), "{message}");
    }
}
