//! The `tuner` program: tunes evaluations that answer over a pipe; data, specs, weights into
//! sources, games.

use std::process::ExitCode;

use tuner_cli::KnownGame;
use tuner_data::any_game;

fn main() -> ExitCode {
    let games = [
        KnownGame {
            name: "chess",
            game: any_game(tuner_chess::Fen),
        },
        KnownGame {
            name: "shogi",
            game: any_game(tuner_shogi::Sfen),
        },
    ];
    tuner_cli::main(&games, env!("TUNER_VERSION"))
}
