//! `effect`: which positions a change of weights helps and hurts.

use super::args::EffectArgs;
use super::subject::{Facts, Subject, game, optional, place, signed, star, weights};
use crate::output;
use crate::table::TextTable;
use tuner_engine::examine::{BinnedBy, Effect, EffectPosition, effect};
use tuner_jobs::{Job, JobFailure as Failure, Project};
use tuner_judge::{BinTable, FitVerdict, LossChange};

/// Says which positions new weights help and hurt, against old ones.
pub(crate) fn run(job: &Job, project: &Project, args: &EffectArgs) -> Result<(), Failure> {
    let linked = project.linked_for(&args.examination.data.data)?;
    let old = weights(job, &linked, &args.old)?;
    let new = weights(job, &linked, &args.new)?;
    Subject::examine(job, project, &linked, &args.examination, |subject| {
        let objective = subject.objective(&old)?;
        let by = [BinnedBy::Phase, BinnedBy::Material];
        // Production is compared where it can be: at the source's weights.
        let at = if old.is_source() { &old } else { &new };
        let (of, most) = (&subject.examination, args.most.most());
        let found = effect(of, [&old, &new], &objective, most, &by);
        let found = subject.checked(found, at)?;
        words(&found);
        let facts = Facts {
            old: Some(&args.old),
            new: Some(&args.new),
            ..Facts::default()
        };
        subject.show(facts, &objective, &found, || {
            for (name, positions) in [("helped", &found.helped), ("hurt", &found.hurt)] {
                let listed = listed(positions, objective.has_targets());
                output::text(&format!("{name} most\n{listed}\n"))?;
            }
            let mut tables = found.tables.iter();
            tables.try_for_each(|table| output::text(&of_bins(table)))
        })
    })
}

/// Says whether the error falls from the old weights to the new ones, and on how many positions the
/// scores differ.
fn words(found: &Effect) {
    let what = match found.verdict {
        FitVerdict::Better => "a smaller error on these games",
        FitVerdict::Worse => "a larger error on these games",
        FitVerdict::WithinNoise => "no difference that these games tell",
        FitVerdict::NotJudged | FitVerdict::Predicted => "not compared",
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

/// The table of positions that a change of weights helps, or hurts. `has_targets`: whether targets
/// are other than results, so that both are shown.
fn listed(positions: &[EffectPosition], has_targets: bool) -> String {
    let mut table = TextTable::new("change,R,target,p,to,score,to,<game,<place,<position");
    if !has_targets {
        table.hide(2);
    }
    for position in positions {
        table.row([
            signed(position.change, 4),
            position.origin.outcome.to_string(),
            format!("{:.3}", position.target),
            format!("{:.3}", position.expectations[0]),
            format!("{:.3}", position.expectations[1]),
            format!("{:.0}", position.scores[0]),
            format!("{:.0}", position.scores[1]),
            game(&position.origin),
            place(&position.origin),
            position.origin.position.clone(),
        ]);
    }
    table.text()
}

/// The table of the change of E by a property of positions; a star is of a bin whose change is more
/// than chance.
fn of_bins(found: &BinTable<LossChange>) -> String {
    let head = format!("<{},positions,games,E,to,change,error,<", found.by);
    let mut table = TextTable::new(&head);
    for bin in &found.bins {
        table.row([
            bin.label.clone(),
            bin.positions.to_string(),
            bin.games.to_string(),
            format!("{:.6}", bin.means.before),
            format!("{:.6}", bin.means.after),
            signed(bin.means.difference, 6),
            optional(bin.standard_error, 6),
            star(bin.stands_out).to_owned(),
        ]);
    }
    format!("{}\n", table.text())
}
