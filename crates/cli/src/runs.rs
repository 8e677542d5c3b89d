//! `runs`: what the runs in a folder came to.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::folder::{COMMAND, RUNS, numbers};
use super::table::TextTable;
use super::{Failure, output};
use crate::help::heading;
use tuner_judge::ErrorDifference;
use tuner_record::{RunRecord, RunRecordError};

/// What was typed.
#[derive(Debug, Args)]
pub(super) struct RunsArgs {
    /// The folder of the fits, as of their --out.
    #[arg(default_value = "tuner-run", value_name = "DIR")]
    folder: PathBuf,
    /// Print an array of objects: run, verdict, refused, held_out_error_before,
    /// held_out_error, difference, standard_error, positions, k, command.
    #[arg(long, help_heading = heading::OUTPUT)]
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
    let mut objects = Vec::new();
    let mut table = TextTable::new("run,<verdict,held out,difference,positions,K,<command");
    for number in numbers {
        let path = runs.join(format!("{number:04}")).join("summary.json");
        let command = fs::read_to_string(path.with_file_name(COMMAND)).unwrap_or_default();
        let command = command.trim_end();
        match RunRecord::read(&path) {
            Ok(record) if args.json => objects.push(object(number, &record, command)),
            Ok(record) => table.row(cells(number, &record, command)),
            // A run that was killed has no record.
            Err(error @ RunRecordError::Io { .. }) => say!("{error}; the run did not end"),
            Err(error) => say!("{error}"),
        }
    }
    if args.json {
        output::line(&Value::from(objects).to_string())
    } else {
        output::text(&table.text())
    }
}

fn object(number: u32, record: &RunRecord, command: &str) -> Value {
    let held_out = record.judgement.held_out;
    json!({
        "run": number,
        "verdict": record.verdict,
        "refused": record.refused.is_some(),
        "held_out_error_before": held_out.map(|held_out| held_out.before),
        "held_out_error": held_out.map(|held_out| held_out.after),
        "difference": held_out.map(|held_out| held_out.difference),
        "standard_error": held_out.map(|held_out| held_out.standard_error),
        "positions": record.data.positions,
        "k": record.k,
        "command": command,
    })
}

fn cells(number: u32, record: &RunRecord, command: &str) -> [String; 7] {
    let held_out = |words: fn(&ErrorDifference) -> String| {
        let held_out = record.judgement.held_out.as_ref();
        held_out.map_or_else(|| "-".to_owned(), words)
    };
    [
        number.to_string(),
        match &record.refused {
            Some(_) => "refused".to_owned(),
            None => record.verdict.to_string(),
        },
        held_out(|d| format!("{:.6} → {:.6}", d.before, d.after)),
        held_out(|d| format!("{:+.6} ± {:.6}", d.difference, d.standard_error)),
        record.data.positions.to_string(),
        format!("{:.4}", record.k),
        command.to_owned(),
    ]
}
