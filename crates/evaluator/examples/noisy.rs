//! An evaluator whose evaluation prints: what it prints is no answer. A test runs it.

use std::process::ExitCode;

use tuner_evaluator::{FunctionEngine, serve};
use tuner_game::{Fault, Perspective, PositionNotation};
use tuner_trace::{Declared, Registry, Tr};

static REGISTRY: Registry = Registry {
    parameters: &[Declared {
        name: "A",
        module: "crate",
        file: "noisy.rs",
        line: 1,
        column: 1,
        dims: &[],
        lanes: 1,
        values: &[10.0],
        first: 0,
        places: &[],
    }],
};

/// Positions that are a number.
struct Number;

impl PositionNotation for Number {
    type Position = i32;

    fn name(&self) -> &'static str {
        "NUMBER"
    }

    fn parse(&self, text: &str) -> Result<i32, Fault> {
        let fault = || Fault::new(Fault::quote(text), "a number", "correct it");
        text.parse().map_err(|_| fault())
    }

    fn describe(&self, position: &i32) -> String {
        position.to_string()
    }

    fn first_player_to_move(&self, _: &i32) -> bool {
        true
    }
}

#[expect(clippy::print_stdout, reason = "that is what it is for")]
#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the evaluation that is served takes its position so"
)]
fn evaluate(position: &i32) -> i32 {
    println!("score 99");
    assert!(*position != 13, "unlucky");
    10 * position
}

fn main() -> ExitCode {
    serve(&FunctionEngine {
        name: "noisy",
        registry: &REGISTRY,
        notation: Number,
        perspective: Perspective::FirstPlayer,
        evaluate,
        trace: |position: &i32| Tr::weight(10_i32, 0) * *position,
    })
}
