//! Measures the reading of chess positions, and counts what every file of the
//! data folder holds.
//!
//! `TUNER_DATA=FOLDER cargo bench -p tuner-chess --bench read`
//!
//! Prints one line per goal: what, goal, measured, `met` or `missed`; then
//! what was counted in each file. Without `TUNER_DATA` it says so and ends.

#![allow(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::error::Error;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use shakmaty::{CastlingMode, Chess, fen};
use tuner_chess::Fen;
use tuner_data::{Input, OnBadLine, Perspective, ReadOptions, any_game, read};

mod archive;
mod games;

/// Runs of each kind, alternating; the fastest counts, because other programs on
/// the machine only ever slow a run down.
const RUNS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let Some(folder) = std::env::var_os("TUNER_DATA") else {
        println!(
            "TUNER_DATA is not set, so there is nothing to measure; set it to the data folder"
        );
        return Ok(());
    };
    let folder = PathBuf::from(folder);
    speed(&folder.join("chess/engine_quiet.book.zst"))?;
    let unpacked = tempfile::tempdir()?;
    let games = archive::unpack(&folder.join("chess/pgn.tar.zst"), unpacked.path())?;
    games::speed(&games)?;
    let binary = archive::unpack(&folder.join("binary/samples.tar.zst"), unpacked.path())?;
    let mut texts: Vec<PathBuf> = folder
        .join("chess")
        .read_dir()?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    texts.retain(|path| !path.to_string_lossy().ends_with(".tar.zst"));
    texts.sort();
    counts(&[texts, games, binary].concat());
    Ok(())
}

fn speed(path: &Path) -> Result<(), Box<dyn Error>> {
    let text = String::from_utf8(zstd::stream::decode_all(File::open(path)?)?)?;
    let fens: Vec<&str> = text
        .lines()
        .filter_map(|line| line.rsplit_once(" ["))
        .map(|(fen, _)| fen)
        .collect();
    let (game, inputs) = (any_game(Fen), [Input::File(path.to_path_buf())]);
    let [mut reader, mut bare, mut syntax] = [Duration::MAX; 3];
    for _ in 0..RUNS {
        reader = reader.min(timed(
            || {
                let read = read(&inputs, &ReadOptions::default(), game, |sample| {
                    Ok(sample.labelled.outcome)
                });
                read.map_or(0, |(outcomes, _)| outcomes.len())
            },
            fens.len(),
        ));
        bare = bare.min(timed(
            || {
                fens.par_iter()
                    .filter(|text| {
                        let parsed = fen::Fen::from_ascii(text.as_bytes()).ok();
                        parsed
                            .and_then(|fen| fen.into_position::<Chess>(CastlingMode::Standard).ok())
                            .is_some()
                    })
                    .count()
            },
            fens.len(),
        ));
        syntax = syntax.min(timed(
            || {
                fens.par_iter()
                    .filter(|text| fen::Fen::from_ascii(text.as_bytes()).is_ok())
                    .count()
            },
            fens.len(),
        ));
    }
    let lines = fens.len() as f64;
    let rate = lines / reader.as_secs_f64();
    println!("threads: {}", rayon::current_num_threads());
    goal("million lines a second", 1.5, rate / 1e6);
    goal(
        "of shakmaty's FEN reader and legality check",
        0.6,
        bare.as_secs_f64() / reader.as_secs_f64(),
    );
    let ratio = syntax.as_secs_f64() / reader.as_secs_f64();
    println!("of shakmaty's FEN syntax alone: {ratio:.2}");
    Ok(())
}

/// Times a run and asserts its answer.
fn timed(run: impl Fn() -> usize, expected: usize) -> Duration {
    let start = Instant::now();
    let count = run();
    let time = start.elapsed();
    assert_eq!(count, expected, "every line is a position");
    time
}

fn goal(what: &str, goal: f64, measured: f64) {
    let verdict = if measured >= goal { "met" } else { "missed" };
    println!("{what}: goal {goal}, measured {measured:.2}, {verdict}");
}

/// Prints what was read of every file, in any format.
fn counts(paths: &[PathBuf]) {
    for path in paths {
        // The only set with results and scores of the side to move.
        let side_to_move = path.to_string_lossy().contains("stm_relative");
        let options = ReadOptions {
            on_bad_line: OnBadLine::Skip,
            perspective: if side_to_move {
                Perspective::SideToMove
            } else {
                Perspective::FirstPlayer
            },
            ..ReadOptions::default()
        };
        match read(
            &[Input::File(path.clone())],
            &options,
            any_game(Fen),
            |_| Ok(()),
        ) {
            Ok((_, report)) => {
                report.words().iter().for_each(|words| println!("{words}"));
                report
                    .bad_line_words()
                    .for_each(|words| println!("  {words}"));
            }
            Err(error) => println!("{error}"),
        }
    }
}
