//! What of the rows takes part: slots with a variable, and the columns of the
//! dense kernel.

use crate::passes::unreadable;
use crate::simd::fuses;
use tuner_rows::kernel::LARGE;
use tuner_rows::{Token, TraceSet, Traces};
use tuner_solve::{PassResult, Reduction};

/// In place of a number: of a slot that has no variable, or of a kind of entry that has no column.
pub(super) const NONE: u32 = u32::MAX;

/// Rows of a set that are looked at to learn how many entries a row has. Chosen.
const SAMPLE: usize = 4096;

/// Most columns, for each entry of a row, at which the dense kernel is taken. Its time grows with
/// entries times columns, that of blocks with entries times entries. Measured on the example's and
/// on third-party traces (`cargo bench -p tuner-core --bench solve`): with 150 columns and 31
/// entries a row it is three times as fast, so it pays up to about three times as many columns an
/// entry.
const COLUMNS_PER_ENTRY: usize = 14;

/// Columns of a line are a multiple of this many.
const WIDEST: usize = 32;

/// Most columns: with more there are none, as the sums of a thread no longer fit into its cache.
const MOST_COLUMNS: usize = 512;

/// Bytes of the sums of a chunk from which on they are large: then all threads add to one triangle
/// of blocks, and few sums wait for each other.
const SMALL: u64 = 16 << 20;

/// The slots that have a variable, numbered densely.
#[derive(Clone, Debug)]
pub(crate) struct Active {
    /// The active slots, ascending.
    pub(super) slots: Vec<usize>,
    /// By slot: its number among the active ones, or [`NONE`].
    numbers: Vec<u32>,
    /// Columns of the dense kernel; `None` where it does not pay. What the lanes of a slot have in
    /// common is one column, what only one of them has is another. The rarest first: a pair of
    /// columns costs as often as the first occurs.
    pub(super) columns: Option<Vec<Column>>,
    /// [`KINDS`] values for each active slot, one for each kind of entry: the number of the column,
    /// or [`NONE`]; empty without columns.
    places: Vec<u32>,
}

/// The tokens of a set in terms of active slots.
#[derive(Clone, Debug)]
pub(super) struct TokenMap {
    /// By token: the number of its slot among the active ones, or [`NONE`].
    pub(super) numbers: Vec<u32>,
    /// By token: its coefficients, which are small.
    pub(super) coefficients: Vec<[f32; 2]>,
    /// By token: its columns and coefficients; `None` without columns, or where a segment may have
    /// a slot twice.
    pub(super) terms: Option<Vec<Term>>,
}

/// Kinds of columns of a slot: of what both lanes have, of the first lane, of
/// the second.
const KINDS: usize = 3;

/// Tells in which of the three columns that a slot may have a token's coefficients are: in that of
/// both lanes if the coefficients are equal, else in that of the first lane, the second, or each,
/// where they are not 0.
fn kinds(token: Token) -> [bool; KINDS] {
    let [first, second] = token.coefficients;
    if first == second {
        [true, false, false]
    } else {
        [false, first != 0, second != 0]
    }
}

/// A column of the dense kernel: the slot, and the lanes whose coefficients are in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) slot: usize,
    pub(super) lanes: [bool; 2],
}

/// A token's contribution to a row's columns: where, and how much. The second coefficient is 0
/// where it adds to one column alone; a token whose slot has no variable adds 0 to the column
/// behind the last one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Term {
    pub(super) columns: [u16; 2],
    pub(super) coefficients: [i16; 2],
}

impl Active {
    /// Finds the active slots: those of which at least one lane has a variable. Where the processor
    /// fuses multiplication and addition and rows have enough entries, it also finds the columns of
    /// the dense kernel, which adds up many rows as a product of matrices: a column is what the
    /// entries of one slot count in one lane, or alike in both.
    ///
    /// *Cost*: reads a few thousand rows.
    pub(crate) fn new(reduction: &Reduction, traces: Traces<'_>) -> PassResult<Self> {
        let mut numbers = Vec::new();
        let mut slots = Vec::new();
        for (slot, lanes) in reduction.lane_terms().chunks(2).enumerate() {
            let free = lanes.iter().any(|lane| lane.variable.is_some());
            numbers.push(if free { slots.len() as u32 } else { NONE });
            if free {
                slots.push(slot);
            }
        }
        let mut active = Self {
            slots,
            numbers,
            columns: None,
            places: Vec::new(),
        };
        if fuses() {
            active.find_columns(traces)?;
        }
        Ok(active)
    }

    /// Returns how many numbers a line of the dense kernel's sums has, which are between any two
    /// columns: a column is what a slot's entries count in one lane, or alike in both. One number
    /// for each column, one for entries whose slot no variable moves, and some more up to a
    /// multiple of [`WIDEST`]; 0 where the dense kernel does not pay, as there are no columns then.
    pub(super) fn width(&self) -> usize {
        let columns = self.columns.as_ref();
        columns.map_or(0, |columns| (columns.len() + 1).next_multiple_of(WIDEST))
    }

    /// Returns the number of a token's slot among the active slots, which are those that have a
    /// variable; [`NONE`] if it is not one of them.
    fn number(&self, token: Token) -> u32 {
        let number = self.numbers.get(token.slot as usize);
        number.copied().unwrap_or(NONE)
    }

    /// Returns what each token of a set (a distinct entry: a slot with a coefficient for each lane)
    /// is in terms of active slots, those that have a variable: the number of its slot among them,
    /// or [`NONE`] if it is not one; its coefficients; and its term, which says to which columns of
    /// the dense kernel it adds and how much. The dense kernel adds up many rows as a product of
    /// matrices; a column is what a slot's entries count in one lane, or alike in both. *Cost*: a
    /// look at each token.
    ///
    /// There are no terms (`None`) where there are no columns, as the dense kernel does not pay.
    /// And there are none where a segment may have a slot twice, which that kernel could not add
    /// up: this is possible only if the sum of two coefficients did not fit into one, so that a
    /// coefficient of the set is large.
    pub(super) fn token_map(&self, set: &TraceSet) -> TokenMap {
        let tokens = set.tokens();
        // Token 0 only fills up groups of tokens: it has no slot.
        let none = std::iter::once(NONE);
        let numbers = tokens.iter().skip(1).map(|&token| self.number(token));
        let large = |token: &Token| token.coefficients.iter().any(|c| c.unsigned_abs() >= LARGE);
        let once = !tokens.iter().any(large);
        let terms = self.columns.as_ref().filter(|_| once).map(|columns| {
            // What the filling and a token without a variable add: 0 to the column behind the last
            // one, which the sums have room for and which is never read.
            let nothing = Term {
                columns: [columns.len() as u16; 2],
                coefficients: [0; 2],
            };
            let named = tokens.iter().skip(1);
            let terms = named.map(|&token| self.term(token, nothing));
            std::iter::once(nothing).chain(terms).collect()
        });
        let coefficients = tokens.iter().map(|token| token.coefficients.map(f32::from));
        TokenMap {
            numbers: none.chain(numbers).collect(),
            coefficients: coefficients.collect(),
            terms,
        }
    }

    /// Returns which columns a token adds to, and how much: its coefficient to the column of both
    /// lanes of its slot where the coefficients are equal, else that of each lane, if not 0, to the
    /// lane's own column. If the slot has no variable it is `nothing`, which adds 0.
    fn term(&self, token: Token, nothing: Term) -> Term {
        let mut term = nothing;
        let number = self.number(token);
        if number != NONE {
            let base = KINDS * number as usize;
            let [both, first, second] = kinds(token);
            // Whether it adds to a column, the kind of the column, and the lane whose coefficient
            // it is.
            let shares = [(both, 0, 0), (first, 1, 0), (second, 2, 1)];
            let shares = shares.into_iter().filter(|share| share.0);
            for (share, (_, kind, lane)) in shares.enumerate() {
                term.columns[share] = self.places[base + kind] as u16;
                term.coefficients[share] = token.coefficients[lane];
            }
        }
        term
    }

    /// Returns the number of pairs of slots that have a variable, pairs of a slot with itself
    /// included.
    pub(super) fn blocks(&self) -> usize {
        self.slots.len() * (self.slots.len() + 1) / 2
    }

    /// Returns the most memory, in bytes, that the sums over a chunk of rows take: by pairs of
    /// slots, and, where the dense kernel pays, by pairs of columns (a column is what a slot's
    /// entries count in one lane, or alike in both).
    pub(crate) fn bytes(&self) -> u64 {
        let columns = self.columns.as_ref();
        // A line of the sums by columns is filled up to a multiple of 32 numbers, so by up to 32.
        let columns = columns.map_or(0, |columns| columns.len() + 32) as u64;
        // For each pair of slots 2×2 numbers of 8 bytes, by their lanes. For each two columns four:
        // three by the pairs of lanes, and one of linear rows with the same factors.
        let blocks = (self.blocks() as u64).saturating_mul(32);
        blocks.saturating_add(4 * 8 * columns * columns)
    }

    /// Tells whether the sums over a chunk of rows take so much memory, [`SMALL`] or more, that few
    /// of them can exist at a time.
    pub(super) fn is_large(&self) -> bool {
        self.bytes() >= SMALL
    }

    /// Numbers the columns, the rarest first: of each active slot (one that has a variable) one for
    /// coefficients that are equal in both lanes, one for those of the first lane and one for those
    /// of the second, as far as they occur. There are no columns if they would be more than
    /// [`MOST_COLUMNS`], or rows have too few entries for the dense kernel (a product of matrices)
    /// to pay. All ranks find the same.
    fn find_columns(&mut self, traces: Traces<'_>) -> PassResult<()> {
        let mut exists = vec![false; KINDS * self.slots.len()];
        // All tokens but the first one, which only fills up groups of tokens.
        for &token in traces.tokens().iter().skip(1) {
            let number = self.number(token);
            if number != NONE {
                for (kind, has) in kinds(token).into_iter().enumerate() {
                    exists[KINDS * number as usize + kind] |= has;
                }
            }
        }
        let ranks = traces.ranks();
        ranks.any_of(&mut exists);
        let mut order: Vec<usize> = (0..exists.len()).filter(|&place| exists[place]).collect();
        if order.len() > MOST_COLUMNS {
            return Ok(());
        }
        let example = traces.example(|set| self.count(set));
        let mut counts = example.ok_or_else(|| unreadable(traces))?;
        ranks.sum(&mut counts);
        // The example's rows, their entries, and how often each kind of entry of a slot occurs. The
        // first two are always there.
        let [rows, entries, counts @ ..] = &*counts else {
            return Ok(());
        };
        if order.len() as f64 * rows > COLUMNS_PER_ENTRY as f64 * entries {
            return Ok(());
        }
        order.sort_by_key(|&place| counts[place] as u64); // stable
        self.places = vec![NONE; exists.len()];
        for (column, &place) in (0..).zip(&order) {
            self.places[place] = column;
        }
        // Kind 0 is of both lanes, 1 of the first, 2 of the second.
        let column = |&place: &usize| Column {
            slot: self.slots[place / KINDS],
            lanes: [place % KINDS != 2, place % KINDS != 1],
        };
        self.columns = Some(order.iter().map(column).collect());
        Ok(())
    }

    /// Looks at up to [`SAMPLE`] rows of a set, at equal distances. Returns how many they are; then
    /// how many entries of active slots (those that have a variable) their first segments have; and
    /// then, for each active slot and each of the kinds of its columns (both lanes alike, first
    /// lane, second lane), how many of these entries add to it.
    fn count(&self, set: &TraceSet) -> Vec<f64> {
        let tokens = set.tokens();
        let (mut rows, mut entries) = (0_u32, 0_u32);
        let mut counts = vec![0_u32; KINDS * self.slots.len()];
        let every = set.len().div_ceil(SAMPLE).max(1);
        for row in set.rows(0..set.len()).step_by(every) {
            // Every row has a first segment, which may be empty.
            let Some(segment) = row.segments().next() else {
                continue;
            };
            rows += 1;
            for token in segment.tokens() {
                let number = self.number(tokens[token]);
                if number == NONE {
                    continue;
                }
                entries += 1;
                for (kind, has) in kinds(tokens[token]).into_iter().enumerate() {
                    counts[KINDS * number as usize + kind] += u32::from(has);
                }
            }
        }
        let numbers = [rows, entries].into_iter().chain(counts);
        numbers.map(f64::from).collect()
    }
}
