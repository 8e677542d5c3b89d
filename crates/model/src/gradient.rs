//! First-order kernels: value, gradient and products, one pass each.
//!
//! Everything here is in lanes and unscaled: sums over rows, derivatives by z.
//! [`Regression`](super::Regression) scales and reduces to variables.

use std::ops::Range;

use super::Curvature;
use super::block::{BLOCK, Block};
use super::deterministic_reduce::{add_up, in_chunks};
use super::nonlinear_row::NonlinearRow;
use super::passes::Pass;
use super::simd::{Kernel, dispatch};
use tuner_rows::kernel::{Cells, Code, GROUP, Groups, gather, scatter};
use tuner_rows::{Linearised, Row, Table, TokenSums};

impl Pass<'_> {
    /// Returns the sum of the weights of the rows.
    pub(super) fn total_weight(&self) -> f64 {
        let mut total = 0.0;
        let set = self.traces;
        // Columns alone, without a walk along the rows.
        let sum = |(): &mut (), rows: Range<usize>| {
            let read = rows.filter(|&row| self.reads(set.game(row)));
            read.map(|row| set.weight(row)).sum::<f64>()
        };
        in_chunks(set.len(), || (), sum, |part| total += part);
        total
    }

    /// Returns the sum of the penalties at the given lanes; adds up its gradient
    /// by lanes into `gradient`, if there is one.
    pub(super) fn penalties(&self, lanes: &[f64], mut gradient: Option<&mut [f64]>) -> f64 {
        let table = self.traces.table(lanes);
        let mut total = 0.0;
        if let Some(gradient) = &mut gradient {
            gradient.fill(0.0);
        }
        let sums = gradient.is_some();
        let work = || (Block::new(), sums.then(|| TokenSums::new(self.traces)));
        let chunk = |(block, sums): &mut (Block, Option<TokenSums>), rows| {
            let (pass, table) = (*self, &table);
            let value = match self.traces.groups() {
                Groups::Narrow(groups) => dispatch(Penalties {
                    pass,
                    groups,
                    cells: table.narrow(),
                    block,
                    sums: sums.as_mut().map(TokenSums::narrow),
                    rows,
                }),
                Groups::Wide(groups) => dispatch(Penalties {
                    pass,
                    groups,
                    cells: table.pairs(),
                    block,
                    sums: sums.as_mut().map(TokenSums::pairs),
                    rows,
                }),
            };
            (value, sums.as_mut().map(|sums| self.by_lane(sums)))
        };
        in_chunks(self.traces.len(), work, chunk, |(value, sums)| {
            total += value;
            if let (Some(gradient), Some(sums)) = (&mut gradient, sums) {
                add_up(gradient, sums);
            }
        });
        total
    }

    /// Returns what is lost by each row of a range that belongs to the part.
    pub(super) fn losses(&self, rows: Range<usize>, table: &Table) -> Vec<RowLoss> {
        let pass = *self;
        let mut block = Block::new();
        let block = &mut block;
        match self.traces.groups() {
            Groups::Narrow(groups) => dispatch(Losses {
                pass,
                groups,
                cells: table.narrow(),
                block,
                rows,
            }),
            Groups::Wide(groups) => dispatch(Losses {
                pass,
                groups,
                cells: table.pairs(),
                block,
                rows,
            }),
        }
    }

    /// Adds up curvature matrix times `direction`, both in lanes.
    pub(super) fn product(
        &self,
        lanes: &[f64],
        kind: Curvature,
        direction: &[f64],
        product: &mut [f64],
    ) {
        let [table, along] = [lanes, direction].map(|lanes| self.traces.table(lanes));
        product.fill(0.0);
        let work = || (Block::new(), TokenSums::new(self.traces));
        let chunk = |(block, sums): &mut (Block, TokenSums), rows| {
            let (pass, tables) = (*self, [&table, &along]);
            if self.traces.is_all_linear() {
                match self.traces.groups() {
                    Groups::Narrow(groups) => dispatch(Product {
                        pass,
                        kind,
                        groups,
                        cells: tables.map(Table::narrow),
                        block,
                        sums: sums.narrow(),
                        rows,
                    }),
                    Groups::Wide(groups) => dispatch(Product {
                        pass,
                        kind,
                        groups,
                        cells: tables.map(Table::pairs),
                        block,
                        sums: sums.pairs(),
                        rows,
                    }),
                }
            } else {
                self.nonlinear_product(rows, kind, tables, sums);
            }
            self.by_lane(sums)
        };
        in_chunks(self.traces.len(), work, chunk, |sums| add_up(product, sums));
    }

    fn nonlinear_product(
        &self,
        rows: Range<usize>,
        kind: Curvature,
        [table, along]: [&Table; 2],
        sums: &mut TokenSums,
    ) {
        let mut linearised = Linearised::default();
        let mut nonlinear = NonlinearRow::default();
        let (mut changes, mut amounts) = (Vec::new(), Vec::new());
        for row in self.rows(rows) {
            changes.clear();
            changes.extend(row.segments().map(|segment| segment.sums(along)));
            // A direction of few variables changes few rows.
            if changes.iter().flatten().all(|&change| change == 0.0) {
                continue;
            }
            if nonlinear.at(self, &mut linearised, &row, table, kind) {
                nonlinear.times(&changes, &mut amounts);
                for (segment, &factors) in row.segments().zip(&amounts) {
                    segment.scatter(factors, sums);
                }
                continue;
            }
            let curvature = self.row_curvature(&mut linearised, &row, table, kind);
            let pairs = row.segments().zip(&changes);
            let change = pairs
                .map(|(segment, sums)| segment.factors[0] * sums[0] + segment.factors[1] * sums[1]);
            let amount = curvature * change.sum::<f64>();
            for segment in row.segments() {
                segment.scatter(segment.factors.map(|factor| amount * factor), sums);
            }
        }
    }

    /// Moves to a row and returns its weight times its curvature by z.
    #[inline]
    pub(super) fn row_curvature(
        &self,
        linearised: &mut Linearised,
        row: &Row<'_>,
        table: &Table,
        kind: Curvature,
    ) -> f64 {
        let z = self.beta * linearised.at(row, table);
        row.weight() * self.loss.curvature(kind, z, row.outcome())
    }

    #[inline]
    pub(super) fn rows(&self, rows: Range<usize>) -> impl Iterator<Item = Row<'_>> {
        self.traces.rows(rows).filter(|row| self.reads(row.game()))
    }

    #[inline(always)] // into kernels
    pub(super) fn reads(&self, game: u32) -> bool {
        let sampled = self.sample.is_none_or(|sample| sample.holds_out(game));
        sampled && self.part.contains(game)
    }

    /// Turns sums by token into sums by lane, and empties them.
    fn by_lane(&self, sums: &mut TokenSums) -> Vec<f64> {
        let mut lanes = vec![0.0; 2 * self.traces.slots()];
        sums.take(self.traces, &mut lanes);
        lanes
    }
}

/// The first row and the number of rows of each block.
///
/// An iterator, because a closure as large as a kernel's loop is not inlined.
pub(super) fn blocks(rows: Range<usize>) -> impl Iterator<Item = (usize, usize)> {
    let end = rows.end;
    rows.step_by(BLOCK)
        .map(move |first| (first, BLOCK.min(end - first)))
}

/// Adds up penalties, and where there are sums their derivatives by token.
struct Penalties<'a, 'w, C, P: ?Sized> {
    pass: Pass<'a>,
    groups: &'a [[C; GROUP]],
    cells: &'w P,
    block: &'w mut Block,
    sums: Option<&'w mut P>,
    rows: Range<usize>,
}

impl<C: Code, P: Cells + ?Sized> Kernel for Penalties<'_, '_, C, P> {
    type Output = f64;

    #[inline(always)] // see Kernel
    fn run(self) -> f64 {
        let mut offset = self.pass.traces.row_start(self.rows.start);
        let mut total = 0.0;
        let (block, mut sums) = (self.block, self.sums);
        for (first, count) in blocks(self.rows) {
            offset = block.pick(&self.pass, self.groups, first, count, offset);
            block.score(&self.pass, self.groups, self.cells);
            total += block.penalties(self.pass.loss);
            if let Some(sums) = sums.as_deref_mut() {
                scatter_block(&self.pass, self.groups, block, sums);
            }
        }
        total
    }
}

/// What is lost by a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowLoss {
    /// The number of the row.
    pub(super) row: u32,
    /// Log-odds.
    pub(super) z: f64,
    /// Its weight, and times that its penalty.
    pub(super) weight: f64,
    pub(super) loss: f64,
}

/// Lists the penalties of rows.
struct Losses<'a, 'w, C, P: ?Sized> {
    pass: Pass<'a>,
    groups: &'a [[C; GROUP]],
    cells: &'w P,
    block: &'w mut Block,
    rows: Range<usize>,
}

impl<C: Code, P: Cells + ?Sized> Kernel for Losses<'_, '_, C, P> {
    type Output = Vec<RowLoss>;

    #[inline(always)] // see Kernel
    fn run(self) -> Vec<RowLoss> {
        let mut offset = self.pass.traces.row_start(self.rows.start);
        let mut losses = Vec::with_capacity(self.rows.len());
        let block = self.block;
        for (first, count) in blocks(self.rows) {
            offset = block.pick(&self.pass, self.groups, first, count, offset);
            block.score(&self.pass, self.groups, self.cells);
            block.penalties(self.pass.loss);
            losses.extend((0..block.len).map(|number| block.loss(number)));
        }
        losses
    }
}

/// Adds up curvature times direction by token, of linear rows.
struct Product<'a, 'w, C, P: ?Sized> {
    pass: Pass<'a>,
    kind: Curvature,
    groups: &'a [[C; GROUP]],
    /// Those of the weights and those of the direction.
    cells: [&'w P; 2],
    block: &'w mut Block,
    sums: &'w mut P,
    rows: Range<usize>,
}

impl<C: Code, P: Cells + ?Sized> Kernel for Product<'_, '_, C, P> {
    type Output = ();

    #[inline(always)] // see Kernel
    fn run(self) {
        let mut offset = self.pass.traces.row_start(self.rows.start);
        let (block, sums) = (self.block, self.sums);
        for (first, count) in blocks(self.rows) {
            offset = block.pick(&self.pass, self.groups, first, count, offset);
            block.score(&self.pass, self.groups, self.cells[0]);
            block.curvatures(0..block.len, self.pass.loss, self.kind);
            for number in 0..block.len {
                let mut change = 0.0;
                for (factors, tokens) in segments(self.groups, block.offsets[number]) {
                    let sums = gather(tokens, self.cells[1]);
                    let factors = self.pass.traces.factors(factors);
                    change += factors[0] * sums[0] + factors[1] * sums[1];
                }
                block.slopes[number] *= change;
            }
            scatter_block(&self.pass, self.groups, block, sums);
        }
    }
}

/// Adds each row's slope to the sums of its tokens.
#[inline(always)] // into kernels
fn scatter_block<C: Code, P: Cells + ?Sized>(
    pass: &Pass<'_>,
    groups: &[[C; GROUP]],
    block: &Block,
    sums: &mut P,
) {
    for number in 0..block.len {
        let slope = block.slopes[number];
        let mut nonlinear = block.factors(number).iter();
        for (factors, tokens) in segments(groups, block.offsets[number]) {
            let factors = match nonlinear.next() {
                Some(&factors) => factors,
                None => pass.traces.factors(factors),
            };
            scatter(tokens, factors.map(|factor| slope * factor), sums);
        }
    }
}

/// The segments of the row that starts at `offset`: the number of the factors, and the tokens.
///
/// An iterator, as [`blocks`].
#[inline(always)] // into kernels
pub(super) fn segments<C: Code>(
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
