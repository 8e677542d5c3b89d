//! The positions that are explained worst.

use serde::Serialize;

use super::pass::{Examination, ExaminationReport, ExaminedPosition};
use super::ranking::{MostOf, Ranking};
use super::weights::WeightSet;
use crate::engine::Engine;
use tuner_data::ReadError;
use tuner_fit::model::{Loss, Sigmoid};

/// A position whose result its score did not expect. Values are the first
/// player's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outlier {
    /// The position, as the data have it.
    pub position: String,
    /// The position that was traced for it, if that is another one.
    pub resolved: Option<String>,
    /// Its file.
    pub file: String,
    /// Its line, or the number of its record.
    pub line: u64,
    /// The number of its game; `None` if the data do not know games.
    pub game: Option<u32>,
    /// The expectation p.
    pub expectation: f64,
    /// The result R.
    pub outcome: f64,
    /// The evaluation's score, in centipawns.
    pub score: f64,
    /// The score of a search, if the data have one.
    pub search_score: Option<i32>,
    /// Its loss (p − R)².
    pub loss: f64,
}

/// The positions that are explained worst.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outliers {
    /// All positions read.
    pub positions: u64,
    /// E, their mean loss.
    pub error: f64,
    /// Those of the largest loss, the largest first.
    pub outliers: Vec<Outlier>,
}

/// What one block adds.
struct BlockSums {
    positions: u64,
    weight: f64,
    loss: f64,
    ranking: Ranking<Outlier>,
}

/// Finds the positions of the largest loss (p − R)².
///
/// Positions that count nothing are left out; how much others count makes no
/// difference here.
/// *Cost*: a pass.
///
/// # Errors
/// As [`Examination::pass`].
pub fn outliers<E: Engine>(
    examination: &Examination<'_, E>,
    at: &WeightSet,
    sigmoid: Sigmoid,
    most: MostOf,
) -> Result<(ExaminationReport, Outliers), ReadError> {
    let empty = || BlockSums {
        positions: 0,
        weight: 0.0,
        loss: 0.0,
        ranking: Ranking::new(most),
    };
    let mut all = empty();
    let each = |block: &mut BlockSums, position: &ExaminedPosition<'_, E>| {
        let score = position.points[0].score();
        let loss = Loss::Squared.penalty(sigmoid.beta() * score, position.outcome);
        let loss = loss.value;
        block.positions += 1;
        block.weight += position.weight;
        block.loss += position.weight * loss;
        if position.weight > 0.0 {
            block.ranking.add(loss, position.game, || Outlier {
                position: position.text(),
                resolved: position.resolved_text(),
                file: examination.file(position),
                line: position.location.line,
                game: position.has_game.then_some(position.game),
                expectation: sigmoid.expectation(score),
                outcome: position.outcome,
                score,
                search_score: position.search_score,
                loss,
            });
        }
    };
    let report = examination.pass(&[at], empty, each, |block| {
        all.positions += block.positions;
        all.weight += block.weight;
        all.loss += block.loss;
        all.ranking.merge(block.ranking);
    })?;
    let found = Outliers {
        positions: all.positions,
        error: if all.weight > 0.0 {
            all.loss / all.weight
        } else {
            0.0
        },
        outliers: all.ranking.into_sorted(),
    };
    Ok((report, found))
}
