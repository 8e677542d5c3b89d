//! Plays two UCI engines against each other at fixed nodes and prints wins,
//! draws, losses and the difference in Elo, from the first engine's side.
//!
//! ```text
//! cargo run --release -p chess-tuner --bin versus -- NEW OLD --games 400 --nodes 5000
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr)] // a program's results and errors

use std::path::PathBuf;
use std::process::ExitCode;

use chess_tuner::elo::Tally;
use chess_tuner::versus::{Settings, play};
use clap::Parser;

/// Plays two UCI engines against each other, each opening with both colours.
#[derive(Parser)]
struct Options {
    /// The engine whose results are counted.
    first: PathBuf,
    /// Its opponent.
    second: PathBuf,
    /// Games; an odd number is rounded up to whole pairs.
    #[arg(long, default_value_t = 400)]
    games: u64,
    /// Nodes a move.
    #[arg(long, default_value_t = 5_000)]
    nodes: u64,
    /// Seed of the openings.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games at a time.
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

/// Games between two lines of progress.
const SHOWN: u32 = 40;

fn words(tally: &Tally) -> String {
    format!(
        "games {} wins {} draws {} losses {}",
        tally.games(),
        tally.wins,
        tally.draws,
        tally.losses
    )
}

fn main() -> ExitCode {
    let options = Options::parse();
    let settings = Settings {
        engines: [options.first, options.second],
        pairs: options.games.div_ceil(2),
        nodes: options.nodes,
        seed: options.seed,
        threads: options.threads,
    };
    let observe = |tally: &Tally| {
        if tally.games().is_multiple_of(SHOWN) {
            eprintln!("{}", words(tally));
        }
    };
    match play(&settings, &observe) {
        Ok(tally) => {
            println!("{}", words(&tally));
            println!("pairs by half points {:?}", tally.pairs);
            if let Some((elo, error)) = tally.elo() {
                println!("elo {elo:.1} elo_error {error:.1} (95 %)");
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
