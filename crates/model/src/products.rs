//! Sums over rows that are as long as a vector of variables, eight at a time: the curvature times
//! vectors, and gradients of games with signs.
//!
//! [`gradient`](super::gradient) does this for one vector at a time. Here eight go side by side: for
//! each token a table has the changes of the score along all of them, and the sums are eight
//! numbers for each token too.
//!
//! Both are of single precision, as the time is that of reading and writing them: a token takes a
//! line of the cache. What asks for these products wants two or three digits; sums of a million
//! rows keep four. A set in memory has eight sums, which lose their last digits from some
//! 100 million rows on; so many are streamed, block by block.

use std::ops::Range;

use super::block::Block;
use super::by_game::{for_each_set, games_of};
use super::deterministic_reduce::{CHUNK, add_up};
use super::passes::Pass;
use super::regression::scale_by;
use super::simd::{TokenKernel, dispatch_tokens};
use super::{Curvature, PassResult, Regression};
use tuner_base::{GOLDEN_GAMMA, mix, phase};
use tuner_parallel as parallel;
use tuner_rows::TraceSet;
use tuner_rows::kernel::{Code, GROUP};
use tuner_solve::Objective;

/// Vectors side by side.
pub(super) const WIDTH: usize = 8;

/// Parts of the rows of a set at most, each with sums of its own.
const PARTS: usize = 8;

/// A number for each of the vectors that go side by side.
pub(super) type Line = [f64; WIDTH];

/// Numbers by the two lanes of a token, for each of the vectors that go side by side.
/// A line of the cache.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct Lanes([[f32; WIDTH]; 2]);

/// Tokens whose changes a thread fills in at a time.
const TOKENS: usize = 4096;

/// Memory of 64 bytes a token for what vectors change and for the sums of each part: kept from one
/// pass to the next, because to give as much back to the system and to ask for it again takes
/// longer than to use it.
#[derive(Debug, Default)]
pub struct ProductBuffers {
    /// By token, its changes along the vectors.
    along: Vec<Lanes>,
    /// Of each part of the rows, a sum by token.
    sums: Vec<Vec<Lanes>>,
}

/// Fills in the changes of the score of each row of a block along the vectors.
struct Changes<'w, 'a> {
    pass: &'w Pass<'a>,
    block: &'w Block,
    /// What the vectors change, by token.
    along: &'w [Lanes],
    /// Of each row the changes of its score along the vectors, to be filled in.
    lines: &'w mut [Line],
}

impl TokenKernel for Changes<'_, '_> {
    /// Writes, for each row and vector, the change of its score: over the segments, the sum of
    /// factors times the changes of the lane sums, which are the sums of the changes of the tokens.
    #[inline(always)] // into kernels, which are compiled for several machines
    fn run<C: Code>(self, groups: &[[C; GROUP]]) {
        let (pass, along) = (self.pass, self.along);
        for (number, of_row) in self.lines.iter_mut().enumerate() {
            let mut total = [0.0; WIDTH];
            for (factors, tokens) in self.block.segments(pass, groups, number) {
                let mut changes = [[0.0; WIDTH]; 2];
                for code in tokens.as_flattened() {
                    for (change, along) in changes.iter_mut().zip(&along[code.number()].0) {
                        (change.iter_mut().zip(along)).for_each(|(change, v)| *change += v);
                    }
                }
                for (factor, change) in factors.iter().zip(&changes) {
                    (total.iter_mut().zip(change))
                        .for_each(|(t, &change)| *t += factor * f64::from(change));
                }
            }
            *of_row = total;
        }
    }
}

/// Adds up the derivatives of the score of each row of a block, by token, times the row's amounts.
struct AddLines<'w, 'a> {
    pass: &'w Pass<'a>,
    block: &'w Block,
    /// An amount of each row for each vector.
    amounts: &'w [Line],
    /// By token, the sums to be added to.
    sums: &'w mut [Lanes],
}

impl TokenKernel for AddLines<'_, '_> {
    /// Adds, for each token of each row and for both lanes, the row's amounts times the factor that
    /// the segment has for the lane to the sums of the token. A row has eight amounts, one for each
    /// of the vectors that are multiplied side by side, so a token has eight sums for each lane.
    /// The token's coefficients are not in them: they are the same in all rows, and sums are
    /// multiplied by them once, when all rows are added up. Sums are of single precision, as the
    /// time is that of reading and writing them, and two or three digits are wanted.
    #[inline(always)] // into kernels, which are compiled for several machines
    fn run<C: Code>(self, groups: &[[C; GROUP]]) {
        let (pass, sums) = (self.pass, self.sums);
        for (number, amounts) in self.amounts.iter().enumerate() {
            for (factors, tokens) in self.block.segments(pass, groups, number) {
                // By lane, then by vector.
                let shares = factors.map(|factor| amounts.map(|amount| (factor * amount) as f32));
                for code in tokens.as_flattened() {
                    for (sums, shares) in sums[code.number()].0.iter_mut().zip(&shares) {
                        (sums.iter_mut().zip(shares)).for_each(|(sum, share)| *sum += share);
                    }
                }
            }
        }
    }
}

/// By how much each token of a set, with its coefficients, changes the lane sums of a segment along
/// each of up to eight vectors.
#[derive(Clone, Copy)]
pub(super) struct Along<'w>(&'w [Lanes]);

impl Along<'_> {
    /// Overwrites `changes` with the change of the score of each row of a block along each of the
    /// up to eight vectors, at the lanes at which the block was scored.
    pub(super) fn changes(self, pass: &Pass<'_>, block: &Block, changes: &mut Vec<Line>) {
        changes.resize(block.len, [0.0; WIDTH]);
        let kernel = Changes {
            pass,
            block,
            along: self.0,
            lines: changes,
        };
        dispatch_tokens(pass.traces, kernel);
    }
}

/// Returns a pseudo-random sign, ±1, of a game or a variable by its number. It depends on nothing
/// but that number and `probe`: each probe is another set of signs.
pub fn sign(probe: usize, number: u32) -> f64 {
    let number = ((probe as u64) << 32) + u64::from(number) + 1;
    let is_negative = mix(number.wrapping_mul(GOLDEN_GAMMA)) & 1 == 0;
    if is_negative { -1.0 } else { 1.0 }
}

/// Overwrites the list with the amounts of each row of a block, in their order; the log-odds of the
/// block are filled in before.
type Amounts<'c> = dyn Fn(&Pass<'_>, Along<'_>, &mut Block, &mut Vec<Line>) + Sync + 'c;

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
        let along = vectors.iter().map(|vector| reduction.spread(vector));
        let along: Vec<Vec<f64>> = along.collect();
        let mut by_lane = vec![0.0; along.len() * lanes.len()];
        self.passes.vector(&mut by_lane, |pass, sums| {
            pass.products(&lanes, kind, &along, sums);
            0.0 // the sum of numbers that is returned besides is not needed
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
    /// *Cost*: for each eight vectors a pass, which takes as long as two of one vector; `buffers`
    /// keep up to 576 bytes a token, and no more than about four times what the rows take.
    ///
    /// # Errors
    /// If rows cannot be read.
    pub fn curvature_products(
        &self,
        x: &[f64],
        vectors: &[Vec<f64>],
        buffers: &mut ProductBuffers,
    ) -> PassResult<Vec<Vec<f64>>> {
        let _phase = phase("matrix times vectors");
        let of_block =
            |pass: &Pass<'_>, along: Along<'_>, block: &mut Block, lines: &mut Vec<Line>| {
                // Fills in the weighted curvatures of the rows by z, the log-odds, as their slopes:
                // each is multiplied by the changes of the row's score along the vectors.
                block.curvatures(0..block.len, pass.loss, Curvature::GaussNewton);
                along.changes(pass, block, lines);
                for (line, curvature) in lines.iter_mut().zip(&block.slopes) {
                    for amount in line {
                        *amount *= curvature;
                    }
                }
            };
        let mut products = Vec::with_capacity(vectors.len());
        for vectors in vectors.chunks(WIDTH) {
            let some = self.sums_of_lines(x, vectors, vectors.len(), &of_block, buffers)?;
            products.extend(some);
        }
        for product in &mut products {
            scale_by(product, self.second());
        }
        Ok(products)
    }

    /// Returns up to seven random vectors y whose E\[y·yᵀ\] is J, the covariance of the gradient of
    /// E at `x` by the spread of games: √(G/(G − 1))·Σ s·(g − ḡ) over G games with gradients g and
    /// random signs s. There are none where there is one game.
    ///
    /// *Shapes*: a vector has a value for each variable. *Cost*: two passes.
    /// *Source*: M. Hutchinson, A stochastic estimator of the trace of the influence matrix,
    /// Communications in Statistics 19, 1990.
    ///
    /// # Errors
    /// If rows cannot be read.
    ///
    /// # Panics
    /// If `count` is more than seven.
    pub fn covariance_probes(&self, x: &[f64], count: usize) -> PassResult<Vec<Vec<f64>>> {
        assert!(count < WIDTH);
        let games = games_of(self.passes.traces, self.passes.part)?;
        if games.len() < 2 {
            return Ok(Vec::new());
        }
        // After `count` random signs 1, for the sum of the gradients of all games.
        let signs = |game: u32| -> Line {
            std::array::from_fn(|probe| {
                if probe < count {
                    sign(probe, game)
                } else {
                    1.0
                }
            })
        };
        let of_block = |pass: &Pass<'_>, _: Along<'_>, block: &mut Block, lines: &mut Vec<Line>| {
            // Fills in the slopes of the penalties by z, by which the derivatives of a row's score
            // are multiplied.
            block.penalties(pass.loss);
            lines.clear();
            let rows = block.rows[..block.len].iter().zip(&block.slopes);
            lines.extend(rows.map(|(&row, slope)| {
                signs(pass.traces.game(row as usize)).map(|sign| sign * slope)
            }));
        };
        let buffers = &mut ProductBuffers::default();
        let mut probes = self.sums_of_lines(x, &[], count + 1, &of_block, buffers)?;
        let total = probes.pop().unwrap_or_default(); // always there, as one more was asked for
        let number = games.len() as f64;
        let correction = (number / (number - 1.0)).sqrt();
        for (probe, y) in probes.iter_mut().enumerate() {
            let of_mean = games.iter().map(|&game| signs(game)[probe]).sum::<f64>() / number;
            // What the random signs add up to is taken off, which centres the games' gradients.
            for (y, total) in y.iter_mut().zip(&total) {
                *y = correction * self.first() * (*y - of_mean * total);
            }
        }
        Ok(probes)
    }

    /// Returns `count` sums over all rows, each with a value for each variable: of the derivatives
    /// of the score times a number of the row. `amounts` writes these numbers, the first `count` of
    /// up to eight, for all rows of a block; it is given the changes along the `vectors`, of which
    /// there may be none. Sums are by z, neither divided by weights nor multiplied by β.
    ///
    /// *Cost*: 64 bytes a token for each of up to eight parts of the rows, and as many along the
    /// vectors: no more than about four times what the rows take.
    fn sums_of_lines(
        &self,
        x: &[f64],
        vectors: &[Vec<f64>],
        count: usize,
        amounts: &Amounts<'_>,
        buffers: &mut ProductBuffers,
    ) -> PassResult<Vec<Vec<f64>>> {
        let lanes = self.reduction().lanes(x);
        let mut totals = vec![vec![0.0; self.len()]; count];
        for_each_set(self.passes.traces, |set| {
            let (pass, table) = (self.passes.over(set), set.table(&lanes));
            let ProductBuffers { along, sums } = &mut *buffers;
            let along = self.along(set, vectors, along);
            // At most as many parts as there are groups of tokens in the rows for each token of the
            // set, from 1 to `PARTS` (8) and rounded down to a power of two: of few rows parts are
            // few, as to empty their sums and add them up takes its time too. A set has at least
            // one token, the padding.
            let (tokens, groups) = (set.tokens().len(), set.row_start(set.len()));
            let most = 1 << (groups / tokens).clamp(1, PARTS).ilog2();
            let size = set.len().div_ceil(most).max(1).next_multiple_of(CHUNK);
            let parts = set.len().div_ceil(size);
            sums.resize_with(sums.len().max(parts), Vec::new);
            let sums = &mut sums[..parts];
            parallel::for_each_part(sums.iter_mut().enumerate(), |(part, sums)| {
                // Not `vec![…; tokens]`: such zeros become memory page by page when they are first
                // written, and a page that is read before, as sums are, costs twice.
                sums.clear();
                sums.resize(tokens, Lanes::default());
                let (mut block, mut lines) = (Block::new(), Vec::new());
                let rows = part * size..((part + 1) * size).min(set.len());
                pass.each_block(&mut block, rows, &table, |block| {
                    amounts(&pass, along, block, &mut lines);
                    let kernel = AddLines {
                        pass: &pass,
                        block,
                        amounts: &lines,
                        sums,
                    };
                    dispatch_tokens(set, kernel);
                });
            });
            self.each_lane(set, 0..tokens, |token, lane, variable, factor| {
                let mut line = [0.0; WIDTH];
                for part in &*sums {
                    add_up(&mut line, part[token].0[lane].map(f64::from));
                }
                for (total, sum) in totals.iter_mut().zip(line) {
                    total[variable] += factor * sum;
                }
            });
        })?;
        for total in &mut totals {
            self.passes.traces.ranks().sum(total);
        }
        Ok(totals)
    }

    /// Returns, for each token of a set, by how much it changes the two lane sums of a segment
    /// where the variables move along each of up to eight vectors; written to `lanes`. Without
    /// vectors it is empty.
    pub(super) fn along<'w>(
        &self,
        set: &TraceSet,
        vectors: &[Vec<f64>],
        lanes: &'w mut Vec<Lanes>,
    ) -> Along<'w> {
        let tokens = set.tokens().len();
        let count = if vectors.is_empty() { 0 } else { tokens };
        lanes.resize(count, Lanes::default());
        let parts = lanes.chunks_mut(TOKENS).zip((0..).step_by(TOKENS));
        parallel::for_each_part(parts, |(lanes, first)| {
            lanes.fill(Lanes::default());
            let tokens = first..first + lanes.len();
            self.each_lane(set, tokens, |token, lane, variable, factor| {
                for (number, vector) in lanes[token - first].0[lane].iter_mut().zip(vectors) {
                    *number = (factor * vector[variable]) as f32;
                }
            });
        });
        Along(lanes)
    }

    /// Calls `look` for each lane of some tokens of a set that has a variable and a coefficient
    /// other than 0. It is given the number of the token in the set, the lane (0 or 1), the
    /// variable, and the change of the lane's sum per unit of the variable: the coefficient times
    /// the factor of the tie.
    pub(super) fn each_lane(
        &self,
        set: &TraceSet,
        tokens: Range<usize>,
        mut look: impl FnMut(usize, usize, usize, f64),
    ) {
        let terms = self.reduction().lane_terms();
        for (number, token) in tokens.clone().zip(&set.tokens()[tokens]) {
            for (lane, coefficient) in token.coefficients.into_iter().enumerate() {
                if coefficient == 0 {
                    continue;
                }
                let term = &terms[2 * token.slot as usize + lane];
                if let Some(variable) = term.variable {
                    let factor = f64::from(coefficient) * term.factor;
                    look(number, lane, variable.index(), factor);
                }
            }
        }
    }
}
