//! The diagonal of the curvature, without the rest.

use super::super::deterministic_reduce::{add_up, in_chunks};
use super::super::nonlinear_row::NonlinearRow;
use super::super::passes::{Pass, Passes};
use super::super::{Curvature, PassResult, Reduction};
use tuner_rows::{Linearised, Row};
use tuner_solve::VariableId;

/// Overwrites `diagonal` with the diagonal of the curvature over variables, of all ranks, as a sum
/// of second derivatives by z = β·score, without β². Linear rows add h·g², with g the derivatives
/// of the score by the variables and h the weighted curvature of the penalty by z.
pub(crate) fn diagonal(
    passes: &Passes<'_>,
    lanes: &[f64],
    kind: Curvature,
    reduction: &Reduction,
    diagonal: &mut [f64],
) -> PassResult<()> {
    let of_set = |pass: Pass<'_>, sums: &mut [f64]| {
        of_set(&pass, lanes, kind, reduction, sums);
        0.0 // the sum of numbers that is returned besides is not needed
    };
    passes.vector(diagonal, of_set).map(drop)
}

/// Adds to `diagonal` that of the curvature of the rows of one set, over variables, as a sum of
/// second derivatives by z, the log-odds.
fn of_set(
    pass: &Pass<'_>,
    lanes: &[f64],
    kind: Curvature,
    reduction: &Reduction,
    diagonal: &mut [f64],
) {
    let table = pass.traces.table(lanes);
    let terms = reduction.lane_terms();
    let count = diagonal.len();
    let chunk = |(): &mut (), rows| {
        let mut sums = vec![0.0; count];
        let mut values = vec![0.0; count];
        let mut touched = Vec::new();
        let mut linearised = Linearised::default();
        let (mut nonlinear, mut parts) = (NonlinearRow::default(), Vec::new());
        for row in pass.rows(rows) {
            if nonlinear.at(pass, &mut linearised, &row, &table, kind) {
                add_nonlinear_diagonal(&nonlinear, &row, reduction, &mut parts, &mut sums);
                continue;
            }
            let weight = pass.row_curvature(&mut linearised, &row, &table, kind);
            // Tied weights meet in one variable: add them up before squaring.
            for segment in linearised.segments(&row) {
                for (slot, coefficients) in segment.entries() {
                    for (side, factor) in segment.factors.iter().enumerate() {
                        let term = terms[2 * slot.index() + side];
                        if let Some(VariableId(variable)) = term.variable {
                            let c = f64::from(coefficients[side]);
                            values[variable] += c * factor * term.factor;
                            touched.push(variable);
                        }
                    }
                }
            }
            // A variable may be there several times: from the second time on its value is 0.
            for variable in touched.drain(..) {
                let value = std::mem::take(&mut values[variable]);
                sums[variable] += weight * value * value;
            }
        }
        sums
    };
    let add = |sums| add_up(diagonal, sums);
    in_chunks(pass.traces.len(), || (), chunk, add);
}

/// An entry of a variable in a row: the variable, the number of the segment, the lane, 0 or 1, and
/// the coefficient times the factor of the tie.
type Share = (usize, u32, usize, f64);

/// Adds to `sums`, by variable, the diagonal of the curvature of a row whose score is not linear:
/// for each two entries of one variable, coefficient times factor of the tie of both, times the
/// curvature in `nonlinear` between the lanes of their segments. `parts` is scratch.
fn add_nonlinear_diagonal(
    nonlinear: &NonlinearRow,
    row: &Row<'_>,
    reduction: &Reduction,
    parts: &mut Vec<Share>,
    sums: &mut [f64],
) {
    let terms = reduction.lane_terms();
    parts.clear();
    for (number, segment) in row.segments().enumerate() {
        for (slot, coefficients) in segment.entries() {
            for (side, c) in coefficients.into_iter().enumerate() {
                let term = terms[2 * slot.index() + side];
                if let Some(VariableId(variable)) = term.variable {
                    parts.push((variable, number as u32, side, f64::from(c) * term.factor));
                }
            }
        }
    }
    parts.sort_by_key(|part| part.0); // stable: the order of sums is fixed
    for same in parts.chunk_by(|a, b| a.0 == b.0) {
        for &(variable, left, x, c) in same {
            for &(_, right, y, d) in same {
                sums[variable] += c * d * nonlinear.block(left, right)[2 * x + y];
            }
        }
    }
}
