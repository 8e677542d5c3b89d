//! A few hundred rows at a time: their scores, what is lost by them, and how
//! the loss changes with each.
//!
//! A pass reads a block's tokens for the scores, then turns scores into
//! penalties side by side, then reads the tokens again, which are still in the
//! nearest cache.

use std::ops::Range;

use super::gradient::{RowLoss, segments};
use super::passes::Pass;
use super::{Curvature, Loss};
use tuner_rows::Row;
use tuner_rows::kernel::{Cells, Code, GROUP, LinearisedRows, WIDTH, gather, row_end};

/// Rows of a block: their tokens take some 20 kB.
pub(super) const BLOCK: usize = 256;

/// The rows of a block that belong to the part, and numbers of each.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) len: usize,
    /// The number of each row in the set.
    pub(super) rows: [u32; BLOCK],
    /// Where each starts in the stream.
    pub(super) offsets: [usize; BLOCK],
    /// Log-odds.
    pub(super) z: [f64; BLOCK],
    outcomes: [f64; BLOCK],
    weights: [f64; BLOCK],
    /// Derivatives of the penalty by z, or curvatures, times the row's weight.
    pub(super) slopes: [f64; BLOCK],
    values: [f64; BLOCK],
    /// Factors of the segments of rows that are not linear, and where those of
    /// each row start; empty for linear ones.
    factors: Vec<[f64; 2]>,
    starts: [u32; BLOCK],
    ends: [u32; BLOCK],
    batch: LinearisedRows,
}

impl Block {
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

    /// Moves to the rows of `first..first + count` that belong to the part; the
    /// first of them starts at `offset`. Returns where the last one ends.
    #[inline(always)] // into kernels
    pub(super) fn pick<C: Code>(
        &mut self,
        pass: &Pass<'_>,
        groups: &[[C; GROUP]],
        first: usize,
        count: usize,
        mut offset: usize,
    ) -> usize {
        let set = pass.traces;
        set.read_columns(
            first,
            &mut self.outcomes[..count],
            &mut self.weights[..count],
        );
        self.len = 0;
        for number in 0..count {
            let to = self.len;
            self.rows[to] = (first + number) as u32;
            self.offsets[to] = offset;
            self.outcomes[to] = self.outcomes[number];
            self.weights[to] = self.weights[number];
            self.len += usize::from(pass.reads(set.game(first + number)));
            offset = row_end(groups, offset);
        }
        offset
    }

    #[inline]
    pub(super) fn row<'a>(&self, pass: &Pass<'a>, number: usize) -> Row<'a> {
        pass.traces
            .row_at(self.rows[number] as usize, self.offsets[number])
    }

    /// Fills in the log-odds. `cells` are those of the table, as an array where
    /// tokens are narrow.
    #[inline(always)] // into kernels
    pub(super) fn score<C: Code, P: Cells + ?Sized>(
        &mut self,
        pass: &Pass<'_>,
        groups: &[[C; GROUP]],
        cells: &P,
    ) {
        self.begin_scores();
        let mut number = 0;
        while number < self.len {
            number += self.score_next(pass, groups, cells, number);
        }
    }

    /// Forgets factors: the next to be scored is the first row.
    #[inline(always)] // into kernels
    pub(super) fn begin_scores(&mut self) {
        self.factors.clear();
        self.batch.clear();
    }

    /// Fills in the log-odds of a row and some behind it, as long as they are linear or else
    /// evaluated together; returns how many they are.
    #[inline(always)] // into kernels
    pub(super) fn score_next<C: Code, P: Cells + ?Sized>(
        &mut self,
        pass: &Pass<'_>,
        groups: &[[C; GROUP]],
        cells: &P,
        number: usize,
    ) -> usize {
        let mut next = number;
        while next < self.len {
            let row = self.rows[next] as usize;
            if !pass.traces.is_linear(row) {
                break;
            }
            self.z[next] = pass.beta * linear_score(pass, groups, cells, row, self.offsets[next]);
            self.starts[next] = self.factors.len() as u32;
            self.ends[next] = self.factors.len() as u32;
            next += 1;
        }
        if next == number {
            return self.score_alike(pass, groups, cells, number);
        }
        next - number
    }

    /// The rows scored last, side by side, if they are not linear.
    pub(super) fn batch(&mut self) -> &mut LinearisedRows {
        &mut self.batch
    }

    /// Fills in the log-odds and factors of a row that is not linear, and of those behind
    /// it that have the same steps; returns how many they are.
    #[inline(always)] // into kernels
    fn score_alike<C: Code, P: Cells + ?Sized>(
        &mut self,
        pass: &Pass<'_>,
        groups: &[[C; GROUP]],
        cells: &P,
        first: usize,
    ) -> usize {
        let (set, batch) = (pass.traces, &mut self.batch);
        let count = batch.begin(set, &self.rows[first..self.len]);
        let (mut scores, mut counts) = ([0.0; WIDTH], [0; WIDTH]);
        for place in 0..count {
            let mut score = set.constant(self.rows[first + place] as usize);
            let mut segment = 0;
            for (factors, tokens) in segments(groups, self.offsets[first + place]) {
                let sums = gather(tokens, cells);
                let factors = set.factors(factors);
                score += factors[0] * sums[0] + factors[1] * sums[1];
                batch.set(place, segment, sums, factors);
                segment += 1;
            }
            (scores[place], counts[place]) = (score, segment);
        }
        batch.evaluate();
        for place in 0..count {
            let number = first + place;
            self.z[number] = pass.beta * (scores[place] + batch.value(place));
            self.starts[number] = self.factors.len() as u32;
            self.factors.extend(batch.factors(place, counts[place]));
            self.ends[number] = self.factors.len() as u32;
        }
        count
    }

    /// Fills in the slopes, and returns the sum of the penalties.
    #[inline(always)] // into kernels
    pub(super) fn penalties(&mut self, loss: Loss) -> f64 {
        // One loop for each loss: a choice within would keep it from being
        // done side by side.
        match loss {
            Loss::Squared => self.penalties_of(Loss::Squared),
            Loss::CrossEntropy => self.penalties_of(Loss::CrossEntropy),
            Loss::Power(_) => self.penalties_of(loss),
        }
        self.values[..self.len].iter().sum()
    }

    /// What is lost by a row, behind [`penalties`](Self::penalties).
    #[inline]
    pub(super) fn loss(&self, number: usize) -> RowLoss {
        RowLoss {
            row: self.rows[number],
            z: self.z[number],
            weight: self.weights[number],
            loss: self.values[number],
        }
    }

    #[inline(always)] // as above
    fn penalties_of(&mut self, loss: Loss) {
        for number in 0..self.len {
            let weight = self.weights[number];
            let penalty = loss.penalty(self.z[number], self.outcomes[number]);
            self.values[number] = weight * penalty.value;
            self.slopes[number] = weight * penalty.slope;
        }
    }

    /// Fills in curvatures in place of slopes, of some rows.
    #[inline(always)] // into kernels
    pub(super) fn curvatures(&mut self, rows: Range<usize>, loss: Loss, kind: Curvature) {
        match loss {
            Loss::Squared => self.curvatures_of(rows, Loss::Squared, kind),
            Loss::CrossEntropy => self.curvatures_of(rows, Loss::CrossEntropy, kind),
            Loss::Power(_) => self.curvatures_of(rows, loss, kind),
        }
    }

    /// The derivative of a row's penalty by z, times its weight.
    #[inline]
    pub(super) fn slope(&self, loss: Loss, number: usize) -> f64 {
        self.weights[number] * loss.penalty(self.z[number], self.outcomes[number]).slope
    }

    #[inline(always)] // as above
    fn curvatures_of(&mut self, rows: Range<usize>, loss: Loss, kind: Curvature) {
        for number in rows {
            let curvature = loss.curvature(kind, self.z[number], self.outcomes[number]);
            self.slopes[number] = self.weights[number] * curvature;
        }
    }

    /// The factors of the segments of a row that is not linear; empty for one
    /// that is.
    #[inline]
    pub(super) fn factors(&self, number: usize) -> &[[f64; 2]] {
        &self.factors[self.starts[number] as usize..self.ends[number] as usize]
    }
}

#[inline(always)] // into kernels
fn linear_score<C: Code, P: Cells + ?Sized>(
    pass: &Pass<'_>,
    groups: &[[C; GROUP]],
    cells: &P,
    row: usize,
    offset: usize,
) -> f64 {
    let set = pass.traces;
    let mut score = set.constant(row);
    for (factors, tokens) in segments(groups, offset) {
        let sums = gather(tokens, cells);
        let factors = set.factors(factors);
        score += factors[0] * sums[0] + factors[1] * sums[1];
    }
    score
}
