//! The same games as rsshogi reads: positions and results.

use rsshogi::records::Record;
use rsshogi::records::formats::{csa, jkf, kif};
use rsshogi::types::Color;
use tuner_data::{Input, OnBadLine, Outcome, ReadOptions, any_game, read};
use tuner_shogi::{Position, Sfen};

use super::{Games, suffix};

/// Reads a file with the other library; `None` for formats that it lacks.
fn other(suffix: &str, bytes: &[u8]) -> Option<Result<Record, String>> {
    let words = |error: &dyn std::fmt::Display| error.to_string();
    Some(match suffix {
        "csa" => csa::parse_csa_bytes(bytes).map_err(|e| words(&e)),
        "kif" | "kifu" => kif::parse_kif_bytes(bytes).map_err(|e| words(&e)),
        "ki2" | "ki2u" => kif::parse_ki2_bytes(bytes).map_err(|e| words(&e)),
        "jkf" => jkf::parse_jkf_bytes(bytes).map_err(|e| words(&e)),
        _ => return None,
    })
}

/// Returns the keys of the positions in which a move was played, and the result.
fn replayed(record: &Record) -> Option<(Vec<u64>, Option<Outcome>)> {
    let mut position = Position::from_sfen(record.init_position_sfen()).ok()?;
    let mut keys = Vec::new();
    for entry in record.main_moves() {
        let m = position.read_usi(&entry.mv().to_usi())?;
        keys.push(position.key());
        position.play(m);
    }
    let result = record.result();
    let outcome = match result.winner_color() {
        Some(Color::BLACK) => Some(Outcome::Win),
        Some(_) => Some(Outcome::Loss),
        None if result.is_draw() => Some(Outcome::Draw),
        None => None,
    };
    Some((keys, outcome))
}

#[test]
#[ignore = "needs TUNER_DATA, the folder of real positions and games"]
fn games_are_read_as_another_library_reads_them() {
    let (game, games) = (any_game(Sfen), Games::find());
    let (mut same, mut moves_differ) = (0, Vec::new());
    let mut differ = Vec::new();
    for path in &games.files {
        let bytes = std::fs::read(path).unwrap();
        let Some(other) = other(&suffix(path), &bytes) else {
            continue;
        };
        let name = path.display();
        let options = ReadOptions {
            on_bad_line: OnBadLine::Skip,
            ..ReadOptions::default()
        };
        let each = |sample: tuner_data::Sample| {
            Ok((
                game.key(&sample.labelled.position),
                sample.labelled.outcome.outcome(),
            ))
        };
        let (ours, report) = read(&[Input::File(path.clone())], &options, game, each).unwrap();
        let ours_words = match report.files[0] {
            ref file if file.rejected > 0 => "rejected",
            ref file if file.unfinished > 0 => "unfinished",
            _ => "read",
        };
        let theirs = match other {
            Ok(record) => replayed(&record),
            Err(error) => {
                differ.push(format!("{name}: {ours_words}; theirs: {error}"));
                continue;
            }
        };
        let Some((keys, outcome)) = theirs else {
            differ.push(format!(
                "{name}: {ours_words}; theirs has moves or a start that are not legal"
            ));
            continue;
        };
        if ours.is_empty() {
            if outcome.is_some() {
                differ.push(format!(
                    "{name}: {ours_words}; theirs: {outcome:?} after {} moves",
                    keys.len()
                ));
            } else {
                same += 1;
            }
            continue;
        }
        let our_keys: Vec<u64> = ours.iter().map(|(key, _)| *key).collect();
        if our_keys != keys {
            moves_differ.push(format!(
                "{name}: {} moves, theirs {}",
                our_keys.len(),
                keys.len()
            ));
        } else if ours[0].1 != outcome {
            differ.push(format!("{name}: {:?}; theirs: {outcome:?}", ours[0].1));
        } else {
            same += 1;
        }
    }
    for words in &differ {
        println!("{words}");
    }
    assert!(moves_differ.is_empty(), "{moves_differ:?}");
    // rsshogi refuses some heads, bookmarks and all problems without sente's king,
    // and finds no result in some last lines of KIF.
    assert_eq!((same, differ.len()), (419, 39));
}
