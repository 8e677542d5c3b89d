//! `runs`: what the runs in a folder came to, and what each gained.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use crate::table::TextTable;
use crate::{heading, output};
use tuner_jobs::{JobFailure as Failure, LedgerRun, ledger};
use tuner_judge::{ErrorDifference, FitVerdict};
use tuner_record::{FastGamesRecord, RunRecord, RunRecordError};

/// What was typed.
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

/// A run, as `--json` has it.
#[derive(Serialize)]
struct ListedRun {
    run: u32,
    /// Seconds since 1970, in UTC.
    ended: Option<u64>,
    verdict: FitVerdict,
    refused: bool,
    held_out_error_before: Option<f64>,
    held_out_error: Option<f64>,
    difference: Option<f64>,
    standard_error: Option<f64>,
    elo: Option<f64>,
    elo_error: Option<f64>,
    games: Option<u64>,
    games_passed: Option<bool>,
    positions: usize,
    k: f64,
    command: String,
}

/// Lists the runs in a folder, the oldest first.
pub(crate) fn run(args: &RunsArgs) -> Result<(), Failure> {
    let mut listed = Vec::new();
    let mut table = TextTable::new(
        "run,<ended,<verdict,held out,difference,<Elo of fast games,positions,K,<command",
    );
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
        let games = record.fast_games.as_ref();
        let standing = games.map(|games| &games.standing);
        Self {
            ended: run.ended(),
            run: run.number,
            verdict: record.verdict,
            refused: record.refused.is_some(),
            held_out_error_before: held_out.map(|held_out| held_out.before),
            held_out_error: held_out.map(|held_out| held_out.after),
            difference: held_out.map(|held_out| held_out.difference),
            standard_error: held_out.map(|held_out| held_out.standard_error),
            elo: standing.and_then(|standing| standing.elo),
            elo_error: standing.and_then(|standing| standing.elo_error),
            games: standing.map(|standing| standing.games),
            games_passed: games.map(|games| games.passed),
            positions: record.data.positions,
            k: record.k,
            command: run.command,
        }
    }
}

fn cells(run: LedgerRun, record: &RunRecord) -> [String; 9] {
    let held_out = |words: fn(&ErrorDifference) -> String| {
        let held_out = record.judgement.held_out.as_ref();
        held_out.map_or_else(|| "-".to_owned(), words)
    };
    [
        run.number.to_string(),
        run.ended().map_or_else(|| "-".to_owned(), utc),
        match (&record.refused, &record.fast_games) {
            (Some(_), _) => "refused".to_owned(),
            (None, Some(games)) if games.passed => "stronger".to_owned(),
            (None, Some(games)) if games.are_lost() => "weaker".to_owned(),
            _ => record.verdict.to_string(),
        },
        held_out(|d| format!("{:.6} → {:.6}", d.before, d.after)),
        held_out(|d| format!("{:+.6} ± {:.6}", d.difference, d.standard_error)),
        record
            .fast_games
            .as_ref()
            .map_or_else(|| "-".to_owned(), elo),
        record.data.positions.to_string(),
        format!("{:.4}", record.k),
        run.command,
    ]
}

/// The Elo of games, in the fewest words.
fn elo(games: &FastGamesRecord) -> String {
    let standing = &games.standing;
    match (standing.elo, standing.elo_error) {
        (Some(elo), Some(error)) => format!("{elo:+.1} ± {error:.1} ({})", standing.games),
        _ => format!("({})", standing.games),
    }
}

/// A time as `2026-11-28 17:05`, in UTC.
///
/// *Source*: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
fn utc(seconds: u64) -> String {
    let (days, minutes) = (seconds / 86_400 + 719_468, seconds % 86_400 / 60);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let from_march = (5 * day + 2) / 153;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    let year = year + era * 400 + u64::from(month <= 2);
    let day = day - (153 * from_march + 2) / 5 + 1;
    format!(
        "{year}-{month:02}-{day:02} {:02}:{:02}",
        minutes / 60,
        minutes % 60
    )
}

#[cfg(test)]
mod tests {
    use super::utc;

    #[test]
    fn times_are_days_and_minutes() {
        for (seconds, text) in [
            (0, "1970-01-01 00:00"),
            (951_782_399, "2000-02-28 23:59"),
            (951_868_800, "2000-03-01 00:00"),
            (1_709_208_000, "2024-02-29 12:00"),
            (4_102_444_799, "2099-12-31 23:59"),
        ] {
            assert_eq!(utc(seconds), text);
        }
    }
}
