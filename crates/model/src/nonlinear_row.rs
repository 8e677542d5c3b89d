//! The curvature of a row that is not linear in the weights.
//!
//! With L the sums over the lanes of the row's segments, the score is s(L), and
//! `∂² penalty = ℓ″·∂s ∂sᵀ + ℓ′·∂²s`. Over segments both are one small matrix;
//! over weights it is that matrix between all entries of the segments.

use super::Curvature;
use super::passes::Pass;
use tuner_rows::{Linearised, Row, Table};

/// The curvature of one row's penalty by the two lane sums of each of its segments; keeps its
/// buffers.
#[derive(Debug, Default)]
pub(super) struct NonlinearRow {
    /// How many segments the row has.
    segments: usize,
    /// For each pair of segments *x* and *y*, the latter running faster, `[x₀y₀, x₀y₁, x₁y₀, x₁y₁]`
    /// for their lanes 0 and 1.
    blocks: Vec<[f64; 4]>,
}

impl NonlinearRow {
    /// Computes the matrix of a row at the lanes of a table: the second derivatives of its weighted
    /// penalty by the two lane sums of each of its segments, in units of z, the log-odds, without
    /// β². Returns `true`; of a linear row it computes nothing and returns `false`.
    pub(super) fn at(
        &mut self,
        pass: &Pass<'_>,
        linearised: &mut Linearised,
        row: &Row<'_>,
        table: &Table,
        kind: Curvature,
    ) -> bool {
        if row.is_linear() {
            return false;
        }
        let z = pass.beta * linearised.at(row, table);
        let curvature = row.weight() * pass.loss.curvature(kind, z, row.outcome());
        let (slopes, _) = linearised.slopes().as_chunks::<2>();
        self.by_factors(&slopes.iter().copied(), curvature);
        let count = 2 * self.segments;
        if kind == Curvature::Newton {
            // All is multiplied by β² in the end, but slope·∂²s must be by β alone: so divided by
            // β.
            let slope = row.weight() * pass.loss.penalty(z, row.outcome()).slope / pass.beta;
            // The second derivatives of the score, a square matrix with two lines for each segment.
            let seconds = linearised.seconds(row);
            for (index, block) in self.blocks.iter_mut().enumerate() {
                let (left, right) = (index / self.segments, index % self.segments);
                // By the second segment's lanes 0 and 1: first of lane 0 of the first, then of lane
                // 1.
                let corner = 2 * left * count + 2 * right;
                block[0] += slope * seconds[corner];
                block[1] += slope * seconds[corner + 1];
                block[2] += slope * seconds[corner + count];
                block[3] += slope * seconds[corner + count + 1];
            }
        }
        true
    }

    /// Computes the matrix curvature·f·fᵀ of a row, over the two lane sums of each of its segments:
    /// f are `factors`, the derivatives of the score by these sums, and `curvature` is that of the
    /// penalty by z, the log-odds. It is all of the row's curvature but what second derivatives of
    /// the score add.
    pub(super) fn by_factors(
        &mut self,
        factors: &(impl Iterator<Item = [f64; 2]> + Clone),
        curvature: f64,
    ) {
        self.blocks.clear();
        self.segments = factors.clone().count();
        for left in factors.clone() {
            let [x0, x1] = left.map(|x| curvature * x);
            for [y0, y1] in factors.clone() {
                self.blocks.push([x0 * y0, x0 * y1, x1 * y0, x1 * y1]);
            }
        }
    }

    /// Returns the blocks of all pairs of segments, the second segment running faster: a block has
    /// the curvatures by their lanes 0 and 0, 0 and 1, 1 and 0, 1 and 1.
    pub(super) fn all(&self) -> &[[f64; 4]] {
        &self.blocks
    }

    /// Returns the curvatures by the lane sums of two segments, which are given by their numbers in
    /// the row: of lanes 0 and 0, 0 and 1, 1 and 0, 1 and 1.
    #[inline]
    pub(super) fn block(&self, left: u32, right: u32) -> [f64; 4] {
        self.blocks[left as usize * self.segments + right as usize]
    }

    /// Returns the curvatures by the two lane sums of the row's first segment: lanes 0 and 0, 0 and
    /// 1, 1 and 1; zeros if there is no segment.
    #[inline]
    pub(super) fn own(&self) -> [f64; 3] {
        let first = self.blocks.first();
        first.map_or([0.0; 3], |&[a, b, _, d]| [a, b, d])
    }

    /// Overwrites `product` with the row's curvature matrix times a vector; both have two numbers,
    /// one a lane, for each segment.
    pub(super) fn times(&self, vector: &[[f64; 2]], product: &mut Vec<[f64; 2]>) {
        product.clear();
        // Lines of as many blocks as there are segments. Without segments there are no blocks, but
        // the length of a line must not be 0.
        for line in self.blocks.chunks_exact(self.segments.max(1)) {
            let mut sum = [0.0; 2];
            for (block, v) in line.iter().zip(vector) {
                sum[0] += block[0] * v[0] + block[1] * v[1];
                sum[1] += block[2] * v[0] + block[3] * v[1];
            }
            product.push(sum);
        }
    }
}
