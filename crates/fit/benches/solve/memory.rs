//! The memory of a process that reads rows and fits them.

use std::path::Path;
use std::process::Command;

use tuner_solve::Reduction;

use super::{line, streamed};

/// Names the file in the process that fits it.
pub(crate) const FILE: &str = "TUNER_BENCH_MEMORY";

/// What the process may take beside the rows, in parts of them, and bytes beside both.
const BESIDE: (f64, f64) = (0.25, 20e6);

/// Prints the most memory of a process that reads and fits a file with so many bytes of rows.
pub(crate) fn print(path: &Path, rows: f64) {
    let program = std::env::current_exe().map(Command::new);
    let output = program.and_then(|mut program| program.env(FILE, path).output());
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let text = text.unwrap_or_else(|error| error.to_string());
    let numbers: Vec<f64> = text.split_whitespace().flat_map(str::parse).collect();
    let &[read, fitted] = numbers.as_slice() else {
        println!("  the fit in memory failed: {text}");
        return;
    };
    let most = ((1.0 + BESIDE.0) * rows + BESIDE.1) / 1e9;
    line(
        "memory of a process that reads and fits, rows, a quarter of them and 20 MB",
        &format!("at most {most:.3} GB"),
        &format!("{fitted:.3} GB ({read:.3} GB after reading)"),
        fitted <= most,
    );
}

/// Fits a file and prints the most memory after reading and in all, in GB.
pub(crate) fn fit_file(path: &Path) {
    let traces = match tuner_rows::import::read(path, None) {
        Ok(read) => read.traces,
        Err(error) => {
            println!("{error}");
            return;
        }
    };
    let read = streamed::peak();
    let reduction = Reduction::of_lanes(2 * traces.slots());
    if streamed::run((&traces).into(), &reduction).is_some() {
        let fitted = streamed::peak();
        println!(
            "{} {}",
            read.unwrap_or(f64::NAN),
            fitted.unwrap_or(f64::NAN)
        );
    }
}
