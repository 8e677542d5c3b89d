//! `tuner spsa` over the options of programs.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "a test that says what is wrong by failing"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::scripts::{SHUFFLE, executable};
use crate::support::{tuner, words};
use serde_json::Value;

/// Options that the engine offers.
const OFFERED: &str = "echo option name V type spin default 90 min 0 max 100; \
                       echo option name Style type combo default sharp var sharp var dull; \
                       echo option name F type string default 0.5; \
                       echo option name Hash type spin default 16 min 1 max 64";

/// An engine that moves knights out and home; with V away from 40 it loses openings whose number
/// of moves is smaller.
pub(crate) fn engine(folder: &Path, name: &str, heeds: bool) {
    let set = if heeds {
        "case $rest in *\" V value \"*) v=${rest##* };; esac"
    } else {
        ":"
    };
    let text = format!(
        "#!/bin/sh\nv=90\nwhile read -r word rest; do case $word in\n\
         uci) echo id name {name}; {OFFERED}; echo uciok;; isready) echo readyok;;\n\
         setoption) {set};;\nposition) last=\"$rest\";;\n\
         go) set -- $last; d=$((v > 40 ? v - 40 : 40 - v)); echo info score cp $v; \
         if [ $d -gt $7 ]; then echo bestmove x$v; else {SHUFFLE}; fi;;\nquit) exit;;\nesac; done\n"
    );
    let path = folder.join(name);
    executable(&path, &text);
    let openings: Vec<String> = (1..60)
        .map(|moves| format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 {moves}\n"))
        .collect();
    fs::write(folder.join("book.epd"), openings.concat()).unwrap();
}

const MOVED: &str = "V=90:0..100:6";

fn arguments<'a>(moved: &'a str, out: &'a str) -> Vec<&'a str> {
    let mut all = vec!["spsa", "./engine", "--option", moved, "--out", out];
    all.extend(["--book", "book.epd", "--nodes", "10", "--json"]);
    all.extend(["--rate", "0.1", "--games", "192", "--test-games", "20"]);
    all
}

fn run(folder: &Path, out: &str, more: &[&str]) -> Value {
    let output = tuner(folder, &[&arguments(MOVED, out), more].concat());
    assert!(output.status.success(), "{}", words(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Options come near those that win, whatever the threads, and where the run was cut; the test at
/// the end is won.
#[test]
fn options_of_a_program_come_near_those_that_win() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    engine(path, "engine", true);
    let one = run(path, "one", &["--threads", "1"]);
    let found = one["weights"]["V"].as_f64().unwrap();
    let noise = one["noise"]["V"].as_f64().unwrap();
    assert!((20.0..60.0).contains(&found), "{one}");
    assert!(90.0 - found > noise && noise > 1.0, "{one}");
    assert!(
        one["test"]["wins"].as_u64() > one["test"]["losses"].as_u64(),
        "{one}"
    );
    assert_eq!(one["test"]["games"], 20);

    let cut = [arguments(MOVED, "cut"), vec!["--threads", "2"]].concat();
    let mut killed = Command::new(env!("CARGO_BIN_EXE_tuner"))
        .current_dir(path)
        .args(&cut)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !path.join("cut/spsa.json").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(run(path, "cut", &["--threads", "2", "--resume"]), one);
    let text = |name: &str| fs::read_to_string(path.join(name)).unwrap();
    for file in ["spsa.json", "options.txt"] {
        assert_eq!(
            text(&format!("cut/{file}")),
            text(&format!("one/{file}")),
            "{file}"
        );
    }
    let page = text("one/spsa.html");
    assert!(
        page.contains("1 of 1 moved farther than chance alone"),
        "{page}"
    );

    // What is written is read, and begins there.
    let again = [
        "spsa",
        "./engine",
        "--options",
        "one/options.txt",
        "--games",
        "2",
    ];
    let more = [
        "--book",
        "book.epd",
        "--nodes",
        "10",
        "--test-games",
        "0",
        "--out",
        "again",
    ];
    let output = tuner(path, &[&again[..], &more].concat());
    let start = format!("V {found:.0} → ");
    assert!(words(&output).contains(&start), "{}", words(&output));

    let other = [arguments("V=90:0..100:7", "one"), vec!["--resume"]].concat();
    let refused = words(&tuner(path, &other));
    assert!(refused.contains("perturbations was"), "{refused}");
}

/// Each message, with its cure.
#[test]
fn options_that_cannot_be_moved_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    engine(path, "engine", true);
    let refusals = [
        ("W=9:0..10:1", "offers no option W, only V, Style, F, Hash"),
        (
            "V=90:0..101:1",
            "found \"101\", expected a whole number from 0 to 100",
        ),
        ("V=0.5:0..1:0.1", "the engine takes whole numbers"),
        ("Style=1:0..2:1", "takes no number"),
        (
            "Hash=16:1..64:4",
            "is of the machine, or weakens the engine on purpose",
        ),
        ("V=90:0..80:6", "expected NAME=START:LOW..HIGH:SIZE"),
        ("V=90:0.80:6", "expected NAME=START:LOW..HIGH:SIZE"),
        ("V=90", "nothing is moved"),
    ];
    for (moved, expected) in refusals {
        let output = tuner(path, &arguments(moved, "out"));
        let found = words(&output);
        assert!(
            !output.status.success() && found.contains(expected),
            "{moved}: {found}"
        );
    }
    for (more, expected) in [
        (
            &["--only", "X"][..],
            "choose weights, and a program has none",
        ),
        (&["--option", "V=1:0..9:1"], "option V: found twice"),
        (&["--option", "v=40"], "option V: found twice"),
        (&["--option", "Style=blunt"], "expected one of sharp, dull"),
        (&["--option", "Nothing=3"], "offers no option Nothing"),
    ] {
        let output = tuner(path, &[&arguments(MOVED, "out"), more].concat());
        let found = words(&output);
        assert!(
            !output.status.success() && found.contains(expected),
            "{more:?}: {found}"
        );
    }
    // One that cannot bear the start; one that is late.
    let text = fs::read_to_string(path.join("engine")).unwrap();
    let rewritten = |from: &str, to: &str| {
        executable(&path.join("engine"), &text.replace(from, to));
    };
    rewritten("isready) ", "isready) [ $v = 80 ] && exit; ");
    let found = words(&tuner(path, &arguments("V=80:0..100:6", "out")));
    assert!(
        found.contains("cannot play at the start: ./engine: ended"),
        "{found}"
    );
    rewritten("go) ", "go) sleep 0.03; ");
    let by_clock = |out| {
        let more = [
            "--tc",
            "0.001+0",
            "--time-margin",
            "1",
            "--games",
            "8",
            "--test-games",
            "0",
        ];
        tuner(
            path,
            &[&arguments("V=40:0..100:1", out)[..8], &more].concat(),
        )
    };
    let output = by_clock("late");
    let found = words(&output);
    assert!(
        found.contains("the last 8 games were lost on time"),
        "{found}"
    );
    assert!(!output.status.success() && !path.join("late/spsa.json").exists());
    // One that does not listen.
    engine(path, "engine", false);
    let found = words(&by_clock("clock"));
    assert!(found.contains("may not heed options: V"), "{found}");
    let found = words(&tuner(path, &arguments(MOVED, "deaf")));
    assert!(found.contains("does not heed what is moved"), "{found}");
    assert!(!path.join("deaf/spsa.json").exists());
}

/// The forms in which others keep such options.
#[test]
fn files_of_options_are_those_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    engine(path, "engine", true);
    let weather = "{\"V\": {\"value\": 90, \"min_value\": 0, \"max_value\": 100, \"step\": 6}}";
    for (name, text, status, expected) in [
        (
            "openbench",
            "V, int, 90, 0, 100, 6, 0.002\nF, float, 0.5, 0, 1, 0.1, 0.002\n",
            0,
            "F 0.50 → ",
        ),
        ("fishtest", "V,90,0,100,6.5,0.002\n", 0, "V 90 → "),
        ("weather", weather, 0, "V 90 → "),
        (
            "short",
            "V, int, 90, 0, 100, 6, 0.002\nV 90\n",
            1,
            "short:2: found \"V 90\", expected NAME",
        ),
        ("out", "V, int, 190, 0, 100, 6, 0.002\n", 1, "out:1: found"),
        ("empty", "\n", 1, "empty: found no option"),
        ("broken", "{\"V\": 90}", 1, "broken:1: "),
        (
            "range",
            &weather.replace("90", "900"),
            1,
            "the value within the range",
        ),
    ] {
        fs::write(path.join(name), text).unwrap();
        let out = format!("{name}-out");
        let mut all = vec!["spsa", "./engine", "--options", name, "--out", &out];
        all.extend([
            "--book",
            "book.epd",
            "--nodes",
            "10",
            "--games",
            "2",
            "--test-games",
            "0",
        ]);
        let output = tuner(path, &all);
        let found = words(&output);
        assert_eq!(output.status.code(), Some(status), "{name}: {found}");
        assert!(found.contains(expected), "{name}: {found}");
    }
    let line = fs::read_to_string(path.join("openbench-out/options.txt")).unwrap();
    assert!(line.contains("\nF, float, 0.5"), "{line}");
    // Its step is the size at the start, which falls as the games do.
    let typed = "spsa ./engine --options weather --out narrowed --book book.epd --nodes 10 --games 40 \
                 --test-games 0";
    let output = tuner(path, &typed.split_whitespace().collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    let line = fs::read_to_string(path.join("narrowed/options.txt")).unwrap();
    let size: f64 = line.split(", ").nth(5).unwrap().parse().unwrap();
    assert!((size - 6.0 / 20_f64.powf(0.101)).abs() < 1e-9, "{line}");
}
