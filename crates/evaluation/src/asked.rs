//! Scores and rows of many positions, asked for on all threads.

use std::ops::Range;

use super::evaluation::Evaluation;
use super::link::Link;
use super::resolve::Resolve;
use super::session::EvaluationResult;
use super::tracer::Tracer;
use tuner_data::Perspective;
use tuner_parallel as parallel;
use tuner_rows::{RowInfo, TraceSet};

/// Positions that one thread asks about at a time. Chosen: waiting for the answer costs little.
const BATCH: usize = 1024;

/// The score of a position as the evaluator sees it, and for the first player; or why there is
/// none: the evaluator refuses it, or a number overflows.
pub type AskedScore = Result<[f64; 2], String>;

impl Evaluation {
    /// Asks for the scores of positions at weights by their numbers in the evaluator, empty for
    /// those of the source, on the threads of the current pool; in the order of the positions, each
    /// or why there is none.
    ///
    /// # Errors
    /// If the evaluator cannot be asked any further.
    pub fn scores(&self, values: &[f64], texts: &[String]) -> EvaluationResult<Vec<AskedScore>> {
        let turns = self.perspective() == Perspective::SideToMove;
        let found = in_batches(texts.len(), &|batch| {
            let mut session = self.session()?;
            let asked = session.at(values);
            let asked = asked.and_then(|()| session.scores(&texts[batch]));
            // A failure ends the evaluation, for all threads.
            let asked = asked.inspect_err(|error| self.end(error))?.into_iter();
            // Of each position the answer, and whether the first player is to move.
            let scores = asked.map(|found| {
                let (answer, first) = found?;
                let sign = if turns && !first { -1.0 } else { 1.0 };
                if !answer.is_defined {
                    return Err("the score overflowed, or is not finite".to_owned());
                }
                Ok([answer.value, sign * answer.value])
            });
            Ok(scores.collect::<Vec<_>>())
        })?;
        Ok(found.concat())
    }

    /// Asks for several scores of each position, and returns them in this order: at the weights of
    /// the source, at each of `sets`, and at the source's weights again. A set has all weights, by
    /// their numbers in the evaluator; scores have the view in which the evaluator answers. The
    /// inner error is why one of the scores of a position is missing.
    ///
    /// # Errors
    /// If the evaluator cannot be asked any further.
    pub fn scores_moved(
        &self,
        sets: &[Vec<f64>],
        positions: &[String],
    ) -> EvaluationResult<Vec<Result<Vec<f64>, String>>> {
        let moved = |values: &Vec<f64>| (0..).zip(values.iter().copied()).collect();
        let moved: Vec<Vec<(u32, f64)>> = sets.iter().map(moved).collect();
        let mut session = self.session()?;
        session.at(&[])?;
        let mut found = Vec::new();
        session.scores_moved(positions, &moved, &mut |_, scores| {
            found.push(scores.map(|(_, scores)| scores.to_vec()));
        })?;
        Ok(found)
    }

    /// Traces positions at weights by their numbers in the evaluator, empty for those of the
    /// source, on the threads of the current pool. `infos`: outcome, game, weight and search score
    /// of each position. One position without a row fails all.
    ///
    /// # Errors
    /// If the evaluator cannot be asked, refuses a position, or a row contradicts itself.
    pub fn rows(
        &self,
        link: &Link,
        values: &[f64],
        positions: &[String],
        infos: &[RowInfo],
    ) -> Result<TraceSet, String> {
        let mut all = TraceSet::new(link.slots());
        let found = in_batches(positions.len(), &|batch| {
            let (positions, infos) = (&positions[batch.clone()], &infos[batch]);
            let mut traces = TraceSet::new(link.slots());
            let mut tracer = Tracer::new(self, link, values, Resolve::None);
            // The first position of the batch without a row, and why.
            let mut refused = None;
            let asked = tracer.trace(positions, &mut |number, traced| {
                let pushed = traced.map_err(|no_row| no_row.to_string());
                let pushed = pushed.and_then(|traced| {
                    let pushed = traces.push(traced.draft, &infos[number]);
                    pushed.map_err(|error| error.to_string())
                });
                if let Err(words) = pushed {
                    refused.get_or_insert_with(|| format!("{}: {words}", positions[number]));
                }
            });
            asked.map_err(|error| error.to_string())?;
            refused.map_or(Ok(traces), Err)
        })?;
        for traces in &found {
            all.append(traces);
        }
        all.finish();
        Ok(all)
    }
}

/// Runs `ask` for each range of [`BATCH`] (1024) of `count` positions, on the threads of the
/// current pool; returns its results in the order of the ranges, or the first error.
fn in_batches<T: Send, E: Send>(
    count: usize,
    ask: &(dyn Fn(Range<usize>) -> Result<T, E> + Sync),
) -> Result<Vec<T>, E> {
    let range = |batch: usize| batch * BATCH..((batch + 1) * BATCH).min(count);
    let found = parallel::map(0..count.div_ceil(BATCH), |batch| ask(range(batch)));
    found.into_iter().collect()
}
