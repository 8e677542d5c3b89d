//! The positions that are explained worst.

use serde::Serialize;

use super::objective::ExaminationObjective;
use super::origin::PositionOrigin;
use super::pass::{Examination, ExaminationReport, ExaminedPosition};
use super::ranking::{MostOf, Ranking};
use super::weights::WeightSet;
use tuner_data::ReadError;

/// A position whose result its score did not expect. Values are the first
/// player's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outlier {
    /// Where it comes from, and its result.
    #[serde(flatten)]
    pub origin: PositionOrigin,
    /// The position that was traced for it, if that is another one.
    pub resolved: Option<String>,
    /// The expectation p.
    pub expectation: f64,
    /// Its target: R, or R and the search score.
    pub target: f64,
    /// The evaluation's score, in centipawns.
    pub score: f64,
    /// The score of a search, if the data have one.
    pub search_score: Option<i32>,
    /// Its loss, not multiplied by how often it counts.
    pub loss: f64,
}

/// The positions that are explained worst.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outliers {
    /// All positions read.
    pub positions: u64,
    /// E, their mean loss; 0 where no position counts.
    pub error: f64,
    /// The positions of the largest loss, the largest first.
    pub outliers: Vec<Outlier>,
}

/// The sums of one block.
struct BlockSums {
    positions: u64,
    weight: f64,
    loss: f64,
    ranking: Ranking<Outlier>,
}

/// Finds the positions of the largest loss, `most` of them.
///
/// Positions that count nothing are left out; how much others count does not change their order.
///
/// *Cost*: a pass.
///
/// # Errors
/// If positions cannot be read or scored.
pub fn outliers(
    examination: &Examination<'_>,
    at: &WeightSet,
    objective: &ExaminationObjective,
    most: MostOf,
) -> Result<(ExaminationReport, Outliers), ReadError> {
    let empty = || BlockSums {
        positions: 0,
        weight: 0.0,
        loss: 0.0,
        ranking: Ranking::new(most),
    };
    let mut all = empty();
    let each = |block: &mut BlockSums, position: &ExaminedPosition<'_>| {
        let score = position.points[0].score();
        let (target, weight) = (objective.target(position), objective.weight(position));
        let loss = objective.penalty(score, target).value;
        block.positions += 1;
        block.weight += weight;
        block.loss += weight * loss;
        if weight > 0.0 {
            block.ranking.add(loss, position.game, || Outlier {
                origin: examination.origin(position),
                resolved: position.resolved_text.map(str::to_owned),
                expectation: objective.sigmoid.expectation(score),
                target,
                score,
                search_score: position.read.labelled.search_score,
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
