//! One pass over labelled positions.

use std::ops::ControlFlow;

use super::point::TracePoint;
use super::weights::WeightSet;
use crate::{LinkedSpec, Positions};
use tuner_base::Ranks;
use tuner_data::{
    AnyPosition, GameKey, PositionNotation, ReadError, ReadReport, Sample, SampleResults,
};
use tuner_evaluation::Agreement;
use tuner_evaluation::Evaluation;
use tuner_evaluation::EvaluationError;
use tuner_evaluation::Tracer;
use tuner_evaluation::read_asking;

/// An evaluation and the positions that it is examined on.
#[derive(Debug)]
pub struct Examination<'a> {
    /// The evaluation.
    pub evaluation: &'a Evaluation,
    /// Its spec, tied to its source.
    pub linked: &'a LinkedSpec,
    /// The positions.
    pub positions: &'a Positions,
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
    /// What the data say of it.
    pub read: &'p Sample<AnyPosition>,
    /// The number of its game; where the data do not know games, one that no other
    /// position has.
    pub game: u32,
    /// Score and derivatives at each of the weights, in their order.
    pub points: &'p [TracePoint],
}

/// What a pass found beside what it was made for.
#[derive(Debug)]
pub struct ExaminationReport {
    /// What was read.
    pub report: ReadReport,
    /// How production and twin agree; of no position where no weights are those of
    /// the source.
    pub agreement: Agreement,
}

/// What one block of lines becomes.
struct Block<'e, A> {
    tracers: Vec<Tracer<'e>>,
    /// Of the positions of a batch, one after the other: one for each of the weights.
    points: Vec<TracePoint>,
    made: A,
}

/// What became of a position of a batch: the one traced in its place, or why it is a bad one.
type Traced = Result<Option<String>, String>;

impl<A> Block<'_, A> {
    /// Traces the positions of a batch at all weights.
    fn trace(
        &mut self,
        at: &[&WeightSet],
        texts: &[String],
    ) -> Result<Vec<Traced>, EvaluationError> {
        let mut found: Vec<Traced> = vec![Ok(None); texts.len()];
        let needed = texts.len() * at.len();
        if self.points.len() < needed {
            self.points.resize(needed, TracePoint::default());
        }
        for (set, weights) in at.iter().enumerate() {
            let points = &mut self.points;
            self.tracers[set].trace(texts, |number, traced| {
                let traced = match traced {
                    Ok(traced) => traced,
                    Err(words) => {
                        found[number] = Err(words);
                        return;
                    }
                };
                let point = &mut points[number * at.len() + set];
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
}

impl Examination<'_> {
    /// Reads all positions and traces each at some weights.
    ///
    /// `start` makes what a block of some thousand positions is gathered in, `each`
    /// adds a position to it, both on the threads of the current pool; `merge` gets
    /// the blocks in the order of the lines.
    ///
    /// *Numerics*: the same for any number of threads.
    /// *Cost*: reading, and for each of the weights a trace a position; no position
    /// is kept.
    ///
    /// # Errors
    /// As [`tuner_data::read_batches_among`]; a position whose score is not finite is a bad line.
    pub fn pass<A: Send>(
        &self,
        at: &[&WeightSet],
        start: impl Fn() -> A + Sync,
        each: impl Fn(&mut A, &ExaminedPosition<'_>) + Sync,
        mut merge: impl FnMut(A),
    ) -> Result<ExaminationReport, ReadError> {
        let (evaluation, link) = (self.evaluation, &self.linked.link);
        let (game, resolve) = (evaluation.game(), self.positions.resolve);
        let mut agreement = Agreement::new(link.spec_weights());
        let block = || Block {
            tracers: (at.iter())
                .map(|weights| Tracer::new(evaluation, link, weights.values(), resolve))
                .collect(),
            points: Vec::new(),
            made: start(),
        };
        let ask = |block: &mut Block<'_, A>,
                   samples: &[Sample<AnyPosition>],
                   found: &mut SampleResults| {
            let texts = evaluation.texts(samples);
            let traced = block.trace(at, &texts)?;
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
                // Of one that is alone with its place, whatever was read before.
                let alone = || GameKey::of(&format!("{} {}", location.input, location.line));
                let examined = ExaminedPosition {
                    text: &texts[number],
                    resolved_text: leaf.as_deref(),
                    first_player_to_move: game.first_player_to_move(&labelled.position),
                    read,
                    game: labelled.game.unwrap_or_else(alone).number(),
                    points: &block.points[number * at.len()..(number + 1) * at.len()],
                };
                each(&mut block.made, &examined);
                found.push(Ok(()));
            }
            Ok(())
        };
        let gather = |block: Block<'_, A>| {
            let of_source = block
                .tracers
                .into_iter()
                .zip(at)
                .filter(|(_, at)| at.is_source());
            if let Some((tracer, _)) = of_source.into_iter().next() {
                agreement.merge(tracer.agreement);
            }
            merge(block.made);
            ControlFlow::Continue(())
        };
        let of = (&*self.positions.inputs, &self.positions.options);
        let alone = (Ranks::default(), &(|_: &mut Block<'_, A>| {}) as _);
        let report = read_asking(evaluation, of, alone, block, ask, gather)?;
        Ok(ExaminationReport { report, agreement })
    }
}
