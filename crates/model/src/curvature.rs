//! Second-order kernels: the curvature matrix, and its diagonal.
//!
//! There are four ways to add up a row, all exact to rounding:
//!
//! - entry by entry, as 2×2 blocks for each pair of slots ([`blocks`]): any row;
//! - by its derivatives g, where its curvature is h·g·gᵀ ([`gradients`]): all but second
//!   derivatives of its score;
//! - many rows together as a product of matrices, several times as fast where rows are not too
//!   sparse: those that share their factors ([`dense`]);
//! - and the first segments of rows that do not ([`mixed`]).
//!
//! The first two make blocks over slots, the last two [`planes`] over columns. Both are reduced
//! to variables after the pass, so that ties cost nothing per row.

mod active;
mod batch;
mod blocks;
mod dense;
mod diagonal;
mod gradients;
mod mixed;
mod places;
mod planes;

use std::ops::Range;

use super::block::{self, Block};
use super::deterministic_reduce::{CHUNK, deterministic_reduce};
use super::nonlinear_row::NonlinearRow;
use super::passes::{Pass, Passes, each};
use super::{Curvature, PassResult, Reduction};
pub(super) use active::Active;
use active::TokenMap;
use blocks::Blocks;
use dense::Dense;
pub(super) use diagonal::diagonal;
use mixed::Mixed;
use planes::Planes;
use tuner_parallel as parallel;
use tuner_rows::{AHEAD, Table, TraceSet, Traces};
use tuner_solve::linalg::Symmetric;

/// Rows of a chunk where sums are [large](Active::is_large): their derivatives are read first, then
/// all threads add them to one triangle.
const LARGE_CHUNK: usize = 2048;

/// Where a set has no more chunks than this, and the sums of each take less than [`LITTLE`] bytes,
/// all chunks are worked on at once: a thread need not wait for a slower one.
const FEW: usize = 8;
/// Bytes of the sums of a chunk below which all chunks of a set of [`FEW`] are worked on at once.
const LITTLE: u64 = 2 << 20;

/// Overwrites `matrix` with the curvature over variables of all rows, of all ranks, as a sum of
/// second derivatives by z = β·score: β² over the total weight makes the curvature of E of it. Rows
/// are added up in chunks: by pairs of active slots, which are those that have a variable, and by
/// pairs of columns, which are what an active slot's entries count in one lane or alike in both.
/// These sums are reduced to variables at the end.
///
/// *Cost*: one pass; 16·m·(m + 1) bytes for m active slots. There are so many bytes once if they
/// are 16 MB or more, where all threads add to the same sums; else for each thread, and four times
/// that where rows are streamed. If chunks are at most [`FEW`] and their sums small, each chunk has
/// as many.
pub(super) fn matrix(
    passes: &Passes<'_>,
    lanes: &[f64],
    kind: Curvature,
    active: &Active,
    reduction: &Reduction,
    matrix: &mut Symmetric,
) -> PassResult<()> {
    let mut total = Sums::new(active);
    let ahead = if active.is_large() { 1 } else { AHEAD };
    let chunk_rows = chunk_rows(passes.traces, active);
    let chunks = |set: &TraceSet| set.len().div_ceil(chunk_rows);
    let in_memory = passes.traces.in_memory();
    let are_few = in_memory.is_some_and(|set| chunks(set) <= FEW);
    let is_little = are_few && active.bytes() < LITTLE;
    // So many sums of chunks exist at once: one for each thread, but of few small ones all.
    let wave = parallel::threads().max(if is_little { FEW } else { 1 });
    let of_set = |set: &TraceSet| {
        let (pass, table, known) = (passes.over(set), set.table(lanes), active.token_map(set));
        let accumulate = Accumulate {
            pass,
            table: &table,
            kind,
            active,
            known: &known,
        };
        let chunk = |(): &mut (), rows| accumulate.rows(rows);
        let mut all = Sums::new(active);
        let add = |part| all.add(part);
        deterministic_reduce(set.len(), chunk_rows, wave, || (), chunk, add);
        all
    };
    each(passes.traces, ahead, of_set, |part| total.add(part))?;
    matrix.clear();
    total.blocks.reduce(active, reduction, matrix);
    total.planes.reduce(active, reduction, matrix);
    let ranks = passes.traces.ranks();
    if !ranks.is_alone() {
        let mut packed = matrix.packed();
        ranks.sum(&mut packed);
        matrix.set_packed(&packed);
    }
    Ok(())
}

/// Returns how many rows make a chunk, which has sums of its own: enough that emptying these and
/// adding them to the total cost little, few enough that 50,000 rows keep seven threads busy. A
/// block of a stream is one chunk, as blocks are worked on side by side. Where sums take much
/// memory a chunk has `LARGE_CHUNK` rows, as then its rows are only listed, and all threads add
/// them to one triangle of sums. The number depends on the data and never on the threads, as it
/// decides on the order of sums.
fn chunk_rows(traces: Traces<'_>, active: &Active) -> usize {
    if active.is_large() {
        return LARGE_CHUNK;
    }
    traces.in_memory().map_or(usize::MAX, |set| {
        let rows = (set.len() / 16).next_multiple_of(CHUNK);
        rows.clamp(CHUNK, 8 * CHUNK)
    })
}

/// The sums over the rows of a chunk.
struct Sums {
    /// By pairs of active slots.
    blocks: Blocks,
    /// By pairs of columns.
    planes: Planes,
}

impl Sums {
    /// Makes sums of no rows; their memory is asked for when something is added.
    fn new(active: &Active) -> Self {
        Self {
            blocks: Blocks::new(active),
            planes: Planes::default(),
        }
    }

    /// Adds the sums of the next chunk, by pairs of slots and by pairs of columns.
    fn add(&mut self, other: Self) {
        self.blocks.add(other.blocks);
        self.planes.add(other.planes);
    }
}

/// The pass over a set, and what it needs to add up the curvature of rows: the lanes they are at,
/// as a table, and the slots and tokens that count.
struct Accumulate<'a, 'w> {
    pass: Pass<'a>,
    table: &'w Table,
    kind: Curvature,
    active: &'w Active,
    known: &'w TokenMap,
}

impl Accumulate<'_, '_> {
    /// Returns the sums over some rows. Where there are columns (of the coefficients of a slot's
    /// lanes, for rows that are full enough), a row's first segment with itself goes to the planes,
    /// which are sums by pairs of columns, and all other pairs of segments to the blocks, which are
    /// sums by pairs of slots. Without columns a row goes to the blocks as h·g·gᵀ, with g the
    /// derivatives of its score and h its weighted curvature by z, the log-odds. For Newton's
    /// curvature the second derivatives of scores that are not linear come on top.
    fn rows(&self, rows: Range<usize>) -> Sums {
        let (pass, active) = (&self.pass, self.active);
        let set = pass.traces;
        let terms = self.known.terms.as_deref();
        let (mut blocks, mut planes) = (Blocks::new(active), Planes::default());
        let mut block = Block::new();
        let mut dense = Dense::new(active);
        let mut mixed = Mixed::new(active, !set.is_all_linear());
        let mut nonlinear = NonlinearRow::default();
        let mut offset = set.row_start(rows.start);
        for (first, count) in block::blocks(rows) {
            offset = block.pick(pass, first, count, offset);
            block.begin_scores();
            let mut first = 0;
            while first < block.len {
                let rows = first..first + block.score_next(pass, self.table, first);
                first = rows.end;
                block.curvatures(rows.clone(), pass.loss, self.kind);
                // Rows that are scored together are either all linear or all not.
                let is_linear = block.row(pass, rows.start).is_linear();
                for number in rows.clone() {
                    let Some(terms) = terms else {
                        self.push_gradient(&block, number, &mut blocks);
                        continue;
                    };
                    let (start, h) = (block.offsets[number], block.slopes[number]);
                    let row = block.row(pass, number);
                    // That of the first segment, which may be the row's last one too: then no pair
                    // of segments is left for the blocks.
                    let header = set.header(start);
                    if is_linear {
                        dense.push(terms, set, start, header.factors, h, &mut planes);
                        if header.last {
                            continue;
                        }
                        nonlinear.by_factors(&row.segments().map(|segment| segment.factors), h);
                    } else {
                        nonlinear.by_factors(&block.factors(number).iter().copied(), h);
                        mixed.push(terms, set, start, nonlinear.own(), &mut planes);
                        if header.last {
                            continue;
                        }
                    }
                    // The pair of the first segment with itself is in the planes: 0 here.
                    let all = nonlinear.all().iter().skip(1);
                    let between = std::iter::once([0.0; 4]).chain(all.copied());
                    blocks.push(row.segments(), between, self.known);
                }
                if self.kind == Curvature::Newton && !is_linear {
                    self.push_seconds(&mut block, rows, &mut blocks);
                }
            }
        }
        // The rows that still wait to be multiplied together.
        if let Some(terms) = terms {
            dense.flush(terms, set, &mut planes);
            mixed.flush(terms, set, &mut planes);
        }
        Sums {
            blocks: blocks.finish(),
            planes,
        }
    }

    /// Adds the row at the place `number` in a block to `blocks`, the sums by pairs of slots, as
    /// h·g·gᵀ: g are the derivatives of its score, h is its weighted curvature by z, the log-odds,
    /// which must be filled in as the block's slope.
    fn push_gradient(&self, block: &Block, number: usize, blocks: &mut Blocks) {
        let row = block.row(&self.pass, number);
        // Of a row that is not linear the block has the factors of segments at the lanes where it
        // was scored; a linear row has none there, and keeps its own.
        let mut factors = block.factors(number).iter();
        let segments = row.segments().map(|mut segment| {
            segment.factors = factors.next().copied().unwrap_or(segment.factors);
            segment
        });
        blocks.push_gradient(segments, block.slopes[number], self.known);
    }

    /// Adds, for the rows that were scored last, which must not be linear, the slope of the penalty
    /// times the second derivatives of the score to the blocks: between those segments by whose
    /// lane sums the score has second derivatives.
    fn push_seconds(&self, block: &mut Block, rows: Range<usize>, blocks: &mut Blocks) {
        let pass = &self.pass;
        block.differentiate();
        let batch = block.batch();
        let segments = batch.differentiated().len();
        if segments == 0 {
            return;
        }
        for (place, number) in rows.enumerate() {
            // All is multiplied by β² in the end, but slope·∂²s must be by β alone: so divided by
            // β.
            let slope = block.slope(pass.loss, number) / pass.beta;
            let row = block.row(pass, number);
            let between = (0..segments * segments).map(|pair| {
                let pair = [pair / segments, pair % segments];
                batch.seconds(place, pair).map(|second| slope * second)
            });
            // Of the row's segments those that have second derivatives, in their order.
            let mut wanted = batch.differentiated().iter().peekable();
            let views = (0..)
                .zip(row.segments())
                .filter_map(|(segment, view)| wanted.next_if_eq(&&segment).map(|_| view));
            blocks.push(views, between, self.known);
        }
    }
}
