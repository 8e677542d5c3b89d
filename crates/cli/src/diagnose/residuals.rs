//! `residuals`: what correlates with them.

use serde::Serialize;
use serde_json::json;

use super::args::{ResidualArgs, ResidualsByArg};
use super::subject::{Subject, optional, signed, star, unrepeatable, weights, with_error};
use crate::options::TypedOptions;
use crate::output;
use crate::table::TextTable;
use clap::ValueEnum as _;
use tuner_base::{WeightId, joined};
use tuner_engine::LinkedSpec;
use tuner_engine::examine::{BinnedBy, WeightSet, residual_tables};
use tuner_jobs::{Job, JobResult as Result, Project, misuse};
use tuner_judge::{BinTable, Residual, ScoreTest, score_tests};

/// How many bins a sentence names at most, the largest residuals first.
const NAMED: usize = 3;

/// Runs `residuals`: tells where residuals, result minus expectation, gather: by bins of positions,
/// by the features of weights, or, without `--by`, by both. The data are read once for each of the
/// two. Fails for options that would do nothing; `typed` has those that were typed.
pub(crate) fn run(
    job: &Job,
    project: &Project,
    args: &ResidualArgs,
    typed: &TypedOptions,
) -> Result<()> {
    let linked = project.linked_for(&args.examination.data.data)?;
    let at = weights(job, &linked, &args.at.weights)?;
    let by = if args.by.is_empty() {
        ResidualsByArg::value_variants()
    } else {
        &args.by
    };
    let bins: Vec<BinnedBy> = by.iter().filter_map(|by| by.bins()).collect();
    let of_weights = by.contains(&ResidualsByArg::Weight);
    for (option, id) in [("--top", "top"), ("--loss", "loss")] {
        // Without `--k` the loss decides on K, which is fitted, so it does something.
        let fitted = id == "loss" && args.examination.k.is_none();
        if typed.has(id) && !of_weights && !fitted {
            misuse!(
                "{option}: does nothing without residuals by weight; leave it out, or add weight \
                 to --by"
            );
        }
    }
    Subject::examine(job, project, &linked, &args.examination, |subject| {
        if of_weights && !bins.is_empty() && !subject.examination.positions.can_be_read_again() {
            return Err(unrepeatable(
                "give a file, or --by without weight and with --k",
            ));
        }
        let (objective, tests) = if of_weights {
            // One pass gives both the rows of the tests and their objective.
            let (rows, objective) = subject.rows(&at, bins.is_empty())?;
            let layout = linked.spec.layout();
            let lanes = layout.weight_ids().map(|weight| layout.lane(weight));
            let lanes: Vec<_> = lanes.collect();
            let (loss, sigmoid) = (objective.loss, objective.sigmoid);
            let tests = score_tests(&rows.traces, at.lanes(), &lanes, loss, sigmoid)?;
            (objective, Some(tests))
        } else {
            (subject.objective(&at)?, None)
        };
        let mut tables = Vec::new();
        if !bins.is_empty() {
            let found = residual_tables(&subject.examination, &at, &objective, &bins);
            tables = subject.checked(found, &at)?;
        }
        job.reading_ended();
        tables.iter().for_each(words);
        if let Some(tests) = &tests {
            words_of_weights(&linked, tests);
        }
        let by_weight = (tests.as_ref()).map(|tests| tested(&linked, &at, tests));
        let found = json!({ "tables": tables, "by_weight": by_weight });
        let facts = [("weights", &*args.at.weights)];
        subject.show(&facts, &objective, &found, || {
            for found in &tables {
                output::text(&table(found))?;
            }
            match &tests {
                Some(tests) => output::text(&table_of_weights(&linked, &at, tests, args.top)),
                None => Ok(()),
            }
        })
    })
}

/// Tells the user which bins of a property stand out, the largest residuals first, and, of bins by
/// score, how far expectations are off on average.
fn words(table: &BinTable<Residual>) {
    let mut found: Vec<_> = table.bins.iter().filter(|bin| bin.stands_out).collect();
    found.sort_by(|a, b| b.means.residual.abs().total_cmp(&a.means.residual.abs()));
    let named = found.iter().take(NAMED).map(|bin| {
        let residual = with_error(bin.means.residual, bin.standard_error, 4);
        format!("{} {residual}", bin.label)
    });
    let calibration = if table.by == BinnedBy::Score.name() {
        // Tables of residuals always have it.
        let size = table.mean_size.unwrap_or_default();
        format!("expected calibration error {size:.4}; ")
    } else {
        String::new()
    };
    if found.is_empty() {
        say!("by {}: {calibration}no bin stands out", table.by);
    } else {
        say!(
            "by {}: {calibration}{} of {} bins stand out, most: {}",
            table.by,
            found.len(),
            table.bins.len(),
            joined(named, ", ")
        );
    }
    if table.other_positions > 0 {
        say!("  {} positions are in no bin listed", table.other_positions);
    }
}

/// Tells the user of how many weights the feature still correlates with the residual. `tests`: one
/// for each weight, in the order of the spec.
fn words_of_weights(linked: &LinkedSpec, tests: &[ScoreTest]) {
    let found: Vec<usize> = ranked(tests);
    let count = found.iter().filter(|&&w| tests[w].stands_out).count();
    let layout = linked.spec.layout();
    let frozen = layout.weight_ids().zip(tests);
    let frozen = frozen.filter(|(weight, test)| layout.frozen(*weight) && test.stands_out);
    say!(
        "by weight: {count} of {} weights that are read still correlate with the residual, of \
         these {} frozen",
        found.len(),
        frozen.count()
    );
}

/// Returns the numbers of the weights that have a z (the slope of E in standard errors), in order
/// of falling |z|. Weights that no position reads have no z and are left out.
fn ranked(tests: &[ScoreTest]) -> Vec<usize> {
    let size = |&weight: &usize| tests[weight].z.map_or(0.0, f64::abs);
    let mut found: Vec<usize> = (0..tests.len()).filter(|&w| tests[w].z.is_some()).collect();
    found.sort_by(|a, b| size(b).total_cmp(&size(a)));
    found
}

/// Returns the table of residuals by a property of positions. A bin has the mean expectation p, the
/// mean result R, R − p, its standard error, and z, which is R − p in standard errors; a star marks
/// what is more than chance.
fn table(found: &BinTable<Residual>) -> String {
    let head = format!("<{},positions,games,p,R,R - p,error,z,<", found.by);
    let mut table = TextTable::new(&head);
    for bin in &found.bins {
        let error = bin.standard_error;
        let z = error.filter(|error| *error > 0.0);
        let z = z.map(|error| bin.means.residual / error);
        table.row([
            bin.label.clone(),
            bin.positions.to_string(),
            bin.games.to_string(),
            format!("{:.4}", bin.means.expectation),
            format!("{:.4}", bin.means.outcome),
            signed(bin.means.residual, 4),
            optional(error, 4),
            z.map_or_else(|| "-".to_owned(), |z| signed(z, 1)),
            star(bin.stands_out).to_owned(),
        ]);
    }
    format!("{}\n", table.text())
}

/// Returns the table of the weights whose features correlate with the residual most, at most `most`
/// of them. `z` is the slope of E in standard errors; `change` is the first step of the weight,
/// alone, towards the least E, and `error` its standard error, both in the weight's unit.
fn table_of_weights(
    linked: &LinkedSpec,
    at: &WeightSet,
    tests: &[ScoreTest],
    most: usize,
) -> String {
    let layout = linked.spec.layout();
    let mut table = TextTable::new("<weight,value,z,change,error,games,<");
    let change = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |v| signed(v, 1));
    for weight in ranked(tests).into_iter().take(most) {
        let (test, id) = (&tests[weight], WeightId(weight));
        let frozen = if layout.frozen(id) { " frozen" } else { "" };
        table.row([
            layout.name(id),
            at.weights()[weight].to_string(),
            change(test.z),
            change(test.change),
            optional(test.change_error, 1),
            test.games.to_string(),
            format!("{}{frozen}", star(test.stands_out)),
        ]);
    }
    table.text()
}

/// A weight with its test.
#[derive(Serialize)]
struct TestedWeight<'a> {
    name: String,
    value: f64,
    frozen: bool,
    #[serde(flatten)]
    test: &'a ScoreTest,
}

/// Returns all weights with their tests, in the order of the spec, for `--json`.
fn tested<'a>(
    linked: &LinkedSpec,
    at: &WeightSet,
    tests: &'a [ScoreTest],
) -> Vec<TestedWeight<'a>> {
    let layout = linked.spec.layout();
    let tested = |(weight, test)| TestedWeight {
        name: layout.name(weight),
        value: at.weights()[weight.index()],
        frozen: layout.frozen(weight),
        test,
    };
    layout.weight_ids().zip(tests).map(tested).collect()
}
