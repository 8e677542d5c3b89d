//! Where output goes: files, links, pipes, devices; and ends that are closed.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::{Run, SKIP, folder, tuner};

fn program(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("tuner"));
    command
        .current_dir(folder)
        .arg("data")
        .args(words)
        .args(SKIP);
    command
}

fn words(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A device that is always full, where the system has one.
fn full() -> Option<File> {
    OpenOptions::new().write(true).open("/dev/full").ok()
}

fn converted(folder: &Path, to: &str) -> Run {
    tuner(
        folder,
        &[&["convert", "games.pgn", "-o", to][..], &SKIP].concat(),
    )
}

#[cfg(unix)]
#[test]
fn a_pipe_with_a_name_gets_the_data_and_stays() {
    use std::os::unix::fs::FileTypeExt;
    let folder = folder();
    let pipe = folder.path().join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    // Open at both ends, so that nobody waits for a writer that never comes.
    let both = OpenOptions::new()
        .read(true)
        .write(true)
        .open(&pipe)
        .unwrap();
    let run = converted(folder.path(), "pipe");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
    let lines = BufReader::new(both).lines().take(18);
    let last = lines.last().unwrap().unwrap();
    assert!(last.starts_with("rnbqkbnr/pp1ppppp/"), "{last}");
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    let folder = folder();
    let target = folder.path().join("target.tsv");
    fs::write(&target, "old").unwrap();
    let link = folder.path().join("link.tsv");
    std::os::unix::fs::symlink("target.tsv", &link).unwrap();
    let run = converted(folder.path(), "link.tsv");
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(link.is_symlink());
    assert_eq!(fs::read_to_string(&target).unwrap().lines().count(), 18);
}

#[cfg(unix)]
#[test]
fn a_full_device_is_an_error_and_stays() {
    if full().is_none() {
        return;
    }
    let folder = folder();
    let link = folder.path().join("device");
    std::os::unix::fs::symlink("/dev/full", &link).unwrap();
    let run = converted(folder.path(), "device");
    assert_eq!(run.code, 1);
    assert!(run.err.contains("device: cannot be written"), "{}", run.err);
    assert_eq!(fs::read_link(&link).unwrap(), PathBuf::from("/dev/full"));
    assert!(!fs::metadata("/dev/full").unwrap().is_file());
}

#[test]
fn a_full_disk_is_an_error() {
    let folder = folder();
    for words in [
        &["convert", "games.pgn", "-o", "-"][..],
        &["convert", "games.pgn", "-o", "a.tsv", "--json"],
        &["profile", "games.pgn"],
        &["profile", "games.pgn", "--json"],
    ] {
        let Some(full) = full() else { return };
        let output = program(folder.path(), words).stdout(full).output().unwrap();
        let said = self::words(&output);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {said}");
        assert!(
            said.contains("error: ") && !said.contains("panic"),
            "{words:?}: {said}"
        );
    }
    let text = fs::read_to_string(folder.path().join("a.tsv")).unwrap();
    assert_eq!(
        text.lines().count(),
        18,
        "files are whole before there is talk"
    );
}

#[test]
fn nobody_who_reads_is_an_error() {
    let folder = folder();
    for words in [
        &["convert", "games.pgn", "-o", "-"][..],
        &["profile", "games.pgn"],
        &["profile", "games.pgn", "--json"],
    ] {
        let mut command = program(folder.path(), words);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let said = self::words(&output);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {said}");
        assert!(
            said.contains("error: ") && !said.contains("panic"),
            "{words:?}: {said}"
        );
    }
}

#[test]
fn words_that_nobody_can_read_cost_no_data() {
    let Some(full) = full() else { return };
    let folder = folder();
    let words = ["convert", "games.pgn", "-o", "a.tsv", "--json"];
    let output = program(folder.path(), &words)
        .stderr(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.starts_with(b"{"));
    let text = fs::read_to_string(folder.path().join("a.tsv")).unwrap();
    assert_eq!(text.lines().count(), 18);
}

#[test]
fn a_winner_s_letter_is_that_of_the_notation() {
    let folder = folder();
    let chess = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    let shogi = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";
    for (game, positions, results) in [
        (
            "chess",
            [
                format!("{chess} w KQkq - 0 1"),
                format!("{chess} b KQkq - 0 1"),
            ],
            ["1-0", "0-1"],
        ),
        (
            "shogi",
            [format!("{shogi} b - 1"), format!("sfen {shogi} w - 2")],
            ["0-1", "1-0"],
        ),
    ] {
        let of = |position: &String| format!("{position};w\n{position};b\n{position};d\n");
        let lines: String = positions.iter().map(of).collect();
        fs::write(folder.path().join("a"), lines).unwrap();
        let draw = "1/2-1/2";
        let expected = [results[0], results[1], draw].repeat(2);
        // Whose the other results are is nothing to a letter.
        for input in ["a", "a:perspective=side-to-move"] {
            let words = [
                "convert", input, "-o", "b.tsv", "--to", "table", "--game", game,
            ];
            let run = tuner(folder.path(), &words);
            assert_eq!(run.code, 0, "{}", run.err);
            let text = fs::read_to_string(folder.path().join("b.tsv")).unwrap();
            let found: Vec<_> = (text.lines().skip(1))
                .filter_map(|line| line.split('\t').nth(1))
                .collect();
            assert_eq!(found, expected, "{game} {input}");
        }
    }
}

#[test]
fn scores_of_operations_are_the_mover_s_in_shogi_too() {
    let folder = folder();
    let board = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";
    let table = format!("sfen\tresult\tscore_cp\n{board} b - 1\t1-0\t70\n{board} w - 2\t0-1\t30\n");
    fs::write(folder.path().join("a.tsv"), table).unwrap();
    for (from, to, format) in [("a.tsv", "a.epd", "c9"), ("a.epd", "b.tsv", "table")] {
        let words = ["convert", from, "-o", to, "--to", format, "--game", "shogi"];
        let run = tuner(folder.path(), &words);
        assert_eq!(run.code, 0, "{}", run.err);
    }
    let [epd, again] = ["a.epd", "b.tsv"].map(|name| {
        let text = fs::read_to_string(folder.path().join(name)).unwrap();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    });
    assert!(epd[0].contains(" b - 1 ce 70; c9 \"1-0\";"), "{epd:?}");
    assert!(epd[1].contains(" w - 2 ce -30; c9 \"0-1\";"), "{epd:?}");
    assert!(
        again[1].contains("\t1-0\t70\t") && again[2].contains("\t0-1\t30\t"),
        "{again:?}"
    );
}
