//! `runs`: what the runs in a folder came to, and what each gained.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use crate::table::TextTable;
use crate::{heading, output};
use tuner_jobs::{JobResult as Result, LedgerRun, ledger};
use tuner_judge::ErrorDifference;
use tuner_record::{FastGamesRecord, RunRecord, RunRecordError};

/// The arguments of `runs`.
#[derive(Debug, Args)]
pub(crate) struct RunsArgs {
    /// The folder of the fits, as of their --out.
    #[arg(default_value = "tuner-run", value_name = "DIR")]
    folder: PathBuf,
    /// Print an array of objects: run, ended, verdict, refused, held_out_error_before,
    /// held_out_error, difference, standard_error, elo, elo_error, games, games_passed,
    /// positions, k, command.
    #[arg(long, help_heading = heading::OUTPUT)]
    json: bool,
}

/// Runs `runs`: lists the fits in a folder, the oldest first. One without a record that can be read
/// is told of and left out.
pub(crate) fn run(args: &RunsArgs) -> Result<()> {
    let mut all = Vec::new();
    let mut table = TextTable::new(
        "run,<ended,<verdict,held out,difference,<Elo of fast games,positions,K,<command",
    );
    for run in ledger(&args.folder)? {
        match RunRecord::read(&run.summary) {
            Ok(record) if args.json => all.push(listed(&run, &record)),
            Ok(record) => table.row(cells(run, &record)),
            // A run that was killed has no record.
            Err(error @ RunRecordError::Io { .. }) => say!("{error}; the run did not end"),
            Err(error) => say!("{error}"),
        }
    }
    if args.json {
        output::json(&all)
    } else {
        output::text(&table.text())
    }
}

/// Returns a run as `--json` has it; `ended` in seconds since 1970, in UTC. Elo
/// and games are those of its fast games, if it played some.
fn listed(run: &LedgerRun, record: &RunRecord) -> Value {
    let held_out = record.judgement.held_out;
    let games = record.fast_games.as_ref();
    let standing = games.map(|games| &games.standing);
    json!({
        "run": run.number,
        "ended": run.ended(),
        "verdict": record.verdict,
        "refused": record.refused.is_some(),
        "held_out_error_before": held_out.map(|held_out| held_out.before),
        "held_out_error": held_out.map(|held_out| held_out.after),
        "difference": held_out.map(|held_out| held_out.difference),
        "standard_error": held_out.map(|held_out| held_out.standard_error),
        "elo": standing.and_then(|standing| standing.elo),
        "elo_error": standing.and_then(|standing| standing.elo_error),
        "games": standing.map(|standing| standing.games),
        "games_passed": games.map(|games| games.passed),
        "positions": record.data.positions,
        "k": record.k,
        "command": run.command,
    })
}

/// Returns the cells of a fit in the table, in the order of its nine columns: run, ended, verdict,
/// held out, difference, Elo, positions, K, command; `-` where there is nothing.
fn cells(run: LedgerRun, record: &RunRecord) -> [String; 9] {
    let held_out = |words: fn(&ErrorDifference) -> String| {
        let held_out = record.judgement.held_out.as_ref();
        held_out.map_or_else(|| "-".to_owned(), words)
    };
    [
        run.number.to_string(),
        match record.date.as_str() {
            "" => "-".to_owned(),
            date => tuner_report::clean(date),
        },
        // A refusal counts first, then fast games if they decided, else the held-out games.
        match (&record.refused, &record.fast_games) {
            (Some(_), _) => "refused".to_owned(),
            (None, Some(games)) if games.passed => "stronger".to_owned(),
            (None, Some(games)) if games.are_lost() => "weaker".to_owned(),
            _ => record.verdict.to_string(),
        },
        held_out(|d| format!("{:.6} → {:.6}", d.before, d.after)),
        held_out(|d| format!("{:+.6} ± {:.6}", d.difference, d.standard_error)),
        (record.fast_games.as_ref()).map_or_else(|| "-".to_owned(), elo),
        record.data.positions.to_string(),
        format!("{:.4}", record.k),
        run.command,
    ]
}

/// Returns the Elo of games with half the width of its 95 % interval, and in brackets how many
/// games they are; only their number where Elo is not known.
fn elo(games: &FastGamesRecord) -> String {
    let standing = &games.standing;
    match (standing.elo, standing.elo_error) {
        (Some(elo), Some(error)) => format!("{elo:+.1} ± {error:.1} ({})", standing.games),
        _ => format!("({})", standing.games),
    }
}
