//! Reads all files of games under `$TUNER_DATA/shogi`, unpacked, and prints
//! what became of them:
//!
//! `TUNER_DATA=… cargo test --release -p tuner-shogi --test samples -- --nocapture`

#![cfg(feature = "tuner")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking, and this one prints what it counted"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tuner_data::{Input, OnBadLine, ReadOptions, read};
use tuner_shogi::Sfen;

#[derive(Debug, Default)]
struct Count {
    files: u64,
    games: u64,
    unfinished: u64,
    rejected: u64,
    positions: u64,
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn samples_are_read_or_rejected_with_place_and_reason() {
    let Some(data) = std::env::var_os("TUNER_DATA") else {
        eprintln!("TUNER_DATA is not set: no samples are read");
        return;
    };
    let root = Path::new(&data).join("shogi");
    let mut found = Vec::new();
    files(&root, &mut found);
    let mut counts: BTreeMap<(String, String), Count> = BTreeMap::new();
    let mut reasons = Vec::new();
    for path in found {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        let suffix = path
            .extension()
            .unwrap_or_default()
            .to_string_lossy()
            .to_lowercase();
        let options = ReadOptions {
            on_bad_line: OnBadLine::Skip,
            ..ReadOptions::default()
        };
        let report = match read(&[Input::File(path)], &options, &Sfen, |_| Ok(())) {
            Ok((_, report)) => report,
            Err(error) => {
                counts.entry((suffix, "none".to_owned())).or_default().files += 1;
                reasons.push(format!("{name}: {error}"));
                continue;
            }
        };
        let file = &report.files[0];
        let format = file.format.map_or("none", |format| format.name());
        let count = counts.entry((suffix, format.to_owned())).or_default();
        count.files += 1;
        count.games += file.units;
        count.unfinished += file.unfinished;
        count.rejected += file.rejected_units.max(file.rejected);
        count.positions += file.positions;
        reasons.extend(report.bad_lines.iter().map(|line| {
            let line = line.to_string();
            line.strip_prefix(&root.display().to_string())
                .unwrap_or(&line)
                .to_owned()
        }));
    }
    println!(
        "{:8} {:10} {:>5} {:>6} {:>10} {:>8} {:>9}",
        "suffix", "format", "files", "games", "unfinished", "rejected", "positions"
    );
    for ((suffix, format), count) in &counts {
        println!(
            "{suffix:8} {format:10} {:5} {:6} {:10} {:8} {:9}",
            count.files, count.games, count.unfinished, count.rejected, count.positions
        );
    }
    for reason in &reasons {
        println!("{reason}");
    }
}
