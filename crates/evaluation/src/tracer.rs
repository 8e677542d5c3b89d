//! Positions into rows, each checked on the way.

use std::time::{Duration, Instant};

use super::agreement::Agreement;
use super::black_box::Quotients;
use super::evaluation::Evaluation;
use super::link::Link;
use super::resolve::Resolve;
use super::session::{Answered, Asked, EvaluationError};
use thiserror::Error;
use tuner_data::Perspective;
use tuner_protocol::answer::Resolution;
use tuner_rows::Compactor;
use tuner_rows::{RowDraft, RowFault};
use tuner_trace::{ExpressionValues, Trace};

/// The time of the work on positions, summed over threads.
#[derive(Clone, Copy, Debug, Default)]
pub struct TracingTimes {
    /// Asking the evaluator, and what it does.
    pub tracing: Duration,
    /// The comparison of production and twin, and the row.
    pub checking: Duration,
}

tuner_base::add_fields! { TracingTimes { tracing, checking } }

/// Traces positions and keeps how production and twin agree.
#[derive(Debug)]
pub struct Tracer<'e> {
    evaluation: &'e Evaluation,
    link: &'e Link,
    values: &'e [f64],
    resolve: Resolve,
    compactor: Compactor,
    draft: RowDraft,
    evaluated: ExpressionValues,
    /// How an evaluation that only scores is asked; `None` for one that traces.
    quotients: Option<Quotients<'e>>,
    /// The row that is made of its scores.
    trace: Trace,
    /// Whether a position on which production's type overflows is a bad one, in place of a
    /// finding.
    pub(super) skips_overflows: bool,
    /// The findings so far.
    pub agreement: Agreement,
    /// The time so far.
    pub times: TracingTimes,
}

/// The reason given for a position on which the score's type overflows.
const OVERFLOW: &str = "an operation of the score's type overflows on this position";

/// Why a position has no row.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum NoRow {
    /// The evaluator refuses it: its words.
    #[error("{0}")]
    Refused(String),
    /// The row contradicts itself: how.
    #[error("{0}; correct what the evaluator answers to `trace` after `set`")]
    Contradictory(String),
}

/// A position that was traced.
#[derive(Clone, Copy, Debug)]
pub struct TracedPosition<'t> {
    /// Its row, seen by the first player.
    pub draft: &'t RowDraft,
    /// The position that was traced in its place, if another one was.
    pub leaf: Option<&'t str>,
    /// Whether the evaluator says that it is the first player's turn, in the position itself.
    pub first_to_move: bool,
    /// The score, seen by the first player.
    pub score: f64,
}

impl<'e> Tracer<'e> {
    /// Makes a tracer. `values`: weights by their numbers in the evaluator, empty for those of the
    /// source.
    pub fn new(
        evaluation: &'e Evaluation,
        link: &'e Link,
        values: &'e [f64],
        resolve: Resolve,
    ) -> Self {
        let quotients =
            (evaluation.only_scores()).then(|| Quotients::new(evaluation, link, values));
        let mut agreement = Agreement::new(link.spec_weights());
        agreement.only_scores = quotients.is_some();
        Self {
            evaluation,
            link,
            values,
            resolve,
            compactor: Compactor::new(link.lanes().to_vec()),
            draft: RowDraft::default(),
            evaluated: ExpressionValues::default(),
            quotients,
            trace: Trace::default(),
            skips_overflows: false,
            agreement,
            times: TracingTimes::default(),
        }
    }

    /// Traces some positions. At the source's weights it notes how production and twin agree, and
    /// where bad lines are skipped a position that overflows has no row; at others a row that
    /// contradicts itself is a bad one. `each` gets the index of each and its row, or the reason
    /// why there is none; the row is overwritten by the next.
    ///
    /// *Cost*: one production evaluation, one run of the twin, a few passes over its tape; the row
    /// there and back. Positions in batches of some hundred cost one wait each.
    ///
    /// # Errors
    /// If the evaluator cannot be asked any further.
    pub fn trace(
        &mut self,
        positions: &[String],
        each: &mut dyn FnMut(usize, Result<TracedPosition<'_>, NoRow>),
    ) -> Result<(), EvaluationError> {
        let asked = Asked {
            resolve: self.resolve == Resolve::Quiescence,
            score: self.values.is_empty(),
        };
        let begun = Instant::now();
        let mut checking = Duration::ZERO;
        let mut session = self.evaluation.session()?;
        session.at(self.values)?;
        let side_to_move = self.evaluation.perspective() == Perspective::SideToMove;
        let (link, agreement) = (self.link, &mut self.agreement);
        let (compactor, draft) = (&mut self.compactor, &mut self.draft);
        let (values, evaluated) = (self.values, &mut self.evaluated);
        let skips_overflows = self.skips_overflows && values.is_empty();
        // Checks and compacts the answer for one position, and hands it to `each`.
        let mut one = |number: usize, found: Result<Answered<'_>, String>| {
            let found = match found {
                Ok(found) => found,
                Err(words) => return each(number, Err(NoRow::Refused(words))),
            };
            if found.trace.wrapped && skips_overflows {
                return each(number, Err(NoRow::Refused(OVERFLOW.to_owned())));
            }
            let begun = Instant::now();
            let root = &positions[number];
            // The quiet position that is traced in its place, if another one is.
            let mut leaf = None;
            if let Some(resolution) = &found.resolution {
                leaf = agreement.resolved.note(resolution, root);
            }
            if let Some(production) = found.production {
                let text = leaf.unwrap_or(root);
                agreement.note(link, found.trace, production, text);
            } else if let Some(fault) = RowFault::of(found.trace, values, evaluated) {
                return each(number, Err(NoRow::Contradictory(fault.words())));
            }
            compactor.draft(found.trace, draft);
            let mut score = found.trace.score;
            // Rows are seen by the first player, this score by the second.
            if side_to_move && !found.leaf_first_to_move {
                draft.turn();
                score = -score;
            }
            checking += begun.elapsed();
            let first_to_move = found.first_to_move;
            let traced = TracedPosition {
                draft,
                leaf,
                first_to_move,
                score,
            };
            each(number, Ok(traced));
        };
        // An evaluator that only scores is asked with weights moved, and rows are made of its
        // scores.
        let asked = if let Some(quotients) = &self.quotients {
            let trace = &mut self.trace;
            session.scores_moved(positions, &quotients.questions, &mut |number, found| {
                // The last score is, as the first one, at the weights in force: it is compared with
                // that of the row, as production's is.
                let found = found.map(|(first_to_move, scores)| {
                    quotients.row(scores, trace);
                    Answered {
                        first_to_move,
                        leaf_first_to_move: first_to_move,
                        resolution: None,
                        production: scores.last().copied().filter(|_| values.is_empty()),
                        trace,
                    }
                });
                one(number, found);
            })
        } else {
            session.trace(positions, asked, &mut one)
        };
        asked.inspect_err(|error| self.evaluation.end(error))?;
        self.times += TracingTimes {
            tracing: begun.elapsed().saturating_sub(checking),
            checking,
        };
        Ok(())
    }
}

impl super::resolve::Resolved {
    /// Counts what became of a position that was resolved, `root`; returns the text of the one that
    /// is traced in its place, `None` if it is traced itself.
    fn note<'r>(&mut self, resolution: &'r Resolution, root: &str) -> Option<&'r str> {
        match resolution {
            Resolution::Unoffered => self.unoffered += 1,
            Resolution::None => self.unexplained += 1,
            Resolution::Leaf {
                score,
                standing,
                leaf,
            } => {
                // The search must return the evaluation of its last position, `standing`.
                if (standing - score).abs() > 0.0 {
                    (self.wrong).note(|| (root.to_owned(), *score, *standing));
                }
                let (text, _) = leaf.as_ref()?;
                self.moved += 1;
                return Some(text);
            }
        }
        None
    }
}
