//! Measures whole runs, phase by phase:
//! `TUNER_DATA=FOLDER cargo bench -p tuner --bench whole`, with FOLDER
//! holding `chess/engine_quiet.tsv.zst` and `traces/engine_quiet_150.arrow`.
//!
//! Three fits by `tuner fit --timings`: the chess example, of which every score is
//! nonlinear; the shogi example on the positions that come with it; a linear evaluation, by
//! its traces (with feature `arrow`). Of each the time of every phase and its share, then two
//! lines with goals, of all and of the judgement: what, goal, measured, `met` or `missed`. Fast
//! games are left out, as they take as long on any data. Build the evaluators first, by
//! `tuner -C FOLDER check`, or their build is measured too.
//!
//! `TUNER_RUNS='NAME=ARGUMENT …;…'` adds fits of other engines: arguments of `tuner`, as
//! `-C FOLDER fit FILE`, cut as a shell cuts them.

#![allow(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A fit that is measured.
struct Run {
    what: String,
    /// Of `tuner`.
    arguments: Vec<OsString>,
    /// The maximum time of all, in times of reading, tracing and checking.
    goal: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let data = std::env::var_os("TUNER_DATA").map(PathBuf::from);
    let mut runs = vec![Run {
        what: "shogi example, its own positions".into(),
        arguments: fit_of("shogi"),
        goal: 2.0,
    }];
    if let Some(data) = data {
        let mut arguments = fit_of("chess");
        arguments.push(data.join("chess/engine_quiet.tsv.zst").into());
        runs.push(Run {
            what: "chess example, engine_quiet".into(),
            arguments,
            goal: 1.6,
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
            goal: 1.25,
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
            goal: 2.0,
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
        let rows = rows.ok_or("no rows were made")?;
        verdict(
            "all over reading, tracing and checking",
            self.goal,
            all / rows,
        );
        let (fitted, judged) = fitted.zip(judged).ok_or("nothing was judged")?;
        verdict("judgement over fit", 1.0, judged / fitted);
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
