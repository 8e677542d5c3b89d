//! Variables that no position of a fit reads.
//!
//! The curvature is dense, so each would cost a row and a column of zeros.

use crate::model::Part;
use crate::model::passes::each;
use tuner_rows::{AHEAD, TraceSet, Traces};
use tuner_solve::{PassError, Prior, PriorSpec, Reduction, Subset, VariableId};

/// Returns the variables that a row of `part` reads, and those that none does. With `beliefs`, what chains of neighbours join to what is
/// read counts as read: it follows. *Cost*: a pass over the rows.
pub(super) fn sort(
    traces: Traces<'_>,
    reduction: &Reduction,
    part: Part,
    beliefs: Option<&PriorSpec>,
) -> Result<(Subset, Vec<usize>), PassError> {
    let mut read = vec![false; reduction.lane_count()];
    each(
        traces,
        AHEAD,
        |set| lanes_read(set, part),
        |more| {
            read.iter_mut()
                .zip(more)
                .for_each(|(read, more)| *read |= more);
        },
    )?;
    let mut seen = vec![false; reduction.variables()];
    for (lane, term) in reduction.lane_terms().iter().enumerate() {
        if let Some(VariableId(variable)) = term.variable {
            seen[variable] |= read[lane] && term.factor != 0.0;
        }
    }
    if let Some(beliefs) = beliefs.filter(|beliefs| !beliefs.neighbours.is_empty()) {
        // Which variables are joined does not depend on how strongly.
        let prior = Prior::new(vec![0.0; seen.len()], 1.0, 1.0);
        prior.with(beliefs, reduction, 1.0).join(&mut seen);
    }
    let read = Subset::of(&seen);
    let unread = (0..seen.len()).filter(|&variable| !read.contains(variable));
    let unread = unread.collect();
    Ok((read, unread))
}

/// The lanes that a row of a part reads.
fn lanes_read(set: &TraceSet, part: Part) -> Vec<bool> {
    let mut read = vec![false; 2 * set.slots()];
    for row in set.rows(0..set.len()) {
        if !part.contains(row.game()) {
            continue;
        }
        // An expression may read a lane to which the row gives no factor.
        let nonlinear = row.expression().is_some();
        for segment in row.segments() {
            let sides = segment.factors.map(|factor| nonlinear || factor != 0.0);
            for (slot, coefficients) in segment.entries() {
                for side in 0..2 {
                    read[2 * slot.index() + side] |= sides[side] && coefficients[side] != 0;
                }
            }
        }
    }
    read
}
