//! `outliers`: the positions that are explained worst.

use serde_json::json;

use super::args::OutlierArgs;
use super::table::TextTable;
use super::{Subject, place, print_object, weights};
use crate::run::{linked, on_threads};
use crate::{Failure, output};
use tuner_engine::Engine;
use tuner_engine::examine::{Outlier, diagram, outliers};

pub(crate) fn run<E: Engine>(engine: &E, args: &OutlierArgs) -> Result<(), Failure> {
    let linked = linked(engine)?;
    let at = weights(&linked, &args.weights)?;
    on_threads(args.examination.threads, || {
        let subject = Subject::new(engine, &linked, &args.examination)?;
        let sigmoid = subject.sigmoid(&at)?;
        let found = outliers(&subject.examination(), &at, sigmoid, args.most.most());
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
            let facts = [("weights", json!(args.weights)), ("k", json!(sigmoid.k()))];
            return print_object(&facts, &json!(found));
        }
        if args.diagrams {
            found.outliers.iter().try_for_each(drawn)
        } else {
            output::text(&table(&found.outliers))
        }
    })
}

fn table(outliers: &[Outlier]) -> String {
    let head = ["loss", "p", "R", "score", "search", "<place", "<position"];
    let mut table = TextTable::new(&head);
    for outlier in outliers {
        let search = outlier.search_score;
        table.row([
            format!("{:.4}", outlier.loss),
            format!("{:.3}", outlier.expectation),
            outlier.outcome.to_string(),
            format!("{:.0}", outlier.score),
            search.map_or_else(|| "-".to_owned(), |score| score.to_string()),
            place(&outlier.file, outlier.line),
            position(outlier),
        ]);
    }
    table.text()
}

fn position(outlier: &Outlier) -> String {
    match &outlier.resolved {
        Some(resolved) => format!("{}, resolved to {resolved}", outlier.position),
        None => outlier.position.clone(),
    }
}

fn drawn(outlier: &Outlier) -> Result<(), Failure> {
    let board = diagram(&outlier.position).unwrap_or_default();
    output::line(&format!(
        "{}\n{board}loss {:.4}, p {:.3}, R {}, score {:.0}, {}\n",
        position(outlier),
        outlier.loss,
        outlier.expectation,
        outlier.outcome,
        outlier.score,
        place(&outlier.file, outlier.line)
    ))
}
