//! Rows by difference quotients, and scores without rows.

use std::ops::{ControlFlow, Range};

use tuner_parallel as parallel;

use super::moves::{Move, moves};
use super::{BlackBox, BlackBoxError, NonlinearQuotient, NonlinearityReport, ProbeSteps};
use tuner_base::LaneId;
use tuner_rows::import::quotient_forms;
use tuner_rows::{Compactor, RowDraft, TraceSet};
use tuner_trace::Trace;

/// Blocks that are under way at a time: so many results wait at most. The same
/// for any number of threads, and enough for any.
const WAVE: usize = 128;

/// Units of rounding of a score that are taken for noise: the evaluation is a
/// sum, too. Chosen.
const NOISE: f64 = 64.0 * f64::EPSILON;

/// Rows of a black box at certain weights.
#[derive(Clone, Debug)]
pub struct Quotients {
    /// The rows, numbered as the positions. For many passes over many of them
    /// call [`TraceSet::finish`], which gives them other numbers.
    pub traces: TraceSet,
    /// All weights, where the quotients were taken: those asked for, within
    /// the bounds, with ties and frozen weights as the reduction has them.
    pub weights: Vec<f64>,
    /// How nonlinear the scores are.
    pub nonlinearity: NonlinearityReport,
    /// How often the closure was asked.
    pub evaluations: u64,
}

/// A callback that is told how many positions are done, and says whether to continue.
pub(super) type Watch<'a> = &'a mut dyn FnMut(usize) -> ControlFlow<()>;

impl<P: Sync, S: Fn(&[f64], &P) -> f64 + Sync> BlackBox<'_, P, S> {
    /// Positions of a block: between them weights do not change. Chosen: the
    /// memory for quotients is small, and 1,000 positions keep seven threads
    /// busy.
    pub const BLOCK: usize = 64;

    /// Takes rows around `weights`, one value per weight of the reduction.
    ///
    /// The coefficient of a variable is (s(w + h) − s(w − h))/2h, and is in
    /// the lane of its root, for all weights tied to it; a bound cuts h off on
    /// its side. The constant is what makes the row's score at `weights` that
    /// of the closure. What does not move the score is not stored.
    ///
    /// *Numerics*: scores at `weights` to rounding, coefficients to ten digits; the same
    /// bits on any number of threads.
    /// *Cost*: 1 + 2·variables evaluations a position. Memory: that of the
    /// rows (see [`rows`](tuner_rows)), 32 bytes for each coefficient
    /// that is not a small integer times what others in its row are, and the
    /// quotients of 64 positions for each thread.
    ///
    /// # Errors
    /// All mistakes in what was asked; the first position whose score is not
    /// finite or whose facts are not what a row wants.
    ///
    /// # Panics
    /// If the closure does.
    pub fn rows(&self, weights: &[f64]) -> Result<Quotients, Vec<BlackBoxError>> {
        self.check()?;
        self.check_weights("weights", weights)?;
        let x = self.reduction.start(weights);
        self.rows_at(&x, &mut |_| ControlFlow::Continue(()))
    }

    /// Makes the rows at values of the variables, and tells `watch` of each block.
    pub(super) fn rows_at(
        &self,
        x: &[f64],
        watch: Watch<'_>,
    ) -> Result<Quotients, Vec<BlackBoxError>> {
        let moves = moves(self.reduction, &self.probing, x)?;
        let weights = self.reduction.weights(x);
        let lanes = self.reduction.lanes(x);
        let mut all = self.no_rows(&weights);
        let gather = |block: Quotients| {
            all.traces.append(&block.traces);
            all.nonlinearity.merge(block.nonlinearity);
            all.evaluations += block.evaluations;
        };
        let each = |positions| self.block(positions, &weights, &lanes, &moves);
        self.in_blocks(each, gather, watch)
            .map_err(|error| vec![error])?;
        Ok(all)
    }

    /// Returns rows of true scores at variables: all of it constant.
    pub(super) fn scores_at(&self, x: &[f64]) -> Result<TraceSet, Vec<BlackBoxError>> {
        let weights = self.reduction.weights(x);
        let mut all = TraceSet::new(self.slots());
        let each = |positions: Range<usize>| {
            let scores = self.ask(positions.clone(), &weights, None)?;
            let mut traces = TraceSet::new(self.slots());
            for (position, score) in positions.zip(scores) {
                let draft = RowDraft {
                    constant: score,
                    ..RowDraft::default()
                };
                self.push(position, &draft, &mut traces)?;
            }
            Ok(traces)
        };
        let gather = |traces: TraceSet| all.append(&traces);
        self.in_blocks(each, gather, &mut |_| ControlFlow::Continue(()))
            .map_err(|error| vec![error])?;
        Ok(all)
    }

    /// Returns all mistakes in what does not depend on weights.
    pub(super) fn check(&self) -> Result<(), Vec<BlackBoxError>> {
        let mut errors = Vec::new();
        if self.positions.is_empty() {
            errors.push(BlackBoxError::NoPositions);
        }
        if !self.reduction.lane_count().is_multiple_of(2) {
            errors.push(BlackBoxError::OddLanes(self.reduction.lane_count()));
        }
        let rounding = self.probing.rounding;
        if !(rounding >= 0.0 && rounding.is_finite()) {
            errors.push(BlackBoxError::Rounding(rounding));
        }
        let count = self.reduction.weight_terms().count();
        if let ProbeSteps::Each(steps) = &self.probing.steps
            && steps.len() != count
        {
            errors.push(BlackBoxError::Length("steps", steps.len(), count));
        }
        none(errors)
    }

    /// Returns all mistakes in a list of weights.
    pub(super) fn check_weights(
        &self,
        what: &'static str,
        weights: &[f64],
    ) -> Result<(), Vec<BlackBoxError>> {
        let count = self.reduction.weight_terms().count();
        if weights.len() != count {
            return Err(vec![BlackBoxError::Length(what, weights.len(), count)]);
        }
        let wrong = weights.iter().enumerate().filter(|(_, w)| !w.is_finite());
        none(
            wrong
                .map(|(weight, &value)| BlackBoxError::NotFinite(what, weight, value))
                .collect(),
        )
    }

    fn no_rows(&self, weights: &[f64]) -> Quotients {
        Quotients {
            traces: TraceSet::new(self.slots()),
            weights: weights.to_vec(),
            nonlinearity: NonlinearityReport::default(),
            evaluations: 0,
        }
    }

    fn slots(&self) -> usize {
        self.reduction.lane_count() / 2
    }

    /// Runs `each` on blocks of positions, in parallel, and hands the results
    /// to `gather` in their order; of errors the first is returned.
    fn in_blocks<T: Send>(
        &self,
        each: impl Fn(Range<usize>) -> Result<T, BlackBoxError> + Sync,
        mut gather: impl FnMut(T),
        watch: Watch<'_>,
    ) -> Result<(), BlackBoxError> {
        let count = self.positions.len();
        let blocks = count.div_ceil(Self::BLOCK);
        for first in (0..blocks).step_by(WAVE) {
            let end = (first + WAVE).min(blocks);
            let range = |block: usize| block * Self::BLOCK..((block + 1) * Self::BLOCK).min(count);
            for result in parallel::map(first..end, |block| each(range(block))) {
                gather(result?);
            }
            if watch((end * Self::BLOCK).min(count)).is_break() {
                return Err(BlackBoxError::Interrupted);
            }
        }
        Ok(())
    }

    fn block(
        &self,
        positions: Range<usize>,
        base: &[f64],
        lanes: &[f64],
        moves: &[Move],
    ) -> Result<Quotients, BlackBoxError> {
        let mut block = self.no_rows(base);
        let here = self.ask(positions.clone(), base, None)?;
        block.evaluations += here.len() as u64;
        let mut quotients: Vec<[Vec<(LaneId, f64)>; 2]> = vec![Default::default(); here.len()];
        let mut nonlinear = vec![false; here.len()];
        let mut weights = base.to_vec();
        for moved in moves {
            let mut at = |x: f64| {
                if x - moved.here == 0.0 {
                    return Ok(here.clone()); // at a bound
                }
                block.evaluations += here.len() as u64;
                moved.put(x, &mut weights);
                self.ask(positions.clone(), &weights, Some((moved.root, x)))
            };
            let (below, above) = (at(moved.below)?, at(moved.above)?);
            moved.put(moved.here, &mut weights);
            for (row, &score) in here.iter().enumerate() {
                let scores = [below[row], score, above[row]];
                quotients[row][moved.lane.side()]
                    .push((moved.lane, (scores[2] - scores[0]) / moved.span()));
                let second = self.second(moved, scores);
                block.nonlinearity.compared += u64::from(second.is_some());
                if let Some(second) = second.filter(|second| second.abs() > 0.0) {
                    nonlinear[row] = true;
                    block.nonlinearity.add(NonlinearQuotient {
                        position: positions.start + row,
                        weight: moved.root,
                        second,
                    });
                }
            }
        }
        block.nonlinearity.positions +=
            nonlinear.iter().filter(|&&nonlinear| nonlinear).count() as u64;
        let widest = moves.iter().map(Move::span).fold(0.0, f64::max);
        let all = (0..lanes.len() as u32).map(LaneId).collect();
        let (mut compactor, mut draft) = (Compactor::new(all), RowDraft::default());
        for (row, quotients) in quotients.iter().enumerate() {
            let trace = Trace {
                forms: quotient_forms(quotients, widest),
                ..Trace::default()
            };
            compactor.draft(&trace, &mut draft);
            let linear = draft.segments.iter().fold(0.0, |sum, segment| {
                let sums = segment.sums(lanes);
                sum + segment.factors[0] * sums[0] + segment.factors[1] * sums[1]
            });
            draft.constant = here[row] - linear;
            self.push(positions.start + row, &draft, &mut block.traces)?;
        }
        Ok(block)
    }

    fn ask(
        &self,
        positions: Range<usize>,
        weights: &[f64],
        moved: Option<(usize, f64)>,
    ) -> Result<Vec<f64>, BlackBoxError> {
        let ask = |position: usize| {
            let score = (self.score)(weights, &self.positions[position].position);
            if score.is_finite() {
                Ok(score)
            } else {
                Err(BlackBoxError::Score {
                    position,
                    moved,
                    score,
                })
            }
        };
        positions.map(ask).collect()
    }

    /// Returns s(w + h) + s(w − h) − 2·s(w), 0 if rounding explains it, `None`
    /// at a bound.
    fn second(&self, moved: &Move, [below, here, above]: [f64; 3]) -> Option<f64> {
        let (up, down) = (moved.above - moved.here, moved.here - moved.below);
        if !(up > 0.0 && down > 0.0) {
            return None;
        }
        let half = f64::midpoint(up, down);
        let second = (above - here) * (down / half) - (here - below) * (up / half);
        let whole = [below, here, above].iter().all(|s| s.fract() == 0.0);
        let rounding = if whole {
            2.0 * self.probing.rounding
        } else {
            0.0
        };
        let noise = NOISE * (below.abs() + 2.0 * here.abs() + above.abs());
        let explained = second.abs() <= rounding + noise;
        Some(if explained { 0.0 } else { second })
    }

    fn push(
        &self,
        position: usize,
        draft: &RowDraft,
        traces: &mut TraceSet,
    ) -> Result<(), BlackBoxError> {
        let info = &self.positions[position].info;
        traces
            .push(draft, info)
            .map_err(|error| BlackBoxError::Row(position, error))
    }
}

pub(super) fn none(errors: Vec<BlackBoxError>) -> Result<(), Vec<BlackBoxError>> {
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors)
    }
}
