//! The expressions of the rows that are not linear in the weights.
//!
//! Most positions of an evaluation share their list of steps, so each list is
//! stored once; a row has its number and its own constants. A set without any
//! expression stores nothing.

use std::collections::HashMap;
use std::mem::size_of;
use std::sync::Arc;

use super::column::arrange;
use tuner_trace::{Expression, Step};

/// Number of the shape of rows without expression.
const LINEAR: u32 = 0;

#[derive(Clone, Debug, Default)]
pub(super) struct NonlinearRows {
    /// Lists of steps; number 0 is empty.
    pub(crate) shapes: Vec<Arc<[Step]>>,
    /// The number of each list; none of sets that are only read.
    pub(crate) numbers: HashMap<Arc<[Step]>, u32>,
    /// The shape of each row; empty as long as all are linear.
    pub(crate) rows: Vec<u32>,
    /// Where the constants of each row start.
    pub(crate) starts: Vec<u64>,
    pub(crate) constants: Vec<f64>,
}

impl NonlinearRows {
    /// Adds a row to `len` others.
    pub(crate) fn push(&mut self, len: usize, expression: Option<&Expression>) {
        let expression = expression.filter(|e| !e.steps.is_empty());
        if self.rows.is_empty() {
            if expression.is_none() {
                return;
            }
            self.begin(len);
        }
        self.starts.push(self.constants.len() as u64);
        let Some(expression) = expression else {
            self.rows.push(LINEAR);
            return;
        };
        let number = self.number(&expression.steps);
        self.rows.push(number);
        self.constants.extend_from_slice(&expression.constants);
    }

    /// Makes room for rows that are not linear, behind `len` that are.
    fn begin(&mut self, len: usize) {
        self.number(&[]);
        self.rows = vec![LINEAR; len];
        self.starts = vec![0; len];
    }

    fn number(&mut self, steps: &[Step]) -> u32 {
        if let Some(&number) = self.numbers.get(steps) {
            return number;
        }
        let number = self.shapes.len() as u32;
        let steps: Arc<[Step]> = steps.into();
        self.shapes.push(Arc::clone(&steps));
        self.numbers.insert(steps, number);
        number
    }

    /// Appends `more` rows of another set to these `len`.
    pub(crate) fn append(&mut self, len: usize, other: &Self, more: usize) {
        if self.rows.is_empty() && other.rows.is_empty() {
            return;
        }
        if self.rows.is_empty() {
            self.begin(len);
        }
        let base = self.constants.len() as u64;
        if other.rows.is_empty() {
            self.rows.resize(len + more, LINEAR);
            self.starts.resize(len + more, base);
            return;
        }
        let numbers: Vec<u32> = other
            .shapes
            .iter()
            .map(|steps| self.number(steps))
            .collect();
        let shapes = other.rows.iter().map(|&shape| numbers[shape as usize]);
        self.rows.extend(shapes);
        self.starts
            .extend(other.starts.iter().map(|start| base + start));
        self.constants.extend_from_slice(&other.constants);
    }

    /// The same lists of steps, of no rows yet.
    pub(crate) fn emptied(&self) -> Self {
        Self {
            shapes: self.shapes.clone(),
            numbers: self.numbers.clone(),
            ..Self::default()
        }
    }

    /// Adds a row of those that this was [`emptied`](Self::emptied) of to `len` others.
    pub(crate) fn push_row(&mut self, len: usize, other: &Self, row: usize) {
        let shape = other.shape(row);
        if self.rows.is_empty() {
            if shape == LINEAR {
                return;
            }
            self.begin(len);
        }
        self.starts.push(self.constants.len() as u64);
        self.rows.push(shape);
        if let Some((_, constants)) = other.get(row) {
            self.constants.extend_from_slice(constants);
        }
    }

    /// Returns steps and constants of a row, if it is not linear.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<(&[Step], &[f64])> {
        let shape = *self.rows.get(row)?;
        if shape == LINEAR {
            return None;
        }
        let start = self.starts[row] as usize;
        let end = self
            .starts
            .get(row + 1)
            .map_or(self.constants.len(), |&end| end as usize);
        Some((&self.shapes[shape as usize], &self.constants[start..end]))
    }

    /// Returns steps and constants of a row, of lists that may be damaged; those of a
    /// linear row are empty.
    #[cfg(feature = "arrow")]
    pub(crate) fn checked(&self, row: usize) -> Option<(&[Step], &[f64])> {
        let start = usize::try_from(*self.starts.get(row)?).ok()?;
        let end = match self.starts.get(row + 1) {
            Some(&end) => usize::try_from(end).ok()?,
            None => self.constants.len(),
        };
        let steps = self.shapes.get(*self.rows.get(row)? as usize)?;
        Some((steps, self.constants.get(start..end)?))
    }

    /// Tells whether all rows are linear.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Tells whether a row is linear.
    #[inline]
    pub(crate) fn is_linear(&self, row: usize) -> bool {
        self.rows.is_empty() || self.rows[row] == LINEAR
    }

    /// The shape of a row's list of steps: rows of one shape are read alike.
    pub(crate) fn shape(&self, row: usize) -> u32 {
        self.rows.get(row).copied().unwrap_or(LINEAR)
    }

    /// Rearranges the rows from `first` on; `order` names them by their present
    /// numbers, counted from `first`.
    pub(crate) fn arrange(&mut self, first: usize, order: &[u32]) {
        if self.rows.is_empty() {
            return;
        }
        let range = |row: usize| {
            let end = self.starts.get(row + 1).copied();
            self.starts[row] as usize..end.map_or(self.constants.len(), |end| end as usize)
        };
        let base = range(first).start;
        let mut constants = Vec::new();
        let mut starts = Vec::with_capacity(order.len());
        for &row in order {
            starts.push((base + constants.len()) as u64);
            constants.extend_from_slice(&self.constants[range(first + row as usize)]);
        }
        self.constants[base..base + constants.len()].copy_from_slice(&constants);
        self.starts[first..first + order.len()].copy_from_slice(&starts);
        arrange(&mut self.rows, first, order);
    }

    /// Returns the bytes reserved.
    pub(crate) fn bytes(&self) -> usize {
        let steps: usize = self.shapes.iter().map(|shape| shape.len()).sum();
        steps * size_of::<Step>()
            + self.rows.capacity() * 4
            + self.starts.capacity() * 8
            + self.constants.capacity() * 8
    }

    /// Gives back memory reserved for rows that did not come.
    pub(crate) fn shrink(&mut self) {
        self.rows.shrink_to_fit();
        self.starts.shrink_to_fit();
        self.constants.shrink_to_fit();
    }
}
