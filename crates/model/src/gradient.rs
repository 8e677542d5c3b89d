//! First-order kernels: value, gradient and products, one pass each.
//!
//! Everything here is in lanes and unscaled: sums over rows, derivatives by z.
//! [`Regression`](super::Regression) scales and reduces to variables.

use std::ops::Range;

use super::Curvature;
use super::block::{Block, RowLoss, blocks};
use super::deterministic_reduce::{add_up, in_chunks};
use super::nonlinear_row::NonlinearRow;
use super::passes::Pass;
use tuner_rows::{Linearised, Row, Table, TokenSums};

impl Pass<'_> {
    /// Returns the sum of the weights of the rows that the pass reads: those of the games of its
    /// part and, if it has one, of its sample.
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

    /// Returns the sum of weight·penalty over the rows at the given lanes; where `gradient` is
    /// given, overwrites it with the derivatives of that sum by the lanes, still by z: without β.
    pub(super) fn penalties(&self, lanes: &[f64], mut gradient: Option<&mut [f64]>) -> f64 {
        let table = self.traces.table(lanes);
        let mut total = 0.0;
        if let Some(gradient) = &mut gradient {
            gradient.fill(0.0);
        }
        let sums = gradient.is_some();
        let work = || (Block::new(), sums.then(|| TokenSums::new(self.traces)));
        let chunk = |(block, sums): &mut (Block, Option<TokenSums>), rows| {
            let mut value = 0.0;
            self.each_block(block, rows, &table, |block| {
                value += block.penalties(self.loss);
                if let Some(sums) = sums {
                    block.scatter(self, sums);
                }
            });
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

    /// Returns, for each row of a range that the pass reads, in their order, its number, weight,
    /// log-odds and weighted penalty at the lanes of a table.
    pub(super) fn losses(&self, rows: Range<usize>, table: &Table) -> Vec<RowLoss> {
        let mut losses = Vec::with_capacity(rows.len());
        self.each_block(&mut Block::new(), rows, table, |block| {
            block.penalties(self.loss);
            losses.extend((0..block.len).map(|number| block.loss(number)));
        });
        losses
    }

    /// Calls `look` with the rows of a range that the pass reads, which depends on their games,
    /// block by block, with their log-odds at the lanes of a table filled in. `block` is scratch,
    /// and may be used for several ranges.
    pub(super) fn each_block(
        &self,
        block: &mut Block,
        rows: Range<usize>,
        table: &Table,
        mut look: impl FnMut(&mut Block),
    ) {
        let mut offset = self.traces.row_start(rows.start);
        for (first, count) in blocks(rows) {
            offset = block.pick(self, first, count, offset);
            block.score(self, table);
            look(block);
        }
    }

    /// Overwrites `products` with the curvature matrix at `lanes` times some directions, one
    /// product after the other, all in lanes. They are sums over rows by z, the log-odds: a linear
    /// row adds h·g·(gᵀd) for a direction d, with g the derivatives of its score and h the weighted
    /// curvature of its penalty.
    pub(super) fn products(
        &self,
        lanes: &[f64],
        kind: Curvature,
        directions: &[Vec<f64>],
        products: &mut [f64],
    ) {
        let table = self.traces.table(lanes);
        let along = directions.iter().map(|lanes| self.traces.table(lanes));
        let along: Vec<Table> = along.collect();
        products.fill(0.0);
        let work = || {
            let sums = along.iter().map(|_| TokenSums::new(self.traces));
            (Block::new(), sums.collect::<Vec<_>>())
        };
        let chunk = |(block, sums): &mut (Block, Vec<TokenSums>), rows: Range<usize>| {
            if self.traces.is_all_linear() {
                // One direction after the other: the product with it overwrites the curvatures of a
                // block, so blocks are filled and scored anew for the next.
                for (along, sums) in along.iter().zip(sums.iter_mut()) {
                    self.each_block(block, rows.clone(), &table, |block| {
                        block.curvatures(0..block.len, self.loss, kind);
                        block.times_changes(self, along);
                        block.scatter(self, sums);
                    });
                }
            } else {
                self.nonlinear_products(rows, kind, &table, &along, sums);
            }
            let by_lane = sums.iter_mut().map(|sums| self.by_lane(sums));
            by_lane.collect::<Vec<_>>().concat()
        };
        in_chunks(self.traces.len(), work, chunk, |sums| {
            add_up(products, sums);
        });
    }

    /// Adds the curvature times some directions, over some rows, to `sums`, which has for each
    /// direction two sums, of lane 0 and lane 1, for each token (a distinct entry: a slot with a
    /// coefficient for each of its lanes). `along` has for each direction a table of the changes of
    /// lanes. Rows may be linear or not: of one that is not, the curvature is a small matrix over
    /// the lane sums of its segments.
    fn nonlinear_products(
        &self,
        rows: Range<usize>,
        kind: Curvature,
        table: &Table,
        along: &[Table],
        sums: &mut [TokenSums],
    ) {
        let mut linearised = Linearised::default();
        let mut nonlinear = NonlinearRow::default();
        let (mut changes, mut amounts) = (Vec::new(), Vec::new());
        for row in self.rows(rows) {
            // Found with the first direction that changes the row: the curvature by z where its
            // score is linear; `None` where it is not, as its matrix is in `nonlinear`.
            let mut curvature = None;
            for (along, sums) in along.iter().zip(sums.iter_mut()) {
                changes.clear();
                changes.extend(row.segments().map(|segment| segment.sums(along)));
                // A direction of few variables changes few rows.
                if changes.iter().flatten().all(|&change| change == 0.0) {
                    continue;
                }
                let curvature = *curvature.get_or_insert_with(|| {
                    let is_nonlinear = nonlinear.at(self, &mut linearised, &row, table, kind);
                    (!is_nonlinear).then(|| self.row_curvature(&mut linearised, &row, table, kind))
                });
                let Some(curvature) = curvature else {
                    nonlinear.times(&changes, &mut amounts);
                    for (segment, &factors) in row.segments().zip(&amounts) {
                        segment.scatter(factors, sums);
                    }
                    continue;
                };
                let pairs = row.segments().zip(&changes);
                let change = pairs.map(|(segment, sums)| {
                    segment.factors[0] * sums[0] + segment.factors[1] * sums[1]
                });
                let amount = curvature * change.sum::<f64>();
                for segment in row.segments() {
                    segment.scatter(segment.factors.map(|factor| amount * factor), sums);
                }
            }
        }
    }

    /// Returns a row's weight times the curvature of its penalty by z, the log-odds, at the lanes
    /// of a table. `linearised` is left with the row's derivatives there.
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

    /// Iterates over those rows of a range that the pass reads: their game is in its part and, if
    /// it has a sample of games, in that too.
    #[inline]
    pub(super) fn rows(&self, rows: Range<usize>) -> impl Iterator<Item = Row<'_>> {
        self.traces.rows(rows).filter(|row| self.reads(row.game()))
    }

    /// Tells whether the pass reads the rows of a game: it is in the part of the pass and, if the
    /// pass has a sample, which is the side of a split that is held out, in that too.
    #[inline]
    pub(super) fn reads(&self, game: u32) -> bool {
        let sampled = self.sample.is_none_or(|sample| sample.holds_out(game));
        sampled && self.part.contains(game)
    }

    /// Returns sums by token as sums by lane, two for each slot, and sets those by token to 0.
    fn by_lane(&self, sums: &mut TokenSums) -> Vec<f64> {
        let mut lanes = vec![0.0; 2 * self.traces.slots()];
        sums.take(self.traces, &mut lanes);
        lanes
    }
}
