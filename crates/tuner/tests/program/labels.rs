//! `data rescore` and `playout` by an engine that is a script; `match` with clocks; `elo`
//! and `sprt`.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "a test that says what is wrong by failing"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::scripts::{executable, script, shuffler};
use crate::support::{tuner, words};
use serde_json::Value;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const AFTER: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
/// Black is mated.
const MATED: &str = "R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1";

/// A table: position, result, score, game, ply.
fn table(folder: &Path, positions: &[&str]) {
    let mut lines = vec!["fen\tresult\tscore_cp\tgame\tply".to_owned()];
    let rows = positions.iter().enumerate();
    lines.extend(rows.map(|(n, fen)| format!("{fen}\t1/2-1/2\t7\tg{}\t{n}", n / 2)));
    fs::write(folder.join("in.tsv"), lines.join("\n") + "\n").unwrap();
}

/// A column of the table that was written.
fn column(folder: &Path, name: &str) -> Vec<String> {
    let text = fs::read_to_string(folder.join("out.tsv")).unwrap();
    let mut lines = text.lines();
    let at = lines
        .next()
        .unwrap()
        .split('\t')
        .position(|column| column == name);
    lines
        .map(|line| line.split('\t').nth(at.unwrap()).unwrap().to_owned())
        .collect()
}

fn run(folder: &Path, args: &str) -> (i32, String) {
    let args: Vec<&str> = args.split(' ').collect();
    let output = tuner(folder, &args);
    let said = String::from_utf8(output.stdout.clone()).unwrap() + &words(&output);
    (output.status.code().unwrap(), said)
}

#[test]
fn scores_are_the_first_player_s_and_the_rest_stays() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let go = "echo info depth 3 score cp 40 nodes 9; \
              case \"$last\" in *' b '*) echo bestmove e7e5;; *) echo bestmove e2e4;; esac";
    script(folder, "engine", go);
    table(folder, &[START, AFTER, MATED]);
    let args = "data rescore in.tsv -o out.tsv --engine ./engine --nodes 9 --threads 2";
    let (code, said) = run(folder, args);
    assert_eq!(code, 0, "{said}");
    // For Black to move 40 is 40 less for White; a mate on the board needs no engine.
    assert_eq!(column(folder, "score_cp"), ["40", "-40", "32000"]);
    assert_eq!(column(folder, "result"), ["1/2-1/2"; 3]);
    assert_eq!(column(folder, "ply"), ["0", "1", "2"]);
    let games = column(folder, "game");
    assert!(games[0] == games[1] && games[1] != games[2]);
    assert!(!folder.join("out.tsv.part").exists());

    script(folder, "mating", &go.replace("cp 40", "mate -2"));
    let args = "data rescore in.tsv -o out.tsv --engine ./mating --nodes 9";
    assert_eq!(run(folder, args).0, 0);
    assert_eq!(column(folder, "score_cp"), ["-31996", "31996", "32000"]);
}

#[test]
fn an_engine_that_does_not_answer_labels_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // Illegal in the second position alone.
    script(folder, "engine", "echo info score cp 5; echo bestmove e2e4");
    let illegal = "8/8/8/8/8/k7/7p/K7 w - - 0 1";
    table(folder, &[START, illegal, START]);
    let args = "data rescore in.tsv -o out.tsv --engine ./engine --nodes 9";
    let (code, said) = run(folder, args);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("1 without a score from the engine"), "{said}");
    assert_eq!(column(folder, "ply"), ["0", "2"]);

    // One that is out of order is not asked a thousand times.
    table(folder, &[illegal; 100]);
    let (code, said) = run(folder, args);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("20 positions one after the other"), "{said}");
    let (code, said) = run(folder, "data rescore in.tsv -o o.tsv --engine ./missing");
    assert!(code == 1 && said.contains("does not start"), "{said}");
    let (code, said) = run(folder, "data rescore in.tsv -o o.tsv");
    assert!(code == 2 && said.contains("--engine"), "{said}");
}

#[test]
fn a_killed_run_is_resumed_and_asks_for_the_rest_alone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    script(
        folder,
        "engine",
        "echo . >> asked; sleep 0.02; echo info score cp 5; echo bestmove e2e4",
    );
    let positions = vec![START; 1200];
    table(folder, &positions);
    let args = "data rescore in.tsv -o out.tsv --engine ./engine --nodes 9 --threads 8";
    let asked = || {
        fs::read_to_string(folder.join("asked"))
            .unwrap_or_default()
            .len()
            / 2
    };
    let mut child = Command::new(env!("CARGO_BIN_EXE_tuner"))
        .current_dir(folder)
        .args(args.split(' '))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while asked() < 600 {
        thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(folder.join("out.tsv.part").exists() && !folder.join("out.tsv").exists());
    let (code, said) = run(folder, args);
    assert!(code == 1 && said.contains("--resume"), "{said}");
    let other = args.replace("--nodes 9", "--nodes 8");
    let (code, said) = run(folder, &format!("{other} --resume"));
    assert!(
        code == 1 && said.contains("how was \"9 nodes a move\""),
        "{said}"
    );
    // Other inputs are noticed at the first position.
    table(folder, &vec![AFTER; 1200]);
    let (code, said) = run(folder, &format!("{args} --resume"));
    assert!(code == 1 && said.contains("another position"), "{said}");
    table(folder, &positions);

    let before = asked();
    let (code, said) = run(folder, &format!("{args} --resume"));
    assert_eq!(code, 0, "{said}");
    // At least what was on the disk is not asked for again.
    let again = asked() - before;
    assert!(again <= positions.len() - 512, "{again} asked again");
    assert_eq!(column(folder, "score_cp"), vec!["5"; 1200]);
    assert!(!folder.join("out.tsv.part").exists());
}

#[test]
fn playing_on_gives_results() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    shuffler(folder, "engine");
    let text =
        format!("fen\tresult\tscore_cp\tgame\tply\n{START}\t1-0\t7\ta\t3\n{MATED}\t0-1\t9\tb\t4\n");
    fs::write(folder.join("in.tsv"), text).unwrap();
    let (code, said) = run(
        folder,
        "data playout in.tsv -o out.tsv --engine ./engine --nodes 9",
    );
    assert_eq!(code, 0, "{said}");
    // Knights out and home are a repetition; the mate stands on the board.
    assert_eq!(column(folder, "result"), ["1/2-1/2", "1-0"]);
    assert_eq!(column(folder, "score_cp"), ["7", "9"]);
}

#[test]
fn who_is_out_of_time_loses_and_plays_on_in_the_next_game() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    shuffler(folder, "quick");
    // Answers only when it is told to stop.
    let path = folder.join("slow");
    script(folder, "slow", ":");
    let text = fs::read_to_string(&path).unwrap();
    let stopped = "stop) echo bestmove g1f3;; ucinewgame) echo n >> games;; uci)";
    executable(&path, &text.replace("uci)", stopped));
    let args = "match ./quick ./slow --tc 0.2+0.01 --games 4 --threads 1 --json --pgn g.pgn \
                --random-plies 0";
    let output = tuner(folder, &args.split_whitespace().collect::<Vec<_>>());
    let said = words(&output);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["wins"], 4, "{said}");
    assert_eq!(found["late"], serde_json::json!([0, 4]), "{said}");
    assert!(
        said.contains("lost on time: 0 by the first, 4 by the second"),
        "{said}"
    );
    // One process played all of them.
    assert_eq!(
        fs::read_to_string(folder.join("games"))
            .unwrap()
            .lines()
            .count(),
        4
    );
    let pgn = fs::read_to_string(folder.join("g.pgn")).unwrap();
    assert_eq!(pgn.matches("[TimeControl \"0.2+0.01\"]").count(), 4);
    assert_eq!(pgn.matches("[Termination \"time forfeit by the").count(), 4);

    let (code, said) = run(folder, "elo g.pgn");
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("4 games of quick by script"), "{said}");
    assert!(
        said.contains("4 won, 0 drawn, 0 lost; pairs by half points [0, 0, 0, 0, 2]"),
        "{said}"
    );
    let (_, said) = run(folder, "match ./quick ./slow --tc 8;0.08");
    assert!(
        said.contains("expected a time control such as 8+0.08"),
        "{said}"
    );
}

#[test]
fn counts_become_elo_and_a_test() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (code, said) = run(folder, "elo 136 111 96");
    assert!(code == 0 && said.contains("Elo 40.7 ± 30.4"), "{said}");
    let (_, said) = run(folder, "sprt --elo 0,3 1453 8952 16711 9425 1427");
    assert!(
        said.contains("LLR 2.96 (-2.94, 2.94) of [0, 3]: passed"),
        "{said}"
    );
    for (args, part) in [
        ("elo 1 2", "expected three counts"),
        ("elo 1 2 x", "expected three counts"),
        ("elo 0 0 0", "nothing can be told"),
        ("elo missing.pgn", "missing.pgn"),
        ("sprt --elo 5,0 1 2 3", "elo0 below elo1"),
        ("elo 1 2 3 --player x", "counts do not say who played"),
    ] {
        let (code, said) = run(folder, args);
        assert!(code != 0 && said.contains(part), "{args}: {said}");
    }
}
