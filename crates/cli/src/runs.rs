//! `runs`: what the runs in a folder came to.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use comfy_table::{Table, presets};
use serde_json::{Value, json};

use super::folder::{COMMAND, RUNS, numbers};
use super::{Failure, output};

/// What was typed.
#[derive(Debug, Args)]
pub(super) struct RunsArgs {
    /// The folder of the fits, as of their --out.
    #[arg(default_value = "tuner-run", value_name = "DIR")]
    folder: PathBuf,
    /// Print an array of objects: run, verdict, refused, held_out_error_before,
    /// held_out_error, difference, standard_error, positions, k, command.
    #[arg(long)]
    json: bool,
}

/// Lists the runs in a folder, the oldest first.
pub(super) fn run(args: &RunsArgs) -> Result<(), Failure> {
    let runs = args.folder.join(RUNS);
    let numbers = numbers(&runs).map_err(|error| {
        format!(
            "{}: {error}; expected the folder of --out of a fit",
            runs.display()
        )
    })?;
    let mut rows = Vec::new();
    for number in numbers {
        let path = runs.join(format!("{number:04}")).join("summary.json");
        let command = fs::read_to_string(path.with_file_name(COMMAND)).unwrap_or_default();
        match summary(&path) {
            Ok(summary) => rows.push(row(number, &summary, command.trim_end())),
            Err(words) => say!("{words}"),
        }
    }
    if args.json {
        return output::line(&Value::from(rows).to_string());
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header([
        "run",
        "verdict",
        "held out",
        "difference",
        "positions",
        "K",
        "command",
    ]);
    for row in &rows {
        table.add_row(cells(row));
    }
    output::line(&table.trim_fmt())
}

/// Reads the record of a run; a run that was killed has none.
fn summary(path: &Path) -> Result<Value, String> {
    let text = fs::read_to_string(path)
        .map_err(|error| format!("{}: {error}; the run did not end", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

fn row(number: u32, summary: &Value, command: &str) -> Value {
    let held_out = &summary["judgement"]["held_out"];
    json!({
        "run": number,
        "verdict": summary["verdict"],
        "refused": summary["refused"].is_string(),
        "held_out_error_before": held_out["before"],
        "held_out_error": held_out["after"],
        "difference": held_out["difference"],
        "standard_error": held_out["standard_error"],
        "positions": summary["data"]["positions"],
        "k": summary["k"],
        "command": command,
    })
}

fn cells(row: &Value) -> Vec<String> {
    let number = |field: &str, digits: usize| match row[field].as_f64() {
        Some(number) => format!("{number:.digits$}"),
        None => "-".to_owned(),
    };
    let difference = match (row["difference"].as_f64(), row["standard_error"].as_f64()) {
        (Some(difference), Some(error)) => format!("{difference:+.6} ± {error:.6}"),
        _ => "-".to_owned(),
    };
    vec![
        number("run", 0),
        match &row["refused"] {
            Value::Bool(true) => "refused".to_owned(),
            _ => row["verdict"].as_str().unwrap_or("-").to_owned(),
        },
        format!(
            "{} → {}",
            number("held_out_error_before", 6),
            number("held_out_error", 6)
        ),
        difference,
        number("positions", 0),
        number("k", 4),
        printable(row["command"].as_str().unwrap_or_default()),
    ]
}

/// The text without what a terminal would obey.
fn printable(text: &str) -> String {
    let shown = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    text.chars().map(shown).collect()
}
