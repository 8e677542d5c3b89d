//! What becomes of the files: formats, games, positions, rejections.

use std::collections::BTreeMap;

use tuner_core::data::{Input, OnBadLine, ReadOptions, read};
use tuner_shogi::Sfen;

use super::{Games, suffix};

/// What was counted in the files of a suffix and format.
#[derive(Debug, Default, PartialEq, Eq)]
struct Count {
    files: u64,
    games: u64,
    unfinished: u64,
    rejected: u64,
    positions: u64,
}

#[test]
#[ignore = "needs TUNER_DATA, the folder of real positions and games"]
fn samples_are_read_or_rejected_with_place_and_reason() {
    let games = Games::find();
    let mut counts: BTreeMap<(String, &str), Count> = BTreeMap::new();
    let mut reasons: BTreeMap<String, u64> = BTreeMap::new();
    for path in &games.files {
        let options = ReadOptions {
            on_bad_line: OnBadLine::Skip,
            ..ReadOptions::default()
        };
        let read = read(&[Input::File(path.clone())], &options, &Sfen, |_| Ok(()));
        let report = match read {
            Ok((_, report)) => report,
            Err(error) => {
                println!("{error}");
                counts.entry((suffix(path), "none")).or_default().files += 1;
                continue;
            }
        };
        let file = &report.files[0];
        let format = file.format.map_or("none", |format| format.name());
        let count = counts.entry((suffix(path), format)).or_default();
        count.files += 1;
        count.games += file.units;
        count.unfinished += file.unfinished;
        count.rejected += file.rejected_units.max(file.rejected);
        count.positions += file.positions;
        for line in &report.bad_lines {
            println!("{line}");
        }
    }
    for ((suffix, format), count) in &counts {
        println!("{suffix} {format} {count:?}");
    }
}
