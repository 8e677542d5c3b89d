//! Tunes the example engine: `cargo run --release -p shogi-tuner -- fit`.

use std::process::ExitCode;

use shogi_tuner::ShogiEngine;

fn main() -> ExitCode {
    tuner_shogi::main_playing(&ShogiEngine)
}
