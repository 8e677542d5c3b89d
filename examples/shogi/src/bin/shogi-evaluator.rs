//! The evaluation as a program that answers `tuner`: see `tuner.toml`.

use std::process::ExitCode;

use shogi_engine::evaluator::ShogiEngine;

fn main() -> ExitCode {
    tuner_core::serve_playing(&ShogiEngine)
}
