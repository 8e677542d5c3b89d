//! A column of numbers in the narrowest form that keeps every bit.

use std::mem::size_of;

/// One number per row, stored as narrowly as is exact.
///
/// Most columns of a trace set are dull: weights are all 1, constants all 0,
/// outcomes 0, ½ and 1. The column starts with the narrowest form and moves to
/// the next one when a value does not fit; values are never rounded.
#[derive(Clone, Debug)]
pub(super) enum Column {
    /// All rows have this value; nothing is stored.
    Uniform(f64),
    /// Multiples of ½ from −64 to 63.5.
    Halves(Vec<i8>),
    /// Values that `f32` holds exactly.
    Narrow(Vec<f32>),
    /// Any values.
    Wide(Vec<f64>),
}

impl Column {
    /// Appends a value to a column of `len` rows, which moves to wider forms until one holds the
    /// value.
    pub(crate) fn push(&mut self, len: usize, value: f64) {
        let value = value + 0.0; // −0 becomes 0, which narrower forms hold
        loop {
            match self {
                Self::Uniform(all) if all.to_bits() == value.to_bits() => return,
                Self::Halves(column) => {
                    if let Some(code) = half(value) {
                        column.push(code);
                        return;
                    }
                }
                Self::Narrow(column) => {
                    if let Some(narrow) = narrow(value) {
                        column.push(narrow);
                        return;
                    }
                }
                Self::Wide(column) => {
                    column.push(value);
                    return;
                }
                Self::Uniform(_) => {}
            }
            self.widen(len);
        }
    }

    /// Returns the value of a row.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> f64 {
        match self {
            Self::Uniform(value) => *value,
            Self::Halves(column) => f64::from(column[row]) * 0.5,
            Self::Narrow(column) => f64::from(column[row]),
            Self::Wide(column) => column[row],
        }
    }

    /// Appends the `other_len` values of another column to this one, which has `len`.
    pub(crate) fn append(&mut self, len: usize, other: &Self, other_len: usize) {
        for row in 0..other_len {
            self.push(len + row, other.get(row));
        }
    }

    /// Returns a new column of `len` rows: for each row what `value` makes of its number and its
    /// value in this column. `first`: the value that most rows are expected to have; where all do
    /// it takes no memory.
    pub(crate) fn map(
        &self,
        len: usize,
        first: f64,
        mut value: impl FnMut(usize, f64) -> f64,
    ) -> Self {
        let mut column = Self::Uniform(first);
        for row in 0..len {
            column.push(row, value(row, self.get(row)));
        }
        column.shrink();
        column
    }

    /// Rearranges the rows from `first` on. `order`: for each new place, the old number of its row,
    /// counted from `first`.
    pub(crate) fn arrange(&mut self, first: usize, order: &[u32]) {
        match self {
            Self::Uniform(_) => {}
            Self::Halves(column) => arrange(column, first, order),
            Self::Narrow(column) => arrange(column, first, order),
            Self::Wide(column) => arrange(column, first, order),
        }
    }

    /// Writes the values of the rows from `first` on into `to`, one for each of its places.
    #[inline]
    pub(crate) fn read(&self, first: usize, to: &mut [f64]) {
        let rows = first..first + to.len();
        match self {
            Self::Uniform(value) => to.fill(*value),
            Self::Halves(column) => {
                let column = to.iter_mut().zip(&column[rows]);
                column.for_each(|(to, &code)| *to = f64::from(code) * 0.5);
            }
            Self::Narrow(column) => {
                let column = to.iter_mut().zip(&column[rows]);
                column.for_each(|(to, &value)| *to = f64::from(value));
            }
            Self::Wide(column) => to.copy_from_slice(&column[rows]),
        }
    }

    /// Returns the bytes reserved for the column.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Uniform(_) => 0,
            Self::Halves(column) => column.capacity(),
            Self::Narrow(column) => column.capacity() * size_of::<f32>(),
            Self::Wide(column) => column.capacity() * size_of::<f64>(),
        }
    }

    /// Releases memory that was reserved for further rows.
    pub(crate) fn shrink(&mut self) {
        match self {
            Self::Uniform(_) => {}
            Self::Halves(column) => column.shrink_to_fit(),
            Self::Narrow(column) => column.shrink_to_fit(),
            Self::Wide(column) => column.shrink_to_fit(),
        }
    }

    /// Rewrites a column of `len` rows in the next wider form (from one value for all to halves,
    /// 32-bit floats, 64-bit floats) that holds the values it has.
    fn widen(&mut self, len: usize) {
        *self = match self {
            Self::Uniform(value) => {
                if let Some(code) = half(*value) {
                    Self::Halves(vec![code; len])
                } else if let Some(narrow) = narrow(*value) {
                    Self::Narrow(vec![narrow; len])
                } else {
                    Self::Wide(vec![*value; len])
                }
            }
            Self::Halves(column) => {
                Self::Narrow(column.iter().map(|&c| f32::from(c) * 0.5).collect())
            }
            Self::Narrow(column) => Self::Wide(column.iter().map(|&v| f64::from(v)).collect()),
            Self::Wide(_) => return,
        };
    }
}

/// Rearranges the values from `first` on. `order`: for each new place, the old number of its value,
/// counted from `first`.
pub(crate) fn arrange<T: Copy>(column: &mut [T], first: usize, order: &[u32]) {
    let part = &mut column[first..first + order.len()];
    let copy = part.to_vec();
    for (to, &row) in part.iter_mut().zip(order) {
        *to = copy[row as usize];
    }
}

/// Returns twice the value where that is an integer of 8 bits, as `Halves` stores it; else `None`.
/// −0 counts as 0.
fn half(value: f64) -> Option<i8> {
    let doubled = value * 2.0;
    let code = doubled as i8; // saturates, and NaN becomes 0: the comparison below finds out
    (f64::from(code).to_bits() == (doubled + 0.0).to_bits()).then_some(code)
}

/// Returns the value as `f32` where that loses no bit; else `None`.
fn narrow(value: f64) -> Option<f32> {
    let narrow = value as f32;
    (f64::from(narrow).to_bits() == value.to_bits()).then_some(narrow)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pushes the values and reads them back.
    fn round_trip(start: f64, values: &[f64]) -> Column {
        let mut column = Column::Uniform(start);
        for (row, &value) in values.iter().enumerate() {
            column.push(row, value);
        }
        let mut read = vec![0.0; values.len()];
        column.read(0, &mut read);
        for (row, &value) in values.iter().enumerate() {
            assert_eq!(column.get(row).to_bits(), value.to_bits(), "row {row}");
            assert_eq!(read[row].to_bits(), value.to_bits(), "row {row}");
        }
        column
    }

    #[test]
    fn widens_only_as_far_as_needed_and_keeps_every_bit() {
        assert_eq!(round_trip(1.0, &[1.0, 1.0]).bytes(), 0);
        assert!(matches!(
            round_trip(0.0, &[0.0, 0.5, 1.0]),
            Column::Halves(_)
        ));
        assert!(matches!(
            round_trip(0.0, &[0.0, 1e3, 0.25]),
            Column::Narrow(_)
        ));
        assert!(matches!(
            round_trip(0.0, &[0.0, 0.5, 1e9, 0.1]),
            Column::Wide(_)
        ));
        assert!(matches!(
            round_trip(f64::NAN, &[f64::NAN, 30.0]),
            Column::Narrow(_)
        ));
    }

    #[test]
    fn joins_columns_of_different_forms() {
        let mut left = round_trip(0.0, &[0.0, 0.5]);
        let right = round_trip(0.0, &[0.1]);
        left.append(2, &right, 1);
        assert_eq!(
            [left.get(0), left.get(1), left.get(2)].map(f64::to_bits),
            [0.0, 0.5, 0.1].map(f64::to_bits)
        );
    }
}
