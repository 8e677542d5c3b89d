//! One pass over labelled positions.

use std::ops::ControlFlow;

use super::point::TracePoint;
use super::weights::WeightSet;
use crate::LinkedSpec;
use tuner_data::{GameKey, RankShare, ReadError, ReadReport, Sample, SampleResults};
use tuner_evaluation::{
    Agreement, Evaluation, EvaluationError, Link, Positions, Resolve, Tracer, read_asking,
};
use tuner_rows::RowInfo;

/// An evaluation and the positions that it is examined on.
#[derive(Debug)]
pub struct Examination<'a> {
    /// The evaluation.
    pub evaluation: &'a Evaluation,
    /// Its spec, tied to its source.
    pub linked: &'a LinkedSpec,
    /// The positions.
    pub positions: Positions,
}

/// One position of the data at the weights that a pass asked for. All values are
/// the first player's.
#[derive(Debug)]
pub struct ExaminedPosition<'p> {
    /// The position as the data have it.
    pub text: &'p str,
    /// The position that was traced for it, at the first of the weights, if that is another
    /// one.
    pub resolved_text: Option<&'p str>,
    /// Whether it is the first player's turn.
    pub first_player_to_move: bool,
    /// The position as the data have it.
    pub read: &'p Sample,
    /// The number of its game; where the data do not know games, one that no other
    /// position has.
    pub game: u32,
    /// Score and derivatives at each of the weights, in their order.
    pub points: &'p [TracePoint],
}

impl ExaminedPosition<'_> {
    /// Returns what a row of the position says besides its trace: outcome, game, weight and search
    /// score.
    pub(super) fn row_info(&self) -> RowInfo {
        RowInfo {
            weight: self.read.weight,
            search_score: self.read.labelled.search_score,
            ..RowInfo::new(self.read.labelled.outcome.value(), self.game)
        }
    }
}

/// Findings of a pass besides those that it was made for.
#[derive(Debug)]
pub struct ExaminationReport {
    /// The report of the reading.
    pub report: ReadReport,
    /// How production and twin agree; of no position where no weights are those of
    /// the source.
    pub agreement: Agreement,
}

/// Traces positions at some weights.
pub(super) struct PointTracer<'e> {
    at: Vec<(&'e WeightSet, Tracer<'e>)>,
    /// The points of the positions of a batch, one position after the other: one for each of the
    /// weights.
    points: Vec<TracePoint>,
}

/// The outcome of a position of a batch: the text of the one traced in its place, `None` if it was
/// traced itself, or why it is a bad one.
type Traced = Result<Option<String>, String>;

impl<'e> PointTracer<'e> {
    /// Makes a tracer at each of the weights `at`; the points of a position are in their order.
    pub(super) fn new(
        evaluation: &'e Evaluation,
        link: &'e Link,
        resolve: Resolve,
        at: &[&'e WeightSet],
    ) -> Self {
        let tracer = |&weights: &&'e WeightSet| {
            let tracer = Tracer::new(evaluation, link, weights.values(), resolve);
            (weights, tracer)
        };
        Self {
            at: at.iter().map(tracer).collect(),
            points: Vec::new(),
        }
    }

    /// Traces the positions of a batch at each of the tracer's weights, so that
    /// [`points`](Self::points) has their scores and derivatives. Returns for each position the
    /// text of the one that was traced in its place at the first of the weights, `None` if it was
    /// traced itself, or why it has no score at one of the weights.
    pub(super) fn trace(&mut self, texts: &[String]) -> Result<Vec<Traced>, EvaluationError> {
        let mut found: Vec<Traced> = vec![Ok(None); texts.len()];
        let (points, sets) = (&mut self.points, self.at.len());
        if points.len() < texts.len() * sets {
            points.resize(texts.len() * sets, TracePoint::default());
        }
        for (set, (weights, tracer)) in self.at.iter_mut().enumerate() {
            tracer.trace(texts, &mut |number, traced| {
                let traced = match traced {
                    Ok(traced) => traced,
                    Err(no_row) => {
                        found[number] = Err(no_row.to_string());
                        return;
                    }
                };
                // Points are in the order of positions, those of one position at all weights
                // together.
                let point = &mut points[number * sets + set];
                point.draft.clone_from(traced.draft);
                point.linearise(weights.lanes());
                let score = point.score();
                if !score.is_finite() {
                    found[number] = Err(format!("the score is {score}; expected a finite number"));
                } else if let (0, Ok(leaf)) = (set, &mut found[number]) {
                    *leaf = traced.leaf.map(str::to_owned);
                }
            })?;
        }
        Ok(found)
    }

    /// Returns score and derivatives of the position of this number in the last batch, a point for
    /// each of the tracer's weights.
    pub(super) fn points(&self, number: usize) -> &[TracePoint] {
        let sets = self.at.len();
        &self.points[number * sets..(number + 1) * sets]
    }
}

impl Examination<'_> {
    /// Reads all positions and traces each at the weights `at`.
    ///
    /// `start` makes what a block of some thousand positions is gathered in, `each` adds a position
    /// to it, both on the threads of the current pool; `merge` gets the blocks in the order of the
    /// lines, on the caller's thread.
    ///
    /// *Cost*: reading, and for each of the weights a trace a position; no position
    /// is kept.
    ///
    /// # Errors
    /// If an input cannot be read to its end, the evaluator cannot be asked, or there are bad lines
    /// that the options do not skip; a position whose score is not finite is a bad line.
    pub fn pass<A: Send>(
        &self,
        at: &[&WeightSet],
        start: impl Fn() -> A + Sync,
        each: impl Fn(&mut A, &ExaminedPosition<'_>) + Sync,
        mut merge: impl FnMut(A),
    ) -> Result<ExaminationReport, ReadError> {
        let (evaluation, positions) = (self.evaluation, &self.positions);
        let game = evaluation.game();
        let mut agreement = Agreement::new(self.linked.link.spec_weights());
        let (link, resolve) = (&self.linked.link, positions.resolve);
        let block = || (PointTracer::new(evaluation, link, resolve, at), start());
        let ask = |(tracer, made): &mut (PointTracer<'_>, A),
                   samples: &[Sample],
                   found: &mut SampleResults| {
            let texts = evaluation.texts(samples);
            let traced = tracer.trace(&texts)?;
            for (number, traced) in traced.into_iter().enumerate() {
                let leaf = match traced {
                    Ok(leaf) => leaf,
                    Err(words) => {
                        found.push(Err(words));
                        continue;
                    }
                };
                let read = &samples[number];
                let (labelled, location) = (&read.labelled, read.location);
                // A position without a game is a game of its own, known by its place.
                let alone = || GameKey::of(&format!("{} {}", location.input, location.line));
                let examined = ExaminedPosition {
                    text: &texts[number],
                    resolved_text: leaf.as_deref(),
                    first_player_to_move: game.first_player_to_move(&labelled.position),
                    read,
                    game: labelled.game.unwrap_or_else(alone).number(),
                    points: tracer.points(number),
                };
                each(made, &examined);
                found.push(Ok(()));
            }
            Ok(())
        };
        let gather = |(tracer, made): (PointTracer<'_>, A)| {
            // Production and twin are compared at the source's weights alone.
            let mut of_source = tracer.at.into_iter().filter(|(at, _)| at.is_source());
            if let Some((_, tracer)) = of_source.next() {
                agreement.merge(tracer.agreement);
            }
            merge(made);
            ControlFlow::Continue(())
        };
        let (inputs, options) = (&positions.inputs, &positions.options);
        // This process reads all positions itself.
        let alone = &RankShare::alone();
        let report = read_asking(evaluation, inputs, options, alone, block, ask, gather)?;
        Ok(ExaminationReport { report, agreement })
    }
}
