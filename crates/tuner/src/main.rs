//! The `tuner` program: tunes evaluations that answer over a pipe; data, specs, weights into
//! sources, games.

use std::process::ExitCode;

use tuner_cli::KnownGame;
use tuner_data::AnyGame;

fn main() -> ExitCode {
    tuner_cli::main(&[
        KnownGame {
            name: "chess",
            game: AnyGame::new(tuner_chess::Fen),
        },
        KnownGame {
            name: "shogi",
            game: AnyGame::new(tuner_shogi::Sfen),
        },
    ])
}
