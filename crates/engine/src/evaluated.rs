//! Rows that were made elsewhere, of positions that an evaluator is asked about.

use super::LinkedSpec;
use super::examine::WeightSet;
use tuner_evaluation::Evaluation;
use tuner_fit::run::{RetraceError, RowFacts, RowSource};
use tuner_protocol::Ability;
use tuner_rows::import::RowPosition;
use tuner_rows::{RowInfo, TraceSet, Traces};

/// Rows that were made elsewhere, and an evaluator that knows the true scores of their positions
/// at any weights: what the rows say of other weights is only a model.
///
/// An evaluator that answers `trace` gives new rows there. Of one that does not the rows are
/// moved to the true scores, and keep their derivatives.
#[derive(Debug)]
pub struct EvaluatedRows<'a> {
    evaluation: &'a Evaluation,
    linked: &'a LinkedSpec,
    /// The text of each position by the number that its row was pushed as.
    positions: Vec<String>,
    /// Outcome, game, weight and search score of each position.
    infos: Vec<RowInfo>,
    traces: TraceSet,
    facts: RowFacts,
}

impl<'a> EvaluatedRows<'a> {
    /// Takes rows that were made at the weights `values`, by their numbers in the evaluator, and
    /// compares their scores with those of the evaluator there. `positions` are by the number that
    /// a row was pushed as; `games`: whether the data say which positions are of one game.
    ///
    /// # Errors
    /// If it cannot be asked, a row has no position, or scores differ.
    pub fn new(
        evaluation: &'a Evaluation,
        linked: &'a LinkedSpec,
        values: &[f64],
        traces: TraceSet,
        positions: Vec<RowPosition>,
        games: bool,
    ) -> Result<Self, String> {
        let (count, all) = (positions.len(), traces.len());
        if count < all {
            return Err(format!(
                "{} of {all} rows have no position that the evaluator could be asked about: end \
                 each line with `position TEXT`, or give --spec, which fits rows without it",
                all - count
            ));
        }
        let texts: Vec<String> = positions.iter().map(|row| row.text.clone()).collect();
        let scores = scores(evaluation, values, &texts)?;
        let pairs = positions.iter().zip(&scores);
        // Rows whose score is not the evaluator's, as it returns it, at the weights that they were
        // made at.
        let mut other = pairs.filter(|(row, found)| (row.score - found[0]).abs() > 0.0);
        if let Some((row, [found, _])) = other.next() {
            return Err(format!(
                "{} of {all} rows have another score than the evaluator gives at the weights of the \
                 head, first {} and {found}: {}; write the rows again, or correct what the \
                 evaluator answers to `score`",
                1 + other.count(),
                row.score,
                row.text
            ));
        }
        Ok(Self {
            evaluation,
            linked,
            positions: texts,
            infos: positions.into_iter().map(|row| row.info).collect(),
            facts: RowFacts::of_rows(&traces, games),
            traces,
        })
    }
}

/// Asks for the scores of all positions at the weights `values`, by their numbers in the evaluator:
/// each as the evaluator sees it, and for the first player. The error is of the first position that
/// is refused.
fn scores(
    evaluation: &Evaluation,
    values: &[f64],
    positions: &[String],
) -> Result<Vec<[f64; 2]>, String> {
    let scores = evaluation.scores(values, positions);
    let scores = scores.map_err(|error| error.to_string())?.into_iter();
    let named = scores.zip(positions);
    let named = named.map(|(score, text)| score.map_err(|words| format!("{text}: {words}")));
    named.collect()
}

impl RowSource for EvaluatedRows<'_> {
    /// Returns what is known of the rows beyond themselves, such as their fingerprint.
    fn facts(&self) -> &RowFacts {
        &self.facts
    }

    /// Takes the rows again at the weights that the run's result is compared with, in the order of
    /// the spec: those that were given may be of others.
    fn begin_at(&mut self, weights: &[f64]) -> Result<(), RetraceError> {
        self.traces = self.retrace(weights)?;
        Ok(())
    }

    /// Returns the rows at the weights at which they were made, or, once the run has begun, at
    /// those that its result is compared with.
    fn rows(&self) -> Traces<'_> {
        Traces::from(&self.traces)
    }

    /// Returns `true`: the evaluator can be asked at any weights.
    fn can_retrace(&self) -> bool {
        true
    }

    /// Returns `true`: at other weights the rows are only a model, and the evaluator knows the true
    /// scores.
    fn knows_scores(&self) -> bool {
        true
    }

    /// Returns rows of the same positions at other weights, in the order of the spec: traced there,
    /// or, if the evaluator cannot trace, the rows as they are, moved to the true scores.
    fn retrace(&mut self, weights: &[f64]) -> Result<TraceSet, RetraceError> {
        let (evaluation, link) = (self.evaluation, &self.linked.link);
        let at = WeightSet::new(self.linked, weights.to_vec());
        let values: Vec<f64> = link.weights().iter().map(|w| weights[w.index()]).collect();
        if evaluation.about().can(Ability::Trace) {
            return Ok(evaluation.rows(link, &values, &self.positions, &self.infos)?);
        }
        // Without traces the rows keep their derivatives, and are moved to the first player's
        // scores.
        let scores = scores(evaluation, &values, &self.positions)?;
        let score = |row: usize| scores[row][1];
        Ok(self.traces.with_scores(at.lanes(), score))
    }
}
