//! `runs`: what the runs in a folder came to.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::table::TextTable;
use crate::{heading, output};
use tuner_jobs::{JobFailure as Failure, LedgerRun, ledger};
use tuner_judge::{ErrorDifference, FitVerdict};
use tuner_record::{RunRecord, RunRecordError};

/// What was typed.
#[derive(Debug, Args)]
pub(crate) struct RunsArgs {
    /// The folder of the fits, as of their --out.
    #[arg(default_value = "tuner-run", value_name = "DIR")]
    folder: PathBuf,
    /// Print an array of objects: run, verdict, refused, held_out_error_before,
    /// held_out_error, difference, standard_error, positions, k, command.
    #[arg(long, help_heading = heading::OUTPUT)]
    json: bool,
}

/// A run, as `--json` has it.
#[derive(Serialize)]
struct ListedRun {
    run: u32,
    verdict: FitVerdict,
    refused: bool,
    held_out_error_before: Option<f64>,
    held_out_error: Option<f64>,
    difference: Option<f64>,
    standard_error: Option<f64>,
    positions: usize,
    k: f64,
    command: String,
}

/// Lists the runs in a folder, the oldest first.
pub(crate) fn run(args: &RunsArgs) -> Result<(), Failure> {
    let mut listed = Vec::new();
    let mut table = TextTable::new("run,<verdict,held out,difference,positions,K,<command");
    for run in ledger(&args.folder)? {
        match RunRecord::read(&run.summary) {
            Ok(record) if args.json => listed.push(ListedRun::new(run, &record)),
            Ok(record) => table.row(cells(run, &record)),
            // A run that was killed has no record.
            Err(error @ RunRecordError::Io { .. }) => say!("{error}; the run did not end"),
            Err(error) => say!("{error}"),
        }
    }
    if args.json {
        output::json(&listed)
    } else {
        output::text(&table.text())
    }
}

impl ListedRun {
    fn new(run: LedgerRun, record: &RunRecord) -> Self {
        let held_out = record.judgement.held_out;
        Self {
            run: run.number,
            verdict: record.verdict,
            refused: record.refused.is_some(),
            held_out_error_before: held_out.map(|held_out| held_out.before),
            held_out_error: held_out.map(|held_out| held_out.after),
            difference: held_out.map(|held_out| held_out.difference),
            standard_error: held_out.map(|held_out| held_out.standard_error),
            positions: record.data.positions,
            k: record.k,
            command: run.command,
        }
    }
}

fn cells(run: LedgerRun, record: &RunRecord) -> [String; 7] {
    let held_out = |words: fn(&ErrorDifference) -> String| {
        let held_out = record.judgement.held_out.as_ref();
        held_out.map_or_else(|| "-".to_owned(), words)
    };
    [
        run.number.to_string(),
        match &record.refused {
            Some(_) => "refused".to_owned(),
            None => record.verdict.to_string(),
        },
        held_out(|d| format!("{:.6} → {:.6}", d.before, d.after)),
        held_out(|d| format!("{:+.6} ± {:.6}", d.difference, d.standard_error)),
        record.data.positions.to_string(),
        format!("{:.4}", record.k),
        run.command,
    ]
}
