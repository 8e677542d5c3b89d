//! Calibration: whether positions are won as often as their scores say.

use serde::{Deserialize, Serialize};

use crate::bins::{Bin, BinTable, Bins, Residual};
use tuner_base::Ranks;
use tuner_fit::model::{Part, Sigmoid, counts, each_set};
use tuner_fit::run::{FinishedRun, RowSource};
use tuner_fit::{FitError, parts};
use tuner_rows::{AHEAD, Linearised, TraceSet, Traces};
use tuner_solve::{PassError, PassResult};

/// Bins of the expectation. Chosen: steps of 5 %, near a draw some 20 centipawns.
const SCORE_BINS: u32 = 20;

/// The scores of a fit before it, or as its weights are written.
#[derive(Clone, Debug)]
pub struct RowScores {
    /// The weights, in the order in which rows are scored with them.
    lanes: Vec<f64>,
    sigmoid: Sigmoid,
}

/// A position, or its row, at certain weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoredRow {
    /// The game's number.
    pub game: u32,
    /// How often it counts.
    pub weight: f64,
    /// The result R.
    pub outcome: f64,
    /// The evaluation's score, in centipawns.
    pub score: f64,
    /// The expectation p.
    pub expectation: f64,
}

impl RowScores {
    /// Makes what scores rows and gives the expectations of scores: the weights, and the sigmoid of
    /// their K, before the fit if `before`, else as they are written.
    pub fn of(run: &FinishedRun<'_>, before: bool) -> Self {
        let (sigmoid, weights) = run.scored_by(before);
        let lanes = run.variables.reduction.lanes_of(weights);
        Self { lanes, sigmoid }
    }

    /// Returns a position of a game with the expectation that its score has by the sigmoid.
    /// `weight`: how often the position counts; `outcome`: its result R; `score`: in centipawns.
    pub fn scored(&self, game: u32, weight: f64, outcome: f64, score: f64) -> ScoredRow {
        ScoredRow {
            game,
            weight,
            outcome,
            score,
            expectation: self.sigmoid.expectation(score),
        }
    }
}

/// Returns the games that a fit is examined on, and whether they are held out. They are the
/// held-out games, as fitted games agree with their scores by construction; where no games are held
/// out, they are all games.
pub fn examined_part(run: &FinishedRun<'_>) -> (Part, bool) {
    let (train, held_out) = parts(run.settings.held_out);
    held_out.map_or((train, false), |part| (part, true))
}

/// Sums over positions, in bins by their expectation and by features.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct CalibrationSums {
    /// By score, then by each feature.
    tables: Vec<Bins<u32>>,
    /// How many positions were added.
    pub positions: u64,
}

/// How well scores are calibrated at certain weights.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct CalibrationAt {
    /// The expected calibration error: the mean over the bins by score of
    /// |mean result − mean expectation|, each by its positions.
    ///
    /// *Source*: M. Pakdaman Naeini, G. Cooper, M. Hauskrecht, Obtaining well
    /// calibrated probabilities using Bayesian binning, AAAI 2015.
    pub expected_error: f64,
    /// The value that chance alone would give it were the scores right: the mean of
    /// √(2/π)·standard error. `None` where a bin has no standard error.
    pub by_chance: Option<f64>,
    /// By score, then by each feature.
    pub tables: Vec<BinTable<Residual>>,
}

/// The calibration of a fit, on the same positions before and after.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Calibration {
    /// Whether they are of held-out games; if not they are all, and the fit agrees
    /// with them better than with others.
    pub held_out: bool,
    /// The positions.
    pub positions: u64,
    /// At the weights before.
    pub before: CalibrationAt,
    /// At the weights that are written.
    pub after: CalibrationAt,
}

/// A feature of positions: its name and that of each of its bins.
#[derive(Clone, Copy, Debug)]
pub struct CalibrationFeature {
    /// Its name.
    pub name: &'static str,
    /// Names a bin.
    pub label: fn(u32) -> String,
}

impl CalibrationSums {
    /// Makes sums without any position: bins by score, and bins by each of as many features as
    /// `features` says.
    pub fn new(features: usize) -> Self {
        Self {
            tables: vec![Bins::default(); 1 + features],
            positions: 0,
        }
    }

    /// Adds a position to the bin of its expectation, one of twenty equal parts of 0 to 1,
    /// and to its bin of each feature. `features`: the bin by each feature, `None` where the
    /// position is in no bin of that feature.
    pub fn add(&mut self, row: &ScoredRow, features: &[Option<u32>]) {
        let bin = (row.expectation * f64::from(SCORE_BINS)) as u32;
        let by_score = Some(bin.min(SCORE_BINS - 1));
        let bins = std::iter::once(&by_score).chain(features);
        for (table, bin) in self.tables.iter_mut().zip(bins) {
            table.add(*bin, row.game, row.weight, [row.expectation, row.outcome]);
        }
        self.positions += 1;
    }

    /// Adds the sums of later positions, table by table.
    pub fn merge(&mut self, later: Self) {
        for (table, later) in self.tables.iter_mut().zip(later.tables) {
            table.merge(later);
        }
        self.positions += later.positions;
    }

    /// Returns the sums over the positions of all ranks, each of which has added its own to `self`.
    /// They are added in the order of ranks, so that every rank has the same bits.
    fn among(self, ranks: Ranks) -> PassResult<Self> {
        if ranks.is_alone() {
            return Ok(self);
        }
        let failed = |error: serde_json::Error| PassError::new(error.to_string());
        let here = serde_json::to_vec(&self).map_err(failed)?;
        let mut all = Self::new(self.tables.len() - 1);
        for there in ranks.gather_bytes(&here) {
            all.merge(serde_json::from_slice(&there).map_err(failed)?);
        }
        Ok(all)
    }

    /// Makes the tables by score and by each feature, the expected calibration error, and the value
    /// that chance alone would give this error. `features`: those in whose bins positions were
    /// added, in that order; they name tables and bins.
    pub fn calibration(self, features: &[CalibrationFeature]) -> CalibrationAt {
        let by_score = CalibrationFeature {
            name: "score",
            label: |bin| {
                let percent = |bin: u32| bin * 100 / SCORE_BINS;
                format!("{} to {} %", percent(bin), percent(bin + 1))
            },
        };
        let tables = std::iter::once(&by_score).chain(features).zip(self.tables);
        let table = |(by, bins): (&CalibrationFeature, Bins<u32>)| {
            let labelled = (bins.sums.into_iter()).map(|(bin, sums)| ((by.label)(bin), sums));
            BinTable::new(by.name, labelled, bins.other)
        };
        let tables: Vec<BinTable<Residual>> = tables.map(table).collect();
        let by_score = &tables[0].bins;
        let positions: u64 = by_score.iter().map(|bin| bin.positions).sum();
        // The mean over the bins by score, each by its positions; `None` if `of` is `None` for a
        // bin.
        let mean = |of: &dyn Fn(&Bin<Residual>) -> Option<f64>| -> Option<f64> {
            let terms = (by_score.iter()).map(|bin| Some(bin.positions as f64 * of(bin)?));
            Some(terms.sum::<Option<f64>>()? / positions.max(1) as f64)
        };
        // The mean size of a normal number is √(2/π) times its standard deviation.
        let chance = (2.0 / std::f64::consts::PI).sqrt();
        CalibrationAt {
            // Each bin has a mean residual, so this mean is always known.
            expected_error: mean(&|bin| Some(bin.means.residual.abs())).unwrap_or(0.0),
            by_chance: mean(&|bin| Some(chance * bin.standard_error?)),
            tables,
        }
    }
}

/// Computes the calibration by score, at the weights before a fit and after it, from rows alone.
/// `source`: what the rows that were fitted come from.
///
/// *Cost*: two passes over the rows.
///
/// # Errors
/// If rows cannot be read.
pub fn calibrate(run: &FinishedRun<'_>, source: &dyn RowSource) -> Result<Calibration, FitError> {
    let (_, held_out) = examined_part(run);
    // `true`: at the weights before the fit, `false`: at those that are written.
    let before = by_score(run, source.rows(), true)?;
    let after = by_score(run, run.last_rows(source), false)?;
    Ok(Calibration {
        held_out,
        positions: before.positions,
        before: before.calibration(&[]),
        after: after.calibration(&[]),
    })
}

/// Adds up the rows of the held-out games, or of all where no games are held out, in bins by score,
/// at the weights before the fit if `before`, else at those that are written.
///
/// *Cost*: a pass.
fn by_score(
    run: &FinishedRun<'_>,
    traces: Traces<'_>,
    before: bool,
) -> Result<CalibrationSums, FitError> {
    let (part, _) = examined_part(run);
    let scores = RowScores::of(run, before);
    let mut all = CalibrationSums::new(0);
    let of_set = |set: &TraceSet| {
        let (table, mut buffer) = (set.table(&scores.lanes), Linearised::default());
        let mut sums = CalibrationSums::new(0);
        let stride = 1;
        for row in counts::rows_of(set, part, stride) {
            let score = buffer.at(&row, &table);
            let scored = scores.scored(row.game(), row.weight(), row.outcome(), score);
            sums.add(&scored, &[]);
        }
        sums
    };
    each_set(traces, AHEAD, of_set, |sums| all.merge(sums))?;
    Ok(all.among(traces.ranks())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(game: u32, expectation: f64, outcome: f64) -> ScoredRow {
        ScoredRow {
            game,
            weight: 1.0,
            outcome,
            score: 0.0,
            expectation,
        }
    }

    /// Games of which so many of a hundred are won, at an expectation.
    fn sums(games: u32, won: u32, expectation: f64) -> CalibrationSums {
        let mut sums = CalibrationSums::new(1);
        for game in 0..games {
            let outcome = f64::from(u8::from(game % 100 < won));
            sums.add(
                &row(game, expectation, outcome),
                &[(game % 2 == 0).then_some(7)],
            );
        }
        sums
    }

    const FEATURE: CalibrationFeature = CalibrationFeature {
        name: "half",
        label: |bin| format!("bin {bin}"),
    };

    #[test]
    fn scores_that_are_right_have_the_error_of_chance() {
        let found = sums(10_000, 62, 0.62).calibration(&[FEATURE]);
        assert!(found.expected_error < 1e-9);
        // √(2/π)·√(0.62·0.38/10,000).
        assert!(
            found
                .by_chance
                .is_some_and(|c| (c - 0.003_873).abs() < 1e-6)
        );
        assert_eq!(found.tables[0].bins[0].label, "60 to 65 %");
        assert_eq!(found.tables[1].by, "half");
        assert_eq!(found.tables[1].bins[0].label, "bin 7");
        assert_eq!(found.tables[1].other_positions, 5_000);
    }

    #[test]
    fn the_error_is_the_mean_over_the_bins() {
        // Off by 0.1 in 1,000 positions, by 0.02 in 3,000.
        let mut all = sums(1_000, 70, 0.6);
        all.merge(sums(3_000, 40, 0.42));
        assert_eq!(all.positions, 4_000);
        let found = all.calibration(&[FEATURE]);
        assert!((found.expected_error - 0.04).abs() < 1e-9);
        let bin = &found.tables[0].bins[1];
        // √(0.7·0.3/1,000) and 1.962 of it.
        assert!(
            bin.reach
                .is_some_and(|reach| (reach - 0.02845).abs() < 1e-4)
        );
        assert!(bin.stands_out);
    }

    #[test]
    fn one_game_has_no_interval_and_an_end_its_bin() {
        let mut one = CalibrationSums::new(0);
        one.add(&row(1, 1.0, 1.0), &[]);
        one.add(&row(1, 0.99, 0.0), &[]);
        let found = one.calibration(&[]);
        assert_eq!(found.tables[0].bins.len(), 1);
        assert_eq!(found.tables[0].bins[0].reach, None);
        assert_eq!(found.by_chance, None);
        assert!(
            CalibrationSums::new(0).calibration(&[]).tables[0]
                .bins
                .is_empty()
        );
    }
}
