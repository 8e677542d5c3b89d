//! `data profile`: what is in data.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::args::InputArgs;
use crate::output;
use tuner_data::tools::{MATERIAL, Profile, ResultCounts, profile};
use tuner_data::{AnyGame, FileReport, Format};
use tuner_jobs::{InputSet, Job, JobFailure as Failure};

/// Runs `data profile`: reads the data, and prints what is in them.
pub(super) fn run(job: &Job, rules: &AnyGame, args: &InputArgs) -> Result<(), Failure> {
    // `true`: the progress of the reading is shown.
    let given = InputSet::new(job, rules, &args.config(), true)?;
    let found = profile(rules, &given.inputs, &given.options);
    // An interruption is told rather than the error of the reading, which it causes.
    job.has_read("before everything was read")?;
    let found = found?;
    job.say_reading(&found.report);
    if args.print.json {
        output::json(&object(&found))
    } else {
        output::line(&words(&found).join("\n"))
    }
}

/// Returns lines on what is in the data. Material is in pawns, search scores are in the data's
/// unit, and results are those of the first player.
fn words(found: &Profile) -> Vec<String> {
    let mut words = vec![
        format!("positions          {}", found.results.positions),
        format!("results            {}", shares(&found.results)),
        format!("first to move      {}", shares(&found.to_move[0])),
        format!("second to move     {}", shares(&found.to_move[1])),
    ];
    for (range, results) in found.by_material.iter().enumerate() {
        if results.positions > 0 {
            // Ranges are `MATERIAL` hundredths of a pawn wide.
            let from = range as i32 * MATERIAL / 100;
            // The hundredth range holds all beyond.
            let end = match range {
                99 => "and up".to_owned(),
                _ => format!("to {:3}", from + MATERIAL / 100 - 1),
            };
            words.push(format!("material {from:3} {end} {}", shares(results)));
        }
    }
    let with_game = found.report.total().with_game;
    if found.games > 0 {
        let [fewest, most] = found.positions_of_game;
        words.push(format!(
            "games              {}, of {fewest} to {most} positions, {:.1} on average",
            found.games,
            with_game as f64 / found.games as f64
        ));
    }
    words.push(format!("in check           {}", found.in_check));
    words.push(format!("duplicates         {}", found.duplicates));
    words.push(format!(
        "contradictions     {} positions with different results",
        found.contradictions
    ));
    if let Some([least, mean, largest]) = found.scores {
        words.push(format!(
            "search scores      {}, from {least} to {largest}, {mean:.1} on average",
            found.report.total().with_search_score
        ));
    }
    words
}

/// Returns how many positions there are, and in percent how many of them were won, drawn and lost
/// by the first player, or have a probability as their result.
fn shares(results: &ResultCounts) -> String {
    let share = |count: u64| 100.0 * count as f64 / results.positions.max(1) as f64;
    let mut words = format!(
        "{:9}: {:4.1} % won, {:4.1} % drawn, {:4.1} % lost",
        results.positions,
        share(results.wins),
        share(results.draws),
        share(results.losses)
    );
    let probabilities = results.probabilities();
    if probabilities > 0 {
        let _ = write!(words, ", {:4.1} % probabilities", share(probabilities));
    }
    words
}

/// Returns the object that `--json` prints of what was found. `from` of material is in hundredths
/// of a pawn; `filtered` is 0, as a profile has no filters.
fn object(found: &Profile) -> Value {
    let total = found.report.total();
    let by_material = found.by_material.iter().enumerate();
    let by_material = by_material
        .map(|(range, of)| json!({ "from": range as i32 * MATERIAL, "results": results(of) }));
    json!({
        "positions": total.positions,
        "rejected": total.rejected,
        "filtered": 0,
        "games": found.games,
        "unfinished": total.unfinished,
        "fewest_of_game": found.positions_of_game[0],
        "most_of_game": found.positions_of_game[1],
        "results": results(&found.results),
        "first_to_move": results(&found.to_move[0]),
        "second_to_move": results(&found.to_move[1]),
        "by_material": by_material.collect::<Vec<_>>(),
        "in_check": found.in_check,
        "duplicates": found.duplicates,
        "contradictions": found.contradictions,
        "with_search_score": total.with_search_score,
        "files": found.report.files.iter().map(counts).collect::<Vec<_>>(),
    })
}

/// Returns how many positions have each result.
fn results(of: &ResultCounts) -> Value {
    json!({
        "positions": of.positions,
        "wins": of.wins,
        "draws": of.draws,
        "losses": of.losses,
        "probabilities": of.probabilities(),
    })
}

/// Returns what was read of a file.
fn counts(of: &FileReport) -> Value {
    json!({
        "file": of.file.to_string_lossy(),
        "format": of.format.map(Format::name),
        "lines": of.lines,
        "headers": of.headers,
        "blank": of.blank,
        "units": of.units,
        "unfinished": of.unfinished,
        "positions": of.positions,
        "rejected": of.rejected,
        "rejected_units": of.rejected_units,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_range_of_material_is_open() {
        let mut found = Profile {
            by_material: vec![ResultCounts::default(); 100],
            ..Profile::default()
        };
        for range in [98, 99] {
            found.by_material[range].add(Some(tuner_data::Outcome::Win));
        }
        let words = words(&found).join("\n");
        assert!(words.contains("material 980 to 989 "), "{words}");
        assert!(words.contains("material 990 and up "), "{words}");
    }
}
