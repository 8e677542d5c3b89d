//! `tuner match`: programs that play, and programs that do not.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "a test that says what is wrong by failing"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use std::thread;
use std::time::{Duration, Instant};

use crate::scripts::{SHUFFLE, executable, script, shuffler};
use crate::support::{tuner, words};
use serde_json::Value;
use tempfile::TempDir;

/// The same opening twice: two pairs.
pub(crate) const BOOK: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n\
                    rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n";

/// Tries several cases, most of which wait, at the same time.
fn at_once<T: Sync>(cases: &[T], test: impl Fn(&T) + Sync) {
    thread::scope(|scope| {
        for case in cases {
            scope.spawn(|| test(case));
        }
    });
}

fn play(folder: &Path, first: &str, second: &str, more: &[&str]) -> (i32, Value, String) {
    let book = folder.join("start.epd");
    if !book.exists() {
        fs::write(book, BOOK).unwrap();
    }
    let (first, second) = (format!("./{first}"), format!("./{second}"));
    let mut args = vec!["match", &first, &second, "--book", "start.epd"];
    args.extend(["--nodes", "10", "--threads", "2", "--json"]);
    if !more.contains(&"--games") {
        args.extend(["--games", "4"]);
    }
    args.extend(more);
    let output = tuner(folder, &args);
    let found = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code().unwrap(), found, words(&output))
}

#[test]
fn two_programs_play_to_the_end() {
    let folder = tempfile::tempdir().unwrap();
    shuffler(folder.path(), "one");
    shuffler(folder.path(), "two");
    let (status, found, said) = play(folder.path(), "one", "two", &["--pgn", "games.pgn"]);
    assert_eq!((status, &found["draws"]), (0, &4.into()), "{said}");
    let pgn = fs::read_to_string(folder.path().join("games.pgn")).unwrap();
    assert_eq!(
        pgn.matches("[Termination \"repetition\"]").count(),
        4,
        "{pgn}"
    );
    assert!(pgn.contains("[White \"one by script (./one)\"]"), "{pgn}");
    assert!(pgn.contains("1. Nf3 {+0.05/0 n=9} Nf6 2. Ng1 Ng8"), "{pgn}");

    // What is written is read: the score of every first move.
    let convert = ["data", "convert", "games.pgn", "-o", "positions.tsv"];
    assert_eq!(tuner(folder.path(), &convert).status.code(), Some(0));
    let table = fs::read_to_string(folder.path().join("positions.tsv")).unwrap();
    let scores = table.lines().filter(|line| line.contains("1/2-1/2\t5\t"));
    assert!(scores.count() >= 4, "{table}");
}

/// Without a clock a game depends on its opening alone: a book that is played
/// again gives the same games again, which say nothing new.
#[test]
fn a_book_is_played_once() {
    let folder = tempfile::tempdir().unwrap();
    shuffler(folder.path(), "one");
    shuffler(folder.path(), "two");
    let many = ["--games", "100"];
    let (status, found, said) = play(folder.path(), "one", "two", &many);
    assert_eq!((status, &found["games"]), (0, &4.into()), "{said}");
    assert!(said.contains("the book has 2 openings"), "{said}");
}

/// Castling is written otherwise, which an engine is told, if it knows of it.
#[test]
fn chess960_is_played_with_engines_that_offer_it() {
    const BOOK: &str = "4k3/8/8/8/8/8/8/1R3K1R w HB - 0 1";
    // Castles as it was told, and moves kings out and home.
    const GO: &str = "set -- $last; k=$#; if [ $k -gt 8 ]; then k=$((k-8)); else k=0; fi; \
         case $k in 0) echo bestmove ${castling:-f1g1};; *) case $((k % 4)) in \
         1) echo bestmove e8e7;; 2) echo bestmove g1g2;; 3) echo bestmove e7e8;; \
         0) echo bestmove g2g1;; esac;; esac";
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    script(folder, "plain", GO);
    let plain = fs::read_to_string(folder.join("plain")).unwrap();
    let knows = plain
        .replace(
            "uciok",
            "option name UCI_Chess960 type check default false; echo uciok",
        )
        .replace(
            " go)",
            " setoption) case $rest in *960*true) castling=f1h1;; esac;;\n go)",
        );
    for name in ["one", "two"] {
        executable(&folder.join(name), &knows);
    }
    fs::write(folder.join("book.epd"), BOOK).unwrap();
    let play = |second: &str| {
        let args = [
            "match", "./one", second, "--book", "book.epd", "--nodes", "9",
        ];
        let more = ["--games", "2", "--pgn", "games.pgn", "--json"];
        tuner(folder, &[&args[..], &more].concat())
    };
    let output = play("./two");
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    let games = fs::read_to_string(folder.join("games.pgn")).unwrap();
    for part in [
        "[Variant \"Chess960\"]",
        "1. O-O ",
        "[Termination \"repetition\"]",
    ] {
        assert_eq!(games.matches(part).count(), 2, "{games}");
    }
    fs::remove_file(folder.join("games.pgn")).unwrap();
    let output = play("./plain");
    assert_eq!(output.status.code(), Some(1), "{}", words(&output));
    assert!(
        words(&output).contains("offers no UCI_Chess960"),
        "{}",
        words(&output)
    );
}

#[test]
fn what_an_engine_started_ends_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    shuffler(path, "good");
    script(
        path,
        "parent",
        "sleep 1000 & echo $! >> children; sleep 1000",
    );
    let (_, found, said) = play(path, "parent", "good", &["--patience", "1"]);
    assert_eq!(found["losses"], 4, "{said}");
    let children = fs::read_to_string(path.join("children")).unwrap();
    assert_eq!(children.lines().count(), 4);
    for child in children.lines() {
        // It was told to end; on a busy machine it takes a moment.
        let is_left = || {
            let state = fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
            !state.is_empty() && !state.contains(") Z ")
        };
        let begun = std::time::Instant::now();
        while is_left() && begun.elapsed().as_secs() < 10 {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        assert!(!is_left(), "{child}");
    }
}

#[test]
fn who_crashes_is_silent_or_plays_nonsense_loses_and_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    shuffler(path, "good");
    script(path, "crash", "exit 1");
    script(path, "silent", "sleep 5");
    // A flood at first, then so much that others have a processor too.
    let babble = "n=0; while true; do echo info string x; n=$((n+1)); \
                  [ $n -gt 9999 ] && sleep 0.02; done";
    script(path, "babble", babble);
    for (index, answer) in ["e2e5", "0000", "(none)", "", "\\\\xff"].iter().enumerate() {
        script(
            path,
            &format!("bad{index}"),
            &format!("echo 'bestmove {answer}'"),
        );
    }
    let cases = [
        ("crash", "ended instead of saying `bestmove`"),
        ("silent", "it said nothing of a search"),
        ("babble", "no `bestmove` in 1 seconds"),
        ("bad0", "expected a legal move in rnbqkbnr/pppppppp"),
        ("bad1", "expected a legal move"),
        ("bad2", "expected a legal move"),
        ("bad3", "expected a legal move"),
        ("bad4", "expected a legal move"),
    ];
    fs::write(path.join("start.epd"), BOOK).unwrap();
    at_once(&cases, |(name, words)| {
        let (status, found, said) = play(path, name, "good", &["--patience", "1"]);
        assert_eq!(status, 0, "{name}: {said}");
        assert_eq!(found["losses"], 4, "{name}: {said}");
        assert_eq!(found["faults"], serde_json::json!([4, 0]), "{name}");
        assert!(said.contains(words), "{name}: {said}");
    });
    let (_, found, said) = play(path, "good", "crash", &["--pgn", "crash.pgn"]);
    let drop = ["--forfeits", "drop", "--json"];
    let mut filter = vec!["data", "filter", "crash.pgn", "-o", "none.tsv"];
    filter.extend(drop);
    let output = tuner(path, &filter);
    let left: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(left["positions"], 0, "{left}");
    assert_eq!(
        (&found["wins"], &found["faults"][1]),
        (&4.into(), &4.into()),
        "{said}"
    );
}

#[test]
fn an_engine_that_ignores_the_nodes_is_told_of_at_its_first_search() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    shuffler(path, "good");
    let stopped = "while read -r word && [ $word != stop ]; do :; done; echo bestmove 0000";
    script(path, "deaf", &format!("echo info nodes 7; {stopped}"));
    script(path, "mute", stopped);
    script(path, "far", "echo info nodes 30000000; echo bestmove 0000");
    for (name, words) in [
        ("deaf", "./deaf: searched 7 nodes after `go nodes "),
        ("mute", "./mute: searches on after `go nodes "),
        ("far", "./far: searched 30000000 nodes after `go nodes "),
    ] {
        let (status, _, said) = play(path, name, "good", &["--patience", "1"]);
        assert_eq!(status, 1, "{name}: {said}");
        assert!(said.contains(words), "{name}: {said}");
        assert!(
            said.contains("give --depth N or --movetime MS"),
            "{name}: {said}"
        );
    }
}

/// Of an engine that ends before its first game the last words are told.
#[test]
fn an_engine_that_ends_at_its_options_is_quoted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    shuffler(path, "good");
    let ends = "echo weights.txt: cannot be opened >&2; echo note: a hint >&2; exit 1";
    script(path, "ends", &format!("{SHUFFLE};; setoption) {ends}"));
    let (status, _, said) = play(path, "good", "ends", &["--option", "Hash=2"]);
    assert_eq!(status, 1, "{said}");
    let words = "ended instead of saying `readyok`; its last words: weights.txt: cannot be opened";
    assert!(said.contains(words), "{said}");
}

/// Sides that play the same game twice in each of ten pairs are one engine, as where it ignores
/// the weights that it is given.
#[test]
fn sides_that_play_alike_are_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for (games, is_told) in [("18", false), ("20", true)] {
        shuffler(path, "one");
        shuffler(path, "two");
        fs::write(path.join("ten.epd"), BOOK.repeat(5)).unwrap();
        let args = [
            "match", "./one", "./two", "--book", "ten.epd", "--nodes", "9",
        ];
        let said = words(&tuner(path, &[&args[..], &["--games", games]].concat()));
        assert_eq!(said.contains("the sides play alike"), is_told, "{said}");
    }
}

/// An engine that takes no search as its last one has not ended, which it may not even say, is
/// told again.
#[test]
fn a_search_that_an_engine_did_not_hear_is_asked_for_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    shuffler(path, "one");
    let busy = format!("n=$((n+1)); if [ $n = 3 ]; then echo info string busy; else {SHUFFLE}; fi");
    // One that has heard, and is long silent: its second answer is to no other search.
    let silent = format!(
        "n=$((n+1)); if [ $n = 3 ]; then (sleep 3.3; {SHUFFLE}) & else sleep 0.2; {SHUFFLE}; fi"
    );
    // One that hears nothing for a while after a search is soon left alone for so long.
    let tired = format!(
        "n=$(date +%s%N); if [ $((n - ${{e:-0}})) -lt 12000000 ]; then echo lost >> lost; \
         else {SHUFFLE}; e=$(date +%s%N); fi"
    );
    let cases = [
        ("busy", busy, "one", "5"),
        ("silent", silent, "one", "9"),
        ("tired", tired, "tired", "5"),
    ];
    fs::write(path.join("start.epd"), BOOK).unwrap();
    at_once(&cases, |(name, go, other, patience)| {
        script(path, name, go);
        let (status, found, said) = play(path, name, other, &["--patience", patience]);
        assert_eq!((status, &found["draws"]), (0, &4.into()), "{name}: {said}");
        assert!(!said.contains("no `bestmove`"), "{name}: {said}");
    });
    let lost = fs::read_to_string(path.join("lost")).unwrap_or_default();
    assert!(lost.lines().count() <= 16, "{}", lost.lines().count());
}

#[test]
fn what_does_not_start_is_said_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    shuffler(path, "good");
    fs::write(path.join("weights"), "no program").unwrap();
    for (name, text) in [("text", "no program"), ("mute", "#!/bin/sh\nsleep 5\n")] {
        executable(&path.join(name), text);
    }
    for (name, expected, words) in [
        ("missing", 1, "./missing: does not start"),
        ("text", 1, "./text: does not start"),
        ("mute", 1, "./mute: no `uciok` in 1 seconds"),
        ("weights", 2, "found weights and a program"),
    ] {
        let more = ["--patience", "1", "--journal", "m.jsonl"];
        let (status, _, said) = play(path, "good", name, &more);
        assert_eq!(status, expected, "{said}");
        assert!(said.contains(words), "{said}");
        assert!(!path.join("m.jsonl").exists());
    }
    for ignored in [
        &["--option", "Hash"][..],
        &["--balance", "7"],
        &["--random-plies", "8", "--book-plies", "3"],
        &["--random-plies", "8", "--book-order", "sequential"],
    ] {
        let words = [&["match", "./good", "./good"], ignored].concat();
        assert_eq!(tuner(path, &words).status.code(), Some(2), "{words:?}");
    }
    let output = tuner(path, &["match", "./good", "./good", "--sprt", "5,0"]);
    assert!(words(&output).contains("--sprt: elo0 is 5 and elo1 0"));
}

/// Tells whether a process ends within a few seconds.
fn ends(process: &str) -> bool {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(10) {
        let state = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        if state.is_empty() || state.contains(") Z ") {
            return true;
        }
        thread::sleep(Duration::from_millis(20));
    }
    false
}

/// However a match ends: engines that think without an eye on their input stay in no case, nor
/// what they have started.
#[test]
#[cfg(target_os = "linux")]
fn engines_end_with_a_match_that_is_ended() {
    let cases = [("KILL", None), ("HUP", Some(130)), ("TERM", Some(130))];
    at_once(&cases, |&(signal, status)| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        shuffler(path, "good");
        script(path, "deaf", "sleep 1000 & echo $! $$ >> processes; wait");
        fs::write(path.join("start.epd"), BOOK).unwrap();
        // The usual answer to a hangup, also where this test was started by `nohup`.
        let mut tuner = Command::new("env")
            .current_dir(path)
            .arg("--default-signal=HUP")
            .arg(assert_cmd::cargo::cargo_bin("tuner"))
            .args([
                "match",
                "./deaf",
                "./good",
                "--book",
                "start.epd",
                "--threads",
                "1",
            ])
            .args(["--patience", "3"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let begin = Instant::now();
        let processes = loop {
            let found = fs::read_to_string(path.join("processes")).unwrap_or_default();
            if found.ends_with('\n') {
                break found;
            }
            assert!(
                begin.elapsed() < Duration::from_secs(30),
                "no engine thinks"
            );
            thread::sleep(Duration::from_millis(10));
        };
        let kill = format!("kill -{signal} {}", tuner.id());
        assert!(
            Command::new("sh")
                .args(["-c", &kill])
                .status()
                .unwrap()
                .success()
        );
        let ended = tuner.wait().unwrap();
        assert_eq!(ended.code(), status, "{signal}");
        for process in processes.split_whitespace() {
            assert!(ends(process), "{signal}: {process} of {processes}");
        }
    });
}

#[test]
fn a_hangup_that_nohup_ignores_ends_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    shuffler(path, "one");
    script(path, "two", "kill -HUP $(ps -o ppid= -p $$); exit 1");
    fs::write(path.join("start.epd"), BOOK).unwrap();
    let tuner = assert_cmd::cargo::cargo_bin("tuner");
    let output = Command::new("nohup")
        .current_dir(path)
        .arg(tuner)
        .args([
            "match",
            "./one",
            "./two",
            "--book",
            "start.epd",
            "--games",
            "4",
            "--json",
        ])
        .output()
        .unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (output.status.code(), &found["wins"]),
        (Some(0), &4.into()),
        "{found}"
    );
}

#[test]
fn commands_of_engines_are_cut_as_a_shell_cuts_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let odd = "an engine's \"best\"";
    shuffler(path, "two");
    fs::hard_link(path.join("two"), path.join(odd)).unwrap();
    let text = "#!/bin/sh\nfor word do echo \"<$word>\"; done > arguments\nexec \"./two\"\n";
    executable(&path.join("three"), text);
    // The name of a file needs no quotes.
    let (status, found, said) = play(path, odd, "two", &[]);
    assert_eq!((status, &found["draws"]), (0, &4.into()), "{said}");
    for quoted in [
        r#""an engine's \"best\"" --more"#,
        r#"an\ engine\'s\ \"best\" 'x y'"#,
    ] {
        let (status, found, said) = play(path, quoted, "two", &[]);
        assert_eq!(
            (status, &found["draws"]),
            (0, &4.into()),
            "{quoted}: {said}"
        );
    }
    let (status, _, said) = play(path, "three --a 'b c' \"d 'e'\" '' f\\ g", "two", &[]);
    assert_eq!(status, 0, "{said}");
    let arguments = fs::read_to_string(path.join("arguments")).unwrap();
    assert_eq!(arguments, "<--a>\n<b c>\n<d 'e'>\n<>\n<f g>\n");

    let output = tuner(path, &["match", "./two 'x", "./two"]);
    let said = words(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("./two 'x, in which a quote does not end"),
        "{said}"
    );
    let output = tuner(path, &["match", "", "./two"]);
    assert!(
        words(&output).contains("found an empty command"),
        "{}",
        words(&output)
    );
}

#[test]
fn names_of_engines_do_not_reach_the_terminal_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    shuffler(folder.path(), "good");
    let (_, _, said) = play(folder.path(), "good", "\u{1b}[2Jmissing", &[]);
    assert!(
        said.contains("./\\u{1b}[2Jmissing: does not start"),
        "{said}"
    );
}
