//! Measures a whole run on real positions against the time to parse their FENs:
//! `TUNER_DATA=FOLDER cargo bench -p chess-tuner --bench whole`, with FOLDER
//! holding `chess/engine_quiet.tsv.zst`.
//!
//! Prints the times of the parts, and one line with the goal: what, goal,
//! measured, `met` or `missed`. Parsing is what the product's reader does with
//! the file: decompressing, cutting, FEN to position, on all threads; the time of
//! shakmaty alone, on one thread and on text in memory, is printed next to it.

#![allow(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::error::Error;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use shakmaty::{CastlingMode, Chess, fen};
use tuner_chess::Fen;
use tuner_core::data::{Input, ReadOptions, read};

/// The maximum time of the whole run, in times of parsing.
const GOAL: f64 = 3.0;

/// Runs of what is short; the fastest counts, because other programs on the
/// machine only ever slow a run down.
const RUNS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let Some(folder) = std::env::var_os("TUNER_DATA") else {
        println!("TUNER_DATA is not set; expected the folder of the data sets; nothing measured");
        return Ok(());
    };
    let path = PathBuf::from(folder).join("chess/engine_quiet.tsv.zst");
    if !path.exists() {
        println!("{}: not found; nothing measured", path.display());
        return Ok(());
    }
    let parsing = parsing(&path)?;
    let out = tempfile::tempdir()?;
    let checked = run(&path, out.path(), "check", &["--differences", "0"])?;
    let with_differences = run(&path, out.path(), "check", &[])?;
    let whole = run(&path, out.path(), "fit", &[])?;
    let descent = descent(&out.path().join("summary.json"))?;

    seconds("read, parse, trace, check against production", checked.time);
    let differences = with_differences.time.saturating_sub(checked.time);
    seconds("derivatives against differences", differences);
    seconds("descents, those on what is traced again as well", descent);
    let rest = whole.time.saturating_sub(with_differences.time + descent);
    seconds("tracing again, K, rounding, local search, writing", rest);
    seconds("whole run", whole.time);
    if let Some(memory) = whole.memory {
        println!("peak memory of the whole run: {:.0} MB", memory / 1e3);
    }
    let ratio = whole.time.as_secs_f64() / parsing.as_secs_f64();
    let verdict = if ratio <= GOAL { "met" } else { "missed" };
    println!(
        "whole run against parsing its FENs: goal at most {GOAL}, measured {ratio:.1}, {verdict}"
    );
    Ok(())
}

/// Time to parse all FENs, as the product reads them.
fn parsing(path: &Path) -> Result<Duration, Box<dyn Error>> {
    let mut text = String::new();
    zstd::stream::read::Decoder::new(File::open(path)?)?.read_to_string(&mut text)?;
    let lines = text.lines().skip(1);
    let fens: Vec<&str> = lines.filter_map(|line| line.split('\t').next()).collect();
    let inputs = [Input::File(path.to_path_buf())];
    let [mut reader, mut alone] = [Duration::MAX; 2];
    for _ in 0..RUNS {
        let start = Instant::now();
        let (outcomes, _) = read(&inputs, &ReadOptions::default(), &Fen, |sample| {
            Ok(sample.labelled.outcome)
        })?;
        reader = reader.min(start.elapsed());
        assert_eq!(outcomes.len(), fens.len(), "every line is a position");
        let start = Instant::now();
        let legal = fens.iter().filter(|text| {
            let parsed = fen::Fen::from_ascii(text.as_bytes()).ok();
            parsed.is_some_and(|fen| fen.into_position::<Chess>(CastlingMode::Standard).is_ok())
        });
        assert_eq!(legal.count(), fens.len(), "every FEN is legal");
        alone = alone.min(start.elapsed());
    }
    println!(
        "{}: {} positions, {} threads",
        path.display(),
        fens.len(),
        rayon::current_num_threads()
    );
    seconds("shakmaty alone, one thread", alone);
    seconds("reading and parsing", reader);
    Ok(reader)
}

/// Time and memory of a run of the tuner.
struct RunCost {
    time: Duration,
    /// Peak memory in kilobytes, on systems that report it.
    memory: Option<f64>,
}

/// Runs a command of the tuner on the file.
fn run(
    path: &Path,
    out: &Path,
    command: &str,
    options: &[&str],
) -> Result<RunCost, Box<dyn Error>> {
    let start = Instant::now();
    let mut tuner = Command::new(env!("CARGO_BIN_EXE_chess-tuner"));
    tuner.arg(command).arg(path).args(options);
    if command == "fit" {
        tuner.arg("--out").arg(out);
    }
    let mut child = tuner.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let mut memory = None;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        memory = peak(&child).or(memory);
        std::thread::sleep(Duration::from_millis(10));
    };
    if !status.success() {
        return Err(format!("{command} ended with {status}").into());
    }
    let time = start.elapsed();
    Ok(RunCost { time, memory })
}

/// Reads the peak memory of a process so far, in kilobytes.
fn peak(child: &Child) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// Reads the time of the descents from the summary.
fn descent(summary: &Path) -> Result<Duration, Box<dyn Error>> {
    let summary: Value = serde_json::from_str(&fs::read_to_string(summary)?)?;
    let seconds = summary["seconds"].as_f64();
    let seconds = seconds.ok_or("the summary has no seconds")?;
    Ok(Duration::from_secs_f64(seconds))
}

fn seconds(what: &str, time: Duration) {
    println!("{what}: {:.2} s", time.as_secs_f64());
}
