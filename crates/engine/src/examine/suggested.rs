//! Features of the rules that no weight of an evaluation reads.

use std::ops::ControlFlow;

use super::objective::ExaminationObjective;
use super::pass::{Examination, ExaminationReport, ExaminedPosition};
use super::weights::WeightSet;
use crate::spec_variables::reduction;
use tuner_data::{AnyGame, ReadError};
use tuner_fit::{BASE, FitError, FitInputs, LEAST_GAIN, MOST_BY_MATRICES, Settings, fit};
use tuner_judge::{Suggestions, suggest};
use tuner_rows::{Segment, Slot, TraceSet};
use tuner_solve::WeightId;

impl Examination<'_> {
    /// Traces all positions at some weights into rows that count the features of the game as well,
    /// in slots behind those of the spec.
    ///
    /// A feature counts as terms of the evaluation do: in the sum that has most of them, and so
    /// with its phase; without one where rows have no such sum.
    ///
    /// *Cost*: a pass; some 300 bytes a position, beside those of a fit.
    ///
    /// # Errors
    /// If positions cannot be read, or one cannot be scored and bad lines are not skipped.
    pub fn with_features(
        &self,
        at: &WeightSet,
    ) -> Result<(ExaminationReport, TraceSet), ReadError> {
        let game = self.evaluation.game();
        let slots = self.linked.spec.layout().slots();
        let all = slots + game.feature_words().len();
        // Of an evaluator that only scores, terms are difference quotients: their segments are no
        // sums.
        let has_sums = !self.evaluation.only_scores();
        let mut rows = TraceSet::new(all);
        let push = |set: &mut TraceSet, position: &ExaminedPosition<'_>| {
            let point = &position.points[0];
            let mut draft = point.draft.clone();
            let entries = (slots as u32..).map(Slot).zip(counts(game, position));
            let entries = entries.filter(|(_, count)| *count != 0);
            if let Some((segment, lanes)) = point.main_sum().filter(|_| has_sums) {
                let entries = entries.map(|(slot, count)| (slot, lanes.map(|lane| lane * count)));
                draft.segments[segment].entries.extend(entries);
            } else {
                draft.segments.push(Segment::same([1.0, 0.0], entries));
            }
            // The pass and the reader have seen to all that could be refused.
            let pushed = set.push(&draft, &position.row_info());
            debug_assert!(pushed.is_ok(), "{pushed:?}");
        };
        let report = self.pass(&[at], || TraceSet::new(all), push, |set| rows.append(&set))?;
        // Rows that are read alike become neighbours, for the fit.
        rows.finish();
        Ok((report, rows))
    }

    /// Fits the free weights to rows [with features](Self::with_features), and chooses `most`
    /// features at most that would lower E. Frozen weights stay, and what they read counts as not
    /// read.
    ///
    /// *Cost*: a fit, a curvature matrix of the variables and the lanes of features, and three
    /// passes.
    ///
    /// # Errors
    /// If the fit fails; the inner error says in words why nothing can be said of the features.
    pub fn suggestions(
        &self,
        rows: &TraceSet,
        at: &WeightSet,
        objective: &ExaminationObjective,
        most: usize,
    ) -> Result<Result<Suggestions, String>, FitError> {
        let layout = self.linked.spec.layout();
        let (slots, weights) = (layout.slots(), layout.weights());
        let features = rows.slots() - slots;
        let reduction = match reduction(layout, at.weights().to_vec(), features) {
            Ok(reduction) => reduction,
            Err(words) => return Ok(Err(words)),
        };
        if reduction.variables() + 2 * features > MOST_BY_MATRICES {
            let (free, most) = (reduction.variables(), MOST_BY_MATRICES);
            return Ok(Err(format!(
                "{free} weights are free and {features} features have two each, more than the \
                 {most} that a matrix is formed of; freeze large tables in a copy of the spec"
            )));
        }
        let mut start = at.weights().to_vec();
        start.resize(weights + 2 * features, 0.0);
        // The prior of an engine and the stopping rule where nothing else is chosen.
        let settings = Settings {
            k: Some(objective.sigmoid.k()),
            loss: objective.loss,
            prior: Some(BASE),
            least_gain: LEAST_GAIN,
            ..Settings::default()
        };
        let fitted = fit(
            rows,
            &reduction,
            &FitInputs::at(&start),
            &settings,
            &mut |_| ControlFlow::Continue(()),
        )?;
        let x = reduction.start(&fitted.weights);
        let both = |feature: usize| [0, 1].map(|lane| WeightId(weights + 2 * feature + lane));
        let features: Vec<[WeightId; 2]> = (0..features).map(both).collect();
        let measure = (objective.loss, objective.sigmoid);
        suggest(rows, &reduction, &x, &features, measure, most)
    }
}

/// Counts the features of the position that was traced: of the one at the end of a quiescence
/// search, if that is another one. If the game cannot read the text of that one, the features of
/// the position of the data are counted.
fn counts(game: &AnyGame, position: &ExaminedPosition<'_>) -> Vec<i16> {
    let text = position.resolved_text;
    let resolved = text.and_then(|text| game.parse(text).ok());
    let as_read = &position.read.labelled.position;
    game.feature_counts(resolved.as_ref().unwrap_or(as_read))
}
