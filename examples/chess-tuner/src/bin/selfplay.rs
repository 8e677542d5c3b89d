//! Makes a training set: the engine plays itself, quiet positions are kept.
//!
//! `examples/chess-tuner/data/selfplay.tsv.zst` was made by
//!
//! ```text
//! cargo run --release -p chess-tuner --bin selfplay -- \
//!     --games 63500 --nodes 800 --positions 3 --seed 1 \
//!     examples/chess-tuner/data/selfplay.tsv.zst
//! ```
//!
//! with the weights of `specs/chess.toml`. Games depend on seed, settings and
//! engine, never on the number of threads; so does the file, byte for byte.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a program's results and progress

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

use chess_tuner::selfplay::{Players, Record, Settings, play};
use clap::Parser;
use rayon::prelude::*;
use tuner_core::outcome::Outcome;

/// Compresses best; the set is written once and read often.
const COMPRESSION: i32 = 22;

/// Plays the engine against itself and keeps quiet positions.
#[derive(Parser)]
struct Options {
    /// File to write: tab-separated, compressed by zstd.
    output: PathBuf,
    /// Games to play.
    #[arg(long, default_value_t = 1_000)]
    games: u64,
    /// Nodes a move.
    #[arg(long, default_value_t = 800)]
    nodes: u64,
    /// Seed of all random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Random plies at the start of a game (or one more).
    #[arg(long, default_value_t = 8)]
    random_plies: usize,
    /// Positions to keep of a game, at most.
    #[arg(long, default_value_t = 10)]
    positions: usize,
    /// Threads; changes nothing but the time.
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(summary) => {
            println!("{summary}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> io::Result<String> {
    let settings = Settings {
        seed: options.seed,
        nodes: options.nodes,
        random_plies: options.random_plies,
        positions: options.positions,
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads.max(1));
    let pool = pool.build().map_err(io::Error::other)?;
    let done = AtomicU64::new(0);
    let records: Vec<Record> = pool.install(|| {
        let games = (0..options.games).into_par_iter();
        let played = games.map_init(Players::default, |players, index| {
            let record = play(players, &settings, index);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if done.is_multiple_of(500) {
                eprintln!("{done} of {} games", options.games);
            }
            record
        });
        played.collect()
    });
    write(&options.output, &table(&records)).map_err(|error| {
        io::Error::new(
            error.kind(),
            format!("{}: {error}", options.output.display()),
        )
    })?;
    Ok(summary(&records))
}

/// The file's text: one line a position.
fn table(records: &[Record]) -> String {
    let mut text = "fen\tresult\tscore_cp\tgame\tply\n".to_owned();
    for (game, record) in records.iter().enumerate() {
        for sample in &record.samples {
            let (fen, outcome) = (&sample.fen, record.outcome);
            let _ = writeln!(
                text,
                "{fen}\t{outcome}\t{}\t{game}\t{}",
                sample.score, sample.ply
            );
        }
    }
    text
}

/// Writes beside the file first, so that nobody ever reads half of it.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(".tmp");
    let mut file = std::fs::File::create(&unfinished)?;
    file.write_all(&zstd::encode_all(text.as_bytes(), COMPRESSION)?)?;
    file.sync_all()?;
    std::fs::rename(&unfinished, path)
}

fn summary(records: &[Record]) -> String {
    let count = |outcome| {
        records
            .iter()
            .filter(|record| record.outcome == outcome)
            .count()
    };
    let positions: usize = records.iter().map(|record| record.samples.len()).sum();
    format!(
        "positions {positions} games {} white_wins {} draws {} black_wins {}",
        records.len(),
        count(Outcome::Win),
        count(Outcome::Draw),
        count(Outcome::Loss),
    )
}
