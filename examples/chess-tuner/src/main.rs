//! Tunes the example engine: `cargo run --release -p chess-tuner -- fit`.

use std::process::ExitCode;

use chess_engine::eval;
use shakmaty::Chess;
use tuner_chess::Fen;
use tuner_core::game::{Embedded, Engine};
use tuner_core::outcome::Perspective;
use tuner_core::trace::{Registry, Tr};

/// What the tuner must know of the engine.
struct ChessEngine;

impl Engine for ChessEngine {
    type Notation = Fen;
    type Score = i32;

    fn name(&self) -> &'static str {
        "chess-engine"
    }

    fn spec(&self) -> (&str, &str) {
        (
            "specs/chess.toml",
            include_str!("../../../specs/chess.toml"),
        )
    }

    fn registry(&self) -> &'static Registry {
        chess_engine::registry()
    }

    fn notation(&self) -> &Fen {
        &Fen
    }

    fn perspective(&self) -> Perspective {
        Perspective::SideToMove
    }

    fn evaluate(&self, position: &Chess) -> i32 {
        eval::evaluate(position)
    }

    fn trace(&self, position: &Chess) -> Tr<i32> {
        eval::__traced::evaluate(position)
    }

    fn embedded(&self) -> Option<Embedded> {
        Some(Embedded {
            name: "selfplay.tsv.zst",
            bytes: chess_tuner::DATA,
        })
    }
}

fn main() -> ExitCode {
    tuner_core::cli::main(&ChessEngine)
}
