//! `explain`: what each weight adds to a score.

use std::collections::HashMap;
use std::path::Path;

use serde_json::json;

use super::args::ExplainArgs;
use super::subject::{signed, weights};
use super::{of_run, pulls};
use crate::options::TypedOptions;
use crate::output;
use crate::table::TextTable;
use tuner_data::AnyPosition;
use tuner_engine::LinkedSpec;
use tuner_engine::examine::{
    BoardText, Explanation, ShareDifference, WeightShare, compare, diagram, explain,
};
use tuner_fit::model::Sigmoid;
use tuner_jobs::{Job, JobFailure as Failure, JobResult as Result, Project, fail, misuse};

/// Ids of the options that `explain` has for positions; all others need `--weight`.
const OF_POSITIONS: [&str; 6] = ["data", "json", "k", "run", "top", "weights"];

/// Runs `explain`: tells what each weight adds to the score of one or two positions, or, with
/// `--weight`, which positions move the weight. Fails for options that would do nothing; `typed`
/// has those that were typed.
pub(crate) fn run(
    job: &Job,
    project: &Project,
    args: &ExplainArgs,
    typed: &TypedOptions,
) -> Result<()> {
    check_options(args, typed)?;
    // Where there are files of data, missing ones are found before anything is built.
    let linked = if args.weight.is_none() {
        project.linked()?
    } else {
        project.linked_for(&args.examination.data.data)?
    };
    let at = weights(job, &linked, &args.at.weights)?;
    if let Some(name) = &args.weight {
        return pulls::run(job, project, &linked, &at, args, name);
    }
    let run = args.examination.run.as_deref();
    // Standard errors are those of a fit, so only `--run` brings some.
    let errors = run.map(|run| errors(run, &linked)).transpose()?;
    let positions = positions(project, args)?;
    let explanations = positions.iter().map(|position| {
        let evaluation = project.evaluation()?;
        let found = explain(evaluation, &linked, &at, errors.as_deref(), position)?;
        let found = found.map_err(Failure::Error)?;
        if !found.agrees {
            let position = found.position;
            fail!("production and trace do not agree on {position}; `check` says more");
        }
        Ok(found)
    });
    let explanations: Vec<Explanation> = explanations.collect::<Result<_, _>>()?;
    let differences = match &explanations[..] {
        [first, second] => compare(first, second),
        _ => Vec::new(),
    };
    if errors.is_some() {
        say!("errors are as if weights were independent: correlations are left out");
    }
    if args.examination.print.json {
        let mut object = json!({ "weights": args.at.weights, "positions": explanations });
        if explanations.len() == 2 {
            object["differences"] = json!(differences);
        }
        if let Some(sigmoid) = args.examination.k.map(Sigmoid::new) {
            let scores = explanations.iter().map(|found| found.score);
            object["expectations"] = scores.map(|score| sigmoid.expectation(score)).collect();
        }
        return output::json(&object);
    }
    for explanation in &explanations {
        head(explanation, args.examination.k)?;
    }
    match &explanations[..] {
        [first, second] => output::text(&both(first, second, &differences)),
        _ => explanations.iter().try_for_each(|found| {
            output::text(&of_parameters(found))?;
            output::text(&of_weights(found, args.most.top))
        }),
    }
}

/// Fails if an option was typed that does nothing for positions: any but `--json`, `--k`, `--run`,
/// `--top` and `--weights`, or `--top` for two positions, of which all parameters are listed. With
/// `--weight` all options have a use.
fn check_options(args: &ExplainArgs, typed: &TypedOptions) -> Result<()> {
    if args.weight.is_some() {
        return Ok(());
    }
    if let Some(other) = typed.other_than(&OF_POSITIONS) {
        misuse!(
            "{other}: does nothing for positions; leave it out, or name a weight with --weight"
        );
    }
    if args.examination.data.data.len() > 1 && typed.has("top") {
        misuse!(
            "--top: does nothing for two positions, of which all parameters are listed; leave it \
             out, or give one position"
        );
    }
    Ok(())
}

/// Returns the standard errors of the weights by the summary of a fit, in the order of the spec;
/// `None` for a weight that has none in it.
fn errors(path: &Path, linked: &LinkedSpec) -> Result<Vec<Option<f64>>> {
    let record = of_run::read(path)?;
    let by_name: HashMap<&str, f64> = (record.judgement.weights.iter())
        .filter_map(|of| Some((&*of.name, of.standard_error?)))
        .collect();
    let layout = linked.spec.layout();
    let names = layout.weight_ids().map(|weight| layout.name(weight));
    Ok(names.map(|name| by_name.get(&*name).copied()).collect())
}

/// Returns the one or two positions that were typed; a text that is not a position is an error with
/// the column.
fn positions(project: &Project, args: &ExplainArgs) -> Result<Vec<AnyPosition>> {
    let notation = project.game()?;
    let typed = &args.examination.data.data;
    let name = notation.name();
    if !(1..=2).contains(&typed.len()) {
        misuse!(
            "found {} words; expected one or two positions, each a {name} in quotation marks, or \
             --weight NAME and data",
            typed.len()
        );
    }
    let mut positions = Vec::new();
    for text in typed {
        let text = text.to_string_lossy();
        let position = notation.parse(text.trim()).map_err(|fault| {
            let file = if Path::new(&*text).exists() {
                "; a file of positions is for explain --weight NAME"
            } else {
                ""
            };
            Failure::Usage(format!(
                "{name} \"{text}\", column {}: {fault}{file}",
                fault.offset + 1
            ))
        })?;
        positions.push(position);
    }
    Ok(positions)
}

/// Prints a position, its board, its score, the expected result where the scaling constant `k` is
/// typed, and by what fractions middlegame and endgame count, where the evaluation is tapered. A
/// notation without a board has none drawn.
fn head(found: &Explanation, k: Option<f64>) -> Result<()> {
    let board = diagram(&found.position).unwrap_or_default();
    let player = BoardText::read(&found.position).map_or("the first player", |of| of.players()[0]);
    let expectation = k.map_or_else(String::new, |k| {
        let expectation = Sigmoid::new(k).expectation(found.score);
        format!(", expectation {expectation:.4}")
    });
    let taper = found.taper.map_or_else(String::new, |[mg, eg]| {
        format!("; mg counts {mg:.3}, eg {eg:.3}")
    });
    output::line(&format!(
        "{}\n{board}score {} for {player}{expectation}{taper}\n",
        found.position, found.score
    ))
}

/// Returns a share, what a weight adds to the score, as text in the unit of the score, with its
/// sign and one digit; empty for `None`.
fn optional(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| signed(value, 1))
}

/// Returns a standard error as text, such as `± 1.2`; empty for `None`.
fn error(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("± {value:.1}"))
}

/// Returns the table of the shares of all parameters, what each adds to the score of a position,
/// the largest first. Then come the constant, the nonlinear remainder and the rounding, each left
/// out where it would be 0.0, and last the sum, the score.
fn of_parameters(found: &Explanation) -> String {
    let mut table = TextTable::new("<parameter,mg,eg,share,");
    let mut shares: Vec<_> = found.parameters.iter().collect();
    shares.sort_by(|a, b| b.share.abs().total_cmp(&a.share.abs()));
    for share in shares {
        table.row([
            share.name.clone(),
            optional(share.mg),
            optional(share.eg),
            signed(share.share, 1),
            error(share.standard_error),
        ]);
    }
    let rest = [
        ("constant", found.constant),
        ("nonlinear remainder", found.nonlinear),
        ("rounding", found.rounding),
    ];
    for (name, value) in rest.into_iter().filter(|(_, value)| value.abs() >= 0.05) {
        let empty = String::new;
        table.row([name.to_owned(), empty(), empty(), signed(value, 1), empty()]);
    }
    // The sum of the middlegame or endgame shares; empty where no parameter is tapered.
    let sums = |of: fn(&tuner_engine::examine::ParameterShare) -> Option<f64>| {
        let shares = found.parameters.iter().filter_map(of);
        optional(shares.reduce(|sum, share| sum + share))
    };
    table.row([
        "score".to_owned(),
        sums(|share| share.mg),
        sums(|share| share.eg),
        signed(found.score, 1),
        error(found.standard_error),
    ]);
    format!("{}\n", table.text())
}

/// Returns the table of the weights whose shares of the score are largest in size, at most `most`
/// of them: coefficient, value, and share, which is their product.
fn of_weights(found: &Explanation, most: usize) -> String {
    let mut shares: Vec<&WeightShare> = found.parameters.iter().flat_map(|p| &p.weights).collect();
    shares.sort_by(|a, b| b.share.abs().total_cmp(&a.share.abs()));
    let mut table = TextTable::new("<weight,coefficient,value,share,");
    for share in shares.into_iter().take(most) {
        table.row([
            share.name.clone(),
            signed(share.coefficient, 3),
            share.value.to_string(),
            signed(share.share, 1),
            error(share.standard_error),
        ]);
    }
    table.text()
}

/// Returns the table of the shares of two positions beside each other, what each parameter adds to
/// the score; the largest difference first. A difference is the second share minus the first.
fn both(first: &Explanation, second: &Explanation, differences: &[ShareDifference]) -> String {
    let mut table = TextTable::new("<parameter,first,second,difference,");
    let mut sorted: Vec<&ShareDifference> = differences.iter().collect();
    sorted.sort_by(|a, b| b.difference.abs().total_cmp(&a.difference.abs()));
    for difference in sorted {
        table.row([
            difference.name.clone(),
            signed(difference.shares[0], 1),
            signed(difference.shares[1], 1),
            signed(difference.difference, 1),
            error(difference.standard_error),
        ]);
    }
    let rows = [
        ("constant", first.constant, second.constant),
        ("nonlinear remainder", first.nonlinear, second.nonlinear),
        ("rounding", first.rounding, second.rounding),
        ("score", first.score, second.score),
    ];
    for (name, a, b) in rows {
        table.row([
            name.to_owned(),
            signed(a, 1),
            signed(b, 1),
            signed(b - a, 1),
            String::new(),
        ]);
    }
    table.text()
}
