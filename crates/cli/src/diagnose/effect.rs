//! `effect`: which positions a change of weights helps and hurts.

use serde_json::json;

use super::args::EffectArgs;
use super::table::TextTable;
use super::{Subject, game, place, print_object, signed, weights};
use crate::project::Project;
use crate::run::on_threads;
use crate::{Failure, output};
use tuner_engine::examine::{BinnedBy, Effect, EffectPosition, effect};
use tuner_judge::{ChangeTable, FitVerdict};

pub(crate) fn run(project: &Project, args: &EffectArgs) -> Result<(), Failure> {
    let linked = project.linked()?;
    let (old, new) = (weights(&linked, &args.old)?, weights(&linked, &args.new)?);
    on_threads(args.examination.threads, || {
        let subject = Subject::new(project, &linked, &args.examination)?;
        let objective = subject.objective(&old)?;
        let by = [BinnedBy::Phase, BinnedBy::Material];
        let examination = subject.examination();
        let found = effect(
            &examination,
            [&old, &new],
            &objective,
            args.most.most(),
            &by,
        );
        subject.progress.done();
        let (report, found) = found?;
        let at = if old.is_source() { &old } else { &new };
        subject.finish(&report, at)?;
        words(&found);
        if args.examination.json {
            let weights = [("old", json!(args.old)), ("new", json!(args.new))];
            let facts = weights.into_iter().chain(subject.facts(&objective));
            return print_object(facts, &json!(found));
        }
        for (name, positions) in [("helped", &found.helped), ("hurt", &found.hurt)] {
            output::text(&format!(
                "{name} most\n{}\n",
                listed(positions, objective.has_targets())
            ))?;
        }
        found
            .tables
            .iter()
            .try_for_each(|table| output::text(&of_bins(table)))
    })
}

fn words(found: &Effect) {
    let what = match found.verdict {
        FitVerdict::Better => "a smaller error on these games",
        FitVerdict::Worse => "a larger error on these games",
        FitVerdict::WithinNoise => "no difference that these games tell",
        FitVerdict::NotJudged => "not compared",
    };
    match &found.difference {
        Some(difference) => say!("{what}: E {difference}"),
        None => say!("{what}: no position has weight"),
    }
    say!(
        "  the scores of {} of {} positions differ; of weights that were fitted to these games \
         a smaller error is no proof",
        found.changed,
        found.positions
    );
}

fn listed(positions: &[EffectPosition], has_targets: bool) -> String {
    let mut head = vec![
        "change",
        "R",
        "p",
        "to",
        "score",
        "to",
        "<game",
        "<place",
        "<position",
    ];
    if has_targets {
        head.insert(2, "target");
    }
    let mut table = TextTable::new(&head);
    for position in positions {
        let mut row = vec![
            signed(position.change, 4),
            position.origin.outcome.to_string(),
            format!("{:.3}", position.expectations[0]),
            format!("{:.3}", position.expectations[1]),
            format!("{:.0}", position.scores[0]),
            format!("{:.0}", position.scores[1]),
            game(&position.origin),
            place(&position.origin),
            position.origin.position.clone(),
        ];
        if has_targets {
            row.insert(2, format!("{:.3}", position.target));
        }
        table.row(row);
    }
    table.text()
}

fn of_bins(found: &ChangeTable) -> String {
    let first = format!("<{}", found.by);
    let head = [
        &*first,
        "positions",
        "games",
        "E",
        "to",
        "change",
        "error",
        "<",
    ];
    let mut table = TextTable::new(&head);
    for bin in &found.bins {
        let error = bin.standard_error;
        table.row([
            bin.label.clone(),
            bin.positions.to_string(),
            bin.games.to_string(),
            format!("{:.6}", bin.before),
            format!("{:.6}", bin.after),
            signed(bin.difference, 6),
            error.map_or_else(|| "-".to_owned(), |error| format!("{error:.6}")),
            if bin.stands_out { "*" } else { "" }.to_owned(),
        ]);
    }
    format!("{}\n", table.text())
}
