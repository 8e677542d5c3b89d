//! Sums over rows by pairs of columns.

use super::active::Active;
use tuner_solve::Reduction;
use tuner_solve::linalg::Symmetric;

/// Sums by pairs of columns over the rows of a chunk: Σ f₀²·h·ccᵀ, Σ f₀f₁·h·ccᵀ, Σ f₁²·h·ccᵀ, with
/// the columns c of a row's first segment, the factors f of its lanes, and the weighted curvature h
/// by z. Upper triangles, line by line, empty until there is something to add.
#[derive(Debug, Default)]
pub(super) struct Planes {
    pub(super) all: [Vec<f64>; 3],
}

impl Planes {
    /// Adds the sums over other rows. Each of the three planes has a sum for each pair of columns;
    /// a column is what the entries of a slot that has a variable count in one lane, or alike in
    /// both. An empty plane is one of zeros.
    pub(super) fn add(&mut self, other: Self) {
        for (plane, other) in self.all.iter_mut().zip(other.all) {
            if plane.is_empty() {
                *plane = other;
            } else {
                plane.iter_mut().zip(other).for_each(|(a, b)| *a += b);
            }
        }
    }

    /// Adds the planes, sums by pairs of columns, to the matrix over variables: each sum to the
    /// variables of the lanes that its two columns are of, times the factors of their ties. A
    /// column may be of both lanes of a slot, and lanes that are tied may have one variable. Units
    /// stay: a sum of second derivatives by z, the log-odds.
    pub(super) fn reduce(&self, active: &Active, reduction: &Reduction, matrix: &mut Symmetric) {
        let Some(columns) = active.columns.as_ref().filter(|_| !self.all[0].is_empty()) else {
            return;
        };
        let terms = reduction.lane_terms();
        let count = columns.len();
        let width = self.all[0].len() / count;
        for (i, left) in columns.iter().enumerate() {
            for (j, right) in columns.iter().enumerate().skip(i) {
                for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    // Of a column's own square each pair of lanes once.
                    if !left.lanes[a] || !right.lanes[b] || (i == j && a > b) {
                        continue;
                    }
                    let (from, to) = (2 * left.slot + a, 2 * right.slot + b);
                    let (Some(row), Some(column)) = (terms[from].variable, terms[to].variable)
                    else {
                        continue;
                    };
                    // Lanes 0 and 0 have the first plane, 0 and 1 the second, 1 and 1 the third.
                    let value = self.all[a + b][i * width + j];
                    let value = value * terms[from].factor * terms[to].factor;
                    // Both orders of two different entries meet on the diagonal.
                    let twice = row == column && (i != j || a != b);
                    let value = if twice { 2.0 * value } else { value };
                    matrix.add(row.index(), column.index(), value);
                }
            }
        }
    }
}
