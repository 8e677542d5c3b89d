//! One evaluation, traced by the macro and by a program in Python: the fits must
//! find the same weights.
//!
//! `TUNER_PYTHON` names a Python with pyarrow, if it is not `python3`. Without one
//! the test says so, and compares nothing.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    unreachable_pub,
    reason = "a test whose modules stand for an engine's"
)]

mod engine;
mod eval;
#[expect(
    dead_code,
    reason = "a generated file has more than this evaluation needs"
)]
mod tuned_weights;

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use engine::Boards;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use tuner_core::engine::{EngineRows, Evaluation, LinkedSpec, Positions};
use tuner_core::fit::run::{FitRun, FixedRows, PriorChoice, RowSource, RunConfig, Variables};
use tuner_core::rows::import::{self, DeclaredWeights};

const SPEC: &str = include_str!("../../examples/python/engine.toml");

/// Positions, four of a game.
const POSITIONS: usize = 4000;

/// Largest difference of two weights, in centipawns. Where the evidence chooses the
/// prior, the rounding of sums passes through that choice, too: then it is the part of
/// the largest weight.
const SAME: f64 = 1e-10;

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../examples/python")
        .join(name)
}

/// A Python that has pyarrow.
fn python() -> Option<String> {
    let name = std::env::var("TUNER_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let found = Command::new(&name).args(["-c", "import pyarrow"]).output();
    found
        .is_ok_and(|output| output.status.success())
        .then_some(name)
}

/// A table of boards with results that the pieces explain in part.
fn table() -> String {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut text = String::from("fen\tresult\tscore_cp\tgame\tply\n");
    for number in 0..POSITIONS {
        let mut board = [['.'; 8]; 8];
        let mut balance = 0;
        for _ in 0..random.random_range(2..30) {
            let role = random.random_range(0..6);
            let white = random.random_range(0..2) == 0;
            let piece = b"pnbrqk"[role] as char;
            let square = &mut board[random.random_range(0..8)][random.random_range(0..8)];
            if *square == '.' {
                *square = if white {
                    piece.to_ascii_uppercase()
                } else {
                    piece
                };
                balance += [100, 300, 310, 500, 950, 0][role] * if white { 1 } else { -1 };
            }
        }
        let ranks = board.map(|rank| {
            let rank: String = rank.iter().collect();
            rank.replace('.', "1")
        });
        let side = if number % 3 == 0 { "w" } else { "b" };
        let seen = balance / 4 + random.random_range(-300..300);
        let result = match seen {
            ..-80 => "0-1",
            80.. => "1-0",
            _ => "1/2-1/2",
        };
        writeln!(
            text,
            "{} {side} - - 0 1\t{result}\t{seen}\t{}\t{number}",
            ranks.join("/"),
            number / 4
        )
        .unwrap();
    }
    text
}

/// The weights of a fit by the spec, not rounded.
fn fitted(variables: &Variables, rows: &mut dyn RowSource, prior: PriorChoice) -> Vec<f64> {
    let mut config = RunConfig {
        prior_choice: prior,
        ..RunConfig::default()
    };
    config.settings.integers = false;
    let run = FitRun::new(variables, config, &mut ()).unwrap();
    run.run(rows, &mut ()).unwrap().fit.written
}

#[test]
fn traces_by_python_and_by_the_macro_fit_to_the_same_weights() {
    let Some(python) = python() else {
        let words = "skipped: no Python with pyarrow; `pip install pyarrow`, or name one in \
                     TUNER_PYTHON\n";
        std::io::stderr().write_all(words.as_bytes()).unwrap();
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let [positions, traces] =
        ["positions.tsv", "traces.arrow"].map(|name| folder.path().join(name));
    fs::write(&positions, table()).unwrap();
    let output = Command::new(python)
        .arg(example("traces.py"))
        .args([&positions, &traces])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );

    let evaluation = Evaluation::of(Boards).unwrap();
    let linked = LinkedSpec::of_text(evaluation.weights(), Path::new("engine.toml"), SPEC).unwrap();
    let variables = linked.variables().unwrap();
    let files = Positions::of(&evaluation, &[positions]).unwrap();
    let mut traced = EngineRows::read(&evaluation, &linked, files).unwrap();
    let layout = linked.spec.layout();
    let find = |path: &str| layout.find(path).map_err(|error| error.to_string());
    let declared = DeclaredWeights {
        lanes: layout
            .weight_ids()
            .map(|weight| layout.lane(weight))
            .collect(),
        slots: layout.slots(),
        initial: layout.initial(),
        parameters: Vec::new(),
        leaves: None,
        find: &find,
        name: &|weight| layout.name(weight),
    };
    let read = import::read(&traces, Some(&declared)).unwrap();
    assert_eq!(
        read.compared.0, POSITIONS as u64,
        "scores of the evaluation"
    );
    assert!(read.compared.1 < 1.0, "{}", read.compared.1);
    let mut imported = FixedRows::in_memory(read.traces, read.has_games);

    let mut by_macro = Vec::new();
    for prior in [PriorChoice::Declared, PriorChoice::Evidence] {
        by_macro = fitted(&variables, &mut traced, prior);
        let by_python = fitted(&variables, &mut imported, prior);
        let pairs = by_macro.iter().zip(&by_python);
        let largest = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let words = format!(
            "{prior:?} prior: largest difference of {} weights: {largest:e}\n",
            by_macro.len()
        );
        std::io::stderr().write_all(words.as_bytes()).unwrap();
        let most = match prior {
            PriorChoice::Declared => SAME,
            _ => {
                SAME * by_macro
                    .iter()
                    .fold(0.0, |most, weight| weight.abs().max(most))
            }
        };
        assert!(largest <= most, "{largest:e}");
    }
    let initial = layout.initial();
    let moved = by_macro
        .iter()
        .zip(&initial)
        .filter(|(a, b)| (*a - *b).abs() > 1.0);
    assert!(moved.count() > 100, "a fit that moved");
}
