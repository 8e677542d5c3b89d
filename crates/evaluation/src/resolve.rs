//! Noisy positions to the quiet ones at the end of their captures.

use serde::{Deserialize, Serialize};

use super::agreement::Occasions;
use super::evaluation::Evaluation;
use super::session::Answer;
use tuner_protocol::Command;
use tuner_protocol::answer::{LookAnswer, Resolution, ScoreAnswer};

/// Which position is traced for one of the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Resolve {
    /// The position itself.
    #[default]
    None,
    /// The last one of the principal variation of the quiescence search.
    Quiescence,
}

/// Counts of positions that were resolved, by outcome.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Resolved {
    /// Positions in whose place another one is traced.
    pub moved: u64,
    /// Positions whose search ends in mate or stalemate, or without a line: they are traced
    /// themselves.
    pub unexplained: u64,
    /// Positions whose search returns another score than the evaluation of its last position: a
    /// mistake of the engine; the first one with both scores.
    pub wrong: Occasions<(String, f64, f64)>,
    /// Positions for which the engine offered no search: all, if any.
    pub unoffered: u64,
}

impl Resolved {
    /// Adds the counts of other positions.
    pub(super) fn merge(&mut self, other: Self) {
        self.moved += other.moved;
        self.unexplained += other.unexplained;
        self.wrong.merge(other.wrong);
        self.unoffered += other.unoffered;
    }
}

impl Evaluation {
    /// Returns the evaluation of a position and the score of its quiescence search, both from the
    /// side to move, at weights by their numbers in the evaluator, empty for those of the source;
    /// `None` where the engine offers no such search.
    ///
    /// # Errors
    /// The outer one if the evaluator cannot be asked any further, the inner one if it refuses
    /// the position.
    pub fn look(&self, values: &[f64], position: &str) -> Answer<Option<[i32; 2]>> {
        let found = self.ask(values, position, &Command::Look, LookAnswer::read)?;
        Ok(found.map(|LookAnswer(found)| found))
    }

    /// Asks a question about a position, whose answer `read` takes apart, at weights by their
    /// numbers in the evaluator, empty for those of the source. The inner error is the evaluator's:
    /// it refuses the position or the question.
    fn ask<T>(
        &self,
        values: &[f64],
        position: &str,
        command: &Command,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Answer<T> {
        let mut session = self.session()?;
        session.at(values)?;
        if let Err(words) = session.take_position(position)? {
            return Ok(Err(words));
        }
        session.ask(command, read)
    }

    /// Returns the position where the quiescence search from another one ends, at weights by their
    /// numbers in the evaluator, empty for those of the source; that one itself if nothing is
    /// played, `None` where it ends in mate or without a line, or the engine offers no such search.
    ///
    /// # Errors
    /// The outer one if the evaluator cannot be asked any further, the inner one if it refuses the
    /// position.
    pub fn quiet_position(&self, values: &[f64], position: &str) -> Answer<Option<String>> {
        let found = self.ask(values, position, &Command::Resolve, Resolution::read)?;
        Ok(found.map(|found| match found {
            Resolution::Unoffered | Resolution::None => None,
            Resolution::Leaf { leaf: None, .. } => Some(position.to_owned()),
            Resolution::Leaf {
                leaf: Some((text, _)),
                ..
            } => Some(text),
        }))
    }

    /// Returns the score of a position, as the evaluation returns it, at weights by their numbers
    /// in the evaluator, empty for those of the source.
    ///
    /// # Errors
    /// The outer one if the evaluator cannot be asked any further, the inner one if it refuses the
    /// position.
    pub fn score(&self, values: &[f64], position: &str) -> Answer<f64> {
        let found = self.ask(values, position, &Command::Score, ScoreAnswer::read)?;
        Ok(found.map(|score| score.value))
    }
}
