//! The `tuner` program: data, specs, fits of traces made elsewhere, weights into
//! sources, matches of chess programs.

use std::process::ExitCode;

fn main() -> ExitCode {
    tuner_core::cli::tuner_main(&tuner_chess::Fen, tuner_core::play::Protocol::Uci)
}
