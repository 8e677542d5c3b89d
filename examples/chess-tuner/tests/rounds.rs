//! `loop`: rounds of play, fit and test.

#![allow(
    clippy::unwrap_used,
    reason = "a test that says what is wrong by failing"
)]

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

mod support;

use support::{command, tuner, words};

/// From nothing, so that each test is decided soon.
const SMALL: &str = "loop l --from zero --rounds 2 --games 1200 --nodes 40 --score-nodes 60 \
                     --test-games 40 --test-nodes 40 --start-games 10";

fn args(more: &str) -> Vec<&'static str> {
    let more: &'static str = Box::leak(more.to_owned().into_boxed_str());
    SMALL
        .split_whitespace()
        .chain(more.split_whitespace())
        .collect()
}

/// What the loop leaves, but for pages and summaries of fits, which hold times.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let names = [
        "start.txt",
        "best.txt",
        "loop.json",
        "report.html",
        "round-1/games.tsv.zst",
        "round-1/fit-1/weights.txt",
        "round-1/scored-1/round-1.tsv.zst",
        "round-1/fit/weights.txt",
        "round-1/fit/tuned_weights.rs",
        "round-1/test.jsonl",
        "round-2/games.tsv.zst",
        "round-2/fit/weights.txt",
    ];
    let read = |name: &str| {
        (
            name.to_owned(),
            fs::read(folder.join("l").join(name)).unwrap(),
        )
    };
    names.map(read).into()
}

#[test]
fn a_loop_that_is_killed_ends_with_the_same_bytes() {
    let whole = tempfile::tempdir().unwrap();
    let output = tuner(whole.path(), &args("--threads 1"));
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    let expected = files(whole.path());
    let state: Value = serde_json::from_slice(&expected[2].1).unwrap();
    assert_eq!(state["rounds"][0]["kept"], true, "{state}");
    assert!(
        state["rounds"][0]["test"]["elo"]
            .as_f64()
            .is_none_or(|elo| elo > 0.0),
        "{state}"
    );

    let killed = tempfile::tempdir().unwrap();
    let (mut kills, mut time) = (0, 80);
    loop {
        let mut child = command(killed.path(), &args("--threads 2"))
            .spawn()
            .unwrap();
        sleep(Duration::from_millis(time));
        let ended = child.try_wait().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        if let Some(status) = ended {
            assert!(status.success(), "{status} after {kills} kills");
            break;
        }
        kills += 1;
        // The longer it lives the later the moment; in the end it gets through.
        time = time * 9 / 8;
    }
    assert!(kills >= 3, "{kills} kills");
    for ((name, expected), (_, found)) in expected.iter().zip(files(killed.path())) {
        assert!(*expected == found, "{name} differs after {kills} kills");
    }

    // Done is done; more rounds go on.
    let output = tuner(killed.path(), &args(""));
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    assert!(!words(&output).contains("$ selfplay"), "{}", words(&output));
    let words_of = |more: &str| {
        let output = tuner(killed.path(), &args(more));
        assert_eq!(output.status.code(), Some(1), "{}", words(&output));
        words(&output)
    };
    let words = words_of("--lambda 0.5");
    assert!(
        words.contains("--lambda: not given then, 0.5 now; leave it out"),
        "{words}"
    );
}

/// The files that fits of a loop read, in the order of its commands.
fn fitted(output: &str) -> Vec<Vec<&str>> {
    let fits = output
        .lines()
        .filter_map(|line| line.strip_prefix("$ fit "));
    fits.map(|line| {
        let files = line.split(' ').take_while(|word| !word.starts_with("--"));
        files.map(|file| file.trim_matches('\'')).collect()
    })
    .collect()
}

#[test]
fn positions_are_scored_anew_by_the_weights_that_were_fitted_to_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let run = |name: &str, more: &str| {
        let typed = format!(
            "loop {name} --games 60 --nodes 40 --test-games 2 --test-nodes 40 --start-games 0 {more}"
        );
        let output = tuner(path, &typed.split_whitespace().collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(0), "{}", words(&output));
        words(&output)
    };
    let twice = run("twice", "--rounds 2 --score-nodes 60 --refits 2 --keep 2");
    assert_eq!(
        fitted(&twice),
        [
            vec!["twice/round-1/games.tsv.zst"],
            vec!["twice/round-1/scored-1/round-1.tsv.zst"],
            vec!["twice/round-1/scored-2/round-1.tsv.zst"],
            // Of the round before the last scores.
            vec![
                "twice/round-1/scored-2/round-1.tsv.zst",
                "twice/round-2/games.tsv.zst"
            ],
            vec![
                "twice/round-2/scored-1/round-1.tsv.zst",
                "twice/round-2/scored-1/round-2.tsv.zst"
            ],
            vec![
                "twice/round-2/scored-2/round-1.tsv.zst",
                "twice/round-2/scored-2/round-2.tsv.zst"
            ],
        ],
        "{twice}"
    );
    // The command that is said gives the same file.
    let said = twice
        .lines()
        .find_map(|line| line.strip_prefix("$ data rescore twice/round-2/games.tsv.zst "));
    let said = said.unwrap();
    assert!(
        said.contains("--weights twice/round-2/fit-1/weights.txt"),
        "{said}"
    );
    let file = path.join("twice/round-2/scored-1/round-2.tsv.zst");
    let made = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    let typed = format!("data rescore twice/round-2/games.tsv.zst {said}");
    let again = tuner(path, &typed.split_whitespace().collect::<Vec<_>>());
    assert_eq!(again.status.code(), Some(0), "{}", words(&again));
    assert_eq!(fs::read(&file).unwrap(), made);
    assert_ne!(
        made,
        fs::read(path.join("twice/round-2/games.tsv.zst")).unwrap()
    );

    // Not at all: those of before count half.
    let never = run("never", "--rounds 2 --score-nodes 60 --keep 2 --refits 0");
    assert_eq!(
        fitted(&never),
        [
            vec!["never/round-1/games.tsv.zst"],
            vec![
                "never/round-1/games.tsv.zst:weight=0.5",
                "never/round-2/games.tsv.zst"
            ],
        ],
        "{never}"
    );
    assert!(!never.contains("$ data rescore"), "{never}");
    let results = run("results", "--rounds 1 --lambda 1");
    assert_eq!(
        fitted(&results),
        [["results/round-1/games.tsv.zst"]],
        "{results}"
    );
    let played = run("played", "--rounds 1 --score-nodes 0");
    assert_eq!(
        fitted(&played),
        [["played/round-1/games.tsv.zst"]],
        "{played}"
    );
}

#[test]
fn drawn_games_teach_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let run = |line: &str| {
        let typed: Vec<&str> = line.split(' ').collect();
        tuner(path, &typed)
    };
    // All weights at 0 divide by 0; the loop takes what is nearest.
    let output = run("selfplay game --weights zero --games 1");
    assert_eq!(output.status.code(), Some(1));
    assert!(words(&output).contains("the evaluation panicked: attempt to divide by zero"));
    run("loop zero --from zero --rounds 1 --games 1 --nodes 1");
    fs::copy(path.join("zero/start.txt"), path.join("start.txt")).unwrap();
    // A single game a round, with seeds of which two in a row are drawn.
    let drawn = |seed: u64| {
        let output = run(&format!(
            "selfplay game --weights start.txt --games 1 --nodes 1 --seed {seed}"
        ));
        fs::remove_file(path.join("game")).unwrap();
        fs::remove_file(path.join("game.json")).unwrap();
        words(&output).contains("drew 1")
    };
    let seed = (1..200).find(|&seed| drawn(seed + 1) && drawn(seed + 2));
    let seed = seed.unwrap();
    let output = run(&format!(
        "loop l --from zero --games 1 --nodes 1 --seed {seed}"
    ));
    let words = words(&output);
    assert_eq!(output.status.code(), Some(0), "{words}");
    for expected in [
        "round 2: not kept: all games were drawn",
        "the weights of 2 rounds in a row were not kept",
        "the weights of the start are the best",
    ] {
        assert!(words.contains(expected), "{words}");
    }
    assert!(!words.contains("$ fit"), "{words}");
}

#[test]
fn wrong_options_play_no_games() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for (typed, words_expected) in [
        ("loop l -- --lamda 0.3", "behind --: "),
        ("loop l --from nowhere.txt", "nowhere.txt"),
        ("loop l --sprt 5", "expected two numbers"),
    ] {
        let typed: Vec<&str> = typed.split(' ').collect();
        let output = tuner(path, &typed);
        assert_ne!(output.status.code(), Some(0), "{typed:?}");
        assert!(
            words(&output).contains(words_expected),
            "{}",
            words(&output)
        );
        assert!(!path.join("l/round-1").exists(), "{typed:?}");
    }
}
