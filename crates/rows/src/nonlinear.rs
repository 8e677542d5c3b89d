//! The expressions of the rows that are not linear in the weights.
//!
//! Most positions of an evaluation share their list of steps, so each list is
//! stored once; a row has its number and its own constants. A set without any
//! expression stores nothing.

use std::ops::Range;
use std::sync::Arc;

use super::column::arrange;
use super::shapes::Shapes;
use tuner_trace::{Expression, Step};

/// The shape, number of the list of steps, of rows without expression.
const LINEAR: u32 = 0;

/// The steps and constants of all rows of a set.
#[derive(Clone, Debug, Default)]
pub(super) struct NonlinearRows {
    /// Lists of steps; number 0 is empty. Shared with readers of single rows.
    pub(crate) shapes: Arc<Shapes>,
    /// The number of each row's list of steps (its shape); empty as long as all rows are linear.
    pub(crate) rows: Vec<u32>,
    /// By row, where its constants start in `constants`.
    pub(crate) starts: Vec<u64>,
    pub(crate) constants: Vec<f64>,
}

impl NonlinearRows {
    /// Adds a row behind `len` others. A row without expression, or without steps in it, is linear;
    /// while all rows are, nothing is stored, so the first other row needs `len` to fill in those
    /// before it.
    pub(crate) fn push(&mut self, len: usize, expression: Option<&Expression>) {
        let Some(expression) = expression.filter(|e| !e.steps.is_empty()) else {
            return self.push_shape(len, LINEAR, &[]);
        };
        // First of all, so that the empty list of steps, that of linear rows, has number 0.
        self.begin(len);
        let shape = Arc::make_mut(&mut self.shapes).number(&expression.steps);
        self.push_shape(len, shape, &expression.constants);
    }

    /// Adds a row behind `len` others; `shape`: the number of its list of steps. While all rows are
    /// linear nothing is stored.
    fn push_shape(&mut self, len: usize, shape: u32, constants: &[f64]) {
        if self.rows.is_empty() {
            if shape == LINEAR {
                return;
            }
            self.begin(len);
        }
        self.starts.push(self.constants.len() as u64);
        self.rows.push(shape);
        self.constants.extend_from_slice(constants);
    }

    /// Makes the columns of `len` rows, all linear, unless there are columns already: for the first
    /// row that is not linear, as a set of linear rows stores none.
    fn begin(&mut self, len: usize) {
        if self.rows.is_empty() {
            // The empty list, that of linear rows, becomes number 0.
            Arc::make_mut(&mut self.shapes).number(&[]);
            self.rows = vec![LINEAR; len];
            self.starts = vec![0; len];
        }
    }

    /// Appends the `more` rows of another set to the `len` rows of this one. A list of steps that
    /// both sets have gets the number that it has in this one; any other is added. If all rows of
    /// both sets are linear, nothing is stored.
    pub(crate) fn append(&mut self, len: usize, other: &Self, more: usize) {
        if self.rows.is_empty() && other.rows.is_empty() {
            return;
        }
        self.begin(len);
        let base = self.constants.len() as u64;
        if other.rows.is_empty() {
            self.rows.resize(len + more, LINEAR);
            self.starts.resize(len + more, base);
            return;
        }
        let shapes = Arc::make_mut(&mut self.shapes);
        // By the number of a list in the other set, its number in this one.
        let number = |shape| shapes.number_packed(other.shapes.packed(shape));
        let numbers: Vec<u32> = (0..other.shapes.len() as u32).map(number).collect();
        let shapes = other.rows.iter().map(|&shape| numbers[shape as usize]);
        self.rows.extend(shapes);
        self.starts
            .extend(other.starts.iter().map(|start| base + start));
        self.constants.extend_from_slice(&other.constants);
    }

    /// Returns a set without rows that shares this set's lists of steps.
    pub(crate) fn emptied(&self) -> Self {
        Self {
            shapes: Arc::clone(&self.shapes),
            ..Self::default()
        }
    }

    /// Copies row `row` of `other` behind `len` rows. `other` must be the set that this one was
    /// made of by [`emptied`](Self::emptied), so that lists of steps have the same numbers.
    pub(crate) fn push_row(&mut self, len: usize, other: &Self, row: usize) {
        self.push_shape(len, other.shape(row), other.constants(row));
    }

    /// Reads the steps of a row into `to`, whose content is lost; a linear row has none.
    pub(crate) fn read_steps(&self, row: usize, to: &mut Vec<Step>) {
        self.shapes.read(self.shape(row), to);
    }

    /// Returns the constants to which the steps of a row refer.
    #[inline]
    pub(crate) fn constants(&self, row: usize) -> &[f64] {
        &self.constants[self.place(row)]
    }

    /// The places in `constants` of a row's constants: up to where those of the next row start, or,
    /// of the last row, to the end. An empty range at the end if rows are not stored, as all are
    /// linear.
    #[inline]
    fn place(&self, row: usize) -> Range<usize> {
        let start =
            |row: usize| (self.starts.get(row)).map_or(self.constants.len(), |&s| s as usize);
        start(row)..start(row + 1)
    }

    /// Returns steps and constants of a row, both empty where it is linear; `None` where all rows
    /// are linear, so that none is stored, or where the row of a damaged file refers to a list of
    /// steps or to constants that do not exist.
    #[cfg(feature = "arrow")]
    pub(crate) fn checked(&self, row: usize) -> Option<(Vec<Step>, &[f64])> {
        let shape = *self.rows.get(row)?;
        if shape as usize >= self.shapes.len() {
            return None;
        }
        let mut steps = Vec::new();
        self.shapes.read(shape, &mut steps);
        Some((steps, self.constants.get(self.place(row))?))
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

    /// The number of a row's list of steps, its shape: rows of one shape are read alike.
    pub(crate) fn shape(&self, row: usize) -> u32 {
        self.rows.get(row).copied().unwrap_or(LINEAR)
    }

    /// Rearranges the rows from `first` on. `order`: for each new place, the old number of its row,
    /// counted from `first`.
    pub(crate) fn arrange(&mut self, first: usize, order: &[u32]) {
        if self.rows.is_empty() {
            return;
        }
        // The constants are copied in the new order, into the places that those of all these rows
        // had.
        let base = self.place(first).start;
        let mut constants = Vec::new();
        let mut starts = Vec::with_capacity(order.len());
        for &row in order {
            starts.push((base + constants.len()) as u64);
            constants.extend_from_slice(&self.constants[self.place(first + row as usize)]);
        }
        self.constants[base..base + constants.len()].copy_from_slice(&constants);
        self.starts[first..first + order.len()].copy_from_slice(&starts);
        arrange(&mut self.rows, first, order);
    }

    /// Returns the bytes that are reserved for lists of steps and for the columns.
    pub(crate) fn bytes(&self) -> usize {
        self.shapes.bytes()
            + self.rows.capacity() * 4
            + self.starts.capacity() * 8
            + self.constants.capacity() * 8
    }

    /// Releases memory that was reserved for further rows.
    pub(crate) fn shrink(&mut self) {
        Arc::make_mut(&mut self.shapes).shrink();
        self.rows.shrink_to_fit();
        self.starts.shrink_to_fit();
        self.constants.shrink_to_fit();
    }
}
