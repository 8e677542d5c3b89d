//! Measures what nonlinear scores cost a gradient pass, and what curvature matrices cost:
//! `[TUNER_POSITIONS=FILE] cargo bench -p chess-engine --features tune --bench pass`.
//!
//! The same rows twice, alternating: as they are, and linear, with the factors
//! at the initial weights, in 64ths, because those of a linear evaluation have
//! a small number of values only. One thread. Positions are those of the example
//! unless a file is named.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may stop"
)]

use std::time::Instant;

use chess_engine::eval;
use chess_engine::evaluator::ChessEngine;
use tuner_chess::Fen;
use tuner_chess::shakmaty::Chess;
use tuner_core::data::{AnyPosition, Input, ReadOptions, Sample, any_game, read};
use tuner_core::engine::{Evaluation, Link};
use tuner_core::fit::model::{Loss, Part, Regression, Sigmoid};
use tuner_core::rows::Compactor;
use tuner_core::rows::{Linearised, RowDraft, RowInfo, Segment, TraceSet};
use tuner_core::solve::linalg::Symmetric;
use tuner_core::solve::{Curvature, Objective, Reduction};
use tuner_core::spec::Spec;
use tuner_core::trace::{Recorder, Trace};

/// The positions that come with the example.
const DATA: &[u8] = include_bytes!("../data/selfplay.tsv.zst");

const GOAL: f64 = 1.5;
const ROUNDS: usize = 15;
const MATRICES: usize = 5;

fn main() {
    let input = match std::env::var_os("TUNER_POSITIONS") {
        Some(file) => Input::from_argument(file.as_ref()),
        None => Input::Embedded {
            name: "selfplay",
            bytes: DATA,
        },
    };
    let spec = include_str!("../../../specs/chess.toml");
    let spec = Spec::parse("specs/chess.toml".as_ref(), spec).unwrap();
    let layout = spec.layout();
    let evaluation = Evaluation::playing(ChessEngine).unwrap();
    let link = Link::new(evaluation.weights(), layout).unwrap();
    let mut lanes = vec![0.0; 2 * layout.slots()];
    for (weight, value) in layout.weight_ids().zip(layout.initial()) {
        lanes[layout.lane(weight).index()] = value;
    }

    let map = |sample: Sample| {
        let typed = |position: AnyPosition| position.of::<Chess>().clone();
        Ok(sample.labelled.with_position(typed))
    };
    let (samples, _) = read(&[input], &ReadOptions::default(), any_game(Fen), map).unwrap();
    let mut compactor = Compactor::new(link.lanes().to_vec());
    let (mut recorder, mut trace) = (Recorder::new(), Trace::default());
    let mut draft = RowDraft::default();
    let mut nonlinear = TraceSet::new(layout.slots());
    for (game, sample) in (0..).zip(&samples) {
        recorder.record(|| eval::__traced::evaluate(&sample.position), &mut trace);
        compactor.draft(&trace, &mut draft);
        let info = RowInfo::new(sample.outcome.value(), game);
        nonlinear.push(&draft, &info).unwrap();
    }
    nonlinear.finish();
    let linear = linear_rows(&nonlinear, &lanes);

    let steps = nonlinear.rows(0..nonlinear.len());
    let steps: usize = steps
        .filter_map(|row| row.expression())
        .map(|e| e.steps.len())
        .sum();
    let per_row = |sum: usize| sum as f64 / nonlinear.len() as f64;
    println!("positions                       {}", nonlinear.len());
    println!("steps of a nonlinear row        {:.1}", per_row(steps));
    for (name, set) in [("with", &nonlinear), ("without", &linear)] {
        println!(
            "bytes a position, {name:7}       {:.0}",
            per_row(set.bytes())
        );
    }

    let reduction = Reduction::of_lanes(lanes.len());
    let objective = |set| {
        Regression::new(set, &reduction, Loss::Squared, Sigmoid::new(1.0), Part::All).unwrap()
    };
    let objectives = [objective(&nonlinear), objective(&linear)];
    let mut best = [f64::MAX; 2];
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    pool.install(|| {
        let mut gradient = vec![0.0; lanes.len()];
        for _ in 0..ROUNDS {
            for (objective, best) in objectives.iter().zip(&mut best) {
                let start = Instant::now();
                objective
                    .gradient(&lanes, &mut gradient)
                    .expect("rows in memory");
                *best = best.min(start.elapsed().as_secs_f64());
            }
        }
    });
    let ratio = best[0] / best[1];
    let verdict = if ratio <= GOAL { "met" } else { "missed" };
    for (name, seconds) in [("with", best[0]), ("without", best[1])] {
        let each = seconds * 1e9 / nonlinear.len() as f64;
        println!("a position of a pass, {name:7}   {each:.0} ns");
    }
    println!("gradient pass, goal {GOAL} times the linear one: {ratio:.2} times, {verdict}");
    pool.install(|| {
        let mut matrix = Symmetric::zeros(lanes.len());
        for (name, kind) in [
            ("of Gauss and Newton", Curvature::GaussNewton),
            ("that is exact", Curvature::Newton),
        ] {
            let mut best = f64::MAX;
            for _ in 0..MATRICES {
                let start = Instant::now();
                objectives[0]
                    .curvature(&lanes, kind, &mut matrix)
                    .expect("rows in memory");
                best = best.min(start.elapsed().as_secs_f64());
            }
            let each = best * 1e9 / nonlinear.len() as f64;
            println!("a position of a matrix {name}   {each:.0} ns");
        }
    });
}

/// Makes linear rows, with the factors at these lanes.
fn linear_rows(nonlinear: &TraceSet, lanes: &[f64]) -> TraceSet {
    let table = nonlinear.table(lanes);
    let mut linear = TraceSet::new(nonlinear.slots());
    let mut linearised = Linearised::default();
    for row in nonlinear.rows(0..nonlinear.len()) {
        linearised.at(&row, &table);
        let segments = linearised.segments(&row).map(|segment| Segment {
            factors: segment.factors.map(|factor| (factor * 64.0).round() / 64.0),
            entries: segment.entries().collect(),
        });
        let draft = RowDraft {
            constant: row.constant(),
            segments: segments.collect(),
            expression: None,
        };
        let info = RowInfo::new(row.outcome(), row.game());
        linear.push(&draft, &info).unwrap();
    }
    linear.finish();
    linear
}
