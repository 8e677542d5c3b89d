//! What of the rows takes part: slots with a variable, and the columns of the
//! dense kernel.

use crate::model::Reduction;
use crate::model::simd::fuses;
use crate::trace::rows::{Token, TraceSet};

/// No slot, no column.
pub(super) const NONE: u32 = u32::MAX;

/// Rows looked at to learn how full they are.
const SAMPLE: usize = 4096;

/// The dense kernel's time grows with entries times columns, that of blocks
/// with entries times entries. Measured on the example's and on third-party
/// traces (`cargo bench -p tuner-core --bench solve`): with 150 columns and 31
/// entries a row it is three times as fast, so it pays up to about three times
/// as many columns an entry.
const COLUMNS_PER_ENTRY: usize = 14;

/// Beyond this many columns the sums of a thread no longer fit into its cache.
const MOST_COLUMNS: usize = 512;

/// The slots that have a variable, numbered densely, and tokens in terms of them.
#[derive(Clone, Debug)]
pub(in crate::model) struct Active {
    /// The active slots, ascending.
    pub(super) slots: Vec<usize>,
    /// By token: the number of its slot among these, or [`NONE`].
    pub(super) numbers: Vec<u32>,
    /// By token: its coefficients.
    pub(super) coefficients: Vec<[f64; 2]>,
    /// Columns of the dense kernel, where it pays.
    pub(super) columns: Option<Columns>,
}

/// The columns that the dense kernel works on: what the lanes of a slot have in
/// common is one column, what only one of them has is another.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    /// The rarest first: a pair of columns costs as often as the first occurs.
    pub(super) all: Vec<Column>,
    /// By token: its columns and coefficients.
    pub(super) terms: Vec<Term>,
}

/// A slot, and which of its lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) slot: usize,
    pub(super) lanes: [bool; 2],
}

/// What a token adds to a row's columns. A token that takes no part is all in
/// the column behind the last one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Term {
    pub(super) columns: [u32; 2],
    pub(super) coefficients: [f64; 2],
}

impl Active {
    /// Finds the slots of which a lane is a variable, and the columns if rows
    /// are full enough.
    ///
    /// *Cost*: reads a few thousand rows.
    pub(in crate::model) fn new(reduction: &Reduction, traces: &TraceSet) -> Self {
        let mut number = Vec::new();
        let mut slots = Vec::new();
        for (slot, lanes) in reduction.lane_terms().chunks(2).enumerate() {
            let free = lanes.iter().any(|lane| lane.variable.is_some());
            number.push(if free { slots.len() as u32 } else { NONE });
            if free {
                slots.push(slot);
            }
        }
        let tokens = traces.tokens();
        let numbers = tokens.iter().enumerate().map(|(index, token)| {
            // Token 0 is the padding.
            let known = number.get(token.slot as usize).filter(|_| index > 0);
            known.copied().unwrap_or(NONE)
        });
        let mut active = Self {
            slots,
            numbers: numbers.collect(),
            coefficients: tokens
                .iter()
                .map(|t| t.coefficients.map(f64::from))
                .collect(),
            columns: None,
        };
        if fuses() {
            active.columns = active.find_columns(tokens, traces);
        }
        active
    }

    /// Blocks in the triangle.
    pub(super) fn blocks(&self) -> usize {
        self.slots.len() * (self.slots.len() + 1) / 2
    }

    /// Memory of the sums of a chunk, at most.
    pub(in crate::model) fn bytes(&self) -> u64 {
        let columns = self
            .columns
            .as_ref()
            .map_or(0, |columns| columns.all.len() as u64 + 32);
        (self.blocks() as u64)
            .saturating_mul(32)
            .saturating_add(4 * 8 * columns * columns)
    }

    fn find_columns(&self, tokens: &[Token], traces: &TraceSet) -> Option<Columns> {
        let used = (0..tokens.len()).filter(|&token| self.numbers[token] != NONE);
        let kinds = |token: usize| {
            let [first, second] = tokens[token].coefficients;
            if first == second {
                [true, false, false]
            } else {
                [false, first != 0, second != 0]
            }
        };
        // At most three columns a slot.
        let mut counts = vec![0_u32; 3 * self.slots.len()];
        let mut exists = vec![false; counts.len()];
        for token in used {
            for (kind, has) in kinds(token).into_iter().enumerate() {
                exists[3 * self.numbers[token] as usize + kind] |= has;
            }
        }
        let (mut entries, mut rows) = (0, 0);
        let every = traces.len().div_ceil(SAMPLE).max(1);
        for row in (0..traces.len()).step_by(every) {
            let Some(segment) = traces.row(row).segments().next() else {
                continue;
            };
            rows += 1;
            for token in segment
                .tokens()
                .filter(|&token| self.numbers[token] != NONE)
            {
                entries += 1;
                for (kind, has) in kinds(token).into_iter().enumerate() {
                    counts[3 * self.numbers[token] as usize + kind] += u32::from(has);
                }
            }
        }
        let mut order: Vec<usize> = (0..counts.len()).filter(|&place| exists[place]).collect();
        if order.len() > MOST_COLUMNS || order.len() * rows > COLUMNS_PER_ENTRY * entries {
            return None;
        }
        order.sort_by_key(|&place| counts[place]); // stable
        let mut places = vec![NONE; counts.len()];
        for (column, &place) in (0..).zip(&order) {
            places[place] = column;
        }
        let none = order.len() as u32;
        let term = |token: usize| {
            let mut term = Term {
                columns: [none; 2],
                coefficients: [0.0; 2],
            };
            if self.numbers[token] != NONE {
                let base = 3 * self.numbers[token] as usize;
                let [both, first, second] = kinds(token);
                let coefficients = tokens[token].coefficients.map(f64::from);
                let shares = [(both, 0, 0), (first, 1, 0), (second, 2, 1)];
                let shares = shares.into_iter().filter(|share| share.0);
                for (number, (_, kind, lane)) in shares.enumerate() {
                    term.columns[number] = places[base + kind];
                    term.coefficients[number] = coefficients[lane];
                }
            }
            term
        };
        let column = |&place: &usize| Column {
            slot: self.slots[place / 3],
            lanes: [place % 3 != 2, place % 3 != 1],
        };
        Some(Columns {
            all: order.iter().map(column).collect(),
            terms: (0..tokens.len()).map(term).collect(),
        })
    }
}
