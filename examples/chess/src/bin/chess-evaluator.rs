//! The evaluation as a program that answers `tuner`: see `tuner.toml`.

use std::process::ExitCode;

use chess_engine::evaluator::ChessEngine;

fn main() -> ExitCode {
    tuner_core::serve_playing(&ChessEngine)
}
