//! A tuning binary, as the guide has it.

use std::process::ExitCode;

use ENGINE::registry;
use shakmaty::Chess;
use tuner_chess::Fen;
use tuner_core::data::Perspective;
use tuner_core::engine::Engine;
use tuner_core::trace::{Registry, Tr};

struct This;

impl Engine for This {
    type Notation = Fen;
    type Score = i32;

    fn name(&self) -> &'static str {
        "ENGINE"
    }

    fn spec(&self) -> (&str, &str) {
        ("ENGINE.toml", include_str!("../ENGINE.toml"))
    }

    fn registry(&self) -> &'static Registry {
        registry()
    }

    fn notation(&self) -> &Fen {
        &Fen
    }

    fn perspective(&self) -> Perspective {
        Perspective::SideToMove
    }

    fn evaluate(&self, pos: &Chess) -> i32 {
        EVALUATE
    }

    fn trace(&self, pos: &Chess) -> Tr<i32> {
        TRACE
    }
}

fn main() -> ExitCode {
    tuner_core::cli::main(&This)
}
