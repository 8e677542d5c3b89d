//! Reads all games under `$TUNER_DATA/shogi` with rsshogi as well, and compares
//! moves and results:
//!
//! `TUNER_DATA=… cargo test --release -p tuner-shogi --test compared -- --nocapture`

#![cfg(feature = "tuner")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking, and this one prints what it compared"
)]

use std::path::{Path, PathBuf};

use rsshogi::records::Record;
use rsshogi::records::formats::{csa, jkf, kif};
use rsshogi::types::Color;
use tuner_data::Outcome;
use tuner_data::{Input, OnBadLine, ReadOptions, read};
use tuner_shogi::{Position, Sfen};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
    found.sort();
}

/// What the other library makes of a file.
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

/// The positions in which a move was played, and the result.
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
fn games_are_read_as_another_library_reads_them() {
    let Some(data) = std::env::var_os("TUNER_DATA") else {
        eprintln!("TUNER_DATA is not set: nothing is compared");
        return;
    };
    let root = Path::new(&data).join("shogi");
    let mut found = Vec::new();
    files(&root, &mut found);
    let (mut same, mut moves_differ) = (0, Vec::new());
    let mut differ = Vec::new();
    for path in found {
        let suffix = path
            .extension()
            .unwrap_or_default()
            .to_string_lossy()
            .to_lowercase();
        let bytes = std::fs::read(&path).unwrap();
        let Some(other) = other(&suffix, &bytes) else {
            continue;
        };
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        let options = ReadOptions {
            on_bad_line: OnBadLine::Skip,
            ..ReadOptions::default()
        };
        let each = |sample: tuner_data::Sample<Position>| {
            Ok((sample.position.key(), sample.outcome.outcome()))
        };
        let (ours, report) = read(&[Input::File(path)], &options, &Sfen, each).unwrap();
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
    println!("the same: {same}");
    println!("other moves: {}", moves_differ.len());
    for words in &moves_differ {
        println!("  {words}");
    }
    println!("other results, or read by one alone: {}", differ.len());
    for words in &differ {
        println!("  {words}");
    }
    assert!(same > 0 && moves_differ.is_empty());
}
