//! A dense symmetric matrix.

/// A symmetric matrix of *n* rows and *n* columns, both triangles stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Symmetric {
    size: usize,
    /// Row by row, which for a symmetric matrix is also column by column.
    values: Vec<f64>,
}

impl Symmetric {
    /// Makes a matrix of zeros. *Cost*: 8·size² bytes.
    pub fn zeros(size: usize) -> Self {
        Self {
            size,
            values: vec![0.0; size * size],
        }
    }

    /// Returns the number of rows.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns all values, row by row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Returns one row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.size..(row + 1) * self.size]
    }

    /// Returns one value.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.size + column]
    }

    /// Adds to a value and to its mirror image, once where they are the same.
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        self.values[row * self.size + column] += value;
        if row != column {
            self.values[column * self.size + row] += value;
        }
    }

    /// Sets all values to 0.
    pub fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// Multiplies all values by a number.
    pub fn scale(&mut self, factor: f64) {
        for value in &mut self.values {
            *value *= factor;
        }
    }

    /// Returns the diagonal.
    pub fn diagonal(&self) -> Vec<f64> {
        (0..self.size).map(|i| self.get(i, i)).collect()
    }

    /// Returns the product with a vector. *Shapes*: `vector` has `size` values.
    pub fn multiply(&self, vector: &[f64]) -> Vec<f64> {
        (0..self.size)
            .map(|i| super::dot(self.row(i), vector))
            .collect()
    }

    /// Returns the rows and columns named, in that order.
    #[must_use]
    pub fn select(&self, indices: &[usize]) -> Self {
        let values = indices
            .iter()
            .flat_map(|&i| indices.iter().map(move |&j| self.get(i, j)))
            .collect();
        Self {
            size: indices.len(),
            values,
        }
    }

    /// Returns the matrix with `amount·scale[i]` added to the diagonal.
    #[must_use]
    pub fn damped(&self, amount: f64, scale: &[f64]) -> Self {
        let mut damped = self.clone();
        for (i, scale) in scale.iter().enumerate() {
            damped.values[i * self.size + i] += amount * scale;
        }
        damped
    }
}
