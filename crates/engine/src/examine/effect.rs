//! Which positions a change of weights helps.

use std::collections::BTreeMap;

use serde::Serialize;

use super::bins::{AllBins, BinnedBy};
use super::objective::ExaminationObjective;
use super::origin::PositionOrigin;
use super::pass::{Examination, ExaminationReport, ExaminedPosition};
use super::ranking::{MostOf, Ranking};
use super::weights::WeightSet;
use tuner_data::ReadError;
use tuner_fit::model::GameLoss;
use tuner_judge::{BinTable, ErrorDifference, FitVerdict, LossChange};

/// A position that a change of weights helps or hurts. Values are the first
/// player's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EffectPosition {
    /// Where it comes from, and its result.
    #[serde(flatten)]
    pub origin: PositionOrigin,
    /// The target of the expectations: R, or R and the search score.
    pub target: f64,
    /// Its scores at the old and at the new weights.
    pub scores: [f64; 2],
    /// Its expectations at the old and at the new weights.
    pub expectations: [f64; 2],
    /// The new loss minus the old.
    pub change: f64,
}

/// The effect of a change of weights on E.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Effect {
    /// All positions read.
    pub positions: u64,
    /// Positions whose scores at the old and the new weights differ.
    pub changed: u64,
    /// Whether the new weights are better on these games. Where either were fitted to the same
    /// games, that proves nothing.
    pub verdict: FitVerdict,
    /// The error E, the mean loss, at both sets of weights; `None` if no position has weight.
    pub difference: Option<ErrorDifference>,
    /// The positions that are helped most, the most first.
    pub helped: Vec<EffectPosition>,
    /// The positions that are hurt most, the most first.
    pub hurt: Vec<EffectPosition>,
    /// The change of E in bins.
    pub tables: Vec<BinTable<LossChange>>,
}

/// The sums of one block.
struct BlockSums {
    positions: u64,
    changed: u64,
    /// By game the losses at the old and at the new weights.
    games: BTreeMap<u32, [GameLoss; 2]>,
    helped: Ranking<EffectPosition>,
    hurt: Ranking<EffectPosition>,
    bins: AllBins,
}

impl BlockSums {
    /// Adds what was gathered of a later block of positions: counts, losses by game, both rankings,
    /// and bins.
    fn merge(&mut self, later: Self) {
        self.positions += later.positions;
        self.changed += later.changed;
        for (game, losses) in later.games {
            let total = self.games.entry(game).or_default();
            for (total, more) in total.iter_mut().zip(losses) {
                *total += more;
            }
        }
        self.helped.merge(later.helped);
        self.hurt.merge(later.hurt);
        self.bins.merge(later.bins);
    }
}

/// Compares two sets of weights, old and new, by one objective. `most`: how many positions are
/// listed each way, of those that count and whose loss changes; `by`: the tables of bins, whose
/// positions are put there by the old weights.
///
/// *Cost*: a pass with two traces a position; some 60 bytes a game.
///
/// # Errors
/// If positions cannot be read, or one cannot be scored and bad lines are not skipped.
pub fn effect(
    examination: &Examination<'_>,
    [old, new]: [&WeightSet; 2],
    objective: &ExaminationObjective,
    most: MostOf,
    by: &[BinnedBy],
) -> Result<(ExaminationReport, Effect), ReadError> {
    let empty = || BlockSums {
        positions: 0,
        changed: 0,
        games: BTreeMap::new(),
        helped: Ranking::new(most),
        hurt: Ranking::new(most),
        bins: AllBins::new(by),
    };
    let each = |block: &mut BlockSums, position: &ExaminedPosition<'_>| {
        // Of each pair the first is at the old weights, the second at the new ones.
        let scores = [0, 1].map(|at: usize| position.points[at].score());
        let (target, weight) = (objective.target(position), objective.weight(position));
        let losses = scores.map(|score| objective.penalty(score, target).value);
        let expectations = scores.map(|score| objective.sigmoid.expectation(score));
        let change = losses[1] - losses[0];
        block.positions += 1;
        block.changed += u64::from((scores[1] - scores[0]).abs() > 0.0);
        let game = block.games.entry(position.game).or_default();
        for (sums, loss) in game.iter_mut().zip(losses) {
            let loss = weight * loss;
            *sums += GameLoss { weight, loss };
        }
        block.bins.add(position, expectations[0], weight, losses);
        let ranking = if change < 0.0 {
            &mut block.helped
        } else {
            &mut block.hurt
        };
        if weight > 0.0 && change.abs() > 0.0 {
            ranking.add(change.abs(), position.game, || EffectPosition {
                origin: examination.origin(position),
                target,
                scores,
                expectations,
                change,
            });
        }
    };
    let mut all = empty();
    let report = examination.pass(&[old, new], empty, each, |block| all.merge(block))?;
    let of = |at: usize| -> Vec<_> {
        let games = all.games.iter();
        games.map(|(&game, losses)| (game, losses[at])).collect()
    };
    // 0: at the old weights, 1: at the new ones.
    let difference = ErrorDifference::new(&of(0), &of(1));
    let found = Effect {
        positions: all.positions,
        changed: all.changed,
        verdict: FitVerdict::of(difference.as_ref()),
        difference,
        helped: all.helped.into_sorted(),
        hurt: all.hurt.into_sorted(),
        tables: all.bins.tables(objective.sigmoid.beta()),
    };
    Ok((report, found))
}
