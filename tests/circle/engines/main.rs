//! An evaluator, as the guide has it.

use std::process::ExitCode;

use ENGINE::registry;
use tuner_chess::Fen;
use tuner_core::evaluator::FunctionEngine;
use tuner_core::game::Perspective;

fn main() -> ExitCode {
    tuner_core::serve(&FunctionEngine {
        name: "ENGINE",
        registry: registry(),
        notation: Fen,
        perspective: Perspective::SideToMove,
        evaluate: |pos| EVALUATE,
        trace: |pos| TRACE,
    })
}
