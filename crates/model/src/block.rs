//! A few hundred rows at a time: their scores, what is lost by them, and how
//! the loss changes with each.
//!
//! A pass reads a block's tokens for the scores, then turns scores into
//! penalties side by side, then reads the tokens again, which are still in the
//! nearest cache.

use std::ops::Range;

use super::passes::Pass;
use super::simd::{Kernel, TokenKernel, dispatch, dispatch_tokens};
use super::{Curvature, Loss};
use tuner_rows::kernel::{Cells, Code, GROUP, LinearisedRows, gather, scatter};
use tuner_rows::{Row, Table, TokenSums};

/// Rows of a block: their tokens take some 20 kB.
const BLOCK: usize = 256;

/// The loss of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowLoss {
    /// The number of the row.
    pub(super) row: u32,
    /// Log-odds.
    pub(super) z: f64,
    /// Its weight.
    pub(super) weight: f64,
    /// The penalty at `z`, times the weight.
    pub(super) loss: f64,
}

/// Cuts some rows into blocks: the first row and the number of rows of each, at most [`BLOCK`].
pub(super) fn blocks(rows: Range<usize>) -> impl Iterator<Item = (usize, usize)> {
    let end = rows.end;
    rows.step_by(BLOCK)
        .map(move |first| (first, BLOCK.min(end - first)))
}

/// The rows of a block that a pass reads, side by side: of each array the first `len` values count.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) len: usize,
    /// The number of each row in the set.
    pub(super) rows: [u32; BLOCK],
    /// Where each starts: the number of its first group among the set's groups of tokens.
    pub(super) offsets: [usize; BLOCK],
    /// Log-odds of each, β·score.
    pub(super) z: [f64; BLOCK],
    outcomes: [f64; BLOCK],
    weights: [f64; BLOCK],
    /// Derivatives of the penalty by z, or curvatures, times the row's weight.
    pub(super) slopes: [f64; BLOCK],
    values: [f64; BLOCK],
    /// Of all rows that are not linear, the change of the score by the two lane sums of each
    /// segment; and where those of each row start and end, at the same place for linear rows, which
    /// have none here.
    factors: Vec<[f64; 2]>,
    starts: [u32; BLOCK],
    ends: [u32; BLOCK],
    batch: LinearisedRows,
}

impl Block {
    /// Makes a block without rows.
    pub(super) fn new() -> Self {
        Self {
            len: 0,
            rows: [0; BLOCK],
            offsets: [0; BLOCK],
            z: [0.0; BLOCK],
            outcomes: [0.0; BLOCK],
            weights: [0.0; BLOCK],
            slopes: [0.0; BLOCK],
            values: [0.0; BLOCK],
            factors: Vec::new(),
            starts: [0; BLOCK],
            ends: [0; BLOCK],
            batch: LinearisedRows::default(),
        }
    }

    /// Fills the block with those of the rows `first..first + count`, at most [`BLOCK`], that the
    /// pass reads; row `first` starts at group `offset` of the set's tokens. Returns the group
    /// where row `first + count` starts. Log-odds and slopes are still those of the rows that were
    /// in the block before.
    pub(super) fn pick(
        &mut self,
        pass: &Pass<'_>,
        first: usize,
        count: usize,
        mut offset: usize,
    ) -> usize {
        let set = pass.traces;
        let (outcomes, weights) = (&mut self.outcomes[..count], &mut self.weights[..count]);
        set.read_columns(first, outcomes, weights);
        self.len = 0;
        for number in 0..count {
            // Written also for a row that is not read: the next one then takes its place.
            let to = self.len;
            self.rows[to] = (first + number) as u32;
            self.offsets[to] = offset;
            self.outcomes[to] = self.outcomes[number];
            self.weights[to] = self.weights[number];
            self.len += usize::from(pass.reads(set.game(first + number)));
            offset = set.row_end(offset);
        }
        offset
    }

    /// Returns a row by its place in the block.
    #[inline]
    pub(super) fn row<'a>(&self, pass: &Pass<'a>, number: usize) -> Row<'a> {
        pass.traces
            .row_at(self.rows[number] as usize, self.offsets[number])
    }

    /// Fills in the log-odds of all rows of the block, at the values of lanes in a table, and of
    /// rows that are not linear the factors: the derivatives of the score by the two lane sums of
    /// each segment.
    pub(super) fn score(&mut self, pass: &Pass<'_>, table: &Table) {
        self.begin_scores();
        let mut number = 0;
        while number < self.len {
            number += self.score_next(pass, table, number);
        }
    }

    /// Forgets what the scoring of the rows before left: their factors, and which list of steps was
    /// evaluated last, as the next rows may be of another set. To be called each time that the
    /// block has been filled, before the first [`score_next`](Self::score_next).
    pub(super) fn begin_scores(&mut self) {
        self.factors.clear();
        self.batch.clear();
    }

    /// Fills in the log-odds of row `first` and of rows behind it: of all linear ones up to the
    /// next that is not; or where `first` is not linear, of those that are evaluated together with
    /// it, as they have the same steps. Returns how many rows they are.
    pub(super) fn score_next(&mut self, pass: &Pass<'_>, table: &Table, first: usize) -> usize {
        let set = pass.traces;
        let linear = |row: &&u32| set.is_linear(**row as usize);
        let rows = &self.rows[first..self.len];
        let count = rows.iter().take_while(linear).count();
        if count > 0 {
            let rows = first..first + count;
            let kernel = ScoreLinear {
                block: self,
                pass,
                table,
                rows,
            };
            dispatch_tokens(set, kernel);
            return count;
        }
        // First the kernel writes the linear part of each row's score to `z` and the number of its
        // segments to `ends`, and hands the lane sums to the batch; then the batch evaluates all
        // expressions side by side.
        let count = self.batch.begin(set, rows);
        let rows = first..first + count;
        let kernel = ReadNonlinear {
            block: self,
            pass,
            table,
            rows: rows.clone(),
        };
        dispatch_tokens(set, kernel);
        dispatch(Evaluate(&mut self.batch));
        for (place, number) in rows.enumerate() {
            self.z[number] = pass.beta * (self.z[number] + self.batch.value(place));
            // The number of segments is read before `ends` gets its own meaning: where in
            // `factors` those of the row end.
            let segments = self.ends[number] as usize;
            self.starts[number] = self.factors.len() as u32;
            self.factors.extend(self.batch.factors(place, segments));
            self.ends[number] = self.factors.len() as u32;
        }
        count
    }

    /// Computes the second derivatives of the scores of the rows that
    /// [`score_next`](Self::score_next) scored last, which must not be linear. They are then in the
    /// rows that [`batch`](Self::batch) returns.
    pub(super) fn differentiate(&mut self) {
        dispatch(Differentiate(&mut self.batch));
    }

    /// Returns the rows that [`score_next`](Self::score_next) scored last, which must not be
    /// linear, as they were evaluated side by side: values and derivatives by the place of a row
    /// among them.
    pub(super) fn batch(&self) -> &LinearisedRows {
        &self.batch
    }

    /// Fills in `values` with each row's weight times its penalty, and `slopes` with the derivative
    /// of that by z, the log-odds; returns the sum of `values`. Log-odds must be filled in.
    pub(super) fn penalties(&mut self, loss: Loss) -> f64 {
        dispatch(Penalties { block: self, loss });
        self.values[..self.len].iter().sum()
    }

    /// Returns number, log-odds, weight and weighted penalty of the row at a place in the block;
    /// [`penalties`](Self::penalties) must have filled in the penalty.
    #[inline]
    pub(super) fn loss(&self, number: usize) -> RowLoss {
        RowLoss {
            row: self.rows[number],
            z: self.z[number],
            weight: self.weights[number],
            loss: self.values[number],
        }
    }

    /// Fills in `slopes` of the rows at the places `rows` with the row's weight times the curvature
    /// of its penalty by z, the log-odds: the second derivative for Newton, the part of it that is
    /// never negative for Gauss and Newton. Log-odds must be filled in.
    pub(super) fn curvatures(&mut self, rows: Range<usize>, loss: Loss, kind: Curvature) {
        dispatch(Curvatures {
            block: self,
            rows,
            loss,
            kind,
        });
    }

    /// Multiplies the slope of each row by the change of its score along a direction; the table
    /// `along` has the change of each lane. Factors of rows that are not linear must be filled in.
    pub(super) fn times_changes(&mut self, pass: &Pass<'_>, along: &Table) {
        let kernel = TimesChanges {
            block: self,
            pass,
            along,
        };
        dispatch_tokens(pass.traces, kernel);
    }

    /// Adds, for each token of each row, the row's slope times the factors of the token's segment
    /// to the two sums of the token. From sums by token the derivatives by lane follow, as each
    /// token is a slot with two coefficients. Slopes, and factors of rows that are not linear, must
    /// be filled in.
    pub(super) fn scatter(&self, pass: &Pass<'_>, sums: &mut TokenSums) {
        let kernel = Scatter {
            block: self,
            pass,
            sums,
        };
        dispatch_tokens(pass.traces, kernel);
    }

    /// Returns the derivative by z, the log-odds, of the penalty of the row at a place in the
    /// block, times its weight.
    #[inline]
    pub(super) fn slope(&self, loss: Loss, number: usize) -> f64 {
        self.weights[number] * loss.penalty(self.z[number], self.outcomes[number]).slope
    }

    /// Returns the derivatives of the score of the row at the place `number` in the block by the
    /// two lane sums of each segment, at the lanes at which it was scored. Empty for a linear row,
    /// whose factors are constants that the set has.
    #[inline]
    pub(super) fn factors(&self, number: usize) -> &[[f64; 2]] {
        &self.factors[self.starts[number] as usize..self.ends[number] as usize]
    }

    /// Iterates over the segments of the row at the place `number` in the block: the factors by
    /// which the two lane sums of the segment change the score, and the segment's groups of tokens.
    /// Rows must be scored, as the factors of one that is not linear depend on the lanes.
    #[inline(always)] // into kernels, which are compiled for several machines
    pub(super) fn segments<'a, C: Code>(
        &'a self,
        pass: &Pass<'a>,
        groups: &'a [[C; GROUP]],
        number: usize,
    ) -> impl Iterator<Item = ([f64; 2], &'a [[C; GROUP]])> {
        let set = pass.traces;
        let mut nonlinear = self.factors(number).iter();
        segments(groups, self.offsets[number]).map(move |(factors, tokens)| {
            // The block has factors of rows that are not linear alone. For a linear row the header
            // of a segment has the number of its factors, which are constants of the set.
            let factors = match nonlinear.next() {
                Some(&factors) => factors,
                None => set.factors(factors),
            };
            (factors, tokens)
        })
    }
}

/// Fills in the log-odds of linear rows, at the places `rows` in the block, at the lanes of
/// `table`; they get no factors.
struct ScoreLinear<'w, 'a> {
    block: &'w mut Block,
    pass: &'w Pass<'a>,
    table: &'w Table,
    rows: Range<usize>,
}

impl TokenKernel for ScoreLinear<'_, '_> {
    /// Fills in the log-odds of each row, β times its score: its constant, and of each segment the
    /// two sums over its tokens, of coefficient times lane, times the factors, which are constants
    /// of the set. In the block's list of factors a linear row has an empty part.
    #[inline(always)] // into kernels, which are compiled for several machines
    fn run<C: Code>(self, groups: &[[C; GROUP]]) {
        let (block, set, cells) = (self.block, self.pass.traces, C::Cells::of_table(self.table));
        for number in self.rows {
            let mut score = set.constant(block.rows[number] as usize);
            for (factors, tokens) in segments(groups, block.offsets[number]) {
                let sums = gather(tokens, cells);
                let factors = set.factors(factors);
                score += factors[0] * sums[0] + factors[1] * sums[1];
            }
            block.z[number] = self.pass.beta * score;
            block.starts[number] = block.factors.len() as u32;
            block.ends[number] = block.factors.len() as u32;
        }
    }
}

/// Reads rows that are not linear and are evaluated together, at the places `rows` in the block.
/// Until then their `z` is the linear part of the score, and their `ends` the number of their
/// segments.
struct ReadNonlinear<'w, 'a> {
    block: &'w mut Block,
    pass: &'w Pass<'a>,
    table: &'w Table,
    rows: Range<usize>,
}

impl TokenKernel for ReadNonlinear<'_, '_> {
    /// Reads each row for the batch that will evaluate its expression: hands the lane sums and
    /// factors of its segments to the batch, and leaves in `z` the linear part of the score and in
    /// `ends` the number of the row's segments, until the batch has evaluated the row.
    #[inline(always)] // into kernels, which are compiled for several machines
    fn run<C: Code>(self, groups: &[[C; GROUP]]) {
        let (block, set, cells) = (self.block, self.pass.traces, C::Cells::of_table(self.table));
        for (place, number) in self.rows.enumerate() {
            let mut score = set.constant(block.rows[number] as usize);
            let mut count = 0;
            for (factors, tokens) in segments(groups, block.offsets[number]) {
                let sums = gather(tokens, cells);
                let factors = set.factors(factors);
                score += factors[0] * sums[0] + factors[1] * sums[1];
                block.batch.set(place, count, sums, factors);
                count += 1;
            }
            block.z[number] = score;
            block.ends[number] = count as u32;
        }
    }
}

/// Evaluates rows side by side.
struct Evaluate<'w>(&'w mut LinearisedRows);

impl Kernel for Evaluate<'_> {
    #[inline(always)] // into kernels, which are compiled for several machines
    fn run(self) {
        self.0.evaluate();
    }
}

/// Computes the second derivatives of rows side by side.
struct Differentiate<'w>(&'w mut LinearisedRows);

impl Kernel for Differentiate<'_> {
    #[inline(always)] // into kernels, which are compiled for several machines
    fn run(self) {
        self.0.differentiate();
    }
}

/// Fills in the weighted penalty of each row of a block, and its slope by z.
struct Penalties<'w> {
    block: &'w mut Block,
    loss: Loss,
}

impl Kernel for Penalties<'_> {
    #[inline(always)] // into kernels, which are compiled for several machines
    fn run(self) {
        // One loop for each loss: a choice within would keep rows from being done side by side.
        match self.loss {
            Loss::Squared => self.of(Loss::Squared),
            Loss::CrossEntropy => self.of(Loss::CrossEntropy),
            loss @ Loss::Power(_) => self.of(loss),
        }
    }
}

impl Penalties<'_> {
    /// Fills in the weighted penalties and slopes of all rows, for a loss that is known when it is
    /// compiled.
    #[inline(always)] // into kernels, which are compiled for several machines
    fn of(self, loss: Loss) {
        let block = self.block;
        for number in 0..block.len {
            let weight = block.weights[number];
            let penalty = loss.penalty(block.z[number], block.outcomes[number]);
            block.values[number] = weight * penalty.value;
            block.slopes[number] = weight * penalty.slope;
        }
    }
}

/// Fills in the weighted curvature by z in place of the slope, of the rows at the places `rows`.
struct Curvatures<'w> {
    block: &'w mut Block,
    rows: Range<usize>,
    loss: Loss,
    kind: Curvature,
}

impl Kernel for Curvatures<'_> {
    #[inline(always)] // into kernels, which are compiled for several machines
    fn run(self) {
        // One loop for each loss: a choice within would keep rows from being done side by side.
        match self.loss {
            Loss::Squared => self.of(Loss::Squared),
            Loss::CrossEntropy => self.of(Loss::CrossEntropy),
            loss @ Loss::Power(_) => self.of(loss),
        }
    }
}

impl Curvatures<'_> {
    /// Fills in the weighted curvatures of the rows, for a loss that is known when it is compiled.
    #[inline(always)] // into kernels, which are compiled for several machines
    fn of(self, loss: Loss) {
        let block = self.block;
        for number in self.rows {
            let curvature = loss.curvature(self.kind, block.z[number], block.outcomes[number]);
            block.slopes[number] = block.weights[number] * curvature;
        }
    }
}

/// Multiplies the slope of each row by the change of its score along a direction.
struct TimesChanges<'w, 'a> {
    block: &'w mut Block,
    pass: &'w Pass<'a>,
    along: &'w Table,
}

impl TokenKernel for TimesChanges<'_, '_> {
    /// Multiplies the number of each row in `slopes`, its weighted slope or curvature by z, by the
    /// change of its score along a direction: over the row's segments, the sum of factors times the
    /// changes of the lane sums. `along` has the change of each lane.
    #[inline(always)] // into kernels, which are compiled for several machines
    fn run<C: Code>(self, groups: &[[C; GROUP]]) {
        let (block, cells) = (self.block, C::Cells::of_table(self.along));
        for number in 0..block.len {
            let mut change = 0.0;
            for (factors, tokens) in block.segments(self.pass, groups, number) {
                let sums = gather(tokens, cells);
                change += factors[0] * sums[0] + factors[1] * sums[1];
            }
            block.slopes[number] *= change;
        }
    }
}

/// Adds the slope of each row, times the factors of its segments, to the sums of their tokens.
struct Scatter<'w, 'a> {
    block: &'w Block,
    pass: &'w Pass<'a>,
    sums: &'w mut TokenSums,
}

impl TokenKernel for Scatter<'_, '_> {
    /// Adds the number of each row in `slopes` (its weighted slope by z, or that of a product),
    /// times the factors of the segment, to the sums of the segment's tokens.
    #[inline(always)] // into kernels, which are compiled for several machines
    fn run<C: Code>(self, groups: &[[C; GROUP]]) {
        let (block, cells) = (self.block, C::Cells::of_sums(self.sums));
        for number in 0..block.len {
            let slope = block.slopes[number];
            for (factors, tokens) in block.segments(self.pass, groups, number) {
                scatter(tokens, factors.map(|factor| slope * factor), cells);
            }
        }
    }
}

/// Iterates over the segments of the row that starts at group `offset`: the number, in the set, of
/// the segment's factors, and its groups of tokens. A segment begins with a header, one group,
/// which has that number, how many groups follow, and whether it is the row's last segment.
///
/// An iterator, because a closure as large as a kernel's loop is not inlined.
#[inline(always)] // into kernels, which are compiled for several machines
fn segments<C: Code>(
    groups: &[[C; GROUP]],
    mut offset: usize,
) -> impl Iterator<Item = (u32, &[[C; GROUP]])> {
    let mut ended = false;
    std::iter::from_fn(move || {
        if ended {
            return None;
        }
        let header = C::header(groups[offset]);
        let start = offset + 1;
        offset = start + header.groups;
        ended = header.last;
        Some((header.factors, &groups[start..offset]))
    })
}
