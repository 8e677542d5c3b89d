//! Variables that no position of a fit reads.
//!
//! The curvature is dense, so each would cost a row and a column of zeros.

use crate::model::{Part, Reduction};
use crate::trace::rows::TraceSet;

/// Returns the variables that a row of `part` reads, and those that none does;
/// both ascending. *Cost*: a pass over the rows.
pub(super) fn sort(
    traces: &TraceSet,
    reduction: &Reduction,
    part: Part,
) -> (Vec<usize>, Vec<usize>) {
    let mut read = vec![false; reduction.lane_count()];
    for row in traces.rows(0..traces.len()) {
        if !part.contains(row.game()) {
            continue;
        }
        // An expression may read a lane to which the row gives no factor.
        let curved = row.expression().is_some();
        for segment in row.segments() {
            let sides = segment.factors.map(|factor| curved || factor != 0.0);
            for (slot, coefficients) in segment.entries() {
                for side in 0..2 {
                    read[2 * slot + side] |= sides[side] && coefficients[side] != 0;
                }
            }
        }
    }
    let mut seen = vec![false; reduction.variables()];
    for (lane, term) in reduction.lane_terms().iter().enumerate() {
        if let Some(variable) = term.variable {
            seen[variable] |= read[lane] && term.factor != 0.0;
        }
    }
    (0..seen.len()).partition(|&variable| seen[variable])
}
