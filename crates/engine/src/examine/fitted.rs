//! The positions of a fit, once it is done: calibration, those explained worst, and
//! what the data are.

use std::ops::ControlFlow;

use serde::Serialize;

use super::bins::MEN;
use super::data_profile::{DataProfile, DataProfileSums};
use super::features;
use super::ranking::{MostOf, Ranking};
use crate::engine::{Engine, PositionOf};
use crate::resolve::Resolve;
use crate::Positions;
use tuner_data::{GameKey, PositionNotation, ReadError, Sample, SampleLocation, read_blocks};
use tuner_fit::run::{FinishedRun, RowSource};
use tuner_judge::{
    Calibration, CalibrationFeature, CalibrationSums, RowScores, examined_part,
};
use tuner_rows::{Linearised, TraceSet, Traces};

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
        label: |bin| ["first player", "second player"][bin.min(1) as usize].to_owned(),
    },
    CalibrationFeature {
        name: "material",
        label: |bin| {
            let (bin, last) = (bin as usize, MATERIAL.len());
            match bin {
                0 => format!("{} pawns or less", MATERIAL[0]),
                _ if bin >= last => format!("{:+} pawns or more", MATERIAL[last - 1]),
                _ => format!("{:+} to {:+} pawns", MATERIAL[bin - 1], MATERIAL[bin]),
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
    /// The rows are not in memory, so they are not of these positions.
    #[error("the rows are those of a file of traces, which keeps no positions")]
    NoPositions,
    /// They are not those that were fitted.
    #[error("the data have changed while they were fitted")]
    Changed,
    /// They cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// What one position becomes, before its row is looked at.
struct Seen<P> {
    position: P,
    location: SampleLocation,
    game: Option<GameKey>,
    search_score: Option<i32>,
    bins: [Option<u32>; 3],
}

struct Block<P> {
    seen: Vec<Seen<P>>,
    profile: DataProfileSums,
}

/// Reads the positions of a fit once more, without tracing them, next to their rows.
///
/// *Numerics*: the same for any number of threads. Scores before the fit are by the
/// rows as they were traced first, those after by the rows of the last round, as in
/// the verdict.
/// *Cost*: one reading; the scores of the held-out rows; 8 bytes a position and 16 a
/// game.
///
/// # Errors
/// If they cannot be read again, or are not those of the rows.
pub fn fitted_positions<E: Engine>(
    engine: &E,
    positions: &Positions,
    run: &FinishedRun<'_>,
    source: &mut dyn RowSource,
) -> Result<FittedPositions, FittedPositionsError> {
    if !positions.can_be_read_again() {
        return Err(FittedPositionsError::Unrepeatable);
    }
    let rows = source.rows();
    let Traces::Whole(first) = rows.traces() else {
        return Err(FittedPositionsError::NoPositions);
    };
    let last = run.retraced.as_ref().unwrap_or(first);
    let mut pass = Pass::new(engine, positions, run, [first, last]);
    let notation = engine.notation();
    let start = || Block {
        seen: Vec::new(),
        profile: DataProfileSums::default(),
    };
    let each = |block: &mut Block<PositionOf<E>>, sample: Sample<PositionOf<E>>| {
        let labelled = sample.labelled;
        let text = notation.describe(&labelled.position);
        let men = features::men(&text);
        let second = u32::from(!notation.first_player_to_move(&labelled.position));
        let ply = labelled.ply.or_else(|| features::ply(&text));
        let outcome = labelled.outcome.value();
        block.profile.add(&text, [men, second], ply, outcome, labelled.game);
        let balance = notation.balance(&labelled.position);
        block.seen.push(Seen {
            position: labelled.position,
            location: sample.location,
            game: labelled.game,
            search_score: labelled.search_score,
            bins: [
                (men > 0).then(|| (men - 1) / MEN),
                Some(second),
                balance.map(material),
            ],
        });
        Ok(())
    };
    let gather = |block| match pass.add(block) {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    };
    let read = read_blocks(&positions.inputs, &positions.options, notation, start, each, gather);
    if pass.differs {
        return Err(FittedPositionsError::Changed);
    }
    read?;
    pass.end()
}

/// The bin of a balance in hundredths of a pawn.
fn material(balance: i32) -> u32 {
    MATERIAL.iter().filter(|&&end| balance >= 100 * end).count() as u32
}

/// What is gathered of the blocks, in the order of the lines.
struct Pass<'a, E> {
    engine: &'a E,
    positions: &'a Positions,
    rows: [&'a TraceSet; 2],
    scores: [RowScores; 2],
    tables: [tuner_rows::Table; 2],
    buffer: Linearised,
    part: tuner_fit::model::Part,
    held_out: bool,
    /// Rows looked at.
    next: usize,
    /// Whether a position is not that of its row.
    differs: bool,
    sums: [CalibrationSums; 2],
    worst: Ranking<WorstPosition>,
    profile: DataProfileSums,
}

impl<'a, E: Engine> Pass<'a, E> {
    fn new(
        engine: &'a E,
        positions: &'a Positions,
        run: &FinishedRun<'_>,
        rows: [&'a TraceSet; 2],
    ) -> Self {
        let scores = [true, false].map(|before| RowScores::of(run, before));
        let tables = [0, 1].map(|side: usize| scores[side].table(rows[side]));
        let (part, held_out) = examined_part(run);
        Self {
            engine,
            positions,
            rows,
            scores,
            tables,
            buffer: Linearised::default(),
            part,
            held_out,
            next: 0,
            differs: false,
            sums: [0, 1].map(|_| CalibrationSums::new(FEATURES.len())),
            worst: Ranking::new(WORST),
            profile: DataProfileSums::default(),
        }
    }

    /// Adds a block; tells whether its positions are those of the rows.
    fn add(&mut self, block: Block<PositionOf<E>>) -> bool {
        self.profile.merge(block.profile);
        for seen in block.seen {
            let number = self.next;
            self.next += 1;
            let alone = || GameKey::of_position(number as u64);
            let game = seen.game.unwrap_or_else(alone).number();
            if self.rows.iter().any(|rows| rows.len() <= number)
                || self.rows[0].row(number).game() != game
            {
                self.differs = true;
                return false;
            }
            if self.part.contains(game) {
                self.look(number, &seen);
            }
        }
        true
    }

    /// Looks at a position and its rows.
    fn look(&mut self, number: usize, seen: &Seen<PositionOf<E>>) {
        let [before, after] = [0, 1].map(|side: usize| {
            let row = self.rows[side].row(number);
            self.scores[side].row(&row, &self.tables[side], &mut self.buffer)
        });
        for (sums, row) in self.sums.iter_mut().zip([&before, &after]) {
            sums.add(row, &seen.bins);
        }
        if after.weight <= 0.0 {
            return;
        }
        let loss = (after.expectation - after.outcome).powi(2);
        let (engine, positions) = (self.engine, self.positions);
        self.worst.add(loss, after.game, || {
            let input = positions.inputs.get(seen.location.input as usize);
            WorstPosition {
                position: engine.notation().describe(&seen.position),
                file: input.map_or_else(String::new, |i| i.name().display().to_string()),
                line: seen.location.line,
                game: seen.game.map(|_| after.game),
                outcome: after.outcome,
                scores: [before.score, after.score],
                expectations: [before.expectation, after.expectation],
                search_score: seen.search_score,
                loss,
            }
        });
    }

    fn end(self) -> Result<FittedPositions, FittedPositionsError> {
        if self.rows.iter().any(|rows| rows.len() != self.next) {
            return Err(FittedPositionsError::Changed);
        }
        let [before, after] = self.sums;
        Ok(FittedPositions {
            resolved: self.positions.resolve == Resolve::Quiescence,
            calibration: Calibration {
                held_out: self.held_out,
                positions: after.positions(),
                before: before.calibration(&FEATURES),
                after: after.calibration(&FEATURES),
            },
            worst: self.worst.into_sorted(),
            profile: self.profile.profile(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn material_is_binned_by_pawns() {
        let label = |balance| (FEATURES[2].label)(material(balance));
        assert_eq!(label(-900), "-5 pawns or less");
        assert_eq!(label(-100), "-1 to +1 pawns");
        assert_eq!(label(99), "-1 to +1 pawns");
        assert_eq!(label(100), "+1 to +3 pawns");
        assert_eq!(label(500), "+5 pawns or more");
        assert_eq!((FEATURES[0].label)(7), "29 to 32 men");
    }
}
