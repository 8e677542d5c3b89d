//! The preconditioner of conjugate gradients on a curvature matrix that is never formed.
//!
//! What makes such systems slow are weights that are read often, as these go together: a
//! piece's value and its table, say. So the matrix is formed between the most frequent
//! ones and inverted, and all others have their diagonal.
//!
//! *Source*: Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., 2003,
//! §9.2 (preconditioned conjugate gradients) and §14.2 (blocks).

use super::Subset;
use crate::linalg::{Cholesky, Symmetric, add_products};

/// The damping of the diagonal of the block, in parts of it: weights that stand for each
/// other exactly leave it singular, and the inverse is only to be near.
const DAMPING: f64 = 1e-6;

/// The inverse of a matrix between some variables, and of the diagonal for all others.
#[derive(Clone, Debug)]
pub struct Preconditioner {
    /// 1 over each element of the diagonal, 0 for variables that do not move.
    pub(crate) inverse: Vec<f64>,
    block: Option<(Subset, Symmetric)>,
}

impl Preconditioner {
    /// Makes the preconditioner that divides by a diagonal. `inverse`: 1 over each element, 0 for
    /// variables that do not move.
    pub fn of_diagonal(inverse: Vec<f64>) -> Self {
        Self {
            inverse,
            block: None,
        }
    }

    /// Adds the inverse of `matrix`, whose rows and columns are the variables of `subset`;
    /// variables that do not move are left out of it. Where the matrix has no factor even when
    /// damped, all variables keep their diagonal. *Cost*: 2/3·size³ multiplications.
    #[must_use]
    pub fn with_block(self, subset: &Subset, matrix: &Symmetric) -> Self {
        let moves = |&part: &usize| self.inverse[subset.index_in_full(part)] > 0.0;
        let parts: Vec<usize> = (0..subset.len()).filter(moves).collect();
        if parts.is_empty() {
            return self;
        }
        let mut mask = vec![false; self.inverse.len()];
        for &part in &parts {
            mask[subset.index_in_full(part)] = true;
        }
        let matrix = matrix.select(&parts);
        // What is added to the diagonal: a part of the matrix's own element or of the diagonal that
        // `inverse` is of, whichever is larger, as the matrix's own may have vanished.
        let raise = |(&part, own): (&usize, f64)| {
            DAMPING * own.max(self.inverse[subset.index_in_full(part)].recip())
        };
        let raised = parts.iter().zip(matrix.diagonal()).map(raise);
        let factor = Cholesky::new(&matrix.damped(1.0, &raised.collect::<Vec<f64>>()));
        let block = factor.ok().map(|of| (Subset::of(&mask), of.inverse()));
        Self { block, ..self }
    }

    /// Returns, for each residual, the preconditioner (an approximate inverse of the curvature
    /// matrix) times it. *Shapes*: all have one value per variable. *Cost*: the square of the
    /// block's size for each.
    pub fn apply_all(&self, residuals: &[&[f64]]) -> Vec<Vec<f64>> {
        let scaled = |residual: &&[f64]| -> Vec<f64> {
            let mut scaled = vec![0.0; residual.len()];
            add_products(&mut scaled, residual, &self.inverse);
            scaled
        };
        let mut all: Vec<Vec<f64>> = residuals.iter().map(scaled).collect();
        // For the variables of the block the inverse of its matrix overwrites that.
        if let Some((subset, block)) = &self.block {
            let parts: Vec<Vec<f64>> = residuals.iter().map(|r| subset.gather(r)).collect();
            for (scaled, part) in all.iter_mut().zip(block.multiply_all(&parts)) {
                subset.scatter(&part, scaled);
            }
        }
        all
    }

    /// Returns the preconditioner (an approximate inverse of the curvature matrix) times a
    /// residual, both with one value per variable. *Cost*: the square of the block's size.
    pub fn apply(&self, residual: &[f64]) -> Vec<f64> {
        let mut all = self.apply_all(&[residual]);
        all.pop().unwrap_or_default()
    }
}

/// Returns the `count` variables with the largest diagonal, which rows read most often, together
/// with those `chosen`. Of equal ones the first are taken. *Cost*: a sort.
///
/// # Panics
/// If one that is chosen is beyond the diagonal.
pub fn most_frequent(diagonal: &[f64], count: usize, chosen: &[usize]) -> Subset {
    let mut order: Vec<usize> = (0..diagonal.len()).collect();
    order.sort_by(|&a, &b| diagonal[b].total_cmp(&diagonal[a]).then(a.cmp(&b)));
    let mut mask = vec![false; diagonal.len()];
    for &variable in order.iter().take(count).chain(chosen) {
        mask[variable] = true;
    }
    Subset::of(&mask)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_inverse_between_some_and_the_diagonal_elsewhere() {
        let mut matrix = Symmetric::zeros(4);
        (0..4).for_each(|i| matrix.add(i, i, 2.0 + i as f64));
        matrix.add(3, 1, 1.0);
        let diagonal = matrix.diagonal();
        let subset = most_frequent(&diagonal, 1, &[1]);
        assert_eq!(subset.indices(), [1, 3]);
        let inverse = diagonal.iter().map(|d| d.recip()).collect();
        let of_diagonal = Preconditioner::of_diagonal(inverse);
        let part = matrix.select(subset.indices());
        let of_block = of_diagonal.clone().with_block(&subset, &part);
        // Between 1 and 3 it is the matrix [3 1; 1 5], whose determinant is 14.
        let found = of_block.apply(&[4.0, 14.0, 4.0, 28.0]);
        let expected = [2.0, 5.0 - 2.0, 1.0, 6.0 - 1.0];
        let are_near = |(f, e): (&f64, f64)| (f - e).abs() < 1e-4;
        assert!(found.iter().zip(expected).all(are_near), "{found:?}");
        // One that does not move is as if it were not there.
        let held = Preconditioner::of_diagonal(vec![0.5, 1.0 / 3.0, 0.25, 0.0]);
        let found = held
            .with_block(&subset, &part)
            .apply(&[4.0, 3.0, 4.0, 28.0]);
        assert!(
            found.iter().zip([2.0, 1.0, 1.0, 0.0]).all(are_near),
            "{found:?}"
        );
    }
}
