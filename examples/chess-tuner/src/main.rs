//! Tunes the example engine: `cargo run --release -p chess-tuner -- fit`.

use std::process::ExitCode;

use chess_tuner::ChessEngine;

fn main() -> ExitCode {
    tuner_chess::main_playing(&ChessEngine)
}
