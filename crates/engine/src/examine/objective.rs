//! The objective of a fit, position by position.

use std::collections::BTreeMap;
use std::error::Error;

use super::pass::{Examination, ExaminationReport, ExaminedPosition};
use super::weights::WeightSet;
use tuner_data::ReadError;
use tuner_fit::Targets;
use tuner_fit::model::{Loss, Part, Penalty, SampleWeighting, Sigmoid, fit_k};
use tuner_fit::run::{ChosenTargets, TargetConfig};
use tuner_rows::{RowDraft, TraceSet};

/// The options of an objective, as for a fit.
#[derive(Clone, Copy, Debug)]
pub struct ObjectiveConfig {
    /// The scaling constant; `None`: it is fitted.
    pub k: Option<f64>,
    /// The loss.
    pub loss: Loss,
    /// Targets, and how positions count.
    pub targets: TargetConfig,
}

/// An objective, with everything in it that depends on the data.
#[derive(Clone, Debug)]
pub struct ExaminationObjective {
    /// The loss.
    pub loss: Loss,
    /// The scaling constant.
    pub sigmoid: Sigmoid,
    targets: Targets,
    /// How many positions of each game count, where they share its weight.
    totals: BTreeMap<u32, f64>,
}

/// Notes on how an objective was made.
#[derive(Clone, Debug, Default)]
pub struct ObjectiveNotes {
    /// Sentences on targets that are not results at equal weights.
    pub targets: Vec<String>,
    /// Whether K was fitted.
    pub fitted_k: bool,
}

impl ObjectiveConfig {
    /// Returns the objective if nothing of it depends on the data: K is given, targets are results,
    /// and all positions count alike; else `None`.
    pub fn without_data(&self) -> Option<ExaminationObjective> {
        let results =
            self.targets.lambda == Some(1.0) && self.targets.weighing == SampleWeighting::Positions;
        let k = self.k.filter(|_| results)?;
        Some(ExaminationObjective {
            loss: self.loss,
            sigmoid: Sigmoid::new(k),
            targets: Targets::default(),
            totals: BTreeMap::new(),
        })
    }

    /// Makes the objective of rows, which get its targets and weights. `lanes`: the
    /// weights at which K is fitted, on all rows; `games`: whether the data say which
    /// positions are of one game.
    ///
    /// # Errors
    /// If the targets are impossible with the rows, or these do not determine K.
    pub fn of_rows(
        &self,
        rows: &mut TraceSet,
        lanes: &[f64],
        games: bool,
    ) -> Result<(ExaminationObjective, ObjectiveNotes), Box<dyn Error>> {
        // The rows get their targets and weights before K is fitted to them, which is done on all
        // games.
        let held_out = 0.0;
        let chosen = ChosenTargets::new(&self.targets, (&*rows).into(), held_out, games)?;
        let targets = chosen.targets;
        let totals = targets.weighing.totals(&*rows)?;
        targets.apply(rows, &totals);
        let k = match self.k {
            Some(k) => k,
            None => fit_k((&*rows).into(), lanes, self.loss, Part::All)?.k,
        };
        let objective = ExaminationObjective {
            loss: self.loss,
            sigmoid: Sigmoid::new(k),
            targets,
            totals,
        };
        let notes = ObjectiveNotes {
            targets: chosen.words(),
            fitted_k: self.k.is_none(),
        };
        Ok((objective, notes))
    }
}

impl ExaminationObjective {
    /// Returns λ, the part of the result in the targets, from 0 to 1; the rest is the search
    /// score's.
    pub fn lambda(&self) -> f64 {
        self.targets.mix.map_or(1.0, |mix| mix.lambda)
    }

    /// Tells whether targets are something else than results.
    pub const fn has_targets(&self) -> bool {
        self.targets.mix.is_some()
    }

    /// Returns what the expectation of a position is compared with, from 0 to 1: its result, or a
    /// mix of that and its search score.
    pub fn target(&self, position: &ExaminedPosition<'_>) -> f64 {
        let labelled = &position.read.labelled;
        let (outcome, score) = (labelled.outcome.value(), labelled.search_score);
        let mix = self.targets.mix;
        mix.map_or(outcome, |mix| mix.target(outcome, score))
    }

    /// Returns how much a position counts in E: its own weight, divided by the number of positions
    /// of its game that count, or by the root of that, where the options say so.
    pub fn weight(&self, position: &ExaminedPosition<'_>) -> f64 {
        // Where no options say so there are no totals, and none is asked for; a game without one
        // has no position that counts.
        let total = self.totals.get(&position.game).copied().unwrap_or(0.0);
        self.targets.weighing.weight(position.read.weight, total)
    }

    /// Returns the loss of a score, in centipawns, against a target, and its slope by the log-odds
    /// β·score.
    pub fn penalty(&self, score: f64, target: f64) -> Penalty {
        self.loss.penalty(self.sigmoid.beta() * score, target)
    }
}

impl Examination<'_> {
    /// Scores all positions at some weights, and returns rows that depend on no weight and have
    /// these scores, for [`ObjectiveConfig::of_rows`] to make an objective of.
    ///
    /// *Cost*: a pass; some 25 bytes a position.
    ///
    /// # Errors
    /// If positions cannot be read, or one cannot be scored and bad lines are not skipped.
    pub fn scores(&self, at: &WeightSet) -> Result<(ExaminationReport, TraceSet), ReadError> {
        let mut rows = TraceSet::new(0);
        let push = |set: &mut TraceSet, position: &ExaminedPosition<'_>| {
            let draft = RowDraft {
                constant: position.points[0].score(),
                ..RowDraft::default()
            };
            // Neither score, outcome nor weight can be refused here: the pass and the
            // reader have seen to them.
            let pushed = set.push(&draft, &position.row_info());
            debug_assert!(pushed.is_ok(), "{pushed:?}");
        };
        let report = self.pass(&[at], || TraceSet::new(0), push, |set| rows.append(&set))?;
        Ok((report, rows))
    }
}
