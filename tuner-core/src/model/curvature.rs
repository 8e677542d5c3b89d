//! Second-order kernels: the curvature matrix, and its diagonal.
//!
//! Two ways to add up a row, both exact to rounding: entry by entry as 2×2
//! blocks per pair of slots ([`blocks`]), which serves any row; and rows that
//! share their factors together, as one product of matrices ([`dense`]), which
//! is several times as fast where rows are not too sparse. What they leave is
//! reduced to variables after the pass, so ties cost nothing per row.

mod active;
mod blocks;
mod dense;
mod diagonal;

use std::ops::Range;

use super::bent::Bent;
use super::block::Block;
use super::gradient::{self, Pass};
use super::ordered::{CHUNK, ordered};
use super::simd::{Kernel, dispatch};
use super::{Curvature, Reduction};
use crate::linalg::Symmetric;
use crate::trace::rows::stream::{Code, GROUP, Groups};
use crate::trace::rows::{Cells, Linearised, Row, Table};
pub(super) use active::Active;
use blocks::{Blocks, Entries};
use dense::{Dense, Planes};
pub(super) use diagonal::diagonal;

/// Adds up the curvature of all rows and reduces it to variables; unscaled.
///
/// *Cost*: one pass; 16·m·(m + 1) bytes per thread for m active slots.
pub(super) fn matrix(
    pass: &Pass<'_>,
    lanes: &[f64],
    kind: Curvature,
    active: &Active,
    reduction: &Reduction,
    matrix: &mut Symmetric,
) {
    let table = pass.traces.table(lanes);
    let chunk = |(): &mut (), rows| accumulate(pass, &table, kind, active, rows);
    let mut total = Sums::new(active);
    let rows = pass.traces.len();
    let wave = rayon::current_num_threads();
    ordered(
        rows,
        chunk_rows(rows),
        wave,
        || (),
        chunk,
        |part| {
            total.add(&part);
        },
    );
    matrix.clear();
    total.blocks.reduce(active, reduction, matrix);
    total.planes.reduce(active, reduction, matrix);
}

/// Rows that one set of sums is accumulated over: enough that emptying it and
/// adding it to the total cost little, few enough that 50,000 rows keep seven
/// threads busy. A fixed function of the data, never of the threads.
fn chunk_rows(rows: usize) -> usize {
    (rows / 16).next_multiple_of(CHUNK).clamp(CHUNK, 8 * CHUNK)
}

/// What the rows of a chunk add up to.
struct Sums {
    blocks: Blocks,
    planes: Planes,
}

impl Sums {
    fn new(active: &Active) -> Self {
        Self {
            blocks: Blocks::new(active),
            planes: Planes::default(),
        }
    }

    fn add(&mut self, other: &Self) {
        self.blocks.add(&other.blocks);
        self.planes.add(&other.planes);
    }
}

fn accumulate(
    pass: &Pass<'_>,
    table: &Table,
    kind: Curvature,
    active: &Active,
    rows: Range<usize>,
) -> Sums {
    match pass.traces.groups() {
        Groups::Narrow(groups) => dispatch(Accumulate {
            pass: *pass,
            groups,
            cells: table.narrow(),
            table,
            kind,
            active,
            rows,
        }),
        Groups::Wide(groups) => dispatch(Accumulate {
            pass: *pass,
            groups,
            cells: table.pairs(),
            table,
            kind,
            active,
            rows,
        }),
    }
}

/// Adds up the rows of a chunk.
struct Accumulate<'a, 'w, C, P: ?Sized> {
    pass: Pass<'a>,
    groups: &'a [[C; GROUP]],
    cells: &'w P,
    table: &'w Table,
    kind: Curvature,
    active: &'w Active,
    rows: Range<usize>,
}

impl<C: Code, P: Cells + ?Sized> Kernel for Accumulate<'_, '_, C, P> {
    type Output = Sums;

    #[inline(always)] // see Kernel
    fn run(self) -> Sums {
        let (pass, groups, active) = (&self.pass, self.groups, self.active);
        let set = pass.traces;
        let Sums {
            mut blocks,
            mut planes,
        } = Sums::new(active);
        let mut block = Block::new();
        let mut dense = Dense::new(active);
        let mut rest = Rest::default();
        let mut offset = set.row_start(self.rows.start);
        for (first, count) in gradient::blocks(self.rows.clone()) {
            offset = block.pick(pass, groups, first, count, offset);
            block.score(pass, groups, self.cells, self.table);
            block.curvatures(pass.loss, self.kind);
            for number in 0..block.len {
                let start = block.offsets[number];
                let curvature = block.slopes[number];
                let mut known = false;
                if let Some(columns) = &active.columns
                    && set.is_linear(block.rows[number] as usize)
                {
                    dense.push((columns, set), groups, start, curvature, &mut planes);
                    if C::header(groups[start]).last {
                        continue;
                    }
                    known = true;
                }
                rest.add(
                    &block.row(pass, number),
                    curvature,
                    known,
                    &self,
                    &mut blocks,
                );
            }
        }
        if let Some(columns) = &active.columns {
            dense.flush((columns, set), groups, &mut planes);
        }
        Sums { blocks, planes }
    }
}

/// Buffers for rows that are added entry by entry.
#[derive(Default)]
struct Rest {
    bent: Bent,
    entries: Entries,
    linearised: Linearised,
}

impl Rest {
    /// Adds a row; `known`: but for its first segment alone.
    fn add<C, P: ?Sized>(
        &mut self,
        row: &Row<'_>,
        curvature: f64,
        known: bool,
        of: &Accumulate<'_, '_, C, P>,
        blocks: &mut Blocks,
    ) {
        let linearised = &mut self.linearised;
        if !self.bent.at(&of.pass, linearised, row, of.table, of.kind) {
            self.bent.linear(row, curvature);
        }
        self.entries.read(row, of.active);
        blocks.push(&self.bent, &self.entries, known);
    }
}
