//! How often 95 % intervals cover, and how many of the weights kept are 0, over a
//! thousand simulated data sets of each kind:
//! `cargo bench -p tuner-judge --bench coverage [-- DATA_SETS]`.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints, and ends where something fails"
)]

#[path = "../tests/judge/simulation.rs"]
mod simulation;

use simulation::{Kind, Piece, run};
use tuner_fit::model::Loss;

fn main() {
    let number = std::env::args().skip(1).find_map(|arg| arg.parse().ok());
    let data_sets = number.unwrap_or(1000);
    println!("{data_sets} data sets of each kind");
    println!("kind                                   intervals  cover    false discoveries");
    for (name, goal, kind) in weights().into_iter().chain(tables_and_frozen()) {
        let score = run(kind, data_sets);
        let coverage = 100.0 * score.coverage();
        let met = if goal == ((coverage - 95.0).abs() <= 1.0) {
            "as expected"
        } else {
            "NOT as expected"
        };
        println!(
            "{name:<38} {:>9}  {coverage:5.2} %  {:5.2} %  {met}",
            score.intervals,
            100.0 * score.false_discovery_rate()
        );
    }
}

/// Kinds of which weights by themselves are counted, and whether the coverage is to be
/// reached.
fn weights() -> Vec<(&'static str, bool, Kind)> {
    let plain = Kind::default();
    let entropy = Kind {
        loss: Loss::CrossEntropy,
        ..plain
    };
    vec![
        ("squared error, linear", true, plain),
        ("cross-entropy, linear", true, entropy),
        (
            "squared error, nonlinear",
            true,
            Kind {
                nonlinear: true,
                ..plain
            },
        ),
        (
            "a tie and an active bound",
            true,
            Kind {
                constrained: true,
                ..plain
            },
        ),
        (
            "prior taken as true",
            true,
            Kind {
                prior: true,
                ..plain
            },
        ),
        (
            "prior, cross-entropy",
            true,
            Kind {
                prior: true,
                ..entropy
            },
        ),
        (
            "prior, nonlinear, constrained",
            true,
            Kind {
                nonlinear: true,
                prior: true,
                constrained: true,
                ..plain
            },
        ),
        (
            "each position a game (naive)",
            false,
            Kind {
                naive: true,
                ..plain
            },
        ),
    ]
}

/// Kinds of which entries against the mean of their table, or frozen weights, are
/// counted.
fn tables_and_frozen() -> Vec<(&'static str, bool, Kind)> {
    let plain = Kind::default();
    let entropy = Kind {
        loss: Loss::CrossEntropy,
        ..plain
    };
    vec![
        (
            "table against its mean, piece nearly",
            true,
            Kind {
                table: Some(Piece::Near),
                ..plain
            },
        ),
        (
            "table against its mean, piece exactly",
            true,
            Kind {
                table: Some(Piece::Exact),
                ..plain
            },
        ),
        (
            "the same, prior taken as true",
            true,
            Kind {
                table: Some(Piece::Exact),
                prior: true,
                ..plain
            },
        ),
        (
            "the same, nonlinear, tie and bound",
            true,
            Kind {
                table: Some(Piece::Near),
                nonlinear: true,
                constrained: true,
                ..entropy
            },
        ),
        (
            "frozen weights",
            true,
            Kind {
                frozen: true,
                ..plain
            },
        ),
        (
            "frozen weights, prior, nonlinear",
            true,
            Kind {
                frozen: true,
                prior: true,
                nonlinear: true,
                ..entropy
            },
        ),
    ]
}
