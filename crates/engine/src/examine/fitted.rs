//! The positions of a fit, once it is done: calibration, those explained worst, and
//! what the data are.

use std::ops::ControlFlow;

use rayon::prelude::*;
use serde::Serialize;

use super::bins::MEN;
use super::data_profile::{DataProfile, DataProfileSums};
use super::features;
use super::pass::Examination;
use super::point::TracePoint;
use super::ranking::{MostOf, Ranking};
use super::weights::WeightSet;
use crate::engine::{Engine, PositionOf};
use crate::resolve::{Resolve, Resolved, resolve};
use crate::tracer::Tracer;
use crate::{LinkedSpec, Positions};
use tuner_data::{GameKey, PositionNotation, ReadError, Sample, SampleLocation, read_blocks};
use tuner_fit::model::Part;
use tuner_fit::run::FinishedRun;
use tuner_judge::{Calibration, CalibrationFeature, CalibrationSums, RowScores, examined_part};

/// Positions that one thread traces at a time. Chosen: small against a block of
/// some thousand, large against the buffers of a tracer.
const TRACED: usize = 128;

/// Positions that are listed, one of a game: its others are alike.
const WORST: MostOf = MostOf { all: 12, game: 1 };

/// Ends of the bins by material, in pawns that the first player is ahead. Chosen: a
/// pawn either way is level, five are a rook.
const MATERIAL: [i32; 6] = [-5, -3, -1, 1, 3, 5];

/// What calibration is shown by, beside the score.
const FEATURES: [CalibrationFeature; 3] = [
    CalibrationFeature {
        name: "phase",
        label: |bin| format!("{} to {} men", bin * MEN + 1, (bin + 1) * MEN),
    },
    CalibrationFeature {
        name: "side to move",
        label: |bin| ["first", "second"][bin.min(1) as usize].to_owned(),
    },
    CalibrationFeature {
        name: "pawns ahead",
        label: |bin| {
            let (bin, last) = (bin as usize, MATERIAL.len());
            match bin {
                0 => format!("< {:+}", MATERIAL[0]),
                _ if bin >= last => format!("≥ {:+}", MATERIAL[last - 1]),
                _ => format!("{:+}…{:+}", MATERIAL[bin - 1], MATERIAL[bin]),
            }
        },
    },
];

/// A position whose result the fitted weights expected least. Values are the first
/// player's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorstPosition {
    /// The position, as the data have it.
    pub position: String,
    /// Its file.
    pub file: String,
    /// Its line, or the number of its record.
    pub line: u64,
    /// The number of its game; `None` if the data do not know games.
    pub game: Option<u32>,
    /// The result R.
    pub outcome: f64,
    /// Its scores at the weights before and after, in centipawns.
    pub scores: [f64; 2],
    /// Its expectations at both.
    pub expectations: [f64; 2],
    /// The score of a search, if the data have one.
    pub search_score: Option<i32>,
    /// Its loss (p − R)² after the fit.
    pub loss: f64,
}

/// What the positions of a fit say of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FittedPositions {
    /// Whether scores are those of the ends of quiescence searches.
    pub resolved: bool,
    /// By score, phase, side to move and material.
    pub calibration: Calibration,
    /// Those explained worst, of held-out games where there are any.
    pub worst: Vec<WorstPosition>,
    /// What the data are.
    pub profile: DataProfile,
}

/// Why nothing is said of the positions of a fit.
#[derive(Debug, thiserror::Error)]
pub enum FittedPositionsError {
    /// They can be read once.
    #[error("standard input and pipes can be read once; give a file")]
    Unrepeatable,
    /// They are not those that were fitted.
    #[error(
        "the data have changed since they were fitted: the weights are those of the data as they \
         were read then; fit again for those of today"
    )]
    Changed,
    /// They cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// A position that was read.
struct ReadPosition<P> {
    position: P,
    location: SampleLocation,
    game: Option<GameKey>,
    weight: f64,
    outcome: f64,
    search_score: Option<i32>,
    bins: [Option<u32>; 3],
}

struct Block<P> {
    read: Vec<ReadPosition<P>>,
    profile: DataProfileSums,
}

/// Reads the positions of a fit once more, and traces those of held-out games at the
/// weights before and after; where none are held out, all.
///
/// *Numerics*: the same for any number of threads.
/// *Cost*: one reading, two traces a held-out position; 8 bytes a position and 16 a
/// game.
///
/// # Errors
/// If they cannot be read again, or are not those that were fitted.
pub fn fitted_positions<E: Engine>(
    engine: &E,
    linked: &LinkedSpec,
    positions: &Positions,
    run: &FinishedRun<'_>,
) -> Result<FittedPositions, FittedPositionsError> {
    if !positions.can_be_read_again() {
        return Err(FittedPositionsError::Unrepeatable);
    }
    let examination = Examination {
        engine,
        linked,
        positions,
    };
    let mut pass = Pass::new(examination, run);
    let notation = engine.notation();
    let start = || Block {
        read: Vec::new(),
        profile: DataProfileSums::default(),
    };
    let each = |block: &mut Block<PositionOf<E>>, sample: Sample<PositionOf<E>>| {
        let labelled = sample.labelled;
        let text = notation.describe(&labelled.position);
        let men = features::men(&text);
        let second = u32::from(!notation.first_player_to_move(&labelled.position));
        let ply = labelled.ply.or_else(|| features::ply(&text));
        let outcome = labelled.outcome.value();
        (block.profile).add(&text, [men, second], ply, outcome, labelled.game);
        let balance = notation.balance(&labelled.position);
        block.read.push(ReadPosition {
            location: sample.location,
            game: labelled.game,
            weight: sample.weight,
            outcome,
            search_score: labelled.search_score,
            bins: [
                (men > 0).then(|| (men.max(1) - 1) / MEN),
                Some(second),
                balance.map(material),
            ],
            position: labelled.position,
        });
        Ok(())
    };
    let gather = |block| {
        pass.add(block);
        ControlFlow::Continue(())
    };
    let (inputs, options) = (&positions.inputs, &positions.options);
    let report = read_blocks(inputs, options, notation, start, each, gather)?;
    if report.fingerprint() != run.facts.data {
        return Err(FittedPositionsError::Changed);
    }
    Ok(pass.end())
}

/// The bin of a balance in hundredths of a pawn.
fn material(balance: i32) -> u32 {
    MATERIAL.iter().filter(|&&end| balance >= 100 * end).count() as u32
}

/// What is gathered of the blocks, in the order of the lines.
struct Pass<'a, E> {
    examination: Examination<'a, E>,
    weights: [WeightSet; 2],
    scores: [RowScores; 2],
    part: Part,
    held_out: bool,
    /// Positions read.
    count: u64,
    sums: [CalibrationSums; 2],
    worst: Ranking<WorstPosition>,
    profile: DataProfileSums,
}

impl<'a, E: Engine> Pass<'a, E> {
    fn new(examination: Examination<'a, E>, run: &FinishedRun<'_>) -> Self {
        let linked = examination.linked;
        let (part, held_out) = examined_part(run);
        Self {
            weights: [&run.before, &run.fit.written]
                .map(|weights| WeightSet::new(linked, weights.clone())),
            scores: [true, false].map(|before| RowScores::of(run, before)),
            part,
            held_out,
            count: 0,
            sums: [0, 1].map(|_| CalibrationSums::new(FEATURES.len())),
            worst: Ranking::new(WORST),
            profile: DataProfileSums::default(),
            examination,
        }
    }

    fn add(&mut self, block: Block<PositionOf<E>>) {
        self.profile.merge(block.profile);
        let mut examined = Vec::new();
        for read in block.read {
            // As rows number them.
            let alone = || GameKey::of_position(self.count);
            let game = read.game.unwrap_or_else(alone).number();
            self.count += 1;
            if self.part.contains(game) {
                examined.push((game, read));
            }
        }
        let scores: Vec<Vec<[f64; 2]>> = (examined.par_chunks(TRACED))
            .map(|positions| self.traced(positions.iter().map(|(_, read)| &read.position)))
            .collect();
        for ((game, read), scores) in examined.iter().zip(scores.into_iter().flatten()) {
            self.look(*game, read, scores);
        }
    }

    /// The scores of some positions at both weights.
    fn traced<'p>(&self, positions: impl Iterator<Item = &'p PositionOf<E>>) -> Vec<[f64; 2]>
    where
        E: 'p,
    {
        let (engine, link) = (self.examination.engine, &self.examination.linked.link);
        let mut tracers =
            (self.weights.each_ref()).map(|weights| Tracer::new(engine, link, weights.values()));
        let (mut point, mut resolved) = (TracePoint::default(), Resolved::default());
        let mut score = |side: usize, position: &PositionOf<E>| {
            let weights = &self.weights[side];
            let leaf = match self.examination.positions.resolve {
                Resolve::Quiescence => resolve(engine, weights.values(), position, &mut resolved),
                Resolve::None => None,
            };
            tracers[side].trace(leaf.as_ref().unwrap_or(position), &mut point.draft);
            point.linearise(weights.lanes());
            point.score()
        };
        positions
            .map(|position| [score(0, position), score(1, position)])
            .collect()
    }

    fn look(&mut self, game: u32, read: &ReadPosition<PositionOf<E>>, scores: [f64; 2]) {
        if scores.iter().any(|score| !score.is_finite()) {
            return;
        }
        let [before, after] = [0, 1].map(|side: usize| {
            self.scores[side].scored(game, read.weight, read.outcome, scores[side])
        });
        for (sums, row) in self.sums.iter_mut().zip([&before, &after]) {
            sums.add(row, &read.bins);
        }
        if read.weight <= 0.0 {
            return;
        }
        let loss = (after.expectation - after.outcome).powi(2);
        let Examination {
            engine, positions, ..
        } = self.examination;
        self.worst.add(loss, game, || {
            let input = positions.inputs.get(read.location.input as usize);
            WorstPosition {
                position: engine.notation().describe(&read.position),
                file: input.map_or_else(String::new, |i| i.name().display().to_string()),
                line: read.location.line,
                game: read.game.map(|_| game),
                outcome: after.outcome,
                scores,
                expectations: [before.expectation, after.expectation],
                search_score: read.search_score,
                loss,
            }
        });
    }

    fn end(self) -> FittedPositions {
        let [before, after] = self.sums;
        FittedPositions {
            resolved: self.examination.positions.resolve == Resolve::Quiescence,
            calibration: Calibration {
                held_out: self.held_out,
                positions: after.positions(),
                before: before.calibration(&FEATURES),
                after: after.calibration(&FEATURES),
            },
            worst: self.worst.into_sorted(),
            profile: self.profile.profile(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn material_is_binned_by_pawns() {
        let label = |balance| (FEATURES[2].label)(material(balance));
        assert_eq!(label(-900), "< -5");
        assert_eq!(label(-100), "-1…+1");
        assert_eq!(label(99), "-1…+1");
        assert_eq!(label(100), "+1…+3");
        assert_eq!(label(500), "≥ +5");
        assert_eq!((FEATURES[0].label)(7), "29 to 32 men");
    }
}
