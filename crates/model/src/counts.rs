//! Counts of passes over rows: rows, games, changed branches, and which
//! variables are read.

use crate::by_game::games_of;
use crate::passes::{counted, each};
use crate::split::Part;
use tuner_parallel as parallel;
use tuner_rows::{AHEAD, Linearised, Row, Rows, TraceSet, Traces};
use tuner_solve::{PassResult, PriorSpec, Reduction, Subset, VariableId};

/// Rows that a thread looks at before it asks for more. Chosen.
const CHUNK: usize = 4096;

/// Returns the numbers of the rows of a set, ascending, whose scores take another branch (of `max`,
/// say) at the weights in `lanes` than at those at which they were traced. *Shapes*: `lanes` has
/// two values per slot. *Cost*: a pass.
pub fn rows_with_changed_branch(set: &TraceSet, lanes: &[f64]) -> Vec<usize> {
    let table = set.table(lanes);
    let of_chunk = |first: usize| {
        let mut linearised = Linearised::default();
        let mut changed = |row: &Row<'_>| {
            !row.is_linear() && {
                linearised.at(row, &table);
                linearised.changes_branch(row)
            }
        };
        let rows = set.rows(first..set.len().min(first + CHUNK));
        let rows = rows.filter(|row| changed(row));
        rows.map(|row| row.index).collect::<Vec<usize>>()
    };
    let chunks = 0..set.len().div_ceil(CHUNK);
    parallel::map(chunks, |chunk| of_chunk(chunk * CHUNK)).concat()
}

/// Counts the rows of a part.
///
/// # Errors
/// If rows cannot be read.
pub fn rows(traces: Traces<'_>, part: Part) -> PassResult<u64> {
    counted(traces, traces.rows_of(|game| part.contains(game)))
}

/// Returns every `stride`-th row of a part of one set, the first one included. *Cost*: a pass that
/// reads games alone.
///
/// # Panics
/// If `stride` is 0.
pub fn rows_of(set: &TraceSet, part: Part, stride: usize) -> Vec<Row<'_>> {
    let of_part = (set.rows(0..set.len())).filter(|row| part.contains(row.game()));
    of_part.step_by(stride).collect()
}

/// Counts the distinct games of a part.
///
/// # Errors
/// If rows cannot be read.
pub fn games(traces: Traces<'_>, part: Part) -> PassResult<usize> {
    Ok(games_of(traces, part)?.len())
}

/// Returns the variables that a row of `part` reads, and, ascending, those that no row reads. They
/// are best left out of a fit, as each would cost a row and a column of zeros in the dense
/// curvature. With a prior, variables that neighbours, pools or constraints join to one that is
/// read count as read, as they move with it. *Cost*: a pass over the rows.
///
/// # Errors
/// If rows cannot be read.
pub fn read_variables(
    traces: Traces<'_>,
    reduction: &Reduction,
    part: Part,
    prior: Option<&PriorSpec>,
) -> PassResult<(Subset, Vec<usize>)> {
    let mut read = vec![false; reduction.lane_count()];
    let of_set = |set: &TraceSet| lanes_read(set, part);
    each(traces, AHEAD, of_set, |more| {
        read.iter_mut().zip(more).for_each(|(a, b)| *a |= b);
    })?;
    traces.ranks().any_of(&mut read);
    let mut seen = vec![false; reduction.variables()];
    for (lane, term) in reduction.lane_terms().iter().enumerate() {
        if let Some(VariableId(variable)) = term.variable {
            seen[variable] |= read[lane] && term.factor != 0.0;
        }
    }
    if let Some(prior) = prior {
        prior.join(reduction, &mut seen);
    }
    let read = Subset::of(&seen);
    let unread = (0..seen.len()).filter(|&variable| !read.contains(variable));
    let unread = unread.collect();
    Ok((read, unread))
}

/// Tells of each lane whether a row of a part of one set reads it: the row has a coefficient that
/// is not 0 there and, if it is linear, a factor that is not 0.
fn lanes_read(set: &TraceSet, part: Part) -> Vec<bool> {
    let mut read = vec![false; 2 * set.slots()];
    let nothing = read.clone();
    // No more parts than threads, and each of many rows, as a part has an answer for every lane.
    let part_rows = set.len().div_ceil(parallel::threads()).max(CHUNK);
    let parts = parallel::map(0..set.len().div_ceil(part_rows), |number| {
        let (first, mut read) = (number * part_rows, nothing.clone());
        let rows = set.rows(first..set.len().min(first + part_rows));
        add_lanes_read(rows, part, &mut read);
        read
    });
    for part in parts {
        read.iter_mut().zip(part).for_each(|(a, b)| *a |= b);
    }
    read
}

/// Marks in `read`, by lane, what rows of a part read: lanes with a coefficient that is not 0 and,
/// in linear rows, a factor that is not 0.
fn add_lanes_read(rows: Rows<'_>, part: Part, read: &mut [bool]) {
    for row in rows {
        if !part.contains(row.game()) {
            continue;
        }
        // The expression of a row that is not linear may read a lane sum whose factor, that of the
        // linear part of the score, is 0.
        let nonlinear = !row.is_linear();
        for segment in row.segments() {
            let sides = segment.factors.map(|factor| nonlinear || factor != 0.0);
            for (slot, coefficients) in segment.entries() {
                for side in 0..2 {
                    read[2 * slot.index() + side] |= sides[side] && coefficients[side] != 0;
                }
            }
        }
    }
}
