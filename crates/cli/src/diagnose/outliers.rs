//! `outliers`: the positions that are explained worst.

use serde_json::json;

use super::args::OutlierArgs;
use super::table::TextTable;
use super::{Subject, game, outcome, place, print_object, weights};
use crate::project::Project;
use crate::run::on_threads;
use crate::{Failure, output};
use tuner_engine::examine::{ExaminationObjective, Outlier, diagram, outliers};
use tuner_report::clean;

pub(crate) fn run(project: &Project, args: &OutlierArgs) -> Result<(), Failure> {
    let linked = project.linked()?;
    let at = weights(&linked, &args.weights)?;
    on_threads(args.examination.threads, || {
        let subject = Subject::new(project, &linked, &args.examination)?;
        let objective = subject.objective(&at)?;
        let found = outliers(&subject.examination(), &at, &objective, args.most.most());
        subject.progress.done();
        let (report, found) = found?;
        subject.finish(&report, &at)?;
        say!(
            "E = {:.6} on {} positions; the {} that are explained worst:",
            found.error,
            found.positions,
            found.outliers.len()
        );
        if args.examination.json {
            let weights = [("weights", json!(args.weights))];
            let facts = weights.into_iter().chain(subject.facts(&objective));
            return print_object(facts, &json!(found));
        }
        if args.diagrams {
            let mut outliers = found.outliers.iter();
            outliers.try_for_each(|outlier| drawn(outlier, &objective))
        } else {
            output::text(&table(&found.outliers, objective.has_targets()))
        }
    })
}

fn table(outliers: &[Outlier], has_targets: bool) -> String {
    let mut head = vec![
        "loss",
        "p",
        "R",
        "score",
        "search",
        "<game",
        "<place",
        "<position",
    ];
    if has_targets {
        head.insert(3, "target");
    }
    let mut table = TextTable::new(&head);
    for outlier in outliers {
        let search = outlier.search_score;
        let mut row = vec![
            format!("{:.4}", outlier.loss),
            format!("{:.3}", outlier.expectation),
            outlier.origin.outcome.to_string(),
            format!("{:.0}", outlier.score),
            search.map_or_else(|| "-".to_owned(), |score| score.to_string()),
            game(&outlier.origin),
            place(&outlier.origin),
            position(outlier),
        ];
        if has_targets {
            row.insert(3, format!("{:.3}", outlier.target));
        }
        table.row(row);
    }
    table.text()
}

fn position(outlier: &Outlier) -> String {
    match &outlier.resolved {
        Some(resolved) => format!("{}, resolved to {resolved}", outlier.origin.position),
        None => outlier.origin.position.clone(),
    }
}

fn drawn(outlier: &Outlier, objective: &ExaminationObjective) -> Result<(), Failure> {
    let board = diagram(&outlier.origin.position).unwrap_or_default();
    output::line(&format!(
        "{}\n{board}loss {:.4}, p {:.3}, {}, score {:.0}, game {}, {}\n",
        position(outlier),
        outlier.loss,
        outlier.expectation,
        outcome(&outlier.origin, outlier.target, objective),
        outlier.score,
        clean(&game(&outlier.origin)),
        clean(&place(&outlier.origin))
    ))
}
