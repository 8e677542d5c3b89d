//! Measures tracing, and evaluations at other weights, against the evaluation itself, on one core;
//! then reading, checking and tracing over a pipe against the same in one process, on all threads:
//! `cargo bench -p chess-engine --features tune --bench trace`.
//!
//! Positions are the first of the set that comes with the example; the second takes all of it.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may stop"
)]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use chess_engine::eval;
use chess_engine::evaluator::ChessEngine;
use tuner_chess::Fen;
use tuner_chess::shakmaty::Chess;
use tuner_core::data::{Input, ReadOptions, Sample, any_game, read};
use tuner_core::engine::{
    EngineRows, Evaluation, EvaluatorProgram, KnownGame, LinkedSpec, PATIENCE, Positions,
};
use tuner_core::trace::{Recorder, Trace};

/// The positions that come with the example.
const DATA: &[u8] = include_bytes!("../data/selfplay.tsv.zst");

const POSITIONS: usize = 20_000;
const ROUNDS: usize = 20;

fn main() {
    let inputs = [Input::Embedded {
        name: "selfplay",
        bytes: DATA,
    }];
    let map = |sample: Sample| Ok(sample.labelled.position.of::<Chess>().clone());
    let (mut positions, _) = read(&inputs, &ReadOptions::default(), any_game(Fen), map).unwrap();
    positions.truncate(POSITIONS);

    let mut recorder = Recorder::new();
    let mut trace = Trace::default();
    // No weight as in the source, none far from it.
    let values = chess_engine::registry().values().into_iter().zip(0..);
    let values: Vec<f64> = values
        .map(|(value, number)| value + f64::from(number % 5 - 2) + 0.5)
        .collect();
    let (mut evaluation, mut elsewhere, mut tracing) = (f64::MAX, f64::MAX, f64::MAX);
    // Alternating, the best of several rounds of each.
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for position in &positions {
            black_box(eval::evaluate(black_box(position)));
        }
        evaluation = evaluation.min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        Recorder::within(&values, || {
            for position in &positions {
                let score = eval::__traced::evaluate(black_box(position));
                black_box(Recorder::score(score));
            }
        });
        elsewhere = elsewhere.min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        for position in &positions {
            recorder.record(|| eval::__traced::evaluate(black_box(position)), &mut trace);
            black_box(&trace);
        }
        tracing = tracing.min(start.elapsed().as_secs_f64());
    }
    let each = |seconds: f64| seconds * 1e9 / positions.len() as f64;
    let verdict = |met: bool| if met { "met" } else { "missed" };
    let ratio = tracing / evaluation;
    let ratio_elsewhere = elsewhere / evaluation;
    println!("positions                       {}", positions.len());
    println!("one evaluation                  {:.0} ns", each(evaluation));
    println!("one evaluation at other weights {:.0} ns", each(elsewhere));
    println!("one trace                       {:.0} ns", each(tracing));
    println!(
        "at other weights, goal 1.5 evaluations: {ratio_elsewhere:.2}, {}",
        verdict(ratio_elsewhere <= 1.5)
    );
    println!(
        "trace, goal 10 evaluations: {ratio:.1}, {}",
        verdict(ratio <= 10.0)
    );
    let [within, piped] = read_checked_and_traced();
    let ratio = piped / within;
    println!(
        "all read, checked and traced    {within:.2} s in one process, {piped:.2} s over a pipe"
    );
    println!(
        "over a pipe, goal 1.15 times one process: {ratio:.2}, {}",
        verdict(ratio <= 1.15)
    );
}

/// Reads, checks and traces all positions of the example, in this process and over a pipe: returns
/// the seconds of each, the least of three, taken alternately.
fn read_checked_and_traced() -> [f64; 2] {
    let program = EvaluatorProgram {
        uci: None,
        begins_with: None,
        command: vec![env!("CARGO_BIN_EXE_chess-evaluator").to_owned()],
        folder: None,
    };
    let chess = KnownGame {
        name: "chess",
        game: any_game(Fen),
    };
    let both = [
        Evaluation::playing(ChessEngine).unwrap(),
        Evaluation::start(program, &[chess], PATIENCE).unwrap(),
    ];
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/selfplay.tsv.zst");
    let data: PathBuf = data.canonicalize().unwrap();
    let spec = include_str!("../../../specs/chess.toml");
    let mut least = [f64::MAX; 2];
    for _ in 0..3 {
        for (evaluation, least) in both.iter().zip(&mut least) {
            let path = Path::new("specs/chess.toml");
            let linked = LinkedSpec::of_text(evaluation.weights(), path, spec).unwrap();
            let start = Instant::now();
            let positions = Positions::of(evaluation, std::slice::from_ref(&data)).unwrap();
            black_box(EngineRows::read(evaluation, &linked, positions).unwrap());
            *least = least.min(start.elapsed().as_secs_f64());
        }
    }
    least
}
