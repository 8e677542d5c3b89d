//! Rows streamed from a file against the same rows in memory.

use std::ops::ControlFlow;

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use tuner_fit::{FitInputs, Settings, fit};
use tuner_rows::file::{TraceFile, TraceFileInfo, TraceWriter};
use tuner_rows::{Blocks, TraceSet, Traces};
use tuner_solve::Reduction;

use super::{SIGMOID, line};

/// Names the file in the process that fits it.
pub(crate) const FILE: &str = "TUNER_BENCH_STREAMED";

/// How often the rows are repeated in the file.
const TIMES: usize = 13;

/// Prints how much longer as many rows from a file take as fit into it, and the
/// memory of that process.
pub(crate) fn print(traces: &TraceSet, reduction: &Reduction) {
    let folder = std::env::temp_dir().join(format!("tuner-bench-{}", std::process::id()));
    let path = folder.join("repeated.arrow");
    if let Err(error) = std::fs::create_dir_all(&folder) {
        println!("  {}: {error}; nothing streamed", folder.display());
        return;
    }
    measure(traces, reduction, &path);
    if let Err(error) = std::fs::remove_dir_all(&folder) {
        println!("  {}: {error}", folder.display());
    }
}

fn measure(traces: &TraceSet, reduction: &Reduction, path: &Path) {
    let began = Instant::now();
    if let Err(error) = write(traces, path) {
        println!("  {error}; nothing streamed");
        return;
    }
    let bytes = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    println!(
        "  {} rows written in {:.1} s, {:.0} bytes a row",
        TIMES * traces.len(),
        began.elapsed().as_secs_f64(),
        bytes as f64 / (TIMES * traces.len()) as f64
    );
    let Some(once) = seconds(traces.into(), reduction) else {
        return;
    };
    let program = std::env::current_exe().map(Command::new);
    let output = program.and_then(|mut program| program.env(FILE, path).output());
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let text = text.unwrap_or_else(|error| error.to_string());
    let numbers: Vec<f64> = text.split_whitespace().flat_map(str::parse).collect();
    let &[open, fitted, error, resident] = numbers.as_slice() else {
        println!("  the fit of the file failed: {text}");
        return;
    };
    println!("  opened and checked in {open:.1} s, fitted in {fitted:.1} s to E = {error:.13}");
    let ratio = (open + fitted) / once;
    let what = format!("{TIMES} times the rows streamed over once in memory");
    let measured = format!("{ratio:.1} ({once:.2} s in memory)");
    line(&what, "at most 14", &measured, ratio <= 14.0);
    let measured = format!("{resident:.2} GB");
    line(
        "memory of that process",
        "below 1 GB",
        &measured,
        resident < 1.0,
    );
}

fn write(traces: &TraceSet, path: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let mut writer = TraceWriter::create(path, traces.slots())?;
    for _ in 0..TIMES {
        writer.append(traces)?;
    }
    Ok(writer.finish(TraceFileInfo::default())?)
}

/// Fits a file and prints the seconds to open it and to fit it, E, and the most
/// memory in GB.
pub(crate) fn fit_file(path: &Path) {
    let began = Instant::now();
    let file = match TraceFile::open(path) {
        Ok(file) => file,
        Err(error) => {
            println!("{error}");
            return;
        }
    };
    let open = began.elapsed().as_secs_f64();
    let reduction = Reduction::of_lanes(2 * file.slots());
    let began = Instant::now();
    if let Some(error) = run(Traces::from(&file as &dyn Blocks), &reduction) {
        let fitted = began.elapsed().as_secs_f64();
        println!("{open} {fitted} {error} {}", peak().unwrap_or(f64::NAN));
    }
}

/// The seconds of a fit.
fn seconds(traces: Traces<'_>, reduction: &Reduction) -> Option<f64> {
    let began = Instant::now();
    run(traces, reduction)?;
    Some(began.elapsed().as_secs_f64())
}

/// A fit from zero, all that belongs to it; returns E.
pub(crate) fn run(traces: Traces<'_>, reduction: &Reduction) -> Option<f64> {
    let zero = vec![0.0; reduction.weight_terms().count()];
    let settings = Settings {
        k: Some(SIGMOID.k()),
        ..Settings::default()
    };
    let fitted = fit(
        traces,
        reduction,
        &FitInputs::at(&zero),
        &settings,
        &mut |_| ControlFlow::Continue(()),
    );
    match fitted {
        Ok(found) => Some(found.error),
        Err(error) => {
            println!("{error}");
            None
        }
    }
}

/// The most memory that this process has had, in GB.
pub(crate) fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024.0 / 1e9) // of 1,024 bytes
}
