//! Positions traced again at other weights, as far as their rows have changed.
//!
//! What a row depends on beyond its weights is in its guards: the branches of the
//! evaluation that were taken, and the integers that scores were frozen to. Where all
//! of them hold at other weights the row is the same there.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use rayon::prelude::*;

use super::tracer::Tracer;
use super::{Engine, LinkedSpec, PositionOf, Positions};
use tuner_base::caught;
use tuner_data::{Sample, SampleLocation, read_blocks_among};
use tuner_fit::rows_with_changed_branch;
use tuner_fit::run::RetraceError;
use tuner_rows::{RowDraft, RowInfo, TraceSet};

/// Positions that one thread traces at a time. Chosen: large against the buffers of a
/// tracer.
const TRACED: usize = 128;

/// A position, its number in the data, and where it is.
type Numbered<E> = (usize, PositionOf<E>, SampleLocation);

/// Returns rows as they are at weights by leaf number, of the positions that they were
/// traced from, all of them and unresolved.
///
/// *Numerics*: the same for any number of threads.
/// *Cost*: a pass over the rows, a reading, a trace for each row that changed, and a copy
/// of the rows.
///
/// # Errors
/// If the positions cannot be read, or not be traced at these weights.
pub(super) fn retraced<E: Engine>(
    (engine, linked): (&E, &LinkedSpec),
    positions: &Positions,
    rows: &TraceSet,
    values: &[f64],
) -> Result<TraceSet, RetraceError> {
    let link = &linked.link;
    let mut lanes = vec![0.0; 2 * rows.slots()];
    for (lane, &value) in link.lanes().iter().zip(values) {
        lanes[lane.index()] = value;
    }
    let changed = rows_with_changed_branch(rows, &lanes);
    let changed: BTreeMap<usize, usize> = (changed.into_iter())
        .map(|row| (rows.pushed_as(row), row))
        .collect();
    let trace = |read: &[Numbered<E>]| -> Result<Vec<(usize, RowDraft)>, String> {
        let mut tracer = Tracer::new(engine, link, values);
        let each = read.iter().map(|(number, position, location)| {
            let input = positions.inputs.get(location.input as usize);
            let refused = |reason: &str| {
                let file =
                    input.map_or_else(String::new, |input| input.name().display().to_string());
                format!(
                    "{file}:{}: at the weights that were found {reason}; bounds keep weights from \
                     where the evaluation does not work",
                    location.line
                )
            };
            let mut draft = RowDraft::default();
            caught(|| tracer.trace(position, &mut draft))
                .map_err(|panic| refused(&format!("the evaluation panicked: {panic}")))?;
            // What a row may not be is found out here, where its place is known.
            (TraceSet::new(rows.slots()).push(&draft, &RowInfo::new(0.5, 0)))
                .map_err(|error| refused(&error.to_string()))?;
            Ok((changed[number], draft))
        });
        each.collect()
    };
    let (mut count, mut drafts, mut failure) = (0, BTreeMap::new(), None);
    let each = |block: &mut Vec<_>, sample: Sample<PositionOf<E>>| {
        block.push((sample.labelled.position, sample.location));
        Ok(())
    };
    let gather = |block: Vec<(PositionOf<E>, SampleLocation)>| {
        let numbered = (count..).zip(block);
        let numbered = numbered.map(|(number, (position, location))| (number, position, location));
        let all: Vec<Numbered<E>> = numbered.collect();
        count += all.len();
        let wanted = all.into_iter().filter(|read| changed.contains_key(&read.0));
        let wanted: Vec<Numbered<E>> = wanted.collect();
        let traced: Result<Vec<_>, String> = wanted.par_chunks(TRACED).map(&trace).collect();
        match traced {
            Ok(traced) => {
                drafts.extend(traced.into_iter().flatten());
                ControlFlow::Continue(())
            }
            Err(reason) => {
                failure = Some(reason);
                ControlFlow::Break(())
            }
        }
    };
    let of = (&*positions.inputs, &positions.options);
    let others = &|_: &mut Vec<_>| {};
    let share = (positions.ranks, others as &(dyn Fn(&mut Vec<_>) + Sync));
    let read = read_blocks_among(of, engine.notation(), share, Vec::new, each, gather);
    if let Some(reason) = failure {
        return Err(reason.into());
    }
    read?;
    Ok(rows.with_traces(&drafts)?)
}
