//! `effect`: which positions a change of weights helps and hurts.

use super::args::EffectArgs;
use super::subject::{Subject, game, optional, place, signed, star, weights};
use crate::output;
use crate::table::TextTable;
use tuner_engine::examine::{BinnedBy, Effect, EffectPosition, effect};
use tuner_jobs::{Job, JobResult as Result, Project};
use tuner_judge::{BinTable, FitVerdict, LossChange};

/// Runs `effect`: compares new weights with old ones, says whether E falls, and lists the positions
/// that they help and hurt most.
pub(crate) fn run(job: &Job, project: &Project, args: &EffectArgs) -> Result<()> {
    let linked = project.linked_for(&args.examination.data.data)?;
    let old = weights(job, &linked, &args.old)?;
    let new = weights(job, &linked, &args.new)?;
    Subject::examine(job, project, &linked, &args.examination, |subject| {
        let objective = subject.objective(&old)?;
        let by = [BinnedBy::Phase, BinnedBy::Material];
        // The engine has scores of its own at the source's weights alone. Where the old weights are
        // those, traces at them are compared with its scores, else at the new ones if they are.
        let at = if old.is_source() { &old } else { &new };
        let (of, most) = (&subject.examination, args.most.most());
        let found = effect(of, [&old, &new], &objective, most, &by);
        let found = subject.checked(found, at)?;
        words(&found);
        let facts = [("old", &*args.old), ("new", &*args.new)];
        subject.show(&facts, &objective, &found, || {
            for (name, positions) in [("helped", &found.helped), ("hurt", &found.hurt)] {
                let listed = listed(positions, objective.has_targets());
                output::text(&format!("{name} most\n{listed}\n"))?;
            }
            let mut tables = found.tables.iter();
            tables.try_for_each(|table| output::text(&of_bins(table)))
        })
    })
}

/// Tells the user whether the error falls from the old weights to the new ones, and on how many
/// positions the scores differ.
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

/// Returns the table of positions that a change of weights helps, or hurts: change of the loss,
/// result R, target, expectation p and score before and after. `has_targets`: whether targets
/// differ from results; if not, their column is hidden.
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

/// Returns the table of the change of E by a property of positions. A bin has E before and after,
/// the change and its standard error; a star marks a change that is more than chance.
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
