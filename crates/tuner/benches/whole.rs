//! Measures whole runs, phase by phase:
//! `TUNER_DATA=FOLDER cargo bench -p tuner --bench whole`, with FOLDER
//! holding `chess/engine_quiet.tsv.zst` and `traces/engine_quiet_150.arrow`.
//!
//! Fits by `tuner fit --timings`: the shogi example on the positions that come with it; 314,928
//! weights of patterns on 200,000 rows that are drawn here; the chess example, of which every score
//! is nonlinear; a linear evaluation, by its traces (with feature `arrow`). Of each the time of
//! every phase and its share, then two lines with goals: what, goal, measured, `met` or `missed`.
//! Fast games are left out, as they take as long on any data. Build the evaluators first, by
//! `tuner -C FOLDER check`, or their build is measured too.
//!
//! `TUNER_RUNS='NAME=ARGUMENT …;…'` adds fits of other engines: arguments of `tuner`, as
//! `-C FOLDER fit FILE`, cut as a shell cuts them.

#![allow(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::error::Error;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

/// A fit that is measured.
struct Run {
    what: String,
    /// Of `tuner`.
    arguments: Vec<OsString>,
    goal: Goal,
}

/// What a fit may take at most.
enum Goal {
    /// So many times reading, tracing and checking; and its judgement as long as its fit.
    OverReading(f64),
    /// Seconds and megabytes.
    Absolute([f64; 2]),
}

fn main() -> Result<(), Box<dyn Error>> {
    let data = std::env::var_os("TUNER_DATA").map(PathBuf::from);
    let made = tempfile::tempdir()?;
    let patterns = made.path().join("patterns.svm").display().to_string();
    fs::write(&patterns, rows_of_patterns())?;
    let mut runs = vec![
        Run {
            what: "shogi example, its own positions".into(),
            arguments: fit_of("shogi"),
            goal: Goal::OverReading(2.0),
        },
        Run {
            what: "314,928 weights of patterns".into(),
            arguments: ["fit", &patterns, "--k", "1", "--prior", "evidence"]
                .map(OsString::from)
                .to_vec(),
            goal: Goal::Absolute([30.0, 1000.0]),
        },
    ];
    if let Some(data) = data {
        let mut arguments = fit_of("chess");
        arguments.push(data.join("chess/engine_quiet.tsv.zst").into());
        runs.push(Run {
            what: "chess example, engine_quiet".into(),
            arguments,
            goal: Goal::OverReading(1.6),
        });
        runs.push(Run {
            what: "linear evaluation, traces of engine_quiet".into(),
            arguments: vec![
                "fit".into(),
                data.join("traces/engine_quiet_150.arrow").into(),
                "--k".into(),
                "0.912018412".into(),
                "--round".into(),
            ],
            goal: Goal::OverReading(1.25),
        });
    } else {
        println!("TUNER_DATA is not set; expected the folder of the data sets; they are left out");
    }
    runs.extend(others()?);
    for run in &runs {
        println!("\n{}", run.what);
        run.measure()?;
    }
    Ok(())
}

/// Draws 200,000 rows of 10,000 games, in the libsvm format: of a board of 64 squares with three
/// states each, 16 patterns of nine squares have a weight for each of their 3⁹ states. A state is
/// worth what its squares are worth, and something of its own.
fn rows_of_patterns() -> String {
    const STATES: usize = 3_usize.pow(9);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let squares: [f64; 64] = std::array::from_fn(|_| rng.random_range(-0.05..0.05));
    let own: Vec<f64> = (0..16 * STATES)
        .map(|_| rng.random_range(-0.05..0.05))
        .collect();
    let mut text = String::from("# tuner.version: 1\n# tuner.first: 0\n");
    for row in 0..200_000 {
        // A side that is ahead has more squares.
        let ahead: f64 = rng.random_range(0.2..0.8);
        let board: [usize; 64] = std::array::from_fn(|_| {
            if rng.random_bool(0.5) {
                0
            } else {
                1 + usize::from(rng.random_bool(ahead))
            }
        });
        let patterns: [(usize, f64); 16] = std::array::from_fn(|pattern| {
            let read = (0..9).map(|square| (4 * pattern + 7 * square) % 64);
            let code = read
                .clone()
                .fold(0, |code, square| 3 * code + board[square]);
            let worth = read.map(|square| squares[square] * [0.0, -1.0, 1.0][board[square]]);
            let index = pattern * STATES + code;
            (index, worth.sum::<f64>() + own[index])
        });
        let score: f64 = patterns.iter().map(|(_, worth)| worth).sum();
        let won = rng.random_bool(1.0 / (1.0 + (-score).exp()));
        let _ = write!(text, "{} qid:{}", u8::from(won), row / 20);
        for (index, _) in patterns {
            let _ = write!(text, " {index}:1");
        }
        text.push('\n');
    }
    text
}

/// Arguments of a fit of an example.
fn fit_of(example: &str) -> Vec<OsString> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    vec![
        "-C".into(),
        examples.join(example).into(),
        "fit".into(),
        "--fast-games".into(),
        "0".into(),
    ]
}

/// Reads the fits that `TUNER_RUNS` adds.
fn others() -> Result<Vec<Run>, Box<dyn Error>> {
    let runs = std::env::var("TUNER_RUNS").unwrap_or_default();
    let run = |text: &str| {
        let (what, command) = text.split_once('=')?;
        let arguments = shlex::split(command)?;
        Some(Run {
            what: what.trim().into(),
            arguments: arguments.into_iter().map(OsString::from).collect(),
            goal: Goal::OverReading(2.0),
        })
    };
    (runs.split(';').filter(|text| !text.trim().is_empty()))
        .map(|text| {
            run(text).ok_or_else(|| {
                format!("TUNER_RUNS: found `{text}`, expected `NAME=ARGUMENT …`").into()
            })
        })
        .collect()
}

impl Run {
    fn measure(&self) -> Result<(), Box<dyn Error>> {
        let out = tempfile::tempdir()?;
        let mut fit = Command::new(env!("CARGO_BIN_EXE_tuner"));
        fit.args(&self.arguments).arg("--timings");
        fit.arg("--out").arg(out.path());
        let cost = spent(fit.stdout(Stdio::null()).stderr(Stdio::null()))?;
        let summary = fs::read_to_string(out.path().join("summary.json"))?;
        let summary: Value = serde_json::from_str(&summary)?;
        let timings = summary["timings"].as_array().ok_or("no timings")?;
        let all = cost.time.as_secs_f64();
        let [mut rows, mut fitted, mut judged] = [None; 3];
        for phase in timings {
            let path = phase["phase"].as_str().ok_or("a phase without a name")?;
            let seconds = phase["seconds"].as_f64().ok_or("a phase without a time")?;
            match path {
                "rows" => rows = Some(seconds),
                "fit" => fitted = Some(seconds),
                "judgement" => judged = Some(seconds),
                _ => {}
            }
            println!(
                "  {path:<52} {seconds:>8.3} s {:>5.1} % {:>4}",
                100.0 * seconds / all,
                phase["count"]
            );
        }
        println!("  all {all:.2} s");
        if let Some(memory) = cost.memory {
            println!("  peak memory {:.0} MB", memory / 1e3);
        }
        match self.goal {
            Goal::OverReading(goal) => {
                let rows = rows.ok_or("no rows were made")?;
                verdict("all over reading, tracing and checking", goal, all / rows);
                let (fitted, judged) = fitted.zip(judged).ok_or("nothing was judged")?;
                verdict("judgement over fit", 1.0, judged / fitted);
            }
            Goal::Absolute([seconds, megabytes]) => {
                verdict("all, seconds", seconds, all);
                let memory = cost.memory.map_or(f64::NAN, |kilobytes| kilobytes / 1e3);
                verdict("peak memory, MB", megabytes, memory);
            }
        }
        Ok(())
    }
}

/// Prints what was measured against the most that it should be.
fn verdict(what: &str, goal: f64, measured: f64) {
    let verdict = if measured <= goal { "met" } else { "missed" };
    println!("  {what}: goal at most {goal}, measured {measured:.2}, {verdict}");
}

/// Time and memory of a program.
struct Spent {
    time: Duration,
    /// Peak memory in kilobytes, on systems that report it.
    memory: Option<f64>,
}

/// Runs a program to its end.
fn spent(program: &mut Command) -> Result<Spent, Box<dyn Error>> {
    let start = Instant::now();
    let mut child = program.spawn()?;
    let mut memory = None;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        memory = peak(&child).or(memory);
        std::thread::sleep(Duration::from_millis(10));
    };
    // 3: done, and the new weights are not better.
    if !matches!(status.code(), Some(0 | 3)) {
        return Err(format!("the fit ended with {status}").into());
    }
    let time = start.elapsed();
    Ok(Spent { time, memory })
}

/// Reads the peak memory of a process so far, in kilobytes.
fn peak(child: &Child) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
