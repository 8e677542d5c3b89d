//! One pass over labelled positions.

use std::fmt;
use std::ops::ControlFlow;

use super::point::TracePoint;
use super::weights::WeightSet;
use crate::agreement::Agreement;
use crate::engine::{Engine, PositionOf};
use crate::resolve::{Resolve, resolve};
use crate::tracer::Tracer;
use crate::{LinkedSpec, Positions};
use tuner_data::{
    GameKey, PositionNotation, ReadError, ReadReport, Sample, SampleLocation, read_blocks,
};

/// An engine and the positions that it is examined on.
#[derive(Debug)]
pub struct Examination<'a, E> {
    /// The engine.
    pub engine: &'a E,
    /// Its spec, tied to its source.
    pub linked: &'a LinkedSpec,
    /// The positions.
    pub positions: &'a Positions,
}

/// One position of the data at the weights that a pass asked for. All values are
/// the first player's.
pub struct ExaminedPosition<'p, E: Engine> {
    engine: &'p E,
    position: &'p PositionOf<E>,
    resolved: Option<&'p PositionOf<E>>,
    /// R.
    pub outcome: f64,
    /// How often the position counts.
    pub weight: f64,
    /// The score of a search, if the data have one.
    pub search_score: Option<i32>,
    /// The number of its game; where the data do not know games, one that no other
    /// position has.
    pub game: u32,
    /// Whether the data say which positions are of its game.
    pub has_game: bool,
    /// The id of its game, where the data give one in words.
    pub game_id: Option<&'p str>,
    /// Half-moves played before, if the data say so.
    pub ply: Option<u32>,
    /// Where it was read.
    pub location: SampleLocation,
    /// Score and derivatives at each of the weights, in their order.
    pub points: &'p [TracePoint],
}

// Positions of a game need not be printable.
impl<E: Engine> fmt::Debug for ExaminedPosition<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExaminedPosition")
            .field("text", &self.text())
            .field("outcome", &self.outcome)
            .field("game", &self.game)
            .field("location", &self.location)
            .finish_non_exhaustive()
    }
}

impl<E: Engine> ExaminedPosition<'_, E> {
    /// Writes the position as the data have it.
    pub fn text(&self) -> String {
        self.engine.notation().describe(self.position)
    }

    /// Writes the position that was traced for it, at the first of the weights, if
    /// that is another one.
    pub fn resolved_text(&self) -> Option<String> {
        let resolved = self.resolved?;
        Some(self.engine.notation().describe(resolved))
    }

    /// Tells whether it is the first player's turn.
    pub fn first_player_to_move(&self) -> bool {
        self.engine.notation().first_player_to_move(self.position)
    }
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
struct Block<'e, E: Engine, A> {
    tracers: Vec<Tracer<'e, E>>,
    points: Vec<TracePoint>,
    made: A,
}

impl<E: Engine> Examination<'_, E> {
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
    /// As [`read_blocks`]; a position whose score is not finite is a bad line.
    pub fn pass<A: Send>(
        &self,
        at: &[&WeightSet],
        start: impl Fn() -> A + Sync,
        each: impl Fn(&mut A, &ExaminedPosition<'_, E>) + Sync,
        mut merge: impl FnMut(A),
    ) -> Result<ExaminationReport, ReadError> {
        let (engine, link) = (self.engine, &self.linked.link);
        let mut agreement = Agreement::new(link.spec_weights());
        let block = || Block {
            tracers: (at.iter())
                .map(|weights| Tracer::new(engine, link, weights.values()))
                .collect(),
            points: vec![TracePoint::default(); at.len()],
            made: start(),
        };
        let add = |block: &mut Block<'_, E, A>, read: Sample<PositionOf<E>>| {
            let labelled = &read.labelled;
            let mut first_resolved = None;
            for (number, weights) in at.iter().enumerate() {
                let (tracer, point) = (&mut block.tracers[number], &mut block.points[number]);
                let resolved = if self.positions.resolve == Resolve::Quiescence {
                    let found = &mut tracer.agreement.resolved;
                    resolve(engine, weights.values(), &labelled.position, found)
                } else {
                    None
                };
                let traced = resolved.as_ref().unwrap_or(&labelled.position);
                tracer.trace(traced, &mut point.draft);
                point.linearise(weights.lanes());
                if !point.score().is_finite() {
                    return Err(format!(
                        "the score is {}; expected a finite number",
                        point.score()
                    ));
                }
                if number == 0 {
                    first_resolved = resolved;
                }
            }
            let location = read.location;
            // Of one that is alone with its place, whatever was read before.
            let alone = || GameKey::of(&format!("{} {}", location.input, location.line));
            let examined = ExaminedPosition {
                engine,
                position: &labelled.position,
                resolved: first_resolved.as_ref(),
                outcome: labelled.outcome.value(),
                weight: read.weight,
                search_score: labelled.search_score,
                game: labelled.game.unwrap_or_else(alone).number(),
                has_game: labelled.game.is_some(),
                game_id: read.game_id.as_deref(),
                ply: labelled.ply,
                location,
                points: &block.points,
            };
            each(&mut block.made, &examined);
            Ok(())
        };
        let gather = |block: Block<'_, E, A>| {
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
        let (inputs, options) = (&self.positions.inputs, &self.positions.options);
        let report = read_blocks(inputs, options, engine.notation(), block, add, gather)?;
        Ok(ExaminationReport { report, agreement })
    }
}
