//! Second-order kernels: the curvature matrix, and its diagonal.
//!
//! Ways to add up a row, all exact to rounding: entry by entry as 2×2
//! blocks per pair of slots ([`blocks`]), which serves any row, and is simpler for what its
//! gradient adds ([`gradients`]), all but second derivatives of its score; and many rows
//! together as a product of matrices, which is several times as fast where rows
//! are not too sparse, once for rows that share their factors ([`dense`]), once
//! for first segments of rows that do not ([`mixed`]). What they leave is
//! reduced to variables after the pass, so ties cost nothing per row.

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

/// Rows of a chunk that wait for the threads to add them to one large triangle.
const LARGE_CHUNK: usize = 2048;

/// Of a set of so few chunks their sums may all wait, where they take no more than this each:
/// so a thread continues while another is slower, and threads are woken less often.
const FEW: usize = 8;
const LITTLE: u64 = 2 << 20;

/// Adds up the curvature of all rows and reduces it to variables; unscaled.
///
/// *Cost*: one pass; 16·m·(m + 1) bytes for m active slots, once where they are
/// [large](Active::is_large); else per thread, and four times as many where rows are streamed; of
/// few rows below [`LITTLE`] each of [`FEW`] chunks has as many.
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
    let are_few = passes
        .traces
        .in_memory()
        .is_some_and(|set| chunks(set) <= FEW);
    let is_little = are_few && active.bytes() < LITTLE;
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

/// Rows that one set of sums is accumulated over: enough that emptying it and
/// adding it to the total cost little, few enough that 50,000 rows keep seven
/// threads busy. The blocks of a stream are worked on side by side, each as a
/// whole, unless sums are large. A fixed function of the data, never of the threads.
fn chunk_rows(traces: Traces<'_>, active: &Active) -> usize {
    if active.is_large() {
        return LARGE_CHUNK;
    }
    traces.in_memory().map_or(usize::MAX, |set| {
        (set.len() / 16)
            .next_multiple_of(CHUNK)
            .clamp(CHUNK, 8 * CHUNK)
    })
}

/// The sums over the rows of a chunk.
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

    fn add(&mut self, other: Self) {
        self.blocks.add(other.blocks);
        self.planes.add(other.planes);
    }
}

struct Accumulate<'a, 'w> {
    pass: Pass<'a>,
    table: &'w Table,
    kind: Curvature,
    active: &'w Active,
    known: &'w TokenMap,
}

impl Accumulate<'_, '_> {
    /// The sums of some rows: by planes where columns are known, other parts by blocks.
    fn rows(&self, rows: Range<usize>) -> Sums {
        let (pass, active) = (&self.pass, self.active);
        let set = pass.traces;
        let terms = self.known.terms.as_deref();
        let Sums {
            mut blocks,
            mut planes,
        } = Sums::new(active);
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
                let is_linear = block.row(pass, rows.start).is_linear();
                for number in rows.clone() {
                    let (start, h) = (block.offsets[number], block.slopes[number]);
                    let row = block.row(pass, number);
                    let Some(terms) = terms else {
                        // Those that hold where the row is.
                        let mut factors = block.factors(number).iter();
                        let gradient = row.segments().map(|mut segment| {
                            segment.factors = factors.next().copied().unwrap_or(segment.factors);
                            segment
                        });
                        blocks.push_gradient(gradient, h, self.known);
                        continue;
                    };
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
                    // The first segment's own part is in the planes.
                    let all = nonlinear.all().iter().skip(1);
                    let between = std::iter::once([0.0; 4]).chain(all.copied());
                    blocks.push(row.segments(), between, self.known);
                }
                if self.kind == Curvature::Newton && !is_linear {
                    self.push_seconds(&mut block, rows, &mut blocks);
                }
            }
        }
        if let Some(terms) = terms {
            dense.flush(terms, set, &mut planes);
            mixed.flush(terms, set, &mut planes);
        }
        Sums {
            blocks: blocks.finish(),
            planes,
        }
    }

    /// Adds the second derivatives of the scores of rows that were scored last.
    fn push_seconds(&self, block: &mut Block, rows: Range<usize>, blocks: &mut Blocks) {
        let pass = &self.pass;
        block.differentiate();
        let batch = block.batch();
        let segments = batch.differentiated().len();
        if segments == 0 {
            return;
        }
        for (place, number) in rows.enumerate() {
            // By z, a second derivative of the score counts β⁻¹.
            let slope = block.slope(pass.loss, number) / pass.beta;
            let row = block.row(pass, number);
            let between = (0..segments * segments).map(|pair| {
                let pair = [pair / segments, pair % segments];
                batch.seconds(place, pair).map(|second| slope * second)
            });
            let mut wanted = batch.differentiated().iter().peekable();
            let views = (0..)
                .zip(row.segments())
                .filter_map(|(segment, view)| wanted.next_if_eq(&&segment).map(|_| view));
            blocks.push(views, between, self.known);
        }
    }
}
