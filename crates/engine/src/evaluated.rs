//! Rows that were made elsewhere, of positions that an evaluator is asked about.

use super::LinkedSpec;
use super::examine::WeightSet;
use tuner_evaluation::{AskedPosition, Evaluation, asked};
use tuner_fit::run::{RetraceError, RowFacts, RowSource};
use tuner_protocol::Ability;
use tuner_rows::{TraceSet, Traces};

/// Rows that were made elsewhere, and an evaluator that knows the true scores of their positions
/// at any weights: what the rows say of other weights is only a model.
///
/// An evaluator that answers `trace` gives new rows there. Of one that does not the rows are
/// moved to the true scores, and keep their derivatives.
#[derive(Debug)]
pub struct EvaluatedRows<'a> {
    evaluation: &'a Evaluation,
    linked: &'a LinkedSpec,
    /// By the number that a row was pushed as.
    positions: Vec<AskedPosition>,
    traces: TraceSet,
    facts: RowFacts,
}

impl<'a> EvaluatedRows<'a> {
    /// Takes rows that were made at weights by leaf number, and compares their scores with those
    /// of the evaluator there.
    ///
    /// # Errors
    /// If it cannot be asked, a row has no position, or scores differ.
    pub fn new(
        evaluation: &'a Evaluation,
        linked: &'a LinkedSpec,
        values: &[f64],
        (traces, positions): (TraceSet, Vec<AskedPosition>),
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
        let scores = asked::scores(evaluation, values, &positions)?;
        let pairs = positions.iter().zip(&scores);
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
            positions,
            facts: RowFacts::of_rows(&traces, games),
            traces,
        })
    }
}

impl RowSource for EvaluatedRows<'_> {
    fn facts(&self) -> &RowFacts {
        &self.facts
    }

    fn begin_at(&mut self, weights: &[f64]) -> Result<(), RetraceError> {
        self.traces = self.retrace(weights)?;
        Ok(())
    }

    fn rows(&self) -> Traces<'_> {
        Traces::from(&self.traces)
    }

    fn can_retrace(&self) -> bool {
        true
    }

    fn knows_scores(&self) -> bool {
        true
    }

    fn retrace(&mut self, weights: &[f64]) -> Result<TraceSet, RetraceError> {
        let (evaluation, link) = (self.evaluation, &self.linked.link);
        let at = WeightSet::new(self.linked, weights.to_vec());
        let values: Vec<f64> = link.weights().iter().map(|w| weights[w.index()]).collect();
        if evaluation.about().can(Ability::Trace) {
            return Ok(asked::rows(evaluation, link, &values, &self.positions)?);
        }
        let scores = asked::scores(evaluation, &values, &self.positions)?;
        let score = |row: usize| scores[row][1];
        Ok(self.traces.with_scores(at.lanes(), score))
    }
}
