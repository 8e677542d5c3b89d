//! A rank that is killed ends the job, and what it had done is not lost.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{done, on, process_of, said, table, weak};

/// How often each rank is killed: `TUNER_KILLS`, or twice.
fn kills() -> u64 {
    let named = std::env::var("TUNER_KILLS");
    named.map_or(2, |count| count.parse().unwrap())
}

/// How long a command takes, by a run that nobody disturbs.
fn undisturbed(size: usize, folder: &Path, words: &[&str]) -> Duration {
    let begun = Instant::now();
    done(size, folder, words);
    begun.elapsed()
}

/// Starts a command and kills one of its ranks after a while; tells whether that was before
/// its end.
fn killed(size: usize, folder: &Path, words: &[&str], rank: usize, after: Duration) -> bool {
    let job = on(size, folder, words).spawn().unwrap();
    thread::sleep(after);
    let process = process_of(&job, rank);
    if let Some(process) = process {
        // The rank alone, by its number.
        let number = process.to_string();
        let killed = Command::new("kill").args(["-9", &number]).status();
        assert!(killed.is_ok());
    }
    let begun = Instant::now();
    let output = job.wait_with_output().unwrap();
    if output.status.success() {
        return false;
    }
    let words = said(&output);
    assert!(begun.elapsed() < Duration::from_secs(10), "{words}");
    assert!(words.contains("exited on signal 9"), "{words}");
    true
}

/// Kills each rank at random times until a command ends without having been killed; each
/// time it resumes.
fn until_done(
    size: usize,
    folder: &Path,
    words: &[&str],
    takes: Duration,
    rank: usize,
    seed: u64,
) -> u64 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut count = 0;
    for _ in 0..3 {
        let after = takes.mul_f64(rng.random_range(0.1..1.0));
        if !killed(size, folder, words, rank, after) {
            return count;
        }
        count += 1;
    }
    done(size, folder, words);
    count
}

fn fit<'a>(data: &'a str, out: &'a str) -> Vec<&'a str> {
    vec![
        "fit",
        data,
        "--exact",
        "--fast-games",
        "0",
        "--solver",
        "newton",
        "--out",
        out,
    ]
}

fn selfplay(file: &str) -> Vec<&str> {
    vec![
        "selfplay", file, "--games", "120", "--nodes", "150", "--resume",
    ]
}

fn games_to(file: &str) -> Vec<&str> {
    vec![
        "match",
        "weak.txt",
        "source",
        "--games",
        "100",
        "--nodes",
        "150",
        "--resume",
        "--journal",
        file,
    ]
}

#[test]
#[ignore = "needs mpirun and a program built with feature `mpi`; .ci/ranks runs it"]
fn fits_resume_to_the_same_weights() {
    let folder = tempfile::tempdir().unwrap();
    let games = table().to_str().unwrap();
    let mut takes = undisturbed(2, folder.path(), &fit(games, "whole"));
    let whole = fs::read(folder.path().join("whole/weights.txt")).unwrap();
    let mut count = 0;
    for kill in 0..kills() {
        for rank in 0..2 {
            let out = format!("killed-{kill}-{rank}");
            let words = fit(games, &out);
            let mut rng = ChaCha8Rng::seed_from_u64(2 * kill + rank as u64);
            let after = takes.mul_f64(rng.random_range(0.2..1.0));
            if !killed(2, folder.path(), &words, rank, after) {
                // The machine was busy while the first one was timed.
                takes = after;
                continue;
            }
            count += 1;
            let of_run = folder.path().join(&out);
            if of_run.join("checkpoint.json").exists() {
                // The same on as many ranks; elsewhere, on more or on one, the same but for
                // rounding, which integers do not show.
                let other = if (kill + rank as u64).is_multiple_of(2) {
                    4
                } else {
                    1
                };
                for size in [2, other] {
                    let again = format!("{out}-on-{size}");
                    fs::create_dir(folder.path().join(&again)).unwrap();
                    let copy = folder.path().join(&again).join("checkpoint.json");
                    fs::copy(of_run.join("checkpoint.json"), copy).unwrap();
                    let mut words = fit(games, &again);
                    words.push("--resume");
                    done(size, folder.path(), &words);
                    let weights = fs::read(folder.path().join(&again).join("weights.txt"));
                    assert!(weights.unwrap() == whole, "{again}");
                }
            } else {
                done(2, folder.path(), &words);
                assert!(fs::read(of_run.join("weights.txt")).unwrap() == whole);
            }
        }
    }
    // A tenth may have ended before.
    assert!(count >= kills(), "{count} fits were killed and resumed");
}

#[test]
#[ignore = "needs mpirun and a program built with feature `mpi`; .ci/ranks runs it"]
fn games_resume_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    weak(folder.path());
    let takes = undisturbed(2, folder.path(), &selfplay("whole.tsv.zst"));
    let match_takes = undisturbed(2, folder.path(), &games_to("whole.jsonl"));
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    let mut count = 0;
    for kill in 0..kills() {
        for rank in 0..2 {
            let seed = 100 + 2 * kill + rank as u64;
            let table = format!("{kill}-{rank}.tsv.zst");
            count += until_done(2, folder.path(), &selfplay(&table), takes, rank, seed);
            assert!(read(&table) == read("whole.tsv.zst"), "{table}");
            let journal = format!("{kill}-{rank}.jsonl");
            count += until_done(
                2,
                folder.path(),
                &games_to(&journal),
                match_takes,
                rank,
                seed,
            );
            assert!(read(&journal) == read("whole.jsonl"), "{journal}");
        }
    }
    assert!(count >= 2 * kills(), "{count} times games were killed");
}

#[test]
#[ignore = "needs mpirun and a program built with feature `mpi`; .ci/ranks runs it"]
fn a_signal_that_is_passed_on_ends_all_ranks_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let games = |count| {
        let words = ["selfplay", "games.tsv", "--nodes", "150", "--resume"];
        [&words[..], &["--games", count]].concat()
    };
    let job = on(2, folder.path(), &games("100000")).spawn().unwrap();
    let written = folder.path().join("games.tsv");
    while fs::metadata(&written).map_or(0, |of_file| of_file.len()) < 20_000 {
        thread::sleep(Duration::from_millis(20));
    }
    let begun = Instant::now();
    let status = Command::new("kill")
        .args(["-USR1", &job.id().to_string()])
        .status();
    assert!(status.unwrap().success());
    let output = job.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", said(&output));
    assert!(begun.elapsed() < Duration::from_secs(10));
    assert_eq!(said(&output).matches("interrupted: ending").count(), 1);
    let table = fs::read_to_string(&written).unwrap();
    assert!(table.ends_with('\n'));
    // All games up to one, called SEED.NUMBER, which a single process plays alike.
    let last = table
        .lines()
        .last()
        .unwrap()
        .split('\t')
        .collect::<Vec<_>>();
    let header = table.lines().find(|line| line.starts_with("fen")).unwrap();
    let column = header.split('\t').position(|name| name == "game").unwrap();
    let (_, number) = last[column].split_once('.').unwrap();
    let count = number.parse::<u64>().unwrap() + 1;
    fs::create_dir(folder.path().join("alone")).unwrap();
    done(1, &folder.path().join("alone"), &games(&count.to_string()));
    let alone = fs::read_to_string(folder.path().join("alone/games.tsv")).unwrap();
    assert!(alone == table, "{count} games");
}
