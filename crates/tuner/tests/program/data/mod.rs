//! `tuner data`: games and positions to other data, from the command line.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod filters;
mod outputs;

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

use crate::examples::root;

const GAMES: &str = "[Event \"a\"]\n[Result \"1-0\"]\n\n\
    1. e4 {+0.30/9 1s} e5 {-0.20/8 1s} 2. Nf3 {+0.31/9 1s} Nc6 {-0.2/8 1s} 3. Bb5 a6\n\
    4. Bxc6 dxc6 5. O-O Bg4 6. h3 Bxf3 7. Qxf3 Qd7 1-0\n\n\
    [Event \"b\"]\n[Result \"*\"]\n\n1. d4 *\n\n\
    [Event \"c\"]\n[Result \"0-1\"]\n\n1. e4 e5 2. Nf3 Nf3 0-1\n\n\
    [Event \"d\"]\n[Result \"0-1\"]\n[Termination \"time forfeit\"]\n\n1. e4 c5 2. Nf3 0-1\n";

struct Run {
    code: i32,
    out: String,
    err: String,
}

fn tuner(folder: &Path, words: &[&str]) -> Run {
    let mut command = Command::cargo_bin("tuner").unwrap();
    let output = command
        .current_dir(folder)
        .arg("data")
        .args(words)
        .output()
        .unwrap();
    Run {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.pgn"), GAMES).unwrap();
    folder
}

const SKIP: [&str; 2] = ["--on-bad-line", "skip"];

#[test]
fn a_bad_game_ends_the_command_unless_it_is_passed_over() {
    let folder = folder();
    let run = tuner(folder.path(), &["convert", "games.pgn", "-o", "a.tsv"]);
    assert_eq!(run.code, 1);
    assert!(
        run.err
            .contains("games.pgn:15:17: found Nf3, which is not legal"),
        "{}",
        run.err
    );
    let cure = "1 of 4 games cannot be read, and no file was written; --on-bad-line skip passes";
    assert!(run.err.contains(cure), "{}", run.err);
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        1,
        "nothing was written"
    );

    let words = [
        &["convert", "games.pgn", "-o", "a.tsv", "--json"][..],
        &SKIP,
    ]
    .concat();
    let run = tuner(folder.path(), &words);
    assert_eq!(run.code, 0, "{}", run.err);
    let counts = "games.pgn: pgn, 4 games = 2 read + 1 rejected + 1 unfinished; 17 positions";
    assert!(run.err.contains(counts), "{}", run.err);
    let json: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(
        (&json["positions"], &json["rejected"]),
        (&17.into(), &1.into())
    );
    assert_eq!((&json["filtered"], &json["games"]), (&0.into(), &2.into()));
    let text = fs::read_to_string(folder.path().join("a.tsv")).unwrap();
    let first = text.lines().nth(1).unwrap();
    assert!(
        first.starts_with("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\t1-0\t30\t")
    );
}

#[test]
fn positions_are_taken_from_games_with_reasons() {
    let folder = folder();
    let words = [
        &[
            "extract",
            "games.pgn",
            "-o",
            "a.tsv.zst",
            "--opening-plies",
            "2",
            "--json",
        ][..],
        &SKIP,
    ];
    let run = tuner(folder.path(), &words.concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let json: Value = serde_json::from_str(&run.out).unwrap();
    let filters = &json["filters"];
    assert_eq!(
        (
            &filters["opening-plies"],
            &filters["forfeits"],
            &filters["best-move"]
        ),
        (&4.into(), &1.into(), &4.into()),
        "{json}"
    );
    assert_eq!((&json["positions"], &json["read"]), (&8.into(), &17.into()));
    assert!(
        run.err
            .contains("4 positions whose move or best move captures or promotes left out")
    );
    assert!(
        run.err
            .contains("17 positions = 8 written + 9 left out, 1 games"),
        "{}",
        run.err
    );

    let run = tuner(folder.path(), &["profile", "a.tsv.zst", "--json"]);
    let json: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((&json["positions"], &json["games"]), (&8.into(), &1.into()));
    assert_eq!(json["results"]["wins"], 8);
}

#[test]
fn clocks_of_operations_are_clocks() {
    let folder = folder();
    let lines = "4k3/8/8/8/8/8/8/4K2R w - - hmvc 30; fmvn 50; c9 \"1-0\";\n\
        4k3/8/8/8/8/8/8/4K2R w - - fmvn 7; c9 \"1-0\";\n\
        4k3/8/8/8/8/8/8/4K2R w - - 3 9 hmvc 30; c9 \"1-0\";\n\
        4k3/8/8/8/8/8/8/4K2R w - - hmvc x; c9 \"1-0\";\n";
    fs::write(folder.path().join("a.epd"), lines).unwrap();
    let words = [
        &["filter", "a.epd", "-o", "b.tsv", "--max-idle", "20"][..],
        &SKIP,
    ];
    let run = tuner(folder.path(), &words.concat());
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.err
            .contains("a.epd:4:27: found \"x\", expected a half-move clock"),
        "{}",
        run.err
    );
    let text = fs::read_to_string(folder.path().join("b.tsv")).unwrap();
    let clocks = |line: &str| line.split('\t').next().unwrap()[27..].to_owned();
    let clocks: Vec<_> = text.lines().skip(1).map(clocks).collect();
    assert_eq!(clocks, ["0 7", "3 9"]);
}

/// A table keeps what filters ask for.
#[test]
fn games_are_filtered_alike_through_a_table() {
    let folder = folder();
    let run = tuner(
        folder.path(),
        &[&["convert", "games.pgn", "-o", "all.tsv"][..], &SKIP].concat(),
    );
    assert_eq!(run.code, 0, "{}", run.err);
    let filtered = |from: &str, to: &str| {
        let words = ["extract", from, "-o", to, "--last-move", "quiet", "--json"];
        let run = tuner(folder.path(), &[&words[..], &SKIP].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        let words = "not judged by --forfeits because the input does not tell";
        assert!(run.err.contains(words), "{}", run.err);
        let json: Value = serde_json::from_str(&run.out).unwrap();
        json["filters"].clone()
    };
    assert_eq!(filtered("games.pgn", "a.tsv"), filtered("all.tsv", "b.tsv"));
}

#[test]
fn a_shuffle_keeps_the_lines_and_depends_on_the_seed() {
    let folder = folder();
    let mut sorted: Vec<Vec<String>> = Vec::new();
    let mut texts = Vec::new();
    for (name, seed) in [("a", "1"), ("b", "1"), ("c", "2")] {
        let words = [
            "convert",
            "games.pgn",
            "-o",
            name,
            "--shuffle",
            "--seed",
            seed,
        ];
        let run = tuner(folder.path(), &[&words[..], &SKIP].concat());
        assert_eq!(run.code, 0, "{}", run.err);
        let text = fs::read_to_string(folder.path().join(name)).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        sorted.push(lines);
        texts.push(text);
    }
    assert_eq!(texts[0], texts[1]);
    assert_ne!(texts[0], texts[2]);
    assert_eq!(sorted[0], sorted[2]);
}

#[test]
fn parts_hold_whole_games() {
    let folder = folder();
    let game = |i: u32| format!("[Event \"{i}\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 1-0\n\n");
    let games: Vec<String> = (0..200).map(game).collect();
    let games = games.concat();
    fs::write(folder.path().join("many.pgn"), games).unwrap();
    let words = [
        "split",
        "many.pgn",
        "--part",
        "a.tsv=0.75",
        "--part",
        "b.tsv=0.25",
        "--json",
    ];
    let run = tuner(folder.path(), &words);
    assert_eq!(run.code, 0, "{}", run.err);
    let keys = |name: &str| {
        let text = fs::read_to_string(folder.path().join(name)).unwrap();
        let keys = text
            .lines()
            .skip(1)
            .map(|line| line.split('\t').nth(3).unwrap().to_owned());
        keys.collect::<Vec<_>>()
    };
    let (a, b) = (keys("a.tsv"), keys("b.tsv"));
    assert_eq!(a.len() + b.len(), 600);
    assert!(a.len() > 350 && !b.is_empty());
    assert!(a.iter().all(|key| !b.contains(key)));
}

/// Runs commands, each with its exit status and a part of what it says; none
/// may write anything.
fn refused(commands: &[(&[&str], i32, &str)]) {
    let folder = folder();
    for &(words, code, part) in commands {
        let run = tuner(folder.path(), words);
        assert_eq!(run.code, code, "{words:?}: {}", run.err);
        assert!(run.err.contains(part), "{words:?}: {}", run.err);
    }
    let files = fs::read_dir(folder.path()).unwrap();
    assert_eq!(files.count(), 1, "nothing was written");
}

#[test]
fn what_makes_no_sense_is_refused() {
    refused(&[
        (
            &["convert", "games.pgn", "-o", "games.pgn"],
            1,
            "is one of the inputs",
        ),
        (
            &["convert", "games.pgn:weight=2", "-o", "a"],
            2,
            "weights are for `fit`",
        ),
        (
            &["convert", "games.pgn:limit=0", "-o", "a"],
            2,
            "at least 1",
        ),
        (
            &["convert", "games.pgn:wieght=2", "-o", "a"],
            2,
            "found option wieght",
        ),
        (
            &[
                "convert",
                "games.pgn",
                "-o",
                "a",
                "--perspective",
                "side-to-move",
            ],
            1,
            "pgn says itself whose view results have",
        ),
        (
            &["convert", "games.pgn", "-o", "no/a"],
            1,
            "cannot be written",
        ),
        (
            &["convert", "games.pgn", "-o", "a.xz"],
            2,
            "expected .zst, .gz, or a plain name; name the file otherwise",
        ),
        (
            &["convert", "games.pgn", "-o", "a", "--seed", "2"],
            2,
            "nothing is random without --shuffle",
        ),
        (
            &["extract", "games.pgn", "-o", "a", "--seed", "2"],
            2,
            "nothing is random without --shuffle or --per-game",
        ),
        (
            &["convert", "games.pgn", "-o", "a", "--format", "pgm"],
            2,
            "expected one of",
        ),
        (
            &[
                "convert",
                "games.pgn",
                "-o",
                "a",
                "--perspective",
                "side-to-move",
            ],
            1,
            "pgn says itself",
        ),
        (&["convert", "none.pgn", "-o", "a"], 1, "cannot be opened"),
    ]);
}

#[test]
fn outputs_and_parts_that_make_no_sense_are_refused() {
    refused(&[
        (
            &["split", "games.pgn", "--part", "a=0.7", "--part", "b=0.7"],
            2,
            "the shares are 1.4",
        ),
        (
            &["split", "games.pgn", "--part", "a=0.7", "--part", "a=0.1"],
            2,
            "twice",
        ),
        (
            &["split", "games.pgn", "--part", "a=0.5", "--part", "./a=0.5"],
            2,
            "found ./a twice, the first time as a",
        ),
        (
            &["split", "games.pgn", "--part", "a=2"],
            2,
            "expected FILE=SHARE",
        ),
        (
            &["filter", "games.pgn", "-o", "a", "--per-game", "0"],
            2,
            "per-game",
        ),
        (&["filter", "games.pgn"], 2, "--output"),
        (
            &["convert", "games.pgn", "-o", "-", "--json"],
            2,
            "for data as well",
        ),
        (
            &["split", "games.pgn", "--part=-=1", "--json"],
            2,
            "for data as well",
        ),
    ]);
}

#[test]
fn curves_of_win_draw_and_loss_are_told_or_refused_with_the_count() {
    let folder = folder();
    let example = |name: &str| {
        root()
            .join("examples")
            .join(name)
            .join("data/selfplay.tsv.zst")
    };
    let data = format!("{}:limit=60000", example("chess").display());
    let run = tuner(folder.path(), &["wdl", &data, "--json"]);
    let json: Value = serde_json::from_str(&run.out).unwrap();
    let normal = &json["points"][0];
    assert_eq!(normal["material"], 58.0);
    let [a, error] = [0, 1].map(|at| normal["a"][at].as_f64().unwrap());
    assert!(
        a > 50.0 && a < 1000.0 && error > 0.0 && error < 0.2 * a,
        "{normal}"
    );
    let run = tuner(folder.path(), &["wdl", &data]);
    let coefficients = format!(
        "constexpr double as[] = {{{:.8}",
        json["a"][0].as_f64().unwrap()
    );
    assert!(run.out.contains(&coefficients), "{}", run.out);
    assert!(
        run.out.contains("wins half of the games at material 58"),
        "{}",
        run.out
    );
    assert!(!run.err.contains("without the id"), "{}", run.err);
    // Positions alone, with smaller errors that the reader is warned of.
    let alone = folder.path().join("alone.tsv");
    let table = zstd::decode_all(fs::File::open(example("chess")).unwrap()).unwrap();
    let table = String::from_utf8(table).unwrap();
    let lines = table.lines().take(60_001).map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        format!("{}\n", fields[..3].join("\t"))
    });
    fs::write(&alone, lines.collect::<String>()).unwrap();
    let run = tuner(folder.path(), &["wdl", "alone.tsv", "--json"]);
    let warning = "60000 positions come without the id of a game: each counts as a game of its own";
    assert!(run.err.contains(warning), "{}", run.err);
    let json: Value = serde_json::from_str(&run.out).unwrap();
    let [_, too_small] = [0, 1].map(|at| json["points"][0]["a"][at].as_f64().unwrap());
    assert!(too_small < 0.9 * error, "{too_small} {error}");
    // In shogi next to no game is drawn.
    let shogi = example("shogi").display().to_string();
    let run = tuner(folder.path(), &["wdl", &shogi, "--game", "shogi"]);
    assert!(run.err.contains(" games are drawn and "), "{}", run.err);
}

#[test]
fn names_of_files_and_columns_cannot_reach_the_terminal_as_they_are() {
    let folder = folder();
    let name = "\u{1b}[2Jdata\r.tsv";
    let text = "fen\tresult\t\u{1b}]0;title\u{7}\n8/8/8/8/8/8/k7/2K5 w - - 0 1\t1-0\t1\n";
    fs::write(folder.path().join(name), text).unwrap();
    for words in [
        &["profile", name][..],
        &["convert", name, "-o", "out.tsv"],
        &["profile", "\u{1b}[31mmissing"],
        &["convert", name, "-o", "\u{1b}[31m/out.tsv"],
    ] {
        let run = tuner(folder.path(), words);
        let said = run.out + &run.err;
        assert!(said.contains("\\u{1b}"), "{words:?}: {said}");
        let hidden = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
        assert!(!said.contains(hidden), "{words:?}: {said:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn data_without_an_end_are_an_error() {
    let folder = folder();
    let run = tuner(folder.path(), &["profile", "/dev/zero"]);
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.err.contains("/dev/zero"), "{}", run.err);
}

#[test]
fn epd_is_written_as_it_is_read() {
    let folder = folder();
    let run = |words: &[&str]| {
        let run = tuner(folder.path(), &[words, &SKIP].concat());
        assert_eq!(run.code, 0, "{}", run.err);
    };
    let game = "[Result \"1-0\"]\n\n1. e4 {+0.30/9} e5 {-0.41/9} 2. Nf3 {-0.20/9} Nc6 1-0\n";
    fs::write(folder.path().join("scored.pgn"), game).unwrap();
    for (name, format) in [("a.epd", "c9"), ("a.tsv", "table")] {
        run(&[
            "convert",
            "games.pgn",
            "scored.pgn",
            "-o",
            name,
            "--to",
            format,
        ]);
    }
    run(&["convert", "a.epd", "-o", "b.tsv"]);
    let text = fs::read_to_string(folder.path().join("a.epd")).unwrap();
    let first = text.lines().next().unwrap();
    assert!(first.contains(" w KQkq - hmvc 0; fmvn 1; "), "{first}");
    let labels = |name: &str| -> Vec<Vec<String>> {
        let text = fs::read_to_string(folder.path().join(name)).unwrap();
        let of = |line: &str| line.split('\t').take(3).map(str::to_owned).collect();
        text.lines().map(of).collect()
    };
    assert_eq!(labels("a.tsv"), labels("b.tsv"));
    assert!(labels("a.tsv").iter().any(|row| row[2].starts_with('-')));
}

#[test]
fn games_of_viriformat_are_not_written_and_positions_are() {
    let folder = folder();
    let to = |format: &str| {
        let words = ["convert", "games.pgn", "-o", "out", "--to", format];
        tuner(folder.path(), &[&words[..], &SKIP].concat())
    };
    let run = to("viriformat");
    assert_eq!(run.code, 2, "{}", run.err);
    for part in ["it holds whole games", "take --to bulletformat, --to plain"] {
        assert!(run.err.contains(part), "{}", run.err);
    }
    assert!(!folder.path().join("out").exists());
    assert_eq!(to("table").code, 0);
}

/// Of the records of large files one in eight is looked at.
#[test]
fn all_records_of_a_small_file_are_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let record = |queens: &str, result| format!("fen {queens} w - - 0 1\nresult {result}\ne\n");
    let mut text = String::new();
    for _ in 0..150 {
        text += &record("4k3/8/8/8/8/8/8/Q3K3", -1);
        text += &record("q3k3/8/8/8/8/8/8/4K3", 1);
    }
    fs::write(folder.path().join("lost.plain"), text).unwrap();
    let run = tuner(folder.path(), &["profile", "lost.plain"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.err.contains("results correlate with material by -1.00"),
        "{}",
        run.err
    );
    assert!(
        run.err.contains("give FILE:results=reversed"),
        "{}",
        run.err
    );
    let cured = tuner(folder.path(), &["profile", "lost.plain:results=reversed"]);
    assert_eq!(cured.code, 0, "{}", cured.err);
    assert!(!cured.err.contains("correlate"), "{}", cured.err);
}

/// The name of a member at the begin of an archive does not make it a text.
#[test]
fn an_archive_of_games_is_named_as_one() {
    let folder = folder();
    let mut archive = vec![0; 512];
    archive[..10].copy_from_slice(b"games/0.pg");
    archive[257..262].copy_from_slice(b"ustar");
    archive.extend(b"[Event \"a\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n");
    archive.resize(2048, 0);
    for name in ["games.tar", "games.pgn"] {
        fs::write(folder.path().join(name), &archive).unwrap();
        let run = tuner(folder.path(), &["convert", name, "-o", "a.tsv"]);
        let words = format!("{name}: found data of the kind tar");
        assert!(run.code == 1 && run.err.contains(&words), "{}", run.err);
    }
}

/// What is no record from its begin on is one message; what is damaged there alone loses a few.
#[test]
fn bytes_of_no_format_are_one_message_and_a_damaged_begin_costs_its_records() {
    let folder = folder();
    let mut number = 1_u64;
    let mut random = || {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (number >> 56) as u8
    };
    let noise: Vec<u8> = (0..400_000).map(|_| random()).collect();
    let names = [
        "bin",
        "bulletformat",
        "marlinformat",
        "viriformat",
        "binpack",
        "pgn",
        "plain",
    ];
    for name in names {
        let file = format!("r.{name}");
        for length in [100, noise.len()] {
            fs::write(folder.path().join(&file), &noise[..length]).unwrap();
            for more in [&[][..], &SKIP] {
                let args = [&["convert", &file, "-o", "a.tsv"], more].concat();
                let run = tuner(folder.path(), &args);
                assert_eq!(run.code, 1, "{file}: {}", run.err);
                assert_eq!(run.err.matches(&file).count(), 1, "{}", run.err);
                assert!(
                    run.err.contains(": found data of the kind binary"),
                    "{}",
                    run.err
                );
            }
        }
    }
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    fs::write(
        folder.path().join("one.txt"),
        format!("{start} | 5 | 0.5\n"),
    )
    .unwrap();
    let to = [
        "convert",
        "one.txt",
        "-o",
        "a.bulletformat",
        "--to",
        "bulletformat",
    ];
    let run = tuner(folder.path(), &to);
    assert_eq!(run.code, 0, "{}", run.err);
    let path = folder.path().join("a.bulletformat");
    let mut bytes = fs::read(&path).unwrap().repeat(60);
    let records = bytes.len() / 32;
    // More than one in ten of those by which a format is recognised.
    bytes[..32 * 20].fill(0xff);
    fs::write(&path, bytes).unwrap();
    let run = tuner(folder.path(), &["convert", "a.bulletformat", "-o", "a.tsv"]);
    assert!(run.err.contains("a.bulletformat:1:1: found"), "{}", run.err);
    let args = [&["convert", "a.bulletformat", "-o", "a.tsv"][..], &SKIP].concat();
    let run = tuner(folder.path(), &args);
    assert_eq!(run.code, 0, "{}", run.err);
    let text = fs::read_to_string(folder.path().join("a.tsv")).unwrap();
    assert_eq!(text.lines().count(), 1 + records - 20, "{}", run.err);
}
