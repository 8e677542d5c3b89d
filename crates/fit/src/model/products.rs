//! The curvature times many vectors, in one pass.
//!
//! Rows are read once, into lists of what each variable counts in them; the lists
//! then serve all vectors, a few side by side.

use rayon::prelude::*;

use super::by_game::for_each_set;
use super::passes::Pass;
use super::simd::{Kernel, dispatch};
use super::{Curvature, PassError, Regression};
use tuner_rows::{Linearised, Table};
use tuner_solve::Objective;

/// Vectors side by side: the lines of 24,000 variables take 3 MB.
const WIDTH: usize = 16;

/// Rows that are listed at a time: some 20 MB where a row has 80 numbers.
const SLAB: usize = 1 << 14;

/// Rows that a thread lists at a time.
const LISTED: usize = 1 << 10;

/// Rows as sparse vectors over variables.
#[derive(Debug, Default)]
struct SparseRows {
    /// Weight times curvature of each row, and where its numbers end.
    rows: Vec<(f64, u32)>,
    /// Variable, and the derivative of the score by it.
    entries: Vec<(u32, f64)>,
}

/// Adds the products of some rows with [`WIDTH`] vectors.
struct Products<'a> {
    lists: &'a [SparseRows],
    /// A line for each variable.
    vectors: &'a [[f64; WIDTH]],
    sums: &'a mut [[f64; WIDTH]],
}

impl Kernel for Products<'_> {
    type Output = ();

    #[inline(always)] // see Kernel
    fn run(self) {
        for list in self.lists {
            let mut start = 0;
            for &(curvature, end) in &list.rows {
                let entries = &list.entries[start..end as usize];
                start = end as usize;
                let mut amounts = [0.0; WIDTH];
                for &(variable, count) in entries {
                    for (amount, v) in amounts.iter_mut().zip(&self.vectors[variable as usize]) {
                        *amount += count * v;
                    }
                }
                for amount in &mut amounts {
                    *amount *= curvature;
                }
                for &(variable, count) in entries {
                    let line = &mut self.sums[variable as usize];
                    for (sum, amount) in line.iter_mut().zip(&amounts) {
                        *sum += count * amount;
                    }
                }
            }
        }
    }
}

impl Regression<'_> {
    /// Returns the products of the curvature of Gauss and Newton at `x` with some
    /// vectors.
    ///
    /// *Shapes*: a vector and its product have a value for each variable.
    /// *Numerics*: the same on any number of threads.
    /// *Cost*: one pass, in which each number of a row is multiplied twice for each
    /// vector; memory for the vectors three times, and some 40 MB.
    ///
    /// # Errors
    /// If rows cannot be read.
    pub fn curvature_products(
        &self,
        x: &[f64],
        vectors: &[Vec<f64>],
    ) -> Result<Vec<Vec<f64>>, PassError> {
        let size = self.len();
        let lanes = self.reduction().lanes(x);
        let mut panels: Vec<[Vec<[f64; WIDTH]>; 2]> = vectors
            .chunks(WIDTH)
            .map(|vectors| {
                let mut lines = vec![[0.0; WIDTH]; size];
                for (column, vector) in vectors.iter().enumerate() {
                    for (line, value) in lines.iter_mut().zip(vector) {
                        line[column] = *value;
                    }
                }
                [lines, vec![[0.0; WIDTH]; size]]
            })
            .collect();
        for_each_set(self.passes.traces, |set| {
            let (pass, table) = (self.passes.over(set), set.table(&lanes));
            for start in (0..set.len()).step_by(SLAB) {
                let end = (start + SLAB).min(set.len());
                let lists: Vec<SparseRows> = (start..end)
                    .into_par_iter()
                    .step_by(LISTED)
                    .map(|first| self.listed(&pass, &table, first..(first + LISTED).min(end)))
                    .collect();
                panels.par_iter_mut().for_each(|[vectors, products]| {
                    dispatch(Products {
                        lists: &lists,
                        vectors,
                        sums: products,
                    });
                });
            }
        })?;
        self.sum_over_ranks(&mut panels);
        let scale = self.second();
        let product = |number: usize| -> Vec<f64> {
            let [_, lines] = &panels[number / WIDTH];
            lines
                .iter()
                .map(|line| scale * line[number % WIDTH])
                .collect()
        };
        Ok((0..vectors.len()).map(product).collect())
    }

    fn sum_over_ranks(&self, panels: &mut [[Vec<[f64; WIDTH]>; 2]]) {
        let ranks = self.passes.traces.ranks();
        if ranks.is_alone() {
            return;
        }
        for [_, products] in panels {
            ranks.sum(products.as_flattened_mut());
        }
    }

    fn listed(&self, pass: &Pass<'_>, table: &Table, rows: std::ops::Range<usize>) -> SparseRows {
        let mut list = SparseRows::default();
        let mut linearised = Linearised::default();
        let terms = self.reduction().lane_terms();
        let kind = Curvature::GaussNewton;
        for row in pass.rows(rows) {
            let curvature = pass.row_curvature(&mut linearised, &row, table, kind);
            for segment in linearised.segments(&row) {
                for (slot, coefficients) in segment.entries() {
                    for lane in 0..2 {
                        let term = &terms[2 * slot.index() + lane];
                        let count = f64::from(coefficients[lane]) * segment.factors[lane];
                        if let Some(variable) = term.variable
                            && count != 0.0
                        {
                            (list.entries).push((variable.index() as u32, count * term.factor));
                        }
                    }
                }
            }
            list.rows.push((curvature, list.entries.len() as u32));
        }
        list
    }
}
