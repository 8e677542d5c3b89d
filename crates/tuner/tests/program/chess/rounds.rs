//! `loop`: rounds of play, fit and test.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::chess::support::{tuner, words};

/// From nothing, so that each test is decided soon.
const SMALL: &str = "loop l --from zero --rounds 2 --games 300 --nodes 40 --score-nodes 60 \
                     --test-games 40 --test-nodes 40 --start-games 10";

/// Fits of few weights: what a loop does with them is the same.
const FEW: [&str; 3] = ["--", "--only", "MATERIAL"];

fn args(more: &str) -> Vec<&'static str> {
    let more: &'static str = Box::leak(more.to_owned().into_boxed_str());
    SMALL
        .split_whitespace()
        .chain(more.split_whitespace())
        .chain(FEW)
        .collect()
}

#[test]
fn a_loop_that_is_done_is_not_begun_again() {
    let whole = tempfile::tempdir().unwrap();
    let output = tuner(whole.path(), &args("--threads 1"));
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    let text = fs::read_to_string(whole.path().join("l/loop.json")).unwrap();
    let state: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(state["rounds"][0]["kept"], true, "{state}");
    assert!(
        state["rounds"][0]["test"]["elo"]
            .as_f64()
            .is_none_or(|elo| elo > 0.0),
        "{state}"
    );
    // Done is done; more rounds go on.
    let output = tuner(whole.path(), &args(""));
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    assert!(!words(&output).contains("$ selfplay"), "{}", words(&output));
    let words_of = |more: &str| {
        let output = tuner(whole.path(), &args(more));
        assert_eq!(output.status.code(), Some(1), "{}", words(&output));
        words(&output)
    };
    let words = words_of("--lambda 0.5");
    assert!(
        words.contains("--lambda: not given then, 0.5 now; leave it out"),
        "{words}"
    );
}

/// The fits of a loop in the order of its commands: the files that they read, their start,
/// and their part of results.
fn fits(output: &str) -> Vec<(String, String, String)> {
    let fits = output
        .lines()
        .filter_map(|line| line.strip_prefix("$ fit "));
    fits.map(|line| {
        let words: Vec<&str> = line
            .split(' ')
            .map(|word| word.trim_matches('\''))
            .collect();
        let files = words.iter().take_while(|word| !word.starts_with("--"));
        let files: Vec<&str> = files.copied().collect();
        let of = |option: &str| {
            let place = words.iter().position(|word| *word == option).unwrap();
            words[place + 1].to_owned()
        };
        (files.join(" "), of("--init"), of("--lambda"))
    })
    .collect()
}

fn small_loop(path: &Path, name: &str, more: &str) -> String {
    let (more, of_fit) = more.split_once(" -- ").unwrap_or((more, ""));
    let few = FEW.join(" ");
    let typed =
        format!("loop {name} --nodes 40 --test-nodes 40 --start-games 0 {more} {few} {of_fit}");
    let output = tuner(path, &typed.split_whitespace().collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    words(&output)
}

/// A column of a table of positions, without its name.
fn column(path: &Path, name: &str) -> Vec<String> {
    let text = zstd::decode_all(fs::File::open(path).unwrap()).unwrap();
    let text = String::from_utf8(text).unwrap();
    let mut lines = text
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>());
    let names = lines.find(|line| line.contains(&name)).unwrap();
    let place = names.iter().position(|found| *found == name).unwrap();
    lines.map(|line| line[place].to_owned()).collect()
}

#[test]
fn positions_are_scored_anew_by_the_weights_that_were_fitted_to_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    // From nothing, where few games ask for other weights; the first fit is to results.
    let twice = small_loop(
        path,
        "l",
        "--from zero --rounds 2 --games 300 --test-games 40 --score-nodes 60 --refits 2 --keep 2",
    );
    let expected = [
        ("round-1/games.tsv.zst", "start.txt", "1"),
        (
            "round-1/scored-1/round-1.tsv.zst",
            "round-1/fit-1/weights.txt",
            "0.2",
        ),
        (
            "round-1/scored-2/round-1.tsv.zst",
            "round-1/fit-2/weights.txt",
            "0.2",
        ),
        // Of the round before the last scores.
        (
            "round-1/scored-2/round-1.tsv.zst l/round-2/games.tsv.zst",
            "round-1/fit/weights.txt",
            "0.2",
        ),
        (
            "round-2/scored-1/round-1.tsv.zst l/round-2/scored-1/round-2.tsv.zst",
            "round-2/fit-1/weights.txt",
            "0.2",
        ),
        (
            "round-2/scored-2/round-1.tsv.zst l/round-2/scored-2/round-2.tsv.zst",
            "round-2/fit-2/weights.txt",
            "0.2",
        ),
    ];
    let expected = expected.map(|(files, from, lambda)| {
        (format!("l/{files}"), format!("l/{from}"), lambda.to_owned())
    });
    assert_eq!(fits(&twice), expected, "{twice}");
    // The command that is said gives the same file.
    let said = twice
        .lines()
        .find_map(|line| line.strip_prefix("$ data rescore l/round-2/games.tsv.zst "));
    let said = said.unwrap();
    assert!(
        said.contains("--weights l/round-2/fit-1/weights.txt"),
        "{said}"
    );
    let file = path.join("l/round-2/scored-1/round-2.tsv.zst");
    let made = fs::read(&file).unwrap();
    let [scores, played] =
        [file.clone(), path.join("l/round-2/games.tsv.zst")].map(|file| column(&file, "score_cp"));
    assert_eq!(scores.len(), played.len());
    assert_ne!(scores, played);
    fs::remove_file(&file).unwrap();
    let typed = format!("data rescore l/round-2/games.tsv.zst {said}");
    let again = tuner(path, &typed.split_whitespace().collect::<Vec<_>>());
    assert_eq!(again.status.code(), Some(0), "{}", words(&again));
    assert_eq!(fs::read(&file).unwrap(), made);
}

#[test]
fn positions_are_scored_once_where_nothing_else_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let files =
        |output: &str| -> Vec<String> { fits(output).into_iter().map(|fit| fit.0).collect() };
    // Those of before count half.
    let never = small_loop(
        path,
        "never",
        "--rounds 2 --games 60 --test-games 2 --score-nodes 60 --keep 2 --refits 0",
    );
    assert_eq!(
        files(&never),
        [
            "never/round-1/games.tsv.zst",
            "never/round-1/games.tsv.zst:weight=0.5 never/round-2/games.tsv.zst",
        ],
        "{never}"
    );
    assert!(!never.contains("$ data rescore"), "{never}");
    for (name, more) in [("results", "--lambda 1"), ("played", "--score-nodes 0")] {
        let found = small_loop(
            path,
            name,
            &format!("--rounds 1 --games 60 --test-games 2 {more}"),
        );
        assert_eq!(
            files(&found),
            [format!("{name}/round-1/games.tsv.zst")],
            "{found}"
        );
    }
    // A fit begins at the best weights, also of scores by others. From these few games ask for
    // other weights.
    let roles = ["knight", "bishop", "rook", "queen"];
    let off = roles.map(|role| format!("MATERIAL[{role}].mg 90\nMATERIAL[{role}].eg 90\n"));
    fs::write(path.join("off.txt"), off.concat()).unwrap();
    let once = small_loop(
        path,
        "once",
        "--from off.txt --rounds 1 --games 60 --test-games 2 --score-nodes 60 -- --prior 100",
    );
    let starts: Vec<String> = fits(&once).into_iter().map(|fit| fit.1).collect();
    assert_eq!(starts, ["once/start.txt"; 2], "{once}");
    // Engines that ignore nodes: no step names them, and the second fit is to scores by depth.
    let deep = "loop deep --from off.txt --rounds 1 --games 60 --test-games 2 --start-games 0 \
                --depth 1 -- --only MATERIAL --prior 100";
    let deep = words(&tuner(path, &deep.split_whitespace().collect::<Vec<_>>()));
    let by_depth = |step: &str| {
        let of = |line: &&str| line.starts_with(&format!("$ {step}")) && line.contains("--depth 1");
        deep.lines().filter(of).count()
    };
    let found = ["selfplay", "data rescore", "match"].map(by_depth);
    assert!(found == [1; 3] && !deep.contains("-nodes "), "{deep}");
    // The first fit asks for no other weights: it is the last one.
    let same = small_loop(
        path,
        "same",
        "--rounds 1 --games 60 --test-games 2 --score-nodes 60 -- --prior 0.001",
    );
    assert_eq!(files(&same), ["same/round-1/games.tsv.zst"], "{same}");
    assert!(
        same.contains("not kept: the games ask for no other weights"),
        "{same}"
    );
    assert!(path.join("same/round-1/fit/report.html").exists());
    assert!(!path.join("same/round-1/fit-1").exists());
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
    fs::write(path.join("wrong.epd"), "no position\n").unwrap();
    for (typed, words_expected) in [
        ("loop l -- --lamda 0.3", "behind --: "),
        ("loop l --from nowhere.txt", "nowhere.txt"),
        ("loop l --sprt 5", "expected two numbers"),
        (
            "loop l --lambda 1 --refits 1",
            "--refits: other scores change nothing",
        ),
        (
            "loop l --score-nodes 0 --refits 2",
            "--refits: other scores change nothing",
        ),
        ("loop l -- --rescore 100", "behind --: --rescore"),
        ("loop l -- --lambda 0.5", "behind --: "),
        ("loop l --depth 2 --nodes 40", "cannot be used with"),
        ("loop l --book nowhere.epd", "--book nowhere.epd: "),
        ("loop l --book wrong.epd", "--book wrong.epd:1: "),
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

#[test]
fn a_loop_of_another_version_is_left_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::create_dir(path.join("l")).unwrap();
    let state = r#"{"format": 2, "engine": {}, "options": {}, "rounds": [{"fit": null, "kept": null,
        "why": "", "test": null, "start": null, "done": false}]}"#;
    fs::write(path.join("l/loop.json"), state).unwrap();
    let output = tuner(path, &["loop", "l"]);
    assert_eq!(output.status.code(), Some(1));
    let words = words(&output);
    assert!(
        words.contains(
            "loop.json: found format 2, expected format 1: resume with the tuner that began it"
        ),
        "{words}"
    );
}
