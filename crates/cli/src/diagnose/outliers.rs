//! `outliers`: the positions that are explained worst.

use super::args::OutlierArgs;
use super::subject::{Subject, game, place, print_board, weights};
use crate::output;
use crate::table::TextTable;
use tuner_engine::examine::{Outlier, outliers};
use tuner_jobs::{Job, JobResult as Result, Project};

/// Runs `outliers`: lists the positions with the largest losses, as a table, or with `--diagrams`
/// as boards.
pub(crate) fn run(job: &Job, project: &Project, args: &OutlierArgs) -> Result<()> {
    let linked = project.linked_for(&args.examination.data.data)?;
    let at = weights(job, &linked, &args.at.weights)?;
    Subject::examine(job, project, &linked, &args.examination, |subject| {
        let objective = subject.objective(&at)?;
        let found = outliers(&subject.examination, &at, &objective, args.most.most());
        let found = subject.checked(found, &at)?;
        say!(
            "E = {:.6} on {} positions; the {} that are explained worst:",
            found.error,
            found.positions,
            found.outliers.len()
        );
        let facts = [("weights", &*args.at.weights)];
        subject.show(&facts, &objective, &found, || {
            if !args.diagrams {
                return output::text(&table(&found.outliers, objective.has_targets()));
            }
            found.outliers.iter().try_for_each(|outlier| {
                print_board(
                    &position(outlier),
                    &outlier.origin,
                    &format!("loss {:.4}", outlier.loss),
                    [outlier.expectation, outlier.target, outlier.score],
                    &objective,
                )
            })
        })
    })
}

/// Returns the table of positions: loss, expectation p, result R, target, score, search score, and
/// where they come from. `has_targets`: whether targets differ from results; if not, their column
/// is hidden.
fn table(outliers: &[Outlier], has_targets: bool) -> String {
    let mut table = TextTable::new("loss,p,R,target,score,search,<game,<place,<position");
    if !has_targets {
        table.hide(3);
    }
    for outlier in outliers {
        let search = outlier.search_score;
        table.row([
            format!("{:.4}", outlier.loss),
            format!("{:.3}", outlier.expectation),
            outlier.origin.outcome.to_string(),
            format!("{:.3}", outlier.target),
            format!("{:.0}", outlier.score),
            search.map_or_else(|| "-".to_owned(), |score| score.to_string()),
            game(&outlier.origin),
            place(&outlier.origin),
            position(outlier),
        ]);
    }
    table.text()
}

/// Returns a position as it was read, and behind it the one that it was resolved to by quiescence
/// search, if it was.
fn position(outlier: &Outlier) -> String {
    match &outlier.resolved {
        Some(resolved) => format!("{}, resolved to {resolved}", outlier.origin.position),
        None => outlier.origin.position.clone(),
    }
}
