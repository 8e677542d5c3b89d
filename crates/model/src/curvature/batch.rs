//! Rows that wait to be multiplied together.
//!
//! Σ c·a·cᵀ over rows with columns c and an amount a each is a product of two
//! matrices, one of which is sparse: for each column the list of rows that have
//! it, each with a·c, and for each row all columns side by side. So a line of
//! the sum stays in registers while its list is read.

use std::fmt::Debug;

use super::active::Term;
use crate::simd::{TokenKernel, dispatch_tokens};
use tuner_rows::TraceSet;
use tuner_rows::kernel::{Code, GROUP};

/// The amount of a row in a product: one number, or one for each of several sums.
pub(super) trait Amount: Copy + Debug + Default {
    /// Returns the amount, or each of its numbers, times a coefficient.
    fn times(self, coefficient: f64) -> Self;
}

impl Amount for f64 {
    #[inline(always)] // into kernels, which are compiled for several machines
    fn times(self, coefficient: f64) -> Self {
        self * coefficient
    }
}

impl Amount for [f64; 3] {
    #[inline(always)] // into kernels, which are compiled for several machines
    fn times(self, coefficient: f64) -> Self {
        self.map(|amount| amount * coefficient)
    }
}

/// `WIDTH` neighbouring columns of a row, at the start of a line of the cache, where loading them
/// is quickest.
#[repr(align(64))]
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<const WIDTH: usize>(pub(super) [f64; WIDTH]);

/// Adds `amount` times the [`PART`] numbers of `line` from place `from` on to those of `sum` at the
/// same places. The loop is in groups of four because it is then unrolled at any level of
/// optimisation, and only then the sum stays in registers.
#[inline(always)] // into kernels, which are compiled for several machines
pub(super) fn add_part<const WIDTH: usize>(
    sum: &mut [f64; WIDTH],
    from: usize,
    amount: f64,
    line: &[f64; WIDTH],
) {
    let (sums, _) = sum[from..from + PART].as_chunks_mut::<4>();
    let (values, _) = line[from..from + PART].as_chunks::<4>();
    for (sums, values) in sums.iter_mut().zip(values) {
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum = amount.mul_add(*value, *sum);
        }
    }
}

/// Numbers of a sum that are added to at once.
pub(super) const PART: usize = 16;

/// An entry in the list of a column: a row that has it, by its place among those that wait, and the
/// row's amount times its coefficient there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Share<A> {
    row: u32,
    pub(super) amount: A,
}

impl<A> Share<A> {
    /// Returns the line of this entry's row in a tile of columns: the row's coefficients in each of
    /// them.
    #[inline(always)] // into kernels, which are compiled for several machines
    pub(super) fn line<'t, const WIDTH: usize, const ROWS: usize>(
        &self,
        tile: &'t [Line<WIDTH>; ROWS],
    ) -> &'t [f64; WIDTH] {
        // The row is below `ROWS` anyway: the remainder spares the check of the bound.
        &tile[self.row as usize % ROWS].0
    }
}

/// At most `ROWS` rows that wait, spread out in tiles of `WIDTH` columns.
#[derive(Debug)]
pub(super) struct Batch<A, const WIDTH: usize, const ROWS: usize> {
    /// Of each row that waits, where its segment starts, a number of a group in the set, and its
    /// amount.
    waiting: Vec<(usize, A)>,
    /// Tile by tile, a line for each row: its coefficients in the columns of the tile, mostly 0.
    rows: Vec<Line<WIDTH>>,
    /// Of each column `ROOM` places, the first of which are the rows that have it. The column
    /// behind the last one, for what takes no part, is never read, and has only the last rows.
    lists: Vec<Share<A>>,
    /// How many rows each column has.
    lengths: Vec<u32>,
}

impl<A: Amount, const WIDTH: usize, const ROWS: usize> Batch<A, WIDTH, ROWS> {
    const EMPTY: Line<WIDTH> = Line([0.0; WIDTH]);

    /// Room for the rows of a column. Four more than there are, as lists a power
    /// of two apart would all be in the same few places of a cache.
    const ROOM: usize = ROWS + 4;

    /// Makes an empty batch for rows of `count` columns, and one more for entries that have no
    /// column; without memory for rows if `count` is 0, as the batch is not used then.
    pub(super) fn new(count: usize) -> Self {
        let tiles = if count == 0 {
            0
        } else {
            (count + 1).div_ceil(WIDTH)
        };
        Self {
            waiting: Vec::with_capacity(ROWS),
            rows: vec![Self::EMPTY; tiles * ROWS],
            lists: vec![Share::default(); (count + 1) * Self::ROOM],
            lengths: vec![0; count + 1],
        }
    }

    /// Tells whether as many rows have been put in, and wait to be spread out, as there is room
    /// for.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.waiting.len() == ROWS
    }

    /// Tells whether no row waits to be spread out.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Puts in a row's first segment, which starts at `offset` in the set's groups, with the amount
    /// that its column products are multiplied by. It waits for [`spread`](Self::spread); the batch
    /// must not be full.
    #[inline]
    pub(super) fn push(&mut self, offset: usize, amount: A) {
        self.waiting.push((offset, amount));
    }

    /// Iterates over the tiles, each of `WIDTH` neighbouring columns: for every row of the batch a
    /// line of its coefficients in these.
    #[inline(always)] // into kernels, which are compiled for several machines
    pub(super) fn tiles(&self) -> impl Iterator<Item = &[Line<WIDTH>; ROWS]> {
        self.rows.as_chunks::<ROWS>().0.iter()
    }

    /// Iterates over the first `columns` columns, and gives for each the rows that have a
    /// coefficient in it, with amount times coefficient.
    #[inline(always)] // into kernels, which are compiled for several machines
    pub(super) fn lists(&self, columns: usize) -> impl Iterator<Item = &[Share<A>]> {
        // No column has more than `ROWS` rows but the one for entries without a column, which is
        // behind all others and not asked for: the minimum spares the check of the bound.
        let lists = self.lists.chunks_exact(Self::ROOM).zip(&self.lengths);
        lists
            .take(columns)
            .map(|(list, &length)| &list[..(length as usize).min(ROWS)])
    }

    /// Spreads out the rows that were put in, of each its first segment, which is all that a batch
    /// has of a row: writes its coefficients to its line in each tile, `WIDTH` neighbouring columns
    /// of all rows, and the row, with its amount times its coefficient, to the list of each column
    /// that it has. A column is what the entries of a slot count in one lane, or alike in both. No
    /// row waits then. `terms`: of each token its columns and coefficients. The segment must have a
    /// slot at most once, as coefficients are written and not added up: for a set where one may
    /// have it twice, [`Active::token_map`](super::Active::token_map) makes no terms, and its rows
    /// are added up without a batch, by their derivatives.
    pub(super) fn spread(&mut self, terms: &[Term], set: &TraceSet) {
        dispatch_tokens(set, Spread { batch: self, terms });
        self.waiting.clear();
    }
}

/// Spreads the waiting rows of a batch out.
struct Spread<'w, A, const WIDTH: usize, const ROWS: usize> {
    batch: &'w mut Batch<A, WIDTH, ROWS>,
    terms: &'w [Term],
}

impl<A: Amount, const WIDTH: usize, const ROWS: usize> TokenKernel for Spread<'_, A, WIDTH, ROWS> {
    /// Writes, for each entry of each waiting row, its coefficient to the row's line in the tile of
    /// the entry's column, and the row, with amount times coefficient, to the list of that column.
    #[inline(always)] // into kernels, which are compiled for several machines
    fn run<C: Code>(self, groups: &[[C; GROUP]]) {
        let (batch, terms) = (self.batch, self.terms);
        batch.lengths.fill(0);
        // `rows` is tile after tile of `WIDTH` columns, in each a line for every row; `lists` is
        // column after column, in each `ROOM` places.
        let (rows, lists) = (batch.rows.as_mut_slice(), batch.lists.as_mut_slice());
        let lengths = batch.lengths.as_mut_slice();
        for (number, &(offset, amount)) in batch.waiting.iter().enumerate() {
            // Emptied just before it is filled, so that it is in the nearest cache.
            for row in rows.iter_mut().skip(number).step_by(ROWS) {
                *row = Batch::<A, WIDTH, ROWS>::EMPTY;
            }
            let count = C::header(groups[offset]).groups;
            for group in &groups[offset + 1..offset + 1 + count] {
                for code in group {
                    let term = terms[code.number()];
                    // A token has one column, or two where the coefficients of its lanes differ and
                    // both are not 0.
                    for share in 0..2 {
                        let coefficient = f64::from(term.coefficients[share]);
                        let column = usize::from(term.columns[share]);
                        rows[column / WIDTH * ROWS + number].0[column % WIDTH] = coefficient;
                        let length = &mut lengths[column];
                        // The remainder keeps the last column, for entries without one and never
                        // read, within its list.
                        let place =
                            column * Batch::<A, WIDTH, ROWS>::ROOM + *length as usize % ROWS;
                        lists[place] = Share {
                            row: number as u32,
                            amount: amount.times(coefficient),
                        };
                        *length += 1;
                        // Most entries have one column.
                        if term.coefficients[1] == 0 {
                            break;
                        }
                    }
                }
            }
        }
    }
}
