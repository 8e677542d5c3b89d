//! Measures tracing against the evaluation itself, on one core:
//! `cargo bench -p shogi-engine --features tune --bench trace`.
//!
//! Positions are the first of the set that comes with the example.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may stop"
)]

use std::hint::black_box;
use std::time::Instant;

use shogi_engine::eval;
use tuner_core::data::{Input, ReadOptions, Sample, any_game, read};
use tuner_core::trace::{Recorder, Trace};
use tuner_shogi::{Position, Sfen};

/// The positions that come with the example.
const DATA: &[u8] = include_bytes!("../data/selfplay.tsv.zst");

const POSITIONS: usize = 20_000;
const ROUNDS: usize = 20;

fn main() {
    let inputs = [Input::Embedded {
        name: "selfplay",
        bytes: DATA,
    }];
    let map = |sample: Sample| Ok(*sample.labelled.position.of::<Position>());
    let (mut positions, _) = read(&inputs, &ReadOptions::default(), any_game(Sfen), map).unwrap();
    positions.truncate(POSITIONS);

    let mut recorder = Recorder::new();
    let mut trace = Trace::default();
    let (mut evaluation, mut tracing) = (f64::MAX, f64::MAX);
    // Alternating, the best of several rounds of each.
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for position in &positions {
            black_box(eval::evaluate(black_box(position)));
        }
        evaluation = evaluation.min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        for position in &positions {
            recorder.record(|| eval::__traced::evaluate(black_box(position)), &mut trace);
            black_box(&trace);
        }
        tracing = tracing.min(start.elapsed().as_secs_f64());
    }
    let each = |seconds: f64| seconds * 1e9 / positions.len() as f64;
    let ratio = tracing / evaluation;
    let verdict = if ratio <= 15.0 || each(tracing) <= 1500.0 {
        "met"
    } else {
        "missed"
    };
    println!("positions                       {}", positions.len());
    println!("one evaluation                  {:.0} ns", each(evaluation));
    println!("one trace                       {:.0} ns", each(tracing));
    println!(
        "trace, goal 15 evaluations or 1.5 us, whichever is larger: {ratio:.1} evaluations, {verdict}"
    );
}
