//! Positions traced again at other weights, as far as their rows have changed.
//!
//! What a row depends on beyond its weights is in its guards: the branches of the
//! evaluation that were taken, and the integers that scores were frozen to. Where all
//! of them hold at other weights the row is the same there.

use std::collections::BTreeMap;

use super::examine::WeightSet;
use super::rows::EngineRows;
use tuner_data::{Sample, read_numbered};
use tuner_evaluation::{NoRow, Positions, Resolve, Tracer};
use tuner_fit::rows_with_changed_branch;
use tuner_fit::run::RetraceError;
use tuner_rows::{RowDraft, RowInfo, TraceSet};

/// Returns the rows of an engine's positions as they are at some weights: those that take another
/// branch there are traced again, the others stay. All positions of the data must have rows, and be
/// traced themselves, not where a search from them ends.
///
/// *Numerics*: the same for any number of threads.
/// *Cost*: a pass over the rows, a reading of the lines in question, a trace for each row that
/// changed, and a copy of the rows.
///
/// # Errors
/// If the positions cannot be read, or not be traced at these weights.
pub(super) fn retraced(of: &EngineRows<'_>, at: &WeightSet) -> Result<TraceSet, RetraceError> {
    let (evaluation, positions, rows) = (of.evaluation, &of.positions, &of.traces);
    // The numbers of positions in the data, and the rows that they became, in the order of the
    // data.
    let changed = rows_with_changed_branch(rows, at.lanes()).into_iter();
    let changed = changed.map(|row| (rows.pushed_as(row), row));
    let mut changed: Vec<(usize, usize)> = changed.collect();
    changed.sort_unstable();
    let numbers: Vec<usize> = changed.iter().map(|&(number, _)| number).collect();
    let game = evaluation.game();
    let trace = |read: &[(usize, Sample)]| {
        let mut tracer = Tracer::new(evaluation, &of.linked.link, at.values(), Resolve::None);
        let texts = evaluation.texts(read.iter().map(|(_, sample)| sample));
        let mut found: Vec<Result<(usize, RowDraft), String>> = Vec::with_capacity(read.len());
        let asked = tracer.trace(&texts, &mut |number, traced| {
            let (place, sample) = &read[number];
            let drafted = traced.and_then(|traced| {
                // A row that cannot be stored is refused here, where the place of its position is
                // known; result and game, which the row has already, do not matter for that.
                (TraceSet::new(rows.slots()).push(traced.draft, &RowInfo::new(0.5, 0)))
                    .map_err(|error| NoRow::Refused(error.to_string()))?;
                Ok((changed[*place].1, traced.draft.clone()))
            });
            found.push(drafted.map_err(|no_row| no_row_words(positions, sample, &no_row)));
        });
        // If the evaluator cannot be asked, its error stands for the whole batch.
        if let Err(error) = asked {
            found = vec![Err(error.to_string())];
        }
        found
    };
    let (inputs, options) = (&positions.inputs, &positions.options);
    let (traced, _) = read_numbered(inputs, options, game, positions.ranks, &numbers, trace)?;
    let drafts: BTreeMap<usize, RowDraft> = traced.into_iter().collect::<Result<_, _>>()?;
    Ok(rows.with_traces(&drafts)?)
}

/// Says why a position has no row at the weights that a fit has found: the file and the line of the
/// position, the reason, and what helps if the evaluator refuses the position or its row cannot be
/// stored.
fn no_row_words(positions: &Positions, sample: &Sample, no_row: &NoRow) -> String {
    let file = positions.file(sample.location);
    let line = sample.location.line;
    let words = format!("{file}:{line}: at the weights that were found: {no_row}");
    let cure = "bounds keep weights from where the evaluation does not work";
    match no_row {
        NoRow::Refused(_) => format!("{words}; {cure}"),
        NoRow::Contradictory(_) => words,
    }
}
