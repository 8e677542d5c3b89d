//! The curvature times many vectors, a few in each pass.
//!
//! [`gradient`](super::gradient) does this for one vector at a time. Here eight go side by side: for
//! each token a table has the changes of the score along all of them, and the sums are eight
//! numbers for each token too.

use super::block::Block;
use super::by_game::for_each_set;
use super::deterministic_reduce::{CHUNK, add_up, deterministic_reduce};
use super::passes::Pass;
use super::regression::scale_by;
use super::simd::{TokenKernel, dispatch_tokens};
use super::{Curvature, PassResult, Regression};
use tuner_base::phase;
use tuner_rows::TraceSet;
use tuner_rows::kernel::{Code, GROUP};
use tuner_solve::Objective;

/// Vectors side by side: a line of the cache.
const WIDTH: usize = 8;

/// Parts of the rows of a set, each with sums of its own: 128 bytes a token for those that
/// threads work on, 64 bytes a variable for the others.
const PARTS: usize = 8;

/// A number for each vector.
type Line = [f64; WIDTH];

/// Adds up the curvature of a block's rows times vectors, by token: for each row its curvature times
/// the changes of its score along the vectors, times its derivatives.
struct Products<'w, 'a> {
    pass: &'w Pass<'a>,
    block: &'w Block,
    /// The two lanes of each token.
    along: &'w [[Line; 2]],
    sums: &'w mut [[Line; 2]],
}

impl TokenKernel for Products<'_, '_> {
    #[inline(always)] // see Kernel
    fn run<C: Code>(self, groups: &[[C; GROUP]]) {
        let Self {
            pass,
            block,
            along,
            sums,
        } = self;
        for number in 0..block.len {
            let curvature = block.slopes[number];
            let mut amounts = [0.0; WIDTH];
            for (factors, tokens) in block.segments(pass, groups, number) {
                let mut changes = [[0.0; WIDTH]; 2];
                for code in tokens.as_flattened() {
                    for (change, along) in changes.iter_mut().zip(&along[code.number()]) {
                        (change.iter_mut().zip(along)).for_each(|(change, v)| *change += v);
                    }
                }
                for (factor, change) in factors.iter().zip(&changes) {
                    (amounts.iter_mut().zip(change)).for_each(|(a, change)| *a += factor * change);
                }
            }
            for (factors, tokens) in block.segments(pass, groups, number) {
                let amounts =
                    factors.map(|factor| amounts.map(|amount| factor * (curvature * amount)));
                for code in tokens.as_flattened() {
                    for (sum, amount) in sums[code.number()].iter_mut().zip(&amounts) {
                        (sum.iter_mut().zip(amount)).for_each(|(sum, amount)| *sum += amount);
                    }
                }
            }
        }
    }
}

impl Regression<'_> {
    /// Returns the products H·v of the curvature of E at `x`, of a kind, with a few vectors.
    ///
    /// *Shapes*: a vector and its product have a value for each variable. *Numerics*: the same on
    /// any number of threads. *Cost*: a pass, on which each vector takes about as long as the rows
    /// that it changes take.
    ///
    /// # Errors
    /// If rows cannot be read.
    pub fn products(
        &self,
        x: &[f64],
        kind: Curvature,
        vectors: &[&[f64]],
    ) -> PassResult<Vec<Vec<f64>>> {
        let _phase = phase("matrix times vector");
        let (reduction, scale) = (self.reduction(), self.second());
        let lanes = reduction.lanes(x);
        let along: Vec<Vec<f64>> = (vectors.iter())
            .map(|vector| reduction.spread(vector))
            .collect();
        let mut by_lane = vec![0.0; along.len() * lanes.len()];
        self.passes.vector(&mut by_lane, |pass, sums| {
            pass.products(&lanes, kind, &along, sums);
            0.0
        })?;
        let of_vector = |vector: usize| {
            let by_lane = &by_lane[vector * lanes.len()..][..lanes.len()];
            let mut product = vec![0.0; self.len()];
            reduction.gather(by_lane, &mut product);
            scale_by(&mut product, scale);
            product
        };
        Ok((0..vectors.len()).map(of_vector).collect())
    }

    /// Returns the products of the curvature of Gauss and Newton at `x` with some
    /// vectors.
    ///
    /// *Shapes*: a vector and its product have a value for each variable.
    /// *Numerics*: the same on any number of threads.
    /// *Cost*: for each eight vectors a pass, which takes as long as two or three of one
    /// vector; memory for eight vectors ten times, and of each thread 128 bytes a token.
    ///
    /// # Errors
    /// If rows cannot be read.
    pub fn curvature_products(&self, x: &[f64], vectors: &[Vec<f64>]) -> PassResult<Vec<Vec<f64>>> {
        let _phase = phase("matrix times vectors");
        let lanes = self.reduction().lanes(x);
        let mut products = Vec::with_capacity(vectors.len());
        for vectors in vectors.chunks(WIDTH) {
            let lines = self.products_side_by_side(&lanes, vectors)?;
            let of = |column: usize| lines.iter().map(|line| line[column]).collect();
            products.extend((0..vectors.len()).map(of));
        }
        Ok(products)
    }

    /// Returns the products of the curvature of E at `lanes` with up to eight vectors: for each
    /// variable a line with a number of each product, 0 where there are fewer vectors.
    fn products_side_by_side(&self, lanes: &[f64], vectors: &[Vec<f64>]) -> PassResult<Vec<Line>> {
        let mut products = vec![[0.0; WIDTH]; self.len()];
        for_each_set(self.passes.traces, |set| {
            let (pass, table) = (self.passes.over(set), set.table(lanes));
            let along = self.by_token(set, vectors);
            let work = || (Block::new(), vec![[[0.0; WIDTH]; 2]; along.len()]);
            let part = |(block, sums): &mut (Block, Vec<[Line; 2]>), rows| {
                pass.each_block(block, rows, &table, |block| {
                    block.curvatures(0..block.len, pass.loss, Curvature::GaussNewton);
                    let (pass, along) = (&pass, &along);
                    dispatch_tokens(
                        set,
                        Products {
                            pass,
                            block,
                            along,
                            sums,
                        },
                    );
                });
                self.by_variable(set, sums)
            };
            let rows = set.len().div_ceil(PARTS).max(1).next_multiple_of(CHUNK);
            deterministic_reduce(set.len(), rows, PARTS, work, part, |sums: Vec<Line>| {
                let numbers = sums.as_flattened().iter().copied();
                add_up(products.as_flattened_mut(), numbers);
            });
        })?;
        self.passes.traces.ranks().sum(products.as_flattened_mut());
        let scale = self.second();
        scale_by(products.as_flattened_mut(), scale);
        Ok(products)
    }

    /// Returns by how much each token, with its coefficients, changes the lane sums of a segment
    /// along each vector: a line of numbers for each of its two lanes.
    fn by_token(&self, set: &TraceSet, vectors: &[Vec<f64>]) -> Vec<[Line; 2]> {
        let mut along = vec![[[0.0; WIDTH]; 2]; set.tokens().len()];
        self.each_lane(set, |token, lane, variable, factor| {
            for (number, vector) in along[token][lane].iter_mut().zip(vectors) {
                *number = factor * vector[variable];
            }
        });
        along
    }

    /// Turns sums by token and lane into sums by variable, and sets those by token to 0 for the
    /// next rows.
    fn by_variable(&self, set: &TraceSet, sums: &mut [[Line; 2]]) -> Vec<Line> {
        let mut lines = vec![[0.0; WIDTH]; self.len()];
        self.each_lane(set, |token, lane, variable, factor| {
            for (number, sum) in lines[variable].iter_mut().zip(&sums[token][lane]) {
                *number += factor * sum;
            }
        });
        sums.fill([[0.0; WIDTH]; 2]);
        lines
    }

    /// Calls `look` with each lane of a token that moves with a variable: the token's number in the
    /// set, the lane, 0 or 1, the variable, and the change of the lane's sum by the variable:
    /// coefficient times the factor of the tie.
    pub(super) fn each_lane(&self, set: &TraceSet, mut look: impl FnMut(usize, usize, usize, f64)) {
        let terms = self.reduction().lane_terms();
        for (number, token) in set.tokens().iter().enumerate() {
            for (lane, coefficient) in token.coefficients.into_iter().enumerate() {
                let term = &terms[2 * token.slot as usize + lane];
                if let Some(variable) = term.variable.filter(|_| coefficient != 0) {
                    let factor = f64::from(coefficient) * term.factor;
                    look(number, lane, variable.index(), factor);
                }
            }
        }
    }
}
