//! `tuner match` of one engine against several, with limits of their own, and Polyglot books.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use shakmaty::uci::UciMove;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, EnPassantMode, Position as _};

use crate::builds::engine_of_one_weight;
use crate::scripts::{SHUFFLE, script, shuffler};
use crate::support::{tuner, words};

fn run(folder: &Path, line: &str) -> (i32, Value, String) {
    let args = shlex::split(line).unwrap();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let output = tuner(folder, &args);
    let found = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code().unwrap(), found, words(&output))
}

/// Entries of a Polyglot book: the last move of each line after the others, and its weight.
fn polyglot(lines: &[(&str, u16)]) -> Vec<u8> {
    let mut entries: Vec<[u8; 16]> = Vec::new();
    for (line, weight) in lines {
        let (before, last) = line.rsplit_once(' ').unwrap_or(("", line));
        let mut position = Chess::default();
        for uci in before.split_whitespace() {
            let uci: UciMove = uci.parse().unwrap();
            position.play_unchecked(uci.to_move(&position).unwrap());
        }
        let key = position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0;
        let part = |at: usize, from: u8| u16::from(last.as_bytes()[at] - from);
        let m = part(2, b'a') | part(3, b'1') << 3 | part(0, b'a') << 6 | part(1, b'1') << 9;
        let fields = [
            &key.to_be_bytes()[..],
            &m.to_be_bytes(),
            &weight.to_be_bytes(),
            &[0; 4],
        ];
        entries.push(fields.concat().try_into().unwrap());
    }
    entries.sort_unstable();
    entries.concat()
}

const LINES: [(&str, u16); 9] = [
    ("e2e4", 60),
    ("d2d4", 20),
    ("a2a4", 0),
    ("e2e4 e7e5", 1),
    ("e2e4 c7c5", 3),
    ("d2d4 d7d5", 1),
    ("e2e4 e7e5 d2d4", 1),
    ("e2e4 c7c5 d2d4", 1),
    ("d2d4 d7d5 e2e4", 1),
];

fn openings(pgn: &str, plies: usize) -> Vec<String> {
    let games = pgn.lines().filter(|line| line.starts_with("1. "));
    let moves = |line: &str| {
        let words = line.split(' ').filter(|word| !word.ends_with('.'));
        words.take(plies).collect::<Vec<_>>().join(" ")
    };
    games.map(moves).collect()
}

#[test]
fn openings_of_a_polyglot_book_are_drawn_by_weight() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    shuffler(folder, "one");
    shuffler(folder, "two");
    fs::write(folder.join("book.bin"), polyglot(&LINES)).unwrap();
    let game =
        "match ./one ./two --nodes 10 --threads 2 --json --book book.bin --book-plies 2 --pgn";
    let (status, found, said) = run(folder, &format!("{game} all.pgn --games 100 --journal all"));
    assert_eq!((status, &found["games"]), (0, &6.into()), "{said}");
    assert!(said.contains("book.bin: 3 openings"), "{said}");
    let pgn = fs::read_to_string(folder.join("all.pgn")).unwrap();
    let all: BTreeSet<String> = openings(&pgn, 2).into_iter().collect();
    let expected = ["d4 d5", "e4 c5", "e4 e5"].map(str::to_owned);
    assert_eq!(all, expected.into());

    // The same seed draws the same ones, and more games begin with the same.
    for (more, games) in [("--games 2", 2), ("--games 6 --resume", 6)] {
        let line = format!("{game} some.pgn --journal some {more}");
        let (status, found, said) = run(folder, &line);
        assert_eq!((status, &found["games"]), (0, &games.into()), "{said}");
    }
    assert_eq!(fs::read_to_string(folder.join("some.pgn")).unwrap(), pgn);
    let mut first = [0; 3];
    for seed in 0..12 {
        let line = format!("{game} {seed}.pgn --games 2 --seed {seed}");
        run(folder, &line);
        let pgn = fs::read_to_string(folder.join(format!("{seed}.pgn"))).unwrap();
        let opening = openings(&pgn, 2)[0].clone();
        first[["d4 d5", "e4 c5", "e4 e5"]
            .iter()
            .position(|o| *o == opening)
            .unwrap()] += 1;
    }
    // Their weights are 4/16, 9/16 and 3/16.
    assert!(
        first[1] > first[0] && first[1] > first[2] && first[0] > 0,
        "{first:?}"
    );
}

/// Games of self-play begin with it as those of matches do, once with each opening.
#[test]
fn self_play_takes_a_polyglot_book() {
    let folder = tempfile::tempdir().unwrap();
    engine_of_one_weight(folder.path());
    let engine = folder.path().join("engine");
    let knights = [("g1f3", 1), ("g1f3 g8f6", 1)];
    fs::write(engine.join("book.bin"), polyglot(&knights)).unwrap();
    let line = "selfplay games.tsv --book book.bin --book-plies 2 --nodes 10 --games 4 \
                --first-ply 0 --threads 1 --json";
    let (status, found, said) = run(&engine, line);
    assert_eq!((status, &found["games"]), (0, &1.into()), "{said}");
    assert!(said.contains("book.bin: 1 openings"), "{said}");
    let table = fs::read_to_string(engine.join("games.tsv")).unwrap();
    // Home again, two moves after the opening.
    let home = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 4 3\t";
    let first = table.lines().nth(1).unwrap();
    assert!(first.starts_with(home), "{table}");
}

#[test]
fn kings_castle_onto_their_rooks_in_polyglot_books() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    shuffler(folder, "one");
    let moves = ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5", "e1h1"];
    let lines: Vec<String> = (1..=7).map(|n| moves[..n].join(" ")).collect();
    let lines: Vec<(&str, u16)> = lines.iter().map(|line| (&**line, 1)).collect();
    fs::write(folder.join("BOOK.BIN"), polyglot(&lines)).unwrap();
    let (status, _, said) = run(
        folder,
        "match ./one ./one --nodes 9 --games 2 --book BOOK.BIN --pgn g.pgn",
    );
    assert_eq!(status, 0, "{said}");
    let pgn = fs::read_to_string(folder.join("g.pgn")).unwrap();
    assert_eq!(pgn.matches("4. O-O").count(), 2, "{pgn}");
}

#[test]
fn a_damaged_polyglot_book_is_said_to_be_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    shuffler(folder, "one");
    let book = polyglot(&LINES);
    let mut turned = book.clone();
    turned.rotate_left(16);
    let illegal = polyglot(&[("e2e5", 1)]);
    let zero = polyglot(&[("e2e4", 0)]);
    let unknown = polyglot(&[("e2e4 e7e5", 1)]);
    let mut promoted = polyglot(&[("e2e4", 1)]);
    promoted[8] |= 0x70;
    for (bytes, expected) in [
        (
            &[][..],
            "--book bad.bin: found 0 bytes, expected entries of 16",
        ),
        (&book[..40], "found 40 bytes, expected entries of 16"),
        (&turned, "found a key below that of the entry before"),
        (
            &illegal,
            "entry 1: found e2e5, expected a legal move in rnbqkbnr/",
        ),
        (
            &promoted,
            "entry 1: found e2e4?, expected a legal move in rnbqkbnr/",
        ),
        (&zero, "found no move of the position that games begin with"),
        (
            &unknown,
            "found no move of the position that games begin with",
        ),
        (b"1. e4 e5 2. Nf3 1-0\n1. e4 e5 \n\n", "no Polyglot book"),
    ] {
        fs::write(folder.join("bad.bin"), bytes).unwrap();
        let (status, _, said) = run(folder, "match ./one ./one --book bad.bin --journal j");
        assert_eq!(status, 1, "{said}");
        assert!(said.contains(expected), "{said}");
        assert!(!folder.join("j").exists());
    }
    fs::write(folder.join("book.bin"), book).unwrap();
    let line = "match ./one ./one --book book.bin --book-order sequential";
    let (status, _, said) = run(folder, line);
    assert_eq!(status, 2, "{said}");
    assert!(
        said.contains("drawn by their weights; leave it out"),
        "{said}"
    );
    let (_, _, said) = run(
        folder,
        "--game shogi match ./one ./one --book book.bin --patience 1",
    );
    assert!(
        said.contains("does not start") || said.contains("usiok"),
        "{said}"
    );
}

/// Four openings, so that there are eight games against each.
fn book(folder: &Path) {
    let line = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n";
    fs::write(folder.join("start.epd"), line.repeat(4)).unwrap();
}

#[test]
fn one_engine_plays_several() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    book(folder);
    for name in ["one", "even", "slow"] {
        shuffler(folder, name);
    }
    let slow = format!("sleep 0.02; {SHUFFLE}");
    script(folder, "slow", &slow);
    script(folder, "bad", "echo bestmove e2e5");
    let game = "match ./one ./even ./bad 'cmd=./slow name=\"the slow\"' --book start.epd --nodes 10 --games 8 --threads 2";
    let line = format!("{game} --pgn all.pgn --journal all --report all.html --json");
    let (status, found, said) = run(folder, &line);
    assert_eq!((status, &found["games"]), (0, &24.into()), "{said}");
    let each: Vec<_> = found["opponents"].as_array().unwrap().iter().collect();
    let names: Vec<&str> = each.iter().map(|one| one[0].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "even by script (./even)",
            "bad by script (./bad)",
            "the slow"
        ]
    );
    let results: Vec<_> = (each.iter())
        .map(|one| (&one[1]["wins"], &one[1]["draws"]))
        .collect();
    let (zero, eight) = (Value::from(0), Value::from(8));
    assert_eq!(results, [(&zero, &eight), (&eight, &zero), (&zero, &eight)]);
    assert!(said.contains("against"), "{said}");
    let rows: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("8      0"))
        .collect();
    assert!(
        rows.iter().any(|row| row.starts_with("bad by script")),
        "{said}"
    );
    let page = fs::read_to_string(folder.join("all.html")).unwrap();
    assert!(page.contains("Opponents") && page.contains("the slow"));
    let (_, _, told) = run(folder, "elo all");
    assert!(
        told.contains("the slow") && told.contains("24 games"),
        "{told}"
    );
    let pgn = fs::read_to_string(folder.join("all.pgn")).unwrap();
    assert_eq!(pgn.matches("[Black \"the slow\"]").count(), 4, "{pgn}");
    assert_eq!(pgn.matches("[Round \"4.2\"]").count(), 3, "{pgn}");

    // One that is killed continues, to the same bytes; parts are the whole.
    let line = format!("{game} --pgn some.pgn --journal some");
    let mut child = Command::new(env!("CARGO_BIN_EXE_tuner"))
        .args(shlex::split(&line).unwrap())
        .current_dir(folder)
        .spawn()
        .unwrap();
    for _ in 0..500 {
        let lines = fs::read_to_string(folder.join("some")).unwrap_or_default();
        if lines.lines().count() > 4 {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let (status, _, said) = run(folder, &format!("{line} --resume"));
    assert_eq!(status, 0, "{said}");
    assert_eq!(fs::read_to_string(folder.join("some.pgn")).unwrap(), pgn);
    let mut parts = String::new();
    for part in 1..=3 {
        let line = format!("{game} --pgn part{part}.pgn --journal part{part} --shard {part}/3");
        let (status, _, said) = run(folder, &line);
        assert_eq!(status, 0, "{said}");
        parts += &fs::read_to_string(folder.join(format!("part{part}.pgn"))).unwrap();
    }
    assert_eq!(parts, pgn);

    let (status, _, said) = run(folder, &format!("{game} --sprt 0,5"));
    assert_eq!(status, 2, "{said}");
    assert!(
        said.contains("--sprt: tests one side against one"),
        "{said}"
    );
    let (status, _, said) = run(folder, "match ./one ./even ./gone --book start.epd");
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("./gone: does not start"), "{said}");
    let (_, _, said) = run(folder, "match ./one ./even zero --book start.epd");
    assert!(said.contains("found weights and a program"), "{said}");
    // Another opponent is another match.
    let line = game.replace("./bad", "./even") + " --journal some --pgn some.pgn --resume";
    let (status, _, said) = run(folder, &line);
    assert_eq!(status, 1, "{said}");
}

#[test]
fn engines_have_limits_and_options_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    book(folder);
    for name in ["one", "two", "three"] {
        let go = format!(
            "echo go $rest >> told-{name}; {SHUFFLE};; setoption) echo $rest >> told-{name}"
        );
        script(folder, name, &go);
    }
    let told = |name: &str| fs::read_to_string(folder.join(format!("told-{name}"))).unwrap();
    let line = "match 'cmd=./one tc=30+0.5 option.Hash=3' 'tc=40/60+1 timemargin=50 cmd=./two' \
                'cmd=./three nodes=77' --book start.epd --games 2 --pgn g.pgn --journal j --threads 1";
    let (status, _, said) = run(folder, line);
    assert_eq!(status, 0, "{said}");
    assert!(told("one").contains("name Hash value 3"), "{}", told("one"));
    assert!(!told("two").contains("Hash"));
    assert!(
        told("one").contains("go wtime 30000 btime 60000 winc 500 binc 1000\n"),
        "{}",
        told("one")
    );
    let two = told("two");
    assert!(two.contains(" winc 1000 binc 500 movestogo 40\n"), "{two}");
    let three = told("three");
    assert!(three.lines().all(|line| line == "go nodes 77"), "{three}");
    let pgn = fs::read_to_string(folder.join("g.pgn")).unwrap();
    assert!(
        pgn.contains("[WhiteTimeControl \"30+0.5\"]\n[BlackTimeControl \"40/60+1\"]"),
        "{pgn}"
    );
    assert!(
        pgn.contains("[WhiteTimeControl \"40/60+1\"]\n[BlackTimeControl \"30+0.5\"]"),
        "{pgn}"
    );
    // Other limits are another match.
    let (status, _, said) = run(
        folder,
        &(line.replace("nodes=77", "nodes=78") + " --resume"),
    );
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("thinking"), "{said}");

    for (engine, expected) in [
        (
            "cmd=./two nodes=0",
            "found nodes=0, expected a number above 0",
        ),
        (
            "cmd=./two depth=x",
            "found depth=x, expected a number above 0",
        ),
        ("cmd=./two st=-1", "found st=-1, expected seconds a move"),
        ("cmd=./two tc=8;1", "expected a time control such as 8+0.08"),
        (
            "cmd=./two nodes=5 timemargin=50",
            "expected tc= beside timemargin=",
        ),
        (
            "cmd=./two tc=8 nodes=5",
            "found nodes=5, expected one limit",
        ),
        (
            "cmd=./two proto=uci",
            "found proto=uci, expected cmd=, args=",
        ),
        ("cmd=./two option.Hash", "found option.Hash, expected cmd="),
        ("cmd=./two 'x", "in which a quote does not end"),
        ("cmd=", "found cmd=, expected the program of an engine"),
    ] {
        let (first, second) = ("./one", engine);
        let output = tuner(folder, &["match", first, second, "--book", "start.epd"]);
        let said = words(&output);
        assert_eq!(output.status.code(), Some(2), "{engine}: {said}");
        assert!(said.contains(expected), "{engine}: {said}");
    }
}
