//! The compact trace set: all rows of a data set in a few arrays.
//!
//! Start with [`RowDraft`], what one position's trace looks like, and
//! [`TraceSet`], where many of them live. The set knows nothing of files,
//! weights' names or losses.
//!
//! *Memory*: a coefficient of a tapered pair takes 2 bytes (4 in a set with
//! more than 65,536 different entries), filled up to groups of four. A row takes
//! 5 bytes (outcome 1, game 4) and 8 per segment (16 there), that is 13 for an
//! evaluation whose terms are all tapered and 21 with untapered terms. Constants, weights
//! and search scores take nothing while they are equal in all rows, and 1, 4
//! or 8 bytes when not, whatever stores them exactly. In addition each distinct
//! entry takes 8 bytes and each distinct pair of factors 16 bytes once: dozens
//! of pairs for integer phases, but one per position, 16 more bytes a row, for
//! phases that are never equal.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use super::neighbours::Neighbours;
use crate::column::Column;
use crate::distinct::Distinct;
use crate::nonlinear::NonlinearRows;
use crate::steps::encode;
use crate::stream::Stream;
use crate::{Row, RowDraft, RowError, RowInfo, Rows, Token, Traces, entries, tokens};
use tuner_base::{Fingerprint, Slot};
use tuner_parallel as parallel;
use tuner_trace::{Expression, Step};

/// Rows that a thread processes at a time. Chosen.
const CHUNK: usize = 8192;

/// Traces of many positions. Rows are numbered in the order of pushing, until
/// [`finish`](Self::finish) puts them into the order of reading.
///
/// A clone shares all but outcomes and weights, so rows with other targets cost a number or
/// two each.
#[derive(Clone, Debug)]
pub struct TraceSet {
    pub(crate) data: Arc<RowData>,
    pub(crate) outcomes: Column,
    pub(crate) weights: Column,
}

/// All data of rows except outcomes and weights, which a clone may change by itself.
#[derive(Clone, Debug)]
pub(crate) struct RowData {
    pub(crate) slots: usize,
    /// The distinct entries; number 0 counts for nothing.
    pub(crate) tokens: Distinct<Token>,
    pub(crate) stream: Stream,
    /// The distinct pairs of factors.
    pub(crate) factors: Distinct<[f64; 2]>,
    pub(crate) constants: Column,
    /// The search scores in centipawns; NaN for a row without one.
    pub(crate) search_scores: Column,
    pub(crate) games: Vec<u32>,
    pub(crate) nonlinear: NonlinearRows,
    pub(crate) neighbours: Neighbours,
    /// By row, the number that it was pushed with, where not all rows are linear or it was asked
    /// for; empty where rows are in the order of pushing.
    pub(crate) pushed_as: Vec<u32>,
    /// Buffers for sorting and numbering entries.
    pub(crate) sorted: Vec<(Slot, [i16; 2])>,
    pub(crate) numbers: Vec<u32>,
}

impl RowData {
    /// Makes the data of a set without rows, over so many slots. Token 0 is there from the start:
    /// it counts for nothing, and fills up groups of entries.
    pub(crate) fn new(slots: usize) -> Self {
        Self {
            slots,
            tokens: Distinct::restored(vec![Token::default()]),
            stream: Stream::default(),
            factors: Distinct::restored(Vec::new()),
            constants: Column::Uniform(0.0),
            search_scores: Column::Uniform(f64::NAN),
            games: Vec::new(),
            nonlinear: NonlinearRows::default(),
            neighbours: Neighbours::default(),
            pushed_as: Vec::new(),
            sorted: Vec::new(),
            numbers: Vec::new(),
        }
    }

    /// Stores the segments, the expression and the constant of a draft (a row on its way into the
    /// set) that was checked, as row number `row`, which must be the number of rows so far.
    fn push_draft(&mut self, row: usize, draft: &RowDraft) {
        let start = self.stream.begin_row();
        // For each segment of the draft, as how many segments it is stored; only for an expression,
        // whose inputs are numbered by stored segments.
        let mut stored = Vec::new();
        for segment in &draft.segments {
            let numbers = &mut self.numbers;
            entries::tokens(segment, &mut self.sorted, &mut self.tokens, numbers);
            let mut parts = 0;
            if !numbers.is_empty() {
                // −0 is stored as 0.
                let factors = segment.factors.map(|factor| factor + 0.0);
                let number = self.factors.number(factors);
                parts = self.stream.push(number, numbers);
            }
            if draft.expression.is_some() {
                stored.push(parts);
            }
        }
        self.stream.end_row(start);
        match &draft.expression {
            // Where each segment is stored as one, the inputs keep their numbers.
            Some(expression) if stored.iter().any(|&parts| parts != 1) => {
                self.nonlinear
                    .push(row, Some(&renumbered(expression, &stored)));
            }
            expression => self.nonlinear.push(row, expression.as_ref()),
        }
        self.constants.push(row, draft.constant);
    }

    /// Copies the trace of row `row` of `from` as the next row. `offset`: where the row starts in
    /// the stream of `from`; returns where the row after it starts there. This set must be one that
    /// was made from `from` by [`emptied`](TraceSet::emptied), so that lists of steps have the same
    /// numbers in both. `numbers`: by the number of a pair of factors or of a token in `from`, its
    /// number here.
    fn push_row(&mut self, from: &Self, row: usize, offset: usize, numbers: &Renumbering) -> usize {
        let to = self.stream.rows();
        self.nonlinear.push_row(to, &from.nonlinear, row);
        self.constants.push(to, from.constants.get(row));
        (self.stream).append_row(&from.stream, offset, &numbers.factors, &numbers.tokens)
    }

    /// Fills `pushed_as`, for each row the number that it was pushed with, unless it is filled
    /// already: the first `len` rows are in the order of pushing, so each has its own number.
    pub(crate) fn number_rows(&mut self, len: usize) {
        if self.pushed_as.is_empty() {
            self.pushed_as = (0..len as u32).collect();
        }
    }

    /// Releases memory that was reserved for further rows, and the buffers in which rows are made.
    fn shrink(&mut self) {
        self.stream.shrink();
        self.tokens.shrink();
        self.factors.shrink();
        self.constants.shrink();
        self.search_scores.shrink();
        self.games.shrink_to_fit();
        self.nonlinear.shrink();
        self.sorted = Vec::new();
        self.numbers = Vec::new();
    }
}

/// For the factors and tokens of one set, by their numbers, the numbers in another set.
struct Renumbering {
    factors: Vec<u32>,
    tokens: Vec<u32>,
}

impl TraceSet {
    /// Most slots that a set can address.
    pub const MOST_SLOTS: usize = 1 << 31;

    /// Makes an empty set for rows over `slots` slots.
    ///
    /// # Panics
    /// If `slots` is above [`MOST_SLOTS`](Self::MOST_SLOTS).
    pub fn new(slots: usize) -> Self {
        assert!(
            slots <= Self::MOST_SLOTS,
            "{slots} slots; at most 2^31 can be addressed"
        );
        Self::of(RowData::new(slots))
    }

    /// Makes a set of data that have no rows yet. While all outcomes are ½, or all weights 1, these
    /// columns take no memory.
    fn of(data: RowData) -> Self {
        Self {
            data: Arc::new(data),
            outcomes: Column::Uniform(0.5),
            weights: Column::Uniform(1.0),
        }
    }

    /// Returns everything but outcomes and weights, to be changed; it is copied first if a clone of
    /// the set shares it.
    fn data_mut(&mut self) -> &mut RowData {
        Arc::make_mut(&mut self.data)
    }

    /// Appends a row: the trace of a position, and the facts about the position that the trace does
    /// not hold.
    ///
    /// *Numerics*: exact. Entries of one segment that name the same slot are
    /// added up, zero coefficients are not stored.
    ///
    /// # Errors
    /// If a number is not finite or out of its range, or a slot does not
    /// exist. Then nothing has been stored.
    pub fn push(&mut self, draft: &RowDraft, info: &RowInfo) -> Result<(), RowError> {
        draft.check(self.slots())?;
        info.check()?;
        let row = self.len();
        self.outcomes.push(row, info.outcome);
        self.weights.push(row, info.weight);
        let data = self.data_mut();
        data.push_draft(row, draft);
        data.neighbours.push(info.outcome);
        data.search_scores
            .push(row, info.search_score.map_or(f64::NAN, f64::from));
        data.games.push(info.game);
        if !data.pushed_as.is_empty() {
            data.pushed_as.push(row as u32);
        }
        Ok(())
    }

    /// Returns a copy in which some rows have other traces; `traces` has them by the number of the
    /// row. Outcome, weight, game and search score of each row stay.
    ///
    /// *Cost*: a copy.
    ///
    /// # Errors
    /// If a number of a trace is not finite or out of its range, or a slot does not exist.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn with_traces(&self, traces: &BTreeMap<usize, RowDraft>) -> Result<Self, RowError> {
        for (&row, draft) in traces {
            assert!(row < self.len(), "row {row} of {}", self.len());
            draft.check(self.slots())?;
        }
        let (emptied, numbers) = self.emptied();
        let from = &*self.data;
        let mut data = RowData {
            search_scores: from.search_scores.clone(),
            games: from.games.clone(),
            neighbours: from.neighbours.clone(),
            pushed_as: from.pushed_as.clone(),
            ..emptied
        };
        let mut offset = 0;
        for row in 0..self.len() {
            // A row without another trace is copied as it is.
            if let Some(draft) = traces.get(&row) {
                data.push_draft(row, draft);
                offset = from.stream.row_end(offset);
            } else {
                offset = data.push_row(from, row, offset, &numbers);
            }
        }
        data.shrink();
        Ok(Self {
            data: Arc::new(data),
            outcomes: self.outcomes.clone(),
            weights: self.weights.clone(),
        })
    }

    /// Keeps for each row the number that it is pushed with, also in a set of linear rows, where it
    /// is not kept otherwise; to be called before [`finish`](Self::finish), which gives rows other
    /// numbers. *Memory*: 4 bytes a row.
    pub fn keep_numbers(&mut self) {
        let len = self.len();
        self.data_mut().number_rows(len);
    }

    /// Returns a copy in which each row has the score that `score` gives for the number that it was
    /// pushed as, at the weights `lanes`, two per slot. Only the constants of the rows differ, so
    /// all derivatives stay.
    #[must_use]
    pub fn with_scores(&self, lanes: &[f64], score: impl Fn(usize) -> f64) -> Self {
        let mut all = self.rows(0..self.len());
        let mut copy = self.clone();
        // The constants are asked for in the order of the rows, each with the next row of `all`.
        let constants = self.data.constants.map(self.len(), 0.0, |row, constant| {
            let here = all.next().map_or(0.0, |row| row.score(lanes));
            constant + score(self.pushed_as(row)) - here
        });
        copy.data_mut().constants = constants;
        copy
    }

    /// Returns data without rows in which factors, entries and lists of steps have the numbers that
    /// they have in this set, so that its rows can be copied as they are; and, for functions that
    /// copy rows with a renumbering, one that changes no number.
    fn emptied(&self) -> (RowData, Renumbering) {
        let from = &*self.data;
        let emptied = RowData {
            stream: from.stream.emptied(),
            nonlinear: from.nonlinear.emptied(),
            tokens: from.tokens.clone(),
            factors: from.factors.clone(),
            ..RowData::new(from.slots)
        };
        let numbers = Renumbering {
            factors: (0..from.factors.all().len() as u32).collect(),
            tokens: (0..from.tokens.all().len() as u32).collect(),
        };
        (emptied, numbers)
    }

    /// Returns a copy of the rows of those games, by number, for which `counts` is true, ready for
    /// passes. The pairs of neighbouring results are not copied, so
    /// [`come_game_by_game`](Self::come_game_by_game) is false for the copy. With `keeps_numbers`
    /// each row keeps its place among the rows copied, in the order of this set, as the number that
    /// it was pushed as.
    ///
    /// *Cost*: a look at each row, and a copy of the rows of those games.
    #[must_use]
    pub fn of_games(&self, counts: impl Fn(u32) -> bool, keeps_numbers: bool) -> Self {
        let (mut data, numbers) = self.emptied();
        let from = &*self.data;
        // Reserved at once: while a list grows step by step its memory is there twice.
        let rows = from.games.iter().filter(|&&game| counts(game)).count();
        data.stream.reserve(&from.stream, rows);
        data.games.reserve_exact(rows);
        let mut copy = Self::of(data);
        let mut offset = 0;
        for (row, &game) in from.games.iter().enumerate() {
            if !counts(game) {
                offset = from.stream.row_end(offset);
                continue;
            }
            let to = copy.len();
            copy.outcomes.push(to, self.outcomes.get(row));
            copy.weights.push(to, self.weights.get(row));
            let data = copy.data_mut();
            offset = data.push_row(from, row, offset, &numbers);
            data.search_scores.push(to, from.search_scores.get(row));
            data.games.push(game);
        }
        if keeps_numbers {
            copy.keep_numbers();
        }
        copy.finish();
        copy
    }

    /// Returns the number that a row was pushed as, counted over all sets that were appended. It is
    /// known where some row is not linear, or [`keep_numbers`](Self::keep_numbers) was called; else
    /// this is the number of the row itself.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn pushed_as(&self, row: usize) -> usize {
        assert!(row < self.len(), "row {row} of {}", self.len());
        let number = self.data.pushed_as.get(row);
        number.map_or(row, |&number| number as usize)
    }

    /// Appends all rows of another set, in their order: chunks of positions
    /// that were traced in parallel are joined with this.
    ///
    /// # Panics
    /// If the sets have different numbers of slots.
    pub fn append(&mut self, other: &Self) {
        let slots = [self.slots(), other.slots()];
        assert_eq!(slots[0], slots[1], "both sets must have the same slots");
        let (len, more) = (self.len(), other.len());
        self.outcomes.append(len, &other.outcomes, more);
        self.weights.append(len, &other.weights, more);
        let (data, other) = (self.data_mut(), &*other.data);
        // By the number of a pair of factors or an entry in the other set, its number in this one.
        let factors = other.factors.all().iter();
        let factors: Vec<u32> = factors.map(|&pair| data.factors.number(pair)).collect();
        // Token 0 is padding in every set.
        let tokens = other.tokens.all()[1..].iter();
        let numbers = tokens.map(|&token| data.tokens.number(token));
        let tokens: Vec<u32> = std::iter::once(tokens::PADDING).chain(numbers).collect();
        data.stream.append(&other.stream, &factors, &tokens);
        data.neighbours.append(&other.neighbours);
        data.constants.append(len, &other.constants, more);
        data.search_scores.append(len, &other.search_scores, more);
        data.games.extend_from_slice(&other.games);
        data.nonlinear.append(len, &other.nonlinear, more);
        if !data.pushed_as.is_empty() || !other.pushed_as.is_empty() {
            data.number_rows(len);
            // Numbers count on behind the rows of this set.
            let pushed_as = |row| other.pushed_as.get(row).map_or(row, |&n| n as usize);
            let numbers = (0..more).map(|row| (len + pushed_as(row)) as u32);
            data.pushed_as.extend(numbers);
        }
    }

    /// Tells whether rows that were pushed one after another mostly have the same result, as
    /// positions of one game have: whether Cohen's kappa, the agreement of neighbours above that by
    /// chance, is above 0.5. False where all have one result, and of fewer than 50 pairs.
    pub fn come_game_by_game(&self) -> bool {
        self.data.neighbours.come_game_by_game()
    }

    /// Fingerprint of all that a fit sees: rows, results, games, weights; 16
    /// hexadecimal digits, the same on every machine. *Cost*: one pass.
    ///
    /// Of the text `rows 1`, and of a list of numbers for every row: the bits of
    /// outcome, weight and constant, the game, whether there is a search score
    /// (1 or 0) and that, the fingerprint of the codes and operands of its
    /// steps (0 of a linear row), the list of the bits of their constants, and of each
    /// segment the bits of its factors and the list of its entries, the slot in the
    /// upper and the two coefficients in the lower half.
    pub fn fingerprint(&self) -> String {
        let mut hash = Fingerprint::new();
        hash.text("rows 1");
        self.each_row_in_words(0..self.len(), |words| hash.list(words.iter().copied()));
        hash.hex()
    }

    /// Fingerprint of all that a fit sees, whatever the order of the rows: the sum of the
    /// fingerprints of the rows, modulo 2⁶⁴. So those of the parts of a set can be added up.
    /// *Cost*: one pass.
    pub fn fingerprint_in_any_order(&self) -> u64 {
        let sums = parallel::map(0..self.len().div_ceil(CHUNK), |chunk| {
            let mut sum = 0_u64;
            let rows = chunk * CHUNK..self.len().min((chunk + 1) * CHUNK);
            self.each_row_in_words(rows, |words| {
                let mut hash = Fingerprint::new();
                hash.list(words.iter().copied());
                sum = sum.wrapping_add(hash.value());
            });
            sum
        });
        sums.into_iter().fold(0, u64::wrapping_add)
    }

    /// Calls a function for each of some rows with a list of numbers that tells all of the row: the
    /// bits of outcome, weight and constant, the game, whether there is a search score (1 or 0) and
    /// that, the fingerprint of its list of steps, and the number and the bits of their constants.
    /// Then of each segment: the bits of its two factors, the number of its entries, and each
    /// entry, the slot in the upper and its two coefficients in the lower half.
    fn each_row_in_words(&self, rows: Range<usize>, mut each: impl FnMut(&[u64])) {
        // Many rows share a list of steps, so fingerprints are cached by the list's number.
        let mut shapes = HashMap::new();
        let (mut words, mut steps) = (Vec::new(), Vec::new());
        for row in self.rows(rows) {
            let score = row.search_score();
            words.clear();
            words.extend([row.outcome(), row.weight(), row.constant()].map(f64::to_bits));
            words.extend([
                u64::from(row.game()),
                u64::from(score.is_some()),
                i64::from(score.unwrap_or(0)).cast_unsigned(),
            ]);
            let constants = self.data.nonlinear.constants(row.index);
            let shape = self.data.nonlinear.shape(row.index);
            words.push(*shapes.entry(shape).or_insert_with(|| {
                self.data.nonlinear.read_steps(row.index, &mut steps);
                fingerprint_of_steps(&steps)
            }));
            words.push(constants.len() as u64);
            words.extend(constants.iter().map(|constant| constant.to_bits()));
            for segment in row.segments() {
                words.extend(segment.factors.map(f64::to_bits));
                // The number of entries goes here once it is known.
                let count = words.len();
                words.push(0);
                words.extend(segment.entries().map(|(slot, coefficients)| {
                    let [first, second] = coefficients.map(|c| u64::from(c.cast_unsigned()));
                    u64::from(slot.0) << 32 | first << 16 | second
                }));
                words[count] = (words.len() - count - 1) as u64;
            }
            each(&words);
        }
    }

    /// Returns the number of different games. *Cost*: a sort of the game column.
    pub fn games(&self) -> usize {
        Traces::from(self).games()
    }

    /// Gives row `row` the game `number(row)`. For blocks that were traced before the games of the
    /// blocks in front of them were numbered.
    pub fn number_games(&mut self, mut number: impl FnMut(usize) -> u32) {
        for (row, game) in self.data_mut().games.iter_mut().enumerate() {
            *game = number(row);
        }
    }

    /// Gives every row the outcome `value(row, outcome)` in place of its own: a target that is
    /// mixed from it, say.
    ///
    /// # Panics
    /// If a value is outside [0, 1].
    pub fn map_outcomes(&mut self, mut value: impl FnMut(usize, f64) -> f64) {
        let rows = self.len();
        self.outcomes = self.outcomes.map(rows, 0.5, |row, outcome| {
            let outcome = value(row, outcome);
            assert!((0.0..=1.0).contains(&outcome), "outcome {outcome}");
            outcome
        });
    }

    /// Gives every row the weight `value(row, weight)` in place of its own.
    ///
    /// # Panics
    /// If a value is negative or not finite.
    pub fn map_weights(&mut self, mut value: impl FnMut(usize, f64) -> f64) {
        let rows = self.len();
        self.weights = self.weights.map(rows, 1.0, |row, weight| {
            let weight = value(row, weight);
            assert!(weight >= 0.0 && weight.is_finite(), "weight {weight}");
            weight
        });
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.data.stream.rows()
    }

    /// Tells whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the distinct entries of all rows, by number; entry 0 is padding, which counts for
    /// nothing.
    pub fn tokens(&self) -> &[Token] {
        self.data.tokens.all()
    }

    /// Returns the number of slots; there are twice as many lanes.
    pub fn slots(&self) -> usize {
        self.data.slots
    }

    /// Returns one row. *Cost*: a walk over at most 255 rows; to read many,
    /// use [`rows`](Self::rows).
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> Row<'_> {
        assert!(row < self.len(), "row {row} of {}", self.len());
        Row {
            set: self,
            index: row,
            offset: self.data.stream.row_start(row),
        }
    }

    /// Iterates over the rows of a range.
    ///
    /// # Panics
    /// If the range ends behind the last row.
    pub fn rows(&self, range: Range<usize>) -> Rows<'_> {
        assert!(
            range.start <= range.end && range.end <= self.len(),
            "rows {range:?}"
        );
        Rows {
            set: self,
            next: range.start,
            end: range.end,
            offset: self.data.stream.row_start(range.start),
        }
    }

    /// Returns the score of a row, in centipawns, at the weights `lanes`, two per slot.
    ///
    /// # Panics
    /// If there is no such row, or not two lanes per slot.
    pub fn score(&self, row: usize, lanes: &[f64]) -> f64 {
        assert_eq!(lanes.len(), 2 * self.data.slots, "two lanes per slot");
        self.row(row).score(lanes)
    }

    /// Returns the memory really taken, in bytes, spare capacity included.
    pub fn bytes(&self) -> usize {
        self.data.stream.bytes()
            + self.data.tokens.bytes()
            + self.data.factors.bytes()
            + self.outcomes.bytes()
            + self.data.constants.bytes()
            + self.weights.bytes()
            + self.data.search_scores.bytes()
            + self.data.games.capacity() * 4
            + self.data.pushed_as.capacity() * 4
            + self.data.nonlinear.bytes()
    }

    /// Makes the set ready for passes, after the last row: rows that are read alike (of the same
    /// steps, factors and length) become neighbours, so that rows get other numbers, and spare
    /// memory is released.
    pub fn finish(&mut self) {
        self.arrange();
        self.data_mut().shrink();
        self.outcomes.shrink();
        self.weights.shrink();
    }
}

/// Fingerprint of a list of steps, of the code and the operands of each; 0 for an empty list.
fn fingerprint_of_steps(steps: &[Step]) -> u64 {
    if steps.is_empty() {
        return 0;
    }
    let mut words = Vec::new();
    encode(steps, &mut words);
    let mut hash = Fingerprint::new();
    hash.list(words.into_iter().map(u64::from));
    hash.value()
}

/// Rewrites the inputs of an expression where segment `i` of a draft is stored as `stored[i]`
/// segments: as 0 because it was empty, as several because it was too long for one. Input 2·i + l,
/// the sum over lane l of segment i, becomes the sum of these over the segments it is stored as.
fn renumbered(expression: &Expression, stored: &[usize]) -> Expression {
    // For each segment of the draft, the first segment that it is stored as.
    let firsts = stored.iter().scan(0, |next, &parts| {
        *next += parts;
        Some(*next - parts)
    });
    let firsts: Vec<usize> = firsts.collect();
    expression.with_inputs(|input| {
        let (segment, lane) = (input as usize / 2, input % 2);
        let parts = firsts[segment]..firsts[segment] + stored[segment];
        parts.map(|part| (2 * part as u32 + lane, 1.0)).collect()
    })
}
