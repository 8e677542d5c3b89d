//! `residuals`: what correlates with them.

use serde_json::{Value, json};

use super::args::{ResidualArgs, ResidualsByArg};
use super::table::TextTable;
use super::{Subject, print_object, signed, weights, with_error};
use crate::options::TypedOptions;
use crate::project::Project;
use crate::run::on_threads;
use crate::{Failure, output, report};
use tuner_engine::examine::{BinnedBy, ExaminationObjective, WeightSet, residual_tables};
use tuner_engine::{CheckError, LinkedSpec};
use tuner_judge::{ResidualTable, ScoreTest, score_tests};

/// Bins that a sentence names, the furthest from 0 first.
const NAMED: usize = 3;

pub(crate) fn run(
    project: &Project,
    args: &ResidualArgs,
    typed: &TypedOptions,
) -> Result<(), Failure> {
    let linked = project.linked()?;
    let at = weights(&linked, &args.weights)?;
    let by = if args.by.is_empty() {
        ResidualsByArg::ALL.to_vec()
    } else {
        args.by.clone()
    };
    let bins: Vec<BinnedBy> = by.iter().filter_map(|by| by.bins()).collect();
    let of_weights = by.contains(&ResidualsByArg::Weight);
    for (option, id) in [("--top", "top"), ("--loss", "loss")] {
        // K may be fitted by the loss.
        let fitted = id == "loss" && args.examination.k.is_none();
        if typed.has(id) && !of_weights && !fitted {
            return Err(Failure::Usage(format!(
                "{option}: does nothing without residuals by weight; leave it out, or add weight \
                 to --by"
            )));
        }
    }
    on_threads(args.examination.threads, || {
        let subject = Subject::new(project, &linked, &args.examination)?;
        if of_weights && !bins.is_empty() && !subject.positions.can_be_read_again() {
            return Err(subject.unrepeatable("give a file, or --by without weight and with --k"));
        }
        let (objective, tests) = if of_weights {
            let (objective, tests) = tested(&subject, &linked, &at, bins.is_empty())?;
            (objective, Some(tests))
        } else {
            (subject.objective(&at)?, None)
        };
        let mut tables = Vec::new();
        if !bins.is_empty() {
            let found = residual_tables(&subject.examination(), &at, &objective, &bins);
            subject.progress.done();
            let (report, found) = found?;
            subject.finish(&report, &at)?;
            tables = found;
        }
        subject.progress.done();
        tables.iter().for_each(words);
        if let Some(tests) = &tests {
            words_of_weights(&linked, tests);
        }
        if args.examination.json {
            let tests = tests.map(|tests| objects(&linked, &at, &tests));
            let found = json!({ "tables": tables, "by_weight": tests });
            let weights = [("weights", json!(args.weights))];
            let facts = weights.into_iter().chain(subject.facts(&objective));
            return print_object(facts, &found);
        }
        for found in &tables {
            output::text(&table(found))?;
        }
        match tests {
            Some(tests) => output::text(&table_of_weights(&linked, &at, &tests, args.top)),
            None => Ok(()),
        }
    })
}

/// Tests all weights, by the objective of the same rows.
fn tested(
    subject: &Subject<'_>,
    linked: &LinkedSpec,
    at: &WeightSet,
    is_last: bool,
) -> Result<(ExaminationObjective, Vec<ScoreTest>), Failure> {
    let collected = subject
        .positions
        .trace(subject.evaluation, linked, at.values(), 0);
    let mut collected = match collected {
        Ok(collected) => collected,
        Err(error) => {
            subject.progress.done();
            return Err(error.into());
        }
    };
    if is_last {
        subject.progress.done();
        report::reading(&collected.report);
    }
    if collected.traces.is_empty() {
        return Err(CheckError::NoPositions.into());
    }
    subject.verdict(&collected.agreement, at)?;
    let games = collected.report.total().with_game > 0;
    let config = subject.args.objective();
    let objective = config.of_rows(&mut collected.traces, at.lanes(), games);
    let objective = subject.found(objective)?;
    let layout = linked.spec.layout();
    let lanes: Vec<_> = layout
        .weight_ids()
        .map(|weight| layout.lane(weight))
        .collect();
    let measure = (objective.loss, objective.sigmoid);
    let tests = score_tests(&collected.traces, at.lanes(), &lanes, measure)?;
    Ok((objective, tests))
}

/// Says which bins stand out.
fn words(table: &ResidualTable) {
    let mut found: Vec<_> = table.bins.iter().filter(|bin| bin.stands_out).collect();
    found.sort_by(|a, b| b.residual.abs().total_cmp(&a.residual.abs()));
    let named: Vec<String> = (found.iter().take(NAMED))
        .map(|bin| {
            format!(
                "{} {}",
                bin.label,
                with_error(bin.residual, bin.standard_error, 4)
            )
        })
        .collect();
    let calibration = if table.by == BinnedBy::Score.name() {
        format!("expected calibration error {:.4}; ", table.mean_size)
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
            named.join(", ")
        );
    }
    if table.other_positions > 0 {
        say!("  {} positions are in no bin listed", table.other_positions);
    }
}

fn words_of_weights(linked: &LinkedSpec, tests: &[ScoreTest]) {
    let found: Vec<usize> = ranked(tests);
    let count = found
        .iter()
        .filter(|&&weight| tests[weight].stands_out)
        .count();
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

/// The numbers of the weights that have a z, the furthest from 0 first.
fn ranked(tests: &[ScoreTest]) -> Vec<usize> {
    let size = |&weight: &usize| tests[weight].z.map_or(0.0, f64::abs);
    let mut found: Vec<usize> = (0..tests.len()).filter(|&w| tests[w].z.is_some()).collect();
    found.sort_by(|a, b| size(b).total_cmp(&size(a)));
    found
}

fn table(found: &ResidualTable) -> String {
    let first = format!("<{}", found.by);
    let head = [
        &*first,
        "positions",
        "games",
        "p",
        "R",
        "R - p",
        "error",
        "z",
        "<",
    ];
    let mut table = TextTable::new(&head);
    for bin in &found.bins {
        let error = bin.standard_error;
        let z = error
            .filter(|error| *error > 0.0)
            .map(|error| bin.residual / error);
        table.row([
            bin.label.clone(),
            bin.positions.to_string(),
            bin.games.to_string(),
            format!("{:.4}", bin.expectation),
            format!("{:.4}", bin.outcome),
            signed(bin.residual, 4),
            error.map_or_else(|| "-".to_owned(), |error| format!("{error:.4}")),
            z.map_or_else(|| "-".to_owned(), |z| signed(z, 1)),
            if bin.stands_out { "*" } else { "" }.to_owned(),
        ]);
    }
    format!("{}\n", table.text())
}

fn table_of_weights(
    linked: &LinkedSpec,
    at: &WeightSet,
    tests: &[ScoreTest],
    most: usize,
) -> String {
    let layout = linked.spec.layout();
    let names: Vec<String> = layout
        .weight_ids()
        .map(|weight| layout.name(weight))
        .collect();
    let frozen: Vec<bool> = layout
        .weight_ids()
        .map(|weight| layout.frozen(weight))
        .collect();
    let head = ["<weight", "value", "z", "change", "error", "games", "<"];
    let mut table = TextTable::new(&head);
    let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |v| format!("{v:.1}"));
    let change = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |v| signed(v, 1));
    for weight in ranked(tests).into_iter().take(most) {
        let test = &tests[weight];
        let star = if test.stands_out { "*" } else { "" };
        let frozen = if frozen[weight] { " frozen" } else { "" };
        table.row([
            names[weight].clone(),
            at.weights()[weight].to_string(),
            change(test.z),
            change(test.change),
            number(test.change_error),
            test.games.to_string(),
            format!("{star}{frozen}"),
        ]);
    }
    table.text()
}

/// All weights as objects, in the order of the spec.
fn objects(linked: &LinkedSpec, at: &WeightSet, tests: &[ScoreTest]) -> Vec<Value> {
    let layout = linked.spec.layout();
    let object = |(weight, test): (_, &ScoreTest)| {
        let mut object = json!({
            "name": layout.name(weight),
            "value": at.weights()[weight.index()],
            "frozen": layout.frozen(weight),
        });
        if let (Value::Object(object), Value::Object(fields)) = (&mut object, json!(test)) {
            object.extend(fields);
        }
        object
    };
    layout.weight_ids().zip(tests).map(object).collect()
}
