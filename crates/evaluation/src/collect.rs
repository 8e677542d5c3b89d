//! Labelled positions of files into checked traces.

use std::ops::ControlFlow;
use std::sync::Mutex;

use super::agreement::{Agreement, Correlation};
use super::black_box::Scoring;
use super::evaluation::{Evaluation, lock};
use super::link::Link;
use super::notes::{NotedPosition, PositionNotes};
use super::positions::Positions;
use super::room::Room;
use super::session::EvaluationError;
use super::tracer::{NoRow, TracedPosition, Tracer, TracingTimes};
use tuner_base::{break_if, phase_part};
use tuner_data::{
    GameKey, Input, InputError, Observer, OnBadLine, RankShare, ReadError, ReadOptions, ReadReport,
    Sample, SampleResults, read_batches_among,
};
use tuner_parallel as parallel;
use tuner_rows::{RowInfo, TraceSet};

/// Keeps some of many items, spread evenly over all: every item at first, then
/// every second one, every fourth …
pub(super) struct Thinner {
    /// How many are kept at least, if there are as many; at most twice as many are.
    wanted: usize,
    /// One item of so many is kept.
    stride: usize,
    /// Items so far.
    pub(super) seen: usize,
}

impl Thinner {
    /// Begins with no items. `wanted`: how many are kept at least, if there are as many.
    pub(super) fn new(wanted: usize) -> Self {
        Self {
            wanted,
            stride: 1,
            seen: 0,
        }
    }

    /// Takes more items; some of them are put into `kept`, which must be the same list each time,
    /// and where it becomes twice too long every other item of it is dropped.
    pub(super) fn add<T>(&mut self, kept: &mut Vec<T>, items: Vec<T>) {
        for item in items {
            if self.seen.is_multiple_of(self.stride) {
                kept.push(item);
            }
            self.seen += 1;
            if kept.len() > 2 * self.wanted {
                let mut index = 0;
                kept.retain(|_| {
                    index += 1;
                    index % 2 == 1
                });
                self.stride *= 2;
            }
        }
    }
}

/// Returns `wanted` of some items, in their order and spread evenly over all; all of them if they
/// are no more.
pub fn thinned<T>(items: Vec<T>, wanted: usize) -> Vec<T> {
    let len = items.len();
    // By index from 1: true `wanted` times, as evenly as integers allow.
    let is_taken = |index: usize| index * wanted / len > (index - 1) * wanted / len;
    let items = items.into_iter().zip(1..);
    let taken = items.filter(|(_, index)| len <= wanted || is_taken(*index));
    taken.map(|(item, _)| item).collect()
}

/// The result of reading and tracing inputs.
#[derive(Debug)]
pub struct Collected {
    /// One row a position, of which [`TraceSet::pushed_as`] tells the place among the lines, unless
    /// there are other ranks or results were drawn; empty after [`Tracing::collect_into`], which
    /// has handed them over.
    pub traces: TraceSet,
    /// How the scores of production and twin agree on the positions.
    pub agreement: Agreement,
    /// The report of the reading.
    pub report: ReadReport,
    /// Texts of some of the positions that were traced, spread evenly over all.
    pub sample: Vec<String>,
    /// Notes on the positions: where one process has traced them all, in memory, at
    /// the source's weights and with the results of the data.
    pub notes: Option<PositionNotes>,
    /// Fingerprint of these rows, results and games, of all ranks, in whatever order, 16
    /// hexadecimal digits; empty for rows that were traced at other weights, as the data are not
    /// others.
    pub fingerprint: String,
}

/// What a thread has made of the positions of a block of the data.
struct Block<'e> {
    tracer: Tracer<'e>,
    traces: TraceSet,
    /// Of each row: its game, and its number among the positions of the block.
    games: Vec<(Option<GameKey>, u64)>,
    /// Positions so far, those of other ranks among them.
    positions: u64,
    sample: Vec<String>,
    notes: Option<PositionNotes>,
}

impl<'e> Block<'e> {
    /// Begins a block without positions, with a tracer of its own. `skips_overflows`: whether a
    /// position on which the score's type overflows is a bad line; `are_noted`: whether notes on
    /// positions are taken.
    fn begin(tracing: &Tracing<'e>, skips_overflows: bool, are_noted: bool) -> Self {
        let (evaluation, link, values) = (tracing.evaluation, tracing.link, tracing.values);
        let mut tracer = Tracer::new(evaluation, link, values, tracing.positions.resolve);
        tracer.skips_overflows = skips_overflows;
        Self {
            tracer,
            traces: TraceSet::new(link.slots()),
            games: Vec::new(),
            positions: 0,
            sample: Vec::new(),
            notes: are_noted.then(PositionNotes::default),
        }
    }

    /// Traces the positions of a batch and adds the rows of those that have one to the block.
    /// `keeps`: whether they may be of the sample; `found` gets for each position that it became a
    /// row, or the message of a bad line.
    fn trace(
        &mut self,
        tracing: &Tracing<'_>,
        keeps: bool,
        samples: &[Sample],
        found: &mut SampleResults,
    ) -> Result<(), EvaluationError> {
        let (evaluation, drawn) = (tracing.evaluation, &tracing.positions.drawn);
        let game = evaluation.game();
        let on_bad_line = tracing.positions.options.on_bad_line;
        let texts = evaluation.texts(samples);
        // Where results are drawn: of each position its result, or why it has no score.
        let outcomes = drawn
            .as_ref()
            .map(|drawn| drawn.of(evaluation, &texts, samples));
        let outcomes = outcomes.transpose()?;
        let (traces, games) = (&mut self.traces, &mut self.games);
        let (positions, examples, notes) = (&mut self.positions, &mut self.sample, &mut self.notes);
        let mut views = [Correlation::default(); 2];
        self.tracer.trace(&texts, &mut |number, traced| {
            // Refused positions have a number too, as other ranks count them.
            let place = *positions;
            *positions += 1;
            let read = &samples[number];
            let labelled = &read.labelled;
            // Adds the row of a position to the block; the error is the message of a bad line.
            let mut push = |traced: TracedPosition<'_>| {
                if traced.first_to_move != game.first_player_to_move(&labelled.position) {
                    let player = if traced.first_to_move {
                        "first"
                    } else {
                        "second"
                    };
                    return Err(format!(
                        "the evaluator answers `position {player}`, but it is the other player's \
                         turn; correct its answer to `position`"
                    ));
                }
                let outcome = match &outcomes {
                    Some(outcomes) => outcomes[number]
                        .clone()
                        .map_err(|words| refused(&words, on_bad_line))?,
                    None => labelled.outcome.value(),
                };
                // 0: rows get the numbers of their games once the block is complete.
                let mut info = RowInfo::new(outcome, 0);
                info.search_score = labelled.search_score;
                info.weight = read.weight;
                (traces.push(traced.draft, &info)).map_err(|error| error.to_string())?;
                views[usize::from(!traced.first_to_move)].add(traced.score, outcome);
                // With a drawn result each position counts as a game of its own.
                games.push((labelled.game.filter(|_| drawn.is_none()), place));
                if keeps {
                    examples.push(traced.leaf.unwrap_or(&texts[number]).to_owned());
                }
                Ok(())
            };
            let no_row = |no_row: NoRow| match no_row {
                NoRow::Refused(words) => refused(&words, on_bad_line),
                NoRow::Contradictory(_) => no_row.to_string(),
            };
            let pushed = traced.map_err(no_row).and_then(&mut push);
            if let Some(notes) = notes {
                let noted = NotedPosition::of(game, &texts[number], labelled);
                notes.add(Some(&noted).filter(|_| pushed.is_ok()));
            }
            found.push(pushed);
        })?;
        self.tracer.agreement.add_views(views);
        Ok(())
    }
}

/// The evaluation that is traced, and the weights at which it is.
#[derive(Debug)]
pub struct Tracing<'a> {
    /// The evaluation.
    pub evaluation: &'a Evaluation,
    /// Which weight of the evaluator is which of the spec.
    pub link: &'a Link,
    /// The positions.
    pub positions: &'a Positions,
    /// Weights by their numbers in the evaluator, empty for those of the source. At other weights
    /// production says nothing, so nothing is compared with it.
    pub values: &'a [f64],
}

impl Tracing<'_> {
    /// Reads and traces the positions on the current thread pool.
    ///
    /// `sample`: how many positions to keep beside their traces.
    ///
    /// *Numerics*: the same for any number of threads.
    /// *Cost*: reading, and one trace a position; memory for all rows.
    ///
    /// # Errors
    /// If an input cannot be read to its end, or there are bad lines that the options do not skip;
    /// a position whose trace is not finite, or whose evaluation panics, is a bad line.
    /// [`InputError::Refused`] as soon as it is seen that the rows take more than there is.
    pub fn collect(&self, sample: usize) -> Result<Collected, ReadError> {
        let (positions, ranks) = (self.positions, self.positions.ranks);
        let mut traces = TraceSet::new(self.link.slots());
        // Ends the reading once rows would take more memory than there is.
        let mut room = Room::of(&positions.inputs, &positions.options);
        let options = room.observed(&positions.options);
        let mut little = None;
        // Notes are of all positions at the source's weights, with the results of the data.
        let are_noted = self.values.is_empty() && positions.drawn.is_none() && ranks.is_alone();
        let notes = are_noted.then(PositionNotes::default);
        // Each rank keeps its part of the sample.
        let sample = sample.div_ceil(ranks.size());
        let collected = self.collect_into(&options, sample, notes, |block| {
            traces.append(block);
            little = room.little(traces.len() as u64, traces.bytes() as u64);
            break_if(little.is_some())
        });
        // A reading that was ended for lack of memory says so, and not that it was stopped.
        let mut collected = collected.map_err(|mut error| {
            if let Some(little) = little {
                error.inputs = vec![InputError::Refused(little.to_string())];
            }
            error
        })?;
        if positions.drawn.is_none() && ranks.is_alone() {
            // By the numbers of rows their notes and files are found.
            traces.keep_numbers();
        }
        traces.finish();
        if self.values.is_empty() {
            // Each rank has some of the rows; the sum of their fingerprints does not depend on
            // which.
            let here = traces.fingerprint_in_any_order();
            let all = ranks.gather_bytes(&here.to_le_bytes());
            let all = all.iter().filter_map(|bytes| bytes.first_chunk());
            let all = all.map(|&bytes| u64::from_le_bytes(bytes));
            let sum = all.fold(0, u64::wrapping_add);
            collected.fingerprint = format!("{sum:016x}");
        }
        collected.traces = traces;
        Ok(collected)
    }

    /// Reads and traces the positions on the current thread pool, and hands the rows over to `take`
    /// block by block, in the order of the lines, a block being some thousand positions; they are
    /// freed behind it. `options`: those of the positions, or the same with another observer. Of
    /// each rank `sample` positions are kept; `notes`: what notes on positions are added to, if
    /// they are to be taken. The result has neither rows, which `take` was given, nor their
    /// fingerprint. Twin and production are compared only at the source's weights, where no others
    /// are given.
    ///
    /// # Errors
    /// If positions cannot be read, or bad ones are not skipped;
    /// [`InputError::Stopped`](tuner_data::InputError::Stopped) soon after `take` has broken off.
    pub fn collect_into(
        &self,
        options: &ReadOptions,
        sample: usize,
        mut notes: Option<PositionNotes>,
        mut take: impl FnMut(&TraceSet) -> ControlFlow<()>,
    ) -> Result<Collected, ReadError> {
        let (evaluation, link, values) = (self.evaluation, self.link, self.values);
        let (positions, slots) = (self.positions, link.slots());
        let (inputs, ranks) = (&positions.inputs, positions.ranks);
        evaluation.probe(link, positions)?;
        let mut before = 0;
        let mut thinner = Thinner::new(sample);
        let mut kept = Vec::new();
        let mut agreement = Agreement::new(link.spec_weights());
        let mut times = TracingTimes::default();
        let are_noted = notes.is_some();
        let scoring = Scoring::new(evaluation, options);
        // An evaluation that only scores is what takes the time, so it tells the observer, and
        // not the reader, which is far ahead.
        let options = &match scoring.clone() {
            Some(scoring) => ReadOptions {
                observer: Some(Observer::new(move |_| scoring.add(0))),
                ..options.clone()
            },
            None => options.clone(),
        };
        // `start` begins a block, `ask` traces a batch of it, `gather` takes the blocks in their
        // order.
        let skips = options.on_bad_line == OnBadLine::Skip;
        let start = || Block::begin(self, skips, are_noted);
        let ask = |block: &mut Block<'_>, samples: &[Sample], found: &mut SampleResults| {
            let keeps = sample > 0;
            let Some(scoring) = &scoring else {
                return block.trace(self, keeps, samples, found);
            };
            // The observer is told after each few how far it is. Once it breaks off, the positions
            // that are left are not traced, and each is a bad line.
            for some in samples.chunks(SCORED) {
                if scoring.add(0).is_break() {
                    found.extend(some.iter().map(|_| Err("interrupted".to_owned())));
                    continue;
                }
                block.trace(self, keeps, some, found)?;
                let _ = scoring.add(some.len());
            }
            Ok(())
        };
        let gather = |mut block: Block<'_>| {
            // A position without a game is a game of its own.
            block.traces.number_games(|row| {
                let (game, position) = block.games[row];
                let alone = || GameKey::of_position(before + position);
                game.unwrap_or_else(alone).number()
            });
            before += block.positions;
            agreement.merge(block.tracer.agreement);
            times += block.tracer.times;
            thinner.add(&mut kept, block.sample);
            if let (Some(notes), Some(more)) = (&mut notes, block.notes) {
                notes.merge(more);
            }
            take(&block.traces)
        };
        // Positions that other ranks trace are counted, as games are numbered by the place of
        // positions.
        let elsewhere = &|block: &mut Block<'_>| block.positions += 1;
        let share = &RankShare { ranks, elsewhere };
        let report = read_asking(evaluation, inputs, options, share, start, ask, gather)?;
        let report = report.among(ranks);
        let threads = parallel::threads() as u32;
        phase_part("tracing", times.tracing / threads);
        if values.is_empty() {
            phase_part("checking", times.checking / threads);
        }
        Ok(Collected {
            traces: TraceSet::new(slots),
            agreement,
            report,
            sample: thinned(kept, sample),
            notes,
            fingerprint: String::new(),
        })
    }
}

/// Returns the message of a bad line for a position that the evaluator refuses, with what to do
/// about it where bad lines end the reading. `words`: the evaluator's reason.
fn refused(words: &str, on_bad_line: OnBadLine) -> String {
    match on_bad_line {
        OnBadLine::Skip => words.to_owned(),
        OnBadLine::Stop => {
            // A fault names its cure, after a semicolon.
            let or = if words.contains("; ") {
                ", or"
            } else {
                "; correct it, or"
            };
            format!("{words}{or} pass over such positions with --on-bad-line skip")
        }
    }
}

/// Positions that are scored together where rows are difference quotients. Chosen: of slow
/// evaluations with many weights few, so that it is seen how far they are, and ended soon.
const SCORED: usize = 16;

/// Reads positions and asks an evaluator about them, in batches, on the threads of the current
/// pool. `start` begins a block, `ask` takes a batch of it and pushes to its last argument whether
/// each position is a good one, or why not, and `gather` gets the blocks in the order of the data.
/// The first failure of `ask` ends the reading.
///
/// # Errors
/// If an input cannot be read to its end, or there are bad lines that the options do not skip;
/// [`InputError::Refused`] if the evaluator cannot be asked.
pub fn read_asking<B: Send>(
    evaluation: &Evaluation,
    inputs: &[Input],
    options: &ReadOptions,
    share: &RankShare<'_, B>,
    start: impl Fn() -> B + Sync,
    ask: impl Fn(&mut B, &[Sample], &mut SampleResults) -> Result<(), EvaluationError> + Sync,
    mut gather: impl FnMut(B) -> ControlFlow<()>,
) -> Result<ReadReport, ReadError> {
    // Why the evaluator could not be asked; of several threads the first reason counts.
    let failed: Mutex<Option<EvaluationError>> = Mutex::default();
    let first = || lock(&failed);
    let each = |block: &mut B, samples: &mut Vec<Sample>, found: &mut SampleResults| {
        if let Err(error) = ask(block, samples, found) {
            // Some positions of the batch may have a result already: all are bad now.
            found.clear();
            found.extend(samples.iter().map(|_| Err(error.to_string())));
            first().get_or_insert(error);
        }
    };
    let gather = |block: B| {
        if first().is_some() {
            return ControlFlow::Break(());
        }
        gather(block)
    };
    let game = evaluation.game();
    let report = read_batches_among(inputs, options, game, share, start, each, gather);
    // It may also have been lost while the reader asked it whether texts are positions.
    let failed = first().take().or_else(|| evaluation.lost());
    match failed {
        None => report,
        Some(error) => Err(unasked(&error)),
    }
}

/// Returns the error of a reading whose evaluator cannot be asked any further; it has no report, as
/// what was read is of no use.
pub(super) fn unasked(error: &EvaluationError) -> ReadError {
    ReadError {
        inputs: vec![InputError::Refused(error.to_string())],
        report: ReadReport::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::{OnBadLine, Thinner, refused, thinned};

    #[test]
    fn advice_on_a_refused_position_is_said_once() {
        for (words, expected) in [
            (
                "found x, expected a FEN; correct the line",
                "found x, expected a FEN; correct the line, or pass over",
            ),
            ("too few", "too few; correct it, or pass over"),
        ] {
            assert!(refused(words, OnBadLine::Stop).starts_with(expected));
        }
    }

    #[test]
    fn what_is_kept_is_spread_over_all() {
        for (count, wanted) in [(0, 5), (3, 5), (5, 5), (7, 5), (1000, 10), (12_345, 100)] {
            let (mut kept, mut thinner) = (Vec::new(), Thinner::new(wanted));
            thinner.add(&mut kept, (0..count / 2).collect());
            thinner.add(&mut kept, (count / 2..count).collect());
            let kept = thinned(kept, wanted);
            assert_eq!(kept.len(), wanted.min(count));
            let widest = kept.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0);
            assert!(
                widest <= 4 * (count / wanted + 1),
                "{count} {wanted}: {kept:?}"
            );
        }
    }
}
