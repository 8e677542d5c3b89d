//! The `tuner` program: data, specs, fits of traces made elsewhere, weights into
//! sources, matches of chess and shogi programs.

use std::process::ExitCode;

use tuner_core::cli::{KnownGame, tuner_main};
use tuner_core::tournament::Protocol;

fn main() -> ExitCode {
    tuner_main(&[
        KnownGame::new("chess", &tuner_chess::Fen, Protocol::Uci),
        KnownGame::new("shogi", &tuner_shogi::Sfen, Protocol::Usi),
    ])
}
