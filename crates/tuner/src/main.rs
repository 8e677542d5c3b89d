//! The `tuner` program: tunes evaluations that answer over a pipe; data, specs, weights into
//! sources, games.

use std::process::ExitCode;

use tuner_cli::KnownGame;
use tuner_data::any_game;

fn main() -> ExitCode {
    tuner_cli::main(&[
        KnownGame {
            name: "chess",
            game: any_game(tuner_chess::Fen),
        },
        KnownGame {
            name: "shogi",
            game: any_game(tuner_shogi::Sfen),
        },
    ])
}
