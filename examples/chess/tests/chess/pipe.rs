//! The evaluator over a pipe says what the engine says within one process.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use chess_engine::evaluator::ChessEngine;
use tuner_core::data::any_game;
use tuner_core::engine::{
    EngineRows, Evaluation, EvaluatorGames, EvaluatorProgram, KnownGame, LinkedSpec, PATIENCE,
    Positions,
};
use tuner_core::fit::run::{FitRun, RunConfig};
use tuner_core::play::{Adjudication, ContestSettings, Limit, MatchTexts, OpeningChoice, Thinking};

const EVALUATOR: &str = env!("CARGO_BIN_EXE_chess-evaluator");

/// The example's own positions, some of them.
fn some_positions() -> PathBuf {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/selfplay.tsv.zst");
    PathBuf::from(format!("{}:limit=3000", data.display()))
}

/// Within this process, and over a pipe.
fn both() -> [Evaluation; 2] {
    let program = EvaluatorProgram {
        uci: None,
        begins_with: None,
        command: vec![EVALUATOR.to_owned()],
        folder: None,
    };
    let chess = KnownGame {
        name: "chess",
        game: any_game(tuner_chess::Fen),
    };
    [
        Evaluation::playing(ChessEngine).unwrap(),
        Evaluation::start(program, &[chess], PATIENCE).unwrap(),
    ]
}

#[test]
fn the_same_bits_in_one_process_and_over_the_pipe() {
    let spec = include_str!("../../../../specs/chess.toml");
    let fits = both().map(|evaluation| {
        let path = Path::new("specs/chess.toml");
        let linked = LinkedSpec::of_text(evaluation.weights(), path, spec).unwrap();
        let positions = Positions::of(&evaluation, &[some_positions()]).unwrap();
        let mut rows = EngineRows::read(&evaluation, &linked, positions).unwrap();
        let variables = linked.variables().unwrap();
        let run = FitRun::new(&variables, RunConfig::default(), &mut ()).unwrap();
        let finished = run.run(&mut rows, &mut ()).unwrap();
        let bits: Vec<u64> = (finished.fit.written.iter())
            .map(|weight| weight.to_bits())
            .collect();
        (
            bits,
            finished.facts.rows.clone(),
            finished.fit.error.to_bits(),
        )
    });
    assert!(fits[0] == fits[1]);
}

#[test]
fn the_same_games_in_one_process_and_over_the_pipe() {
    let settings = ContestSettings {
        seed: 3,
        thinking: [Thinking::Move(Limit::Nodes(100)); 2],
        openings: OpeningChoice::Random {
            plies: 8,
            bound: Some(150),
        },
        adjudication: Adjudication {
            win: None,
            draw: None,
            longest: 60,
        },
        texts: MatchTexts {
            text: true,
            ..MatchTexts::default()
        },
    };
    let pairs = both().map(|evaluation| {
        let mut values = evaluation.weights().values();
        values[0] += 20.0;
        let games = EvaluatorGames::of_match(&evaluation, &settings)
            .unwrap()
            .unwrap();
        let mut player = games.player(&[]).unwrap();
        player.sides([&values, &[]]).unwrap();
        [0, 1, 7].map(|number| player.pair(number).unwrap())
    });
    assert_eq!(pairs[0], pairs[1]);
}

/// Each question has an answer, whatever it is.
#[test]
fn commands_that_are_none_are_errors() {
    let mut running = Command::new(EVALUATOR)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut questions = running.stdin.take().unwrap();
    questions
        .write_all(b"tuner 1\nnonsense\nposition 8/8 w\nscore\nquit\n")
        .unwrap();
    let output = running.wait_with_output().unwrap();
    assert!(output.status.success());
    let answers = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = answers.lines().collect();
    let ready = lines.iter().position(|line| *line == "ok").unwrap();
    assert_eq!(lines.len(), ready + 4, "{answers}");
    assert!(
        lines[ready + 1..]
            .iter()
            .all(|line| line.starts_with("error ")),
        "{answers}"
    );
}
