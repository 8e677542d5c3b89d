//! A short campaign of all targets with a fixed seed: each on its files as they
//! are, then on mutations of them.
//!
//! `TUNER_FUZZ_RUNS=1000000 TUNER_FUZZ_SEED=7 cargo test --release -p
//! tuner-fuzz-tests` makes another one; `fuzz/README.md` has longer ones. An input
//! that fails stays in the folder that the failure names.

#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and says how much it did"
)]

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use tuner_fuzz_tests::TARGETS;

/// Mutations of each target, unless `TUNER_FUZZ_RUNS` says otherwise.
const RUNS: u64 = 1500;

/// Longest that a mutation may take, on a busy machine.
const LONGEST: Duration = Duration::from_secs(20);

/// Most bytes of a mutation.
const LARGEST: usize = 1 << 16;

/// Numbers at the limits of what a reader may hold.
const LIMITS: [&str; 14] = [
    "0",
    "-1",
    "1",
    "255",
    "256",
    "32768",
    "-32769",
    "2147483648",
    "-9223372036854775809",
    "18446744073709551616",
    "1e308",
    "1e999",
    "-0.0",
    "NaN",
];

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

/// The files of a target, in the order of their names.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(name);
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

/// Pieces of the files between spaces and signs: words to put elsewhere.
fn words(files: &[Vec<u8>]) -> Vec<&[u8]> {
    let mut words: Vec<&[u8]> = files
        .iter()
        .flat_map(|file| file.split(|byte| !byte.is_ascii_alphanumeric()))
        .filter(|word| !word.is_empty() && word.len() < 40)
        .collect();
    words.sort_unstable();
    words.dedup();
    words.extend(LIMITS.iter().map(|number| number.as_bytes()));
    words
}

/// A place and a length from there, mostly short.
fn range(rng: &mut ChaCha8Rng, length: usize) -> std::ops::Range<usize> {
    let start = rng.random_range(0..=length);
    let most = (length - start).min(1 << rng.random_range(0..9));
    start..start + rng.random_range(0..=most)
}

/// The digits at or after a place.
fn digits(bytes: &[u8], from: usize) -> Option<std::ops::Range<usize>> {
    let start = from + bytes[from..].iter().position(u8::is_ascii_digit)?;
    let rest = &bytes[start..];
    let length = rest.iter().position(|byte| !byte.is_ascii_digit());
    Some(start..start + length.unwrap_or(rest.len()))
}

fn mutate(rng: &mut ChaCha8Rng, files: &[Vec<u8>], words: &[&[u8]]) -> Vec<u8> {
    let mut bytes = files.choose(rng).unwrap().clone();
    for _ in 0..1 << rng.random_range(0..5) {
        let place = range(rng, bytes.len());
        match rng.random_range(0..8) {
            0 => {
                if let Some(byte) = bytes.get_mut(place.start) {
                    *byte ^= 1 << rng.random_range(0..8);
                }
            }
            1 => {
                if let Some(byte) = bytes.get_mut(place.start) {
                    *byte = rng.random();
                }
            }
            2 => drop(bytes.drain(place)),
            3 => {
                let copy = bytes[place].to_vec();
                let at = rng.random_range(0..=bytes.len());
                bytes.splice(at..at, copy);
            }
            4 => {
                let other = files.choose(rng).unwrap();
                let part = other[range(rng, other.len())].to_vec();
                bytes.splice(place, part);
            }
            5 => {
                let word = words.choose(rng).unwrap().to_vec();
                bytes.splice(place.start..place.start, word);
            }
            6 => {
                if let Some(place) = digits(&bytes, place.start) {
                    let number = LIMITS.choose(rng).unwrap();
                    bytes.splice(place, number.bytes());
                }
            }
            _ => bytes.truncate(place.end),
        }
        bytes.truncate(LARGEST);
    }
    bytes
}

/// Runs a target on bytes; keeps them where that fails.
fn run(name: &str, target: fn(&[u8]), bytes: &[u8], what: &str) {
    let begun = Instant::now();
    let is_over = catch_unwind(|| target(bytes)).is_ok();
    let took = begun.elapsed();
    if is_over && took < LONGEST {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz");
    fs::create_dir_all(&folder).unwrap();
    let kept = folder.join(format!("{name}-{what}"));
    fs::write(&kept, bytes).unwrap();
    let why = if is_over { "took" } else { "failed after" };
    panic!("{name}: {} {why} {took:.1?}", kept.display());
}

#[test]
fn no_reader_fails_on_mutated_bytes() {
    let (runs, seed) = (
        number("TUNER_FUZZ_RUNS", RUNS),
        number("TUNER_FUZZ_SEED", 1),
    );
    let only = std::env::var("TUNER_FUZZ_TARGET").ok();
    let chosen = |name: &str| only.as_deref().is_none_or(|only| only == name);
    let next = std::sync::Mutex::new(TARGETS.iter().filter(|(name, _)| chosen(name)));
    let work = || {
        while let Some(&(name, target)) = { next.lock().unwrap().next() } {
            let files = corpus(name);
            assert!(!files.is_empty(), "{name} has no files");
            for (number, file) in files.iter().enumerate() {
                run(name, target, file, &format!("file-{number}"));
            }
            let words = words(&files);
            let begun = Instant::now();
            for number in 0..runs {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                rng.set_stream(number);
                let bytes = mutate(&mut rng, &files, &words);
                run(name, target, &bytes, &format!("seed-{seed}-run-{number}"));
            }
            println!("{name}: {runs} runs, {:.1?}", begun.elapsed());
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let others: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        for thread in others {
            thread.join().unwrap();
        }
    });
}
