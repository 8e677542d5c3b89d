//! Rows of an evaluation of which nothing is known but its scores, a closure of this program.

use std::fmt;
use std::ops::Range;

use super::{RetraceError, RowFacts, RowSource};
use tuner_base::LaneId;
use tuner_parallel as parallel;
use tuner_rows::import::quotient_forms;
use tuner_rows::{Compactor, RowDraft, RowInfo, TraceSet, Traces};
use tuner_solve::Reduction;
use tuner_trace::Trace;

/// Positions that one thread asks about at a time: the weights change between them only. Chosen:
/// the memory for quotients is small, and 1,000 positions keep seven threads busy.
const BLOCK: usize = 64;

/// A position, and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbedPosition<P> {
    /// The position, in the form that the closure takes.
    pub position: P,
    /// Its result, and the game that it is from.
    pub info: RowInfo,
}

/// Rows by difference quotients of a closure from weights and a position to a score for the
/// first player, Texel's original way: another language, a network, a library without its source.
///
/// Each weight is moved up and down by a number of its [steps](Reduction::step), as far as its
/// bounds allow. A score that is not linear has rows that hold near their weights only; a run
/// goes as far as the true error falls, and takes rows again there.
///
/// *Cost* of the rows at some weights: 1 + 2·variables calls a position, on the threads of the
/// current pool.
///
/// ```
/// use tuner_base::LaneId;
/// use tuner_fit::model::Sigmoid;
/// use tuner_fit::run::{ClosureRows, FitRun, ProbedPosition, RunConfig, Variables};
/// use tuner_rows::RowInfo;
///
/// // Two weights: material, and mobility that saturates.
/// let evaluate = |weights: &[f64], &(material, moves): &(f64, f64)| {
///     weights[0] * material + 100.0 * (weights[1] * moves / 100.0).tanh()
/// };
///
/// // Positions with their results; here those that weights 90 and 7 explain.
/// let positions: Vec<_> = (0..400_u32)
///     .map(|game| {
///         let position = (f64::from(game % 7) - 3.0, f64::from(game % 31) - 15.0);
///         let outcome = Sigmoid::new(1.0).expectation(evaluate(&[90.0, 7.0], &position));
///         ProbedPosition { position, info: RowInfo::new(outcome, game) }
///     })
///     .collect();
///
/// let names = ["material", "mobility"].map(str::to_owned);
/// let mut variables = Variables::free(names.into_iter().zip([0, 1].map(LaneId)).collect(), 1);
/// let start = vec![60.0, 2.0];
/// let mut rows = ClosureRows::new(evaluate, &positions, &variables.reduction, &start, 1.0)?;
/// variables.initial = Some(start);
/// let mut config = RunConfig::default();
/// (config.settings.k, config.settings.prior) = (Some(1.0), None);
/// let fitted = FitRun::new(&variables, config, &mut ())?.run(&mut rows, &mut ())?;
/// assert_eq!(fitted.fit.written, [90.0, 7.0]);
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// ```
pub struct ClosureRows<'a, P, S> {
    score: S,
    positions: &'a [ProbedPosition<P>],
    reduction: Reduction,
    /// By how many of its own steps each weight is moved up and down.
    steps: f64,
    /// Where the rows were taken.
    weights: Vec<f64>,
    traces: TraceSet,
    facts: RowFacts,
}

impl<P, S> fmt::Debug for ClosureRows<'_, P, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Neither the closure nor the positions need be printable.
        f.debug_struct("ClosureRows")
            .field("facts", &self.facts)
            .finish_non_exhaustive()
    }
}

impl<'a, P: Sync, S: Fn(&[f64], &P) -> f64 + Sync> ClosureRows<'a, P, S> {
    /// Takes rows at weights. `steps`: by how many of its own steps each weight is moved up and
    /// down, such as 16 where the score is a whole number, and 1/64 where it is not.
    ///
    /// # Errors
    /// If there is no position or the steps are not a positive number; if a score is not finite,
    /// or what is known of a position makes no row.
    ///
    /// # Panics
    /// If there is not one weight for each of the reduction, or the closure panics.
    pub fn new(
        score: S,
        positions: &'a [ProbedPosition<P>],
        reduction: &Reduction,
        weights: &[f64],
        steps: f64,
    ) -> Result<Self, RetraceError> {
        if positions.is_empty() {
            return Err("there are no positions; expected at least one".into());
        }
        if !(steps > 0.0 && steps.is_finite()) {
            let words = format!("a weight is moved by {steps} steps; expected a number above 0");
            return Err(words.into());
        }
        let mut rows = Self {
            score,
            positions,
            reduction: reduction.clone(),
            steps,
            weights: Vec::new(),
            traces: TraceSet::new(reduction.lane_count().div_ceil(2)),
            facts: RowFacts::default(),
        };
        // As there are no weights yet, this takes the rows.
        rows.begin_at(weights)?;
        // Each position comes with its game.
        let games = true;
        rows.facts = RowFacts::of_rows(&rows.traces, games);
        Ok(rows)
    }

    /// Makes the rows of the positions with the numbers of `block` where the variables are `x`. A
    /// row has the difference quotient of scores by each variable, which is moved by `steps` of its
    /// own steps to either side, as far as its bounds allow; a variable that these do not let move
    /// has 0. The constant of a row is what the quotients leave of the score at `x`, so that the
    /// row has that score. `Err`: which position has no row, and why.
    fn block(&self, block: Range<usize>, x: &[f64]) -> Result<TraceSet, String> {
        let (reduction, slots) = (&self.reduction, self.traces.slots());
        let scores = self.scores(block.clone(), x)?;
        // Of each position the quotients of the weights in lane 0 of their slot, and in lane 1.
        // `widest`: the widest distance that a quotient is over. Scores are often whole numbers, so
        // quotients times this mostly are too, and are stored as small integers.
        let mut quotients: Vec<[Vec<(LaneId, f64)>; 2]> = vec![Default::default(); block.len()];
        let (mut moved, mut widest) = (x.to_vec(), 0.0_f64);
        for (variable, &root) in reduction.roots().iter().enumerate() {
            let (low, high) = reduction.bounds()[variable];
            let (here, far) = (x[variable], self.steps * reduction.step(root));
            let [below, above] = [(here - far).max(low), (here + far).min(high)];
            if above - below <= 0.0 {
                continue;
            }
            moved[variable] = below;
            let scores_below = self.scores(block.clone(), &moved)?;
            moved[variable] = above;
            let scores_above = self.scores(block.clone(), &moved)?;
            moved[variable] = here;
            widest = widest.max(above - below);
            // Tied weights move with their root, so that the quotient is by all of them together:
            // it is stored in the lane of the root, and the lanes of the tied weights have 0.
            let lane = reduction.weight_lanes()[root.index()];
            let pairs = scores_below.iter().zip(&scores_above);
            for (sides, (low, high)) in quotients.iter_mut().zip(pairs) {
                sides[lane.side()].push((lane, (high - low) / (above - below)));
            }
        }
        let lanes = reduction.lanes(x);
        let mut compactor = Compactor::new((0..2 * slots as u32).map(LaneId).collect());
        let (mut draft, mut traces) = (RowDraft::default(), TraceSet::new(slots));
        for ((number, score), sides) in block.zip(scores).zip(&quotients) {
            let trace = Trace {
                forms: quotient_forms(sides, widest),
                ..Trace::default()
            };
            compactor.draft(&trace, &mut draft);
            let sums = draft.segments.iter().map(|segment| {
                let [first, second] = segment.sums(&lanes);
                segment.factors[0] * first + segment.factors[1] * second
            });
            draft.constant = score - sums.sum::<f64>();
            (traces.push(&draft, &self.positions[number].info))
                .map_err(|error| format!("position {number}: {error}"))?;
        }
        Ok(traces)
    }

    /// Returns the scores of the positions with the numbers of `block` where the variables are `x`,
    /// by calls of the closure; fails if one is not finite.
    fn scores(&self, block: Range<usize>, x: &[f64]) -> Result<Vec<f64>, String> {
        let weights = self.reduction.weights(x);
        let score = |number: usize| {
            let score = (self.score)(&weights, &self.positions[number].position);
            let is_finite = score.is_finite().then_some(score);
            is_finite.ok_or_else(|| {
                format!(
                    "the score of position {number} is {score} at the weights {weights:?}; expected \
                     a finite number: keep such weights away by bounds, or move weights by less"
                )
            })
        };
        block.map(score).collect()
    }
}

impl<P: Sync, S: Fn(&[f64], &P) -> f64 + Sync> RowSource for ClosureRows<'_, P, S> {
    /// Returns the facts of the rows that were taken first.
    fn facts(&self) -> &RowFacts {
        &self.facts
    }

    /// Takes the rows at the weights with which a run begins.
    fn begin_at(&mut self, weights: &[f64]) -> Result<(), RetraceError> {
        // Rows at these weights are not taken a second time.
        if self.weights != weights {
            self.traces = self.retrace(weights)?;
            self.weights = weights.to_vec();
        }
        Ok(())
    }

    /// Returns the rows at the weights with which a run begins.
    fn rows(&self) -> Traces<'_> {
        Traces::from(&self.traces)
    }

    /// Always true: the closure can be called at any weights.
    fn can_retrace(&self) -> bool {
        true
    }

    /// Always true: rows at other weights are made of the closure's own scores there, while those
    /// at hand only predict them.
    fn knows_scores(&self) -> bool {
        true
    }

    /// Returns rows of all positions at other weights, by calls of the closure. Fails if one of its
    /// scores is not finite, or what is known of a position makes no row.
    fn retrace(&mut self, weights: &[f64]) -> Result<TraceSet, RetraceError> {
        // Blocks of positions are worked on side by side, and joined in their order.
        let x = self.reduction.start(weights);
        let count = self.positions.len();
        let blocks = parallel::map(0..count.div_ceil(BLOCK), |block| {
            self.block(block * BLOCK..((block + 1) * BLOCK).min(count), &x)
        });
        let mut all = TraceSet::new(self.traces.slots());
        for block in blocks {
            all.append(&block?);
        }
        all.finish();
        Ok(all)
    }
}
