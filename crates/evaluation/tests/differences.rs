//! Derivatives of an evaluation with thousands of weights against differences.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tuner_data::{Fault, Perspective, PositionNotation};
use tuner_evaluation::{Differences, Evaluation, Link, differences};
use tuner_evaluator::{AtWeights, Engine};
use tuner_spec::Spec;
use tuner_trace::{Declared, Recorder, Registry, Tr};

const WEIGHTS: usize = 5_000;
/// A weight that the twin of [`Wide`] may read past its trace.
const HIDDEN: u32 = 4_321;

/// Weights that a score reads, behind the first.
const READ: u32 = 40;

/// A position is how often the first weight counts.
#[derive(Clone)]
struct Notation;

impl PositionNotation for Notation {
    type Position = i32;

    fn name(&self) -> &'static str {
        "COUNT"
    }

    fn parse(&self, text: &str) -> Result<i32, Fault> {
        text.parse().map_err(|_| Fault {
            offset: 0,
            found: text.to_owned(),
            expected: "a number".into(),
            cure: "write one".into(),
        })
    }

    fn describe(&self, position: &i32) -> String {
        position.to_string()
    }

    fn first_player_to_move(&self, _: &i32) -> bool {
        true
    }
}

/// An engine of so many weights, of which a score reads some.
#[derive(Clone, Default)]
struct Wide {
    /// A weight that is read past the trace as well.
    hidden: Option<u32>,
    runs: Arc<AtomicU64>,
}

impl Engine for Wide {
    type Notation = Notation;
    type Score = i32;

    fn name(&self) -> &'static str {
        "wide"
    }

    fn registry(&self) -> &'static Registry {
        const ALL: Declared = Declared {
            name: "ALL",
            module: "crate",
            file: "wide.rs",
            line: 1,
            column: 1,
            dims: &[WEIGHTS],
            lanes: 1,
            values: &[3.0; WEIGHTS],
            first: 0,
            places: &[],
        };
        &Registry { parameters: &[ALL] }
    }

    fn notation(&self) -> &Notation {
        &Notation
    }

    fn perspective(&self) -> Perspective {
        Perspective::FirstPlayer
    }

    fn evaluate(&self, position: &i32) -> i32 {
        3 * position + 3 * READ as i32 + self.hidden.map_or(0, |_| 3)
    }

    fn trace(&self, position: &i32) -> Tr<i32> {
        self.runs.fetch_add(1, Ordering::Relaxed);
        let read = (1..=READ).map(|weight| Tr::weight(3, weight));
        let score = read.fold(Tr::weight(3, 0) * *position, |sum, weight| sum + weight);
        match self.hidden {
            Some(weight) => score + Tr::lit(Recorder::score(Tr::weight(3, weight))),
            None => score,
        }
    }
}

const SPEC: &str = "version = 1\nname = \"wide\"\n[[parameter]]\nname = \"ALL\"\nshape = [5000]\n\
                    initial = 3\n";

fn found(engine: &Wide, positions: &[&str]) -> Differences {
    let spec = Spec::parse("wide.toml".as_ref(), SPEC).unwrap();
    let evaluation = Evaluation::of(engine.clone()).unwrap();
    let link = Link::new(evaluation.weights(), spec.layout()).unwrap();
    differences(&evaluation, &link, positions).unwrap()
}

/// The weights whose derivatives are wrong, of all of so many positions.
fn wrong(found: &Differences, positions: u64) -> Vec<usize> {
    let compared = positions * WEIGHTS as u64;
    assert_eq!((found.compared, found.skipped), (compared, 0));
    let weights = found.wrong.iter().filter_map(|one| one.weight);
    weights.map(tuner_spec::WeightId::index).collect()
}

#[test]
fn weights_that_are_not_read_are_compared_together() {
    let engine = Wide::default();
    let found = found(&engine, &["1", "2", "3"]);
    assert_eq!((found.compared, found.skipped), (3 * WEIGHTS as u64, 0));
    assert!(found.wrong.is_empty() && found.changes_wrong.is_empty());
    let runs = engine.runs.load(Ordering::Relaxed);
    assert!(runs <= 3 * 20, "{runs} runs of the twin");
}

#[test]
fn a_wrong_derivative_is_found_among_those_compared_together() {
    let engine = Wide {
        hidden: Some(READ / 2),
        ..Wide::default()
    };
    let found = found(&engine, &["1", "2"]);
    let wrong = wrong(&found, 2);
    assert_eq!(wrong, [READ as usize / 2; 2]);
    let (traced, differenced) = (found.wrong[0].found.traced, found.wrong[0].found.evaluated);
    assert!((traced - 1.0).abs() < 1e-9 && (differenced - 2.0).abs() < 1e-9);
}

#[test]
fn a_weight_that_the_twin_reads_past_its_trace_is_found() {
    let engine = Wide {
        hidden: Some(HIDDEN),
        ..Wide::default()
    };
    let found = found(&engine, &["1", "2"]);
    let wrong = wrong(&found, 2);
    assert_eq!(wrong, [HIDDEN as usize; 2]);
    assert!((found.wrong[0].found.evaluated - 1.0).abs() < 1e-9);
    assert!(engine.runs.load(Ordering::Relaxed) <= 2 * 150);
}

#[test]
fn a_position_with_a_line_break_is_one_question() {
    let evaluation = Evaluation::of(Wide::default()).unwrap();
    let score = |text: &str| evaluation.score(&[], text).unwrap();
    assert_eq!(score("2\n"), Ok(126.0));
    assert!(score("2\nscore").is_err());
    assert_eq!(score("5"), Ok(135.0));
}

#[test]
fn a_position_may_be_longer_than_a_pipe_holds() {
    let evaluation = Evaluation::of(Wide::default()).unwrap();
    let positions = ["0".repeat(9000) + "2", "5".to_owned()];
    let scores = evaluation.scores(&[], &positions).unwrap();
    assert_eq!(scores, [Ok([126.0; 2]), Ok([135.0; 2])]);
}

#[test]
#[should_panic(expected = "2 values for 5000 weights")]
fn an_evaluation_has_a_value_for_each_weight() {
    let _ = AtWeights::new(&Wide::default(), &[3.0; 2]);
}
