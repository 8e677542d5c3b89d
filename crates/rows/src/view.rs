//! Reading rows back from a trace set.

use std::sync::Arc;

use super::TraceSet;
use super::shapes::Shapes;
use super::stream::{Code, GROUP, Groups, INDEXED};
use super::table::{Cells, Table, TokenSums};
use super::tokens::{PADDING, Token};
use tuner_base::Slot;
use tuner_trace::{Expression, ExpressionValues, Step, Tangents};

/// One row of a trace set.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    pub(super) set: &'a TraceSet,
    /// The number of the row.
    pub index: usize,
    /// The number of the group where its first segment starts.
    pub(super) offset: usize,
}

/// Iterates over consecutive rows. Cheap: one walk along the stream.
#[derive(Clone, Debug)]
pub struct Rows<'a> {
    pub(super) set: &'a TraceSet,
    pub(super) next: usize,
    pub(super) end: usize,
    pub(super) offset: usize,
}

/// Iterates over the segments of one row.
#[derive(Clone, Debug)]
pub struct Segments<'a> {
    set: &'a TraceSet,
    offset: usize,
    done: bool,
}

/// One stored segment. A long one of a draft comes back as several with the
/// same factors, entries sorted by slot within each.
#[derive(Clone, Copy, Debug)]
pub struct SegmentView<'a> {
    /// The factors of lane 0 and lane 1.
    pub factors: [f64; 2],
    tokens: &'a [Token],
    codes: Codes<'a>,
}

/// The groups of one segment, of codes of 16 or of 32 bits.
#[derive(Clone, Copy, Debug)]
enum Codes<'a> {
    Narrow(&'a [[u16; GROUP]]),
    Wide(&'a [[u32; GROUP]]),
}

impl<'a> Row<'a> {
    /// Returns the result R, or the target in its place, in [0, 1], for the first player.
    #[inline]
    pub fn outcome(&self) -> f64 {
        self.set.outcomes.get(self.index)
    }

    /// Returns the number of the game that the position comes from.
    #[inline]
    pub fn game(&self) -> u32 {
        self.set.data.games[self.index]
    }

    /// Returns how often the row counts.
    #[inline]
    pub fn weight(&self) -> f64 {
        self.set.weights.get(self.index)
    }

    /// Returns the part of the score that no weight explains.
    #[inline]
    pub fn constant(&self) -> f64 {
        self.set.data.constants.get(self.index)
    }

    /// Returns the score of a search, in centipawns for the first player; `None` if the data had
    /// none.
    #[inline]
    pub fn search_score(&self) -> Option<i32> {
        // NaN is stored where there was no score.
        let score = self.set.data.search_scores.get(self.index);
        (!score.is_nan()).then_some(score as i32)
    }

    /// Iterates over the segments of the row.
    #[inline]
    pub fn segments(&self) -> Segments<'a> {
        Segments {
            set: self.set,
            offset: self.offset,
            done: false,
        }
    }

    /// Tells whether the row has no expression.
    #[inline]
    pub fn is_linear(&self) -> bool {
        self.set.data.nonlinear.is_linear(self.index)
    }

    /// Returns the part of the score that is not linear; its input `2·i + l` is the sum over lane
    /// `l` of segment `i`. `None` of a linear row. *Cost*: a copy; [`is_linear`](Self::is_linear)
    /// tells at no cost whether there is one.
    pub fn expression(&self) -> Option<Expression> {
        if self.is_linear() {
            return None;
        }
        let mut steps = Vec::new();
        self.set.data.nonlinear.read_steps(self.index, &mut steps);
        Some(Expression {
            steps,
            constants: self.set.data.nonlinear.constants(self.index).to_vec(),
        })
    }

    /// Returns the score of the row, in centipawns, at the weights `lanes`.
    ///
    /// *Shapes*: `lanes` has two values per slot.
    ///
    /// # Panics
    /// If `lanes` is shorter than the largest slot of the row asks for.
    pub fn score(&self, lanes: &[f64]) -> f64 {
        let (pairs, _) = lanes.as_chunks::<2>();
        if !self.is_linear() {
            return Linearised::default().score(self, lanes);
        }
        self.segments().fold(self.constant(), |score, segment| {
            let sums = segment.sums_at(pairs);
            score + segment.factors[0] * sums[0] + segment.factors[1] * sums[1]
        })
    }
}

/// A row as it is at certain lanes: its score, and the factors by which its
/// segments change it there. Of a linear row these are the stored factors.
///
/// Keeps its buffers from one row to the next.
#[derive(Clone, Debug, Default)]
pub struct Linearised {
    evaluation: ExpressionValues,
    /// The lists that `steps` is one of, and its number.
    shapes: Arc<Shapes>,
    shape: u32,
    steps: Vec<Step>,
    sums: Vec<f64>,
    /// Factors of all segments, two each; empty for a linear row.
    factors: Vec<f64>,
    tangents: Tangents,
    seconds: Vec<f64>,
}

impl Linearised {
    /// Reads the list of steps of a row, unless it is the one read last: most rows that follow each
    /// other share theirs. Lists are known by their number, within the lists of one set.
    #[inline]
    fn read_steps(&mut self, row: &Row<'_>) {
        let nonlinear = &row.set.data.nonlinear;
        let shape = nonlinear.shape(row.index);
        if self.shape != shape || !Arc::ptr_eq(&self.shapes, &nonlinear.shapes) {
            nonlinear.read_steps(row.index, &mut self.steps);
            self.shape = shape;
            if !Arc::ptr_eq(&self.shapes, &nonlinear.shapes) {
                self.shapes = Arc::clone(&nonlinear.shapes);
            }
        }
    }

    /// Moves to a row: computes its score, which is returned, and the factors by which its segments
    /// change that, at the weights that `table` was made for, entry by entry. Of a linear row these
    /// are the stored factors, and none are computed.
    ///
    /// *Cost*: a linear row costs what its score costs; another one an
    /// evaluation of its expression and of the derivatives more.
    pub fn at(&mut self, row: &Row<'_>, table: &Table) -> f64 {
        self.factors.clear();
        if row.is_linear() {
            return row.segments().fold(row.constant(), |score, segment| {
                let sums = segment.sums(table);
                score + (segment.factors[0] * sums[0] + segment.factors[1] * sums[1])
            });
        }
        self.read_steps(row);
        self.sums.clear();
        let mut score = row.constant();
        for segment in row.segments() {
            let sums = segment.sums(table);
            score += segment.factors[0] * sums[0] + segment.factors[1] * sums[1];
            self.sums.extend(sums);
            self.factors.extend(segment.factors);
        }
        let constants = row.set.data.nonlinear.constants(row.index);
        score += (self.evaluation).value(&self.steps, constants, &self.sums);
        self.evaluation.add_slopes(&self.steps, &mut self.factors);
        score
    }

    /// Returns the score of a row, in centipawns, at the weights `lanes`, two per slot, without a
    /// table of entries: for single rows. If the row is not linear, second derivatives and branches
    /// of the row that [`at`](Self::at) moved to last are lost.
    pub fn score(&mut self, row: &Row<'_>, lanes: &[f64]) -> f64 {
        if row.is_linear() {
            return row.score(lanes);
        }
        self.read_steps(row);
        let (pairs, _) = lanes.as_chunks::<2>();
        self.sums.clear();
        let mut score = row.constant();
        for segment in row.segments() {
            let sums = segment.sums_at(pairs);
            score += segment.factors[0] * sums[0] + segment.factors[1] * sums[1];
            self.sums.extend(sums);
        }
        let constants = row.set.data.nonlinear.constants(row.index);
        score + (self.evaluation).value(&self.steps, constants, &self.sums)
    }

    /// The derivatives of the score by the sums over lanes 0 and 1 of each segment, two for each,
    /// of the row that [`at`](Self::at) moved to last; empty if that is linear.
    #[inline]
    pub fn slopes(&self) -> &[f64] {
        &self.factors
    }

    /// The second derivatives of the score by the sums over the lanes of all segments, two for
    /// each, as a square matrix row by row; empty if the row is linear. `row` must be the one that
    /// [`at`](Self::at) moved to last.
    #[inline]
    pub fn seconds(&mut self, row: &Row<'_>) -> &[f64] {
        let count = self.factors.len();
        self.seconds.clear();
        self.seconds.resize(count * count, 0.0);
        if !row.is_linear() {
            let to = &mut self.seconds;
            self.evaluation
                .add_seconds(&self.steps, count, &mut self.tangents, to);
        }
        &self.seconds
    }

    /// Iterates over the segments of a row; those of a row that is not linear have, in place of the
    /// stored factors, the derivatives of its score at the weights where [`at`](Self::at) moved to
    /// it. `row` must be the one moved to last.
    #[inline]
    pub fn segments<'s, 'a: 's>(
        &'s self,
        row: &Row<'a>,
    ) -> impl Iterator<Item = SegmentView<'a>> + use<'s, 'a> {
        let (factors, _) = self.factors.as_chunks::<2>();
        let mut factors = factors.iter();
        row.segments().map(move |segment| SegmentView {
            // Of a linear row there are none: its derivatives are the stored factors.
            factors: factors.next().copied().unwrap_or(segment.factors),
            ..segment
        })
    }

    /// Tells whether the evaluation would take a branch of a row the other way at the weights where
    /// [`at`](Self::at) moved to it. `row` must be the one moved to last.
    #[inline]
    pub fn changes_branch(&self, row: &Row<'_>) -> bool {
        !row.is_linear() && self.evaluation.changes_branch(&self.steps)
    }
}

impl<'a> Iterator for Rows<'a> {
    type Item = Row<'a>;

    /// Returns the next row; `None` behind the last one. Its end in the stream is where the row
    /// after it starts.
    #[inline]
    fn next(&mut self) -> Option<Row<'a>> {
        if self.next == self.end {
            return None;
        }
        let row = Row {
            set: self.set,
            index: self.next,
            offset: self.offset,
        };
        self.next += 1;
        self.offset = self.set.data.stream.row_end(self.offset);
        Some(row)
    }

    /// Skips `skipped` rows and returns the next: walks over fewer than 256, and looks up the place
    /// of the next row where more are skipped.
    fn nth(&mut self, skipped: usize) -> Option<Row<'a>> {
        if skipped < INDEXED {
            for _ in 0..skipped {
                self.next()?;
            }
        } else {
            let next = self.next.saturating_add(skipped).min(self.end);
            *self = self.set.rows(next..self.end);
        }
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.end - self.next, Some(self.end - self.next))
    }
}

impl ExactSizeIterator for Rows<'_> {}

impl<'a> Iterator for Segments<'a> {
    type Item = SegmentView<'a>;

    /// Returns the next segment of the row, with its pair of factors and the numbers of its tokens
    /// (distinct entries); `None` behind the last one, which its header marks.
    #[inline]
    fn next(&mut self) -> Option<SegmentView<'a>> {
        if self.done {
            return None;
        }
        let header = self.set.data.stream.header(self.offset);
        let start = self.offset + 1;
        self.offset = start + header.groups;
        self.done = header.last;
        let codes = match self.set.data.stream.groups() {
            Groups::Narrow(groups) => Codes::Narrow(&groups[start..self.offset]),
            Groups::Wide(groups) => Codes::Wide(&groups[start..self.offset]),
        };
        Some(SegmentView {
            factors: self.set.data.factors.get(header.factors),
            tokens: self.set.data.tokens.all(),
            codes,
        })
    }
}

/// Adds up, for each of two lanes, the values that `pairs` has for the tokens (distinct entries)
/// whose numbers are in `groups`, the groups of one segment without its header. Padding, token 0,
/// has the values 0. Even and odd places of a group have sums of their own, so that one addition
/// need not wait for the other.
#[inline(always)] // into the kernels, which are compiled for several machines
pub fn gather<C: Code>(groups: &[[C; GROUP]], pairs: &C::Cells) -> [f64; 2] {
    let mut sums = [[0.0; 2]; 2];
    for group in groups {
        for (number, code) in group.iter().enumerate() {
            let pair = pairs.cell(code.number());
            let sum = &mut sums[number % 2];
            sum[0] += pair[0];
            sum[1] += pair[1];
        }
    }
    [sums[0][0] + sums[1][0], sums[0][1] + sums[1][1]]
}

/// Adds `amount`, one value for each of two lanes, to the pair in `pairs` of each token (a distinct
/// entry) whose number is in `groups`, as often as it is there. `groups` are those of one segment
/// without its header; padding counts as token 0, whose sums nobody reads.
#[inline(always)] // into the kernels, which are compiled for several machines
pub fn scatter<C: Code>(groups: &[[C; GROUP]], amount: [f64; 2], pairs: &mut C::Cells) {
    for group in groups {
        for code in group {
            let pair = pairs.cell_mut(code.number());
            pair[0] += amount[0];
            pair[1] += amount[1];
        }
    }
}

impl<'a> SegmentView<'a> {
    /// Returns Σ c·w over the segment's entries, for each of the two lanes: c are the coefficients,
    /// w the weights that the table was made of. Factors are not applied.
    #[inline]
    pub fn sums(&self, table: &Table) -> [f64; 2] {
        match self.codes {
            Codes::Narrow(groups) => gather(groups, Cells::of_table(table)),
            Codes::Wide(groups) => gather(groups, Cells::of_table(table)),
        }
    }

    /// Returns Σ c·w over the segment's entries, for each of the two lanes: c are the coefficients,
    /// w the weights in `pairs`, by slot. For a single row, as making a table of all entries would
    /// take longer. Factors are not applied.
    fn sums_at(&self, pairs: &[[f64; 2]]) -> [f64; 2] {
        self.entries()
            .fold([0.0; 2], |sums, (slot, [first, second])| {
                let pair = pairs[slot.index()];
                [
                    sums[0] + f64::from(first) * pair[0],
                    sums[1] + f64::from(second) * pair[1],
                ]
            })
    }

    /// Adds `amount`, of lanes 0 and 1, to the sums of each of the segment's tokens, the distinct
    /// entries of the set. [`TokenSums::take`] later multiplies the sums by the coefficients.
    #[inline]
    pub fn scatter(&self, amount: [f64; 2], sums: &mut TokenSums) {
        match self.codes {
            Codes::Narrow(groups) => scatter(groups, amount, Cells::of_sums(sums)),
            Codes::Wide(groups) => scatter(groups, amount, Cells::of_sums(sums)),
        }
    }

    /// Iterates over the numbers of the segment's tokens in
    /// [`TraceSet::tokens`], padding left out.
    #[inline]
    pub fn tokens(&self) -> impl Iterator<Item = usize> + use<'a> {
        let (narrow, wide) = match self.codes {
            Codes::Narrow(groups) => (groups.as_flattened(), &[][..]),
            Codes::Wide(groups) => (&[][..], groups.as_flattened()),
        };
        let narrow = narrow.iter().map(|code| code.number());
        let all = narrow.chain(wide.iter().map(|code| code.number()));
        all.filter(|&number| number != PADDING as usize)
    }

    /// Iterates over the segment's entries: slots, and the coefficients of their two lanes.
    #[inline]
    pub fn entries(&self) -> impl Iterator<Item = (Slot, [i16; 2])> + use<'a> {
        let tokens = self.tokens;
        self.tokens().map(move |number| {
            let token = tokens[number];
            (Slot(token.slot), token.coefficients)
        })
    }
}
