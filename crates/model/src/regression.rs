//! The objective of the fit: mean loss over traces.

use std::sync::Arc;

use super::curvature::{self, Active};
use super::passes::{Pass, Passes, each};
use super::scores::Scores;
use super::{
    ByGradient, Curvature, Line, Loss, Objective, Part, PassError, PassResult, Reduction, Sigmoid,
    Split,
};
use tuner_base::phase;
use tuner_parallel as parallel;
use tuner_rows::{TraceSet, Traces};
use tuner_solve::linalg::Symmetric;
use tuner_solve::{KnownCurvature, SampledObjective, Subset};

/// Rows of a sample for each variable. It is of whole games, so that it does not depend on the
/// order of rows. A curvature matrix of n rows is off by about √(variables/n) of itself: here an
/// eighth.
const SAMPLED: usize = 64;

/// The least part of the rows of which a rough curvature is formed: below it nothing is saved, as
/// rows that share their factors are too few to be added up together.
const LEAST_SAMPLED: f64 = 0.125;

/// The largest part of the rows that makes a sample: above it too little is saved.
const MOST_SAMPLED: f64 = 0.5;

/// The least part of the rows in memory that a descent sets out on: below it what is done once
/// costs more than the passes.
const LEAST_START: f64 = 0.0625;

/// Rows of a stream that are enough for the sample that a descent sets out on, if they are fewer
/// than [`LEAST_START`] of it: the sample is held in memory.
const ENOUGH_OF_STREAM: usize = 1 << 18;

/// Most bytes of a sample of a stream, which must not grow with it: what is needed for K is as
/// large.
const MOST_BYTES: usize = 100_000_000;

/// Below so many rows a descent takes a fraction of a second anyway.
const LEAST_ROWS: usize = 100_000;

/// Rows of a sample below which a variable is not moved on it: its weight could run off, as
/// so few results are all alike.
const ENOUGH: f64 = 16.0;

/// Which games are in a sample. Far from the seeds of splits, which count from 1: with one of these
/// a sample of what a split leaves would be empty.
const SAMPLE_SEED: u64 = 1 << 32;

/// E(x) = Σᵢ wᵢ·loss(σ(sᵢ(x)), Rᵢ) / Σᵢ wᵢ over the rows i of one part of the games, with their
/// weights w and targets R, and their scores s at the variables x.
#[derive(Clone, Debug)]
pub struct Regression<'a> {
    pub(super) passes: Passes<'a>,
    reduction: &'a Reduction,
    /// The slots that have a variable.
    active: Active,
    /// The sum of the weights of the rows of all ranks.
    total: f64,
    /// A curvature matrix that need not be computed, with its point and kind.
    known: Option<Arc<KnownCurvature>>,
    /// Whether it is one of a sample, of which there is none again.
    is_sample: bool,
}

/// Why there is no objective.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegressionError {
    /// No row belongs to the part, or all of them have weight 0.
    #[error(
        "no position is left to fit or to judge by; expected at least one of positive weight; \
         take more games or another held-out fraction"
    )]
    NoRows,
    /// Rows could not be read.
    #[error(transparent)]
    Pass(#[from] PassError),
}

impl<'a> Regression<'a> {
    /// Makes the objective of the rows of `part`: the weighted mean of `loss` of the expectations
    /// that `sigmoid` has for their scores. *Cost*: a pass over the columns of games and weights.
    ///
    /// # Errors
    /// If there is no row of positive weight, or rows cannot be read.
    ///
    /// # Panics
    /// If the reduction has not two lanes per slot of the traces.
    pub fn new(
        traces: impl Into<Traces<'a>>,
        reduction: &'a Reduction,
        loss: Loss,
        sigmoid: Sigmoid,
        part: Part,
    ) -> Result<Self, RegressionError> {
        let traces = traces.into();
        let lanes = 2 * traces.slots();
        assert_eq!(reduction.lane_count(), lanes, "two lanes per slot");
        let passes = Passes {
            traces,
            part,
            sample: None,
            loss,
            beta: sigmoid.beta(),
        };
        let total = passes.total_weight()?;
        if total > 0.0 {
            Ok(Self {
                passes,
                reduction,
                active: Active::new(reduction, traces)?,
                total,
                known: None,
                is_sample: false,
            })
        } else {
            Err(RegressionError::NoRows)
        }
    }

    /// Returns the objective on the same rows over the variables of another reduction, of the same
    /// lanes. A known curvature is dropped, as it is by the variables of this one.
    ///
    /// # Errors
    /// If rows cannot be read.
    pub fn over<'b>(&self, reduction: &'b Reduction) -> PassResult<Regression<'b>>
    where
        'a: 'b,
    {
        Ok(Regression {
            passes: self.passes,
            reduction,
            active: Active::new(reduction, self.passes.traces)?,
            total: self.total,
            known: None,
            is_sample: self.is_sample,
        })
    }

    /// Returns the objective with a curvature matrix that is known already: asked for it at that
    /// point, to the bit, and of that kind, it takes no pass.
    #[must_use]
    pub fn knowing(self, known: Arc<KnownCurvature>) -> Self {
        Self {
            known: Some(known),
            ..self
        }
    }

    /// Returns the map between variables and weights.
    pub fn reduction(&self) -> &'a Reduction {
        self.reduction
    }

    /// Returns the sum of the weights of the rows, of all ranks: their number where each counts 1.
    pub fn total_weight(&self) -> f64 {
        self.total
    }

    /// Returns the memory, in bytes, that a second-order descent takes at most: four matrices over
    /// variables (the curvature of all and of those in play, damped, factorised), and the sums by
    /// pairs of slots that each thread has, and their sum.
    pub fn second_order_bytes(&self) -> u64 {
        let matrix = 8 * (self.len() as u64).saturating_pow(2);
        let blocks = self.active.bytes();
        let threads = parallel::threads() as u64;
        (4_u64.saturating_mul(matrix)).saturating_add(blocks.saturating_mul(threads + 1))
    }

    /// Returns E at the given lanes. *Cost*: one pass.
    ///
    /// # Errors
    /// If rows cannot be read.
    pub fn at_lanes(&self, lanes: &[f64]) -> PassResult<f64> {
        let sum = self.passes.sum(|pass| pass.penalties(lanes, None))?;
        Ok(sum / self.total)
    }

    /// Writes the curvature over variables of the rows that `passes` reads, as a sum of second
    /// derivatives by z = β·score, the log-odds, with β = K·ln 10/400. It is neither divided by the
    /// sum of the rows' weights nor multiplied by β². Without variables nothing is written.
    fn unscaled(
        &self,
        passes: &Passes<'_>,
        x: &[f64],
        kind: Curvature,
        matrix: &mut Symmetric,
    ) -> PassResult<()> {
        if self.is_empty() {
            return Ok(());
        }
        let lanes = self.reduction.lanes(x);
        curvature::matrix(passes, &lanes, kind, &self.active, self.reduction, matrix)
    }

    /// Tells of each variable whether a sample has enough of it to move it: at least [`ENOUGH`]
    /// coefficients of the sample's rows, over all ranks, are in lanes that depend on it.
    fn enough(&self, sample: &TraceSet) -> Vec<bool> {
        // Occurrences of tokens, which are then counted for each variable that moves their lanes.
        let mut by_token = vec![0.0; sample.tokens().len()];
        for row in sample.rows(0..sample.len()) {
            for segment in row.segments() {
                segment.tokens().for_each(|token| by_token[token] += 1.0);
            }
        }
        let mut counts = vec![0.0; self.len()];
        self.each_lane(sample, 0..by_token.len(), |token, _, variable, _| {
            counts[variable] += by_token[token];
        });
        self.passes.traces.ranks().sum(&mut counts);
        counts.into_iter().map(|count| count >= ENOUGH).collect()
    }

    /// Returns β/Σw, the factor that makes derivatives of E by the score, a mean over rows, of sums
    /// of weighted derivatives by z, the log-odds.
    pub(super) fn first(&self) -> f64 {
        self.passes.beta / self.total
    }

    /// Returns β²/Σw, the factor that makes second derivatives of E by the score, a mean over rows,
    /// of sums of weighted second derivatives by z, the log-odds.
    pub(super) fn second(&self) -> f64 {
        self.passes.beta * self.passes.beta / self.total
    }
}

impl Objective for Regression<'_> {
    fn len(&self) -> usize {
        self.reduction.variables()
    }

    fn value(&self, x: &[f64]) -> PassResult<f64> {
        let _phase = phase("values");
        self.at_lanes(&self.reduction.lanes(x))
    }

    fn gradient(&self, x: &[f64], gradient: &mut [f64]) -> PassResult<f64> {
        let _phase = phase("gradients");
        let lanes = self.reduction.lanes(x);
        let mut by_lane = vec![0.0; lanes.len()];
        let of_set = |pass: Pass<'_>, sums: &mut [f64]| pass.penalties(&lanes, Some(sums));
        let value = self.passes.vector(&mut by_lane, of_set)?;
        self.reduction.gather(&by_lane, gradient);
        scale_by(gradient, self.first());
        Ok(value / self.total)
    }

    fn curvature(&self, x: &[f64], kind: Curvature, matrix: &mut Symmetric) -> PassResult<()> {
        // A matrix that is known beforehand takes no pass, if it is of this kind and this very
        // point.
        let bits = |x: &f64| x.to_bits();
        if let Some(known) = &self.known
            && kind == known.kind
            && known.x.iter().map(bits).eq(x.iter().map(bits))
        {
            matrix.clone_from(&known.values);
            return Ok(());
        }
        let _phase = phase(match kind {
            Curvature::GaussNewton => "matrices",
            Curvature::Newton => "exact matrices",
        });
        self.unscaled(&self.passes, x, kind, matrix)?;
        matrix.scale(self.second());
        Ok(())
    }

    /// Forms the curvature of E between the variables of the subset alone, with all others fixed at
    /// `x`, so that no row and column of theirs is added up.
    fn curvature_between(&self, x: &[f64], kind: Curvature, of: &Subset) -> PassResult<Symmetric> {
        let reduction = self.reduction.keeping(of, x);
        self.over(&reduction)?.curvature_at(&of.gather(x), kind)
    }

    /// Forms the curvature from a sample of whole games that has about 64 rows for each variable
    /// and at least an eighth of all rows, and returns `true`; from all rows where that would be
    /// more than half of them, and then returns `false`.
    fn rough_curvature(&self, x: &[f64], kind: Curvature, to: &mut Symmetric) -> PassResult<bool> {
        // The part of all rows that `SAMPLED` rows for each variable are.
        let enough = (SAMPLED * self.len()) as f64 / self.passes.traces.len() as f64;
        let part = enough.max(LEAST_SAMPLED);
        if part > MOST_SAMPLED {
            self.curvature(x, kind, to)?;
            return Ok(false);
        }
        let _phase = phase("matrices of a sample");
        let passes = Passes {
            sample: Some(Split::new(part, SAMPLE_SEED)),
            ..self.passes
        };
        self.unscaled(&passes, x, kind, to)?;
        let second = self.passes.beta * self.passes.beta;
        // A sample by games may have no row: then the matrix is 0, and not the quotient 0/0.
        to.scale(second / passes.total_weight()?.max(f64::MIN_POSITIVE));
        Ok(true)
    }

    /// Calls `run` with E on a sample of whole games, copied into memory, if that saves passes:
    /// there are many rows, 64 for each variable are at most half of them, and a sample of a stream
    /// is small enough for memory. All ranks decide alike.
    fn on_sample(&self, run: &mut dyn FnMut(&SampledObjective<'_>)) -> PassResult<()> {
        let traces = self.passes.traces;
        let (rows, ranks) = (traces.len(), traces.ranks());
        let enough = SAMPLED * self.len();
        // The least part of the rows that is worth a descent, and whether that is few enough rows
        // to be held in memory where they are streamed.
        let (least, saves) = if ranks.any(traces.are_streamed()) {
            let least = ENOUGH_OF_STREAM as f64 / rows as f64;
            (least.min(LEAST_START), enough <= ENOUGH_OF_STREAM)
        } else {
            (LEAST_START, true)
        };
        let part = (enough as f64 / rows as f64).max(least);
        let saves = saves && rows >= LEAST_ROWS && part <= MOST_SAMPLED;
        // Not where these rows are a sample themselves. And not where a curvature matrix is known:
        // it is of the start, so that the descent has its first matrix without a pass.
        if !saves || self.is_sample || self.known.is_some() {
            return Ok(());
        }
        let split = Split::new(part, SAMPLE_SEED);
        let counts = |game| split.holds_out(game) && self.passes.part.contains(game);
        let sample = {
            let _phase = phase("making a sample");
            of_games(traces, counts)?
        };
        // It is missing where the copy of a stream would take too much memory. If one rank misses
        // it, no rank descends on a sample; behind this line each has one.
        if ranks.any(sample.is_none()) {
            return Ok(());
        }
        let sample = sample.unwrap_or_else(|| TraceSet::new(traces.slots()));
        let passes = Passes {
            traces: Traces::from(&sample).among(ranks),
            ..self.passes
        };
        let total = passes.total_weight()?;
        // Where games are few and long, the rows of a part of them may be many more than that part.
        let is_part = passes.traces.len() as f64 <= MOST_SAMPLED * rows as f64;
        if is_part && total > 0.0 {
            let objective = Regression {
                passes,
                reduction: self.reduction,
                active: self.active.clone(),
                total,
                known: None,
                is_sample: true,
            };
            run(&SampledObjective {
                objective: &objective,
                enough: &self.enough(&sample),
                part: passes.traces.len() as f64 / rows as f64,
            });
        }
        Ok(())
    }

    fn diagonal(&self, x: &[f64], kind: Curvature) -> PassResult<Vec<f64>> {
        let _phase = phase("diagonals");
        let lanes = self.reduction.lanes(x);
        let mut diagonal = vec![0.0; x.len()];
        curvature::diagonal(&self.passes, &lanes, kind, self.reduction, &mut diagonal)?;
        scale_by(&mut diagonal, self.second());
        Ok(diagonal)
    }

    fn curvature_product(&self, x: &[f64], kind: Curvature, v: &[f64]) -> PassResult<Vec<f64>> {
        Ok(self.products(x, kind, &[v])?.swap_remove(0))
    }

    /// Stores the score of every row at `x` and its change along `d`, so that points of the line
    /// need no pass over features; where rows are streamed, every point is a pass.
    fn line<'b>(&'b self, x: &[f64], d: &[f64]) -> PassResult<Box<dyn Line + 'b>> {
        let Some(traces) = self.passes.traces.in_memory() else {
            // The scores of all rows of a stream would not fit into memory.
            return Ok(Box::new(ByGradient::new(self, x, d)));
        };
        let _phase = phase("lines");
        let (lanes, along) = (self.reduction.lanes(x), self.reduction.spread(d));
        let (pass, ranks) = (self.passes.over(traces), self.passes.traces.ranks());
        Ok(Box::new(Scores::new(pass, ranks, self.total, lanes, along)))
    }
}

/// Copies into memory the rows of this rank for whose game `counts` is true. `None` where they are
/// streamed and the copy would take more than [`MOST_BYTES`]. The copy does not keep (`false`) the
/// numbers that its rows were pushed as. *Cost*: a pass that reads all rows.
fn of_games(
    traces: Traces<'_>,
    counts: impl Fn(u32) -> bool + Sync,
) -> PassResult<Option<TraceSet>> {
    if let Some(set) = traces.in_memory() {
        return Ok(Some(set.of_games(counts, false)));
    }
    let mut copy = Some(TraceSet::new(traces.slots()));
    let map = |set: &TraceSet| set.of_games(&counts, false);
    // One block for each thread in memory at a time, as parts are not small. Once the copy is too
    // large it is dropped, and stays so.
    each(traces, 1, map, |part| match &mut copy {
        Some(copy) if copy.bytes() + part.bytes() <= MOST_BYTES => copy.append(&part),
        _ => copy = None,
    })?;
    if let Some(copy) = &mut copy {
        copy.finish();
    }
    Ok(copy)
}

/// Multiplies all numbers by a factor.
pub(super) fn scale_by(vector: &mut [f64], factor: f64) {
    for value in vector {
        *value *= factor;
    }
}

#[cfg(test)]
mod tests;
