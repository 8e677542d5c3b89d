//! Scores and rows of positions that come with rows made elsewhere.

use std::ops::Range;

use super::evaluation::Evaluation;
use super::link::Link;
use super::resolve::Resolve;
use super::tracer::Tracer;
use tuner_data::Perspective;
use tuner_parallel as parallel;
use tuner_rows::{RowInfo, TraceSet};

/// Positions that one thread asks about at a time. Chosen: waiting for the answer costs little.
const BATCH: usize = 1024;

/// A position, and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct AskedPosition {
    /// Its text.
    pub text: String,
    /// The score that its row gives, seen as the evaluator sees it.
    pub score: f64,
    /// What its row does not hold.
    pub info: RowInfo,
}

/// Asks for the scores of positions at weights by leaf number, none for those of the source, on
/// the threads of the current pool: as the evaluator sees them, and for the first player.
///
/// # Errors
/// If the evaluator cannot be asked, or refuses a position.
pub fn scores(
    evaluation: &Evaluation,
    values: &[f64],
    positions: &[AskedPosition],
) -> Result<Vec<[f64; 2]>, String> {
    let turns = evaluation.perspective() == Perspective::SideToMove;
    let found = in_batches(positions.len(), &|batch| {
        let texts = texts(&positions[batch]);
        let mut session = evaluation.session().map_err(|error| error.to_string())?;
        let asked = session.at(values).and_then(|()| session.scores(&texts));
        let asked = asked.inspect_err(|error| evaluation.end(error));
        let asked = asked.map_err(|error| error.to_string())?;
        let each = asked.into_iter().zip(&texts).map(|(found, text)| {
            let (answer, first) = found.map_err(|words| format!("{text}: {words}"))?;
            let sign = if turns && !first { -1.0 } else { 1.0 };
            if !answer.is_defined {
                return Err(format!("{text}: the score overflowed, or is not finite"));
            }
            Ok([answer.value, sign * answer.value])
        });
        each.collect::<Result<Vec<_>, String>>()
    })?;
    Ok(found.into_iter().flatten().collect())
}

/// Traces positions at weights by leaf number, as [`scores`] asks for scores.
///
/// # Errors
/// As [`scores`]; if a row contradicts itself.
pub fn rows(
    evaluation: &Evaluation,
    link: &Link,
    values: &[f64],
    positions: &[AskedPosition],
) -> Result<TraceSet, String> {
    let mut all = TraceSet::new(link.slots());
    let found = in_batches(positions.len(), &|batch| {
        let batch = &positions[batch];
        let mut traces = TraceSet::new(link.slots());
        let mut tracer = Tracer::new(evaluation, link, values, Resolve::None);
        let mut refused = None;
        let asked = tracer.trace(&texts(batch), &mut |number, traced| {
            let AskedPosition { text, info, .. } = &batch[number];
            let pushed = traced.map_err(|no_row| no_row.to_string());
            let pushed = pushed.and_then(|traced| {
                (traces.push(traced.draft, info)).map_err(|error| error.to_string())
            });
            if let Err(words) = pushed {
                refused.get_or_insert_with(|| format!("{text}: {words}"));
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

fn texts(positions: &[AskedPosition]) -> Vec<String> {
    positions.iter().map(|asked| asked.text.clone()).collect()
}

fn in_batches<T: Send>(
    count: usize,
    ask: &(dyn Fn(Range<usize>) -> Result<T, String> + Sync),
) -> Result<Vec<T>, String> {
    let range = |batch: usize| batch * BATCH..((batch + 1) * BATCH).min(count);
    let found = parallel::map(0..count.div_ceil(BATCH), |batch| ask(range(batch)));
    found.into_iter().collect()
}
