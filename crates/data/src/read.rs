//! Reads several inputs: one thread cuts, all threads parse, order is kept.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use super::parse::{BlockContent, NewContent, Parsed, Parser};
use super::produce::{Block, Message, Producer};
use super::report::LISTED;
use super::{
    AnyGame, BadLine, FileReport, FirstReading, Format, Input, InputError, InputOptions, Observer,
    ReadError, ReadProgress, ReadReport, Sample,
};
use crate::{LabelledPosition, Perspective, StatedScores};
use tuner_base::{Location, Ranks};
use tuner_parallel::{self as parallel, locked};

/// How to treat lines that are not labelled positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnBadLine {
    /// Read to the end, report them, fail.
    #[default]
    Stop,
    /// Count them, report them, go on without them.
    Skip,
}

/// How to read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The format of all inputs that do not say otherwise; by default each is
    /// recognised by its first lines.
    pub format: Option<Format>,
    /// Whose view results have in the inputs; by default the first player's.
    /// Samples always have the first player's.
    pub perspective: Perspective,
    /// Whose view search scores have in the inputs, by default that of results, and their unit.
    pub scores: StatedScores,
    /// How to treat bad lines; by default the reading fails.
    pub on_bad_line: OnBadLine,
    /// Options that override the common ones for single inputs, in the order of the inputs; where
    /// the list is shorter, the other inputs have the common ones.
    pub inputs: Vec<InputOptions>,
    /// Who is told how far the reading got.
    pub observer: Option<Observer>,
    /// Where the data are read several times, the findings of the first reading, which the later
    /// ones must confirm.
    pub first: Option<FirstReading>,
}

/// How one input is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct InputSettings {
    pub(super) format: Option<Format>,
    pub(super) perspective: Perspective,
    pub(super) score_perspective: Perspective,
    /// View and unit of scores as they are stated, for this input or else for all.
    pub(super) scores: StatedScores,
    /// How much each position counts in a fit.
    pub(super) weight: f64,
    /// At most so many positions; `None`: all.
    pub(super) limit: Option<u64>,
    /// Whether results and scores have the other sign.
    pub(super) reversed: [bool; 2],
}

impl InputSettings {
    /// Gives the result and the score of a position the other sign where the options say that those
    /// of this input are reversed.
    pub(super) fn turn<P>(&self, labelled: &mut LabelledPosition<P>) {
        let [results, scores] = self.reversed;
        if results {
            labelled.outcome = labelled.outcome.flipped();
        }
        if scores {
            labelled.search_score = labelled.search_score.map(|score| -score);
        }
    }
}

impl ReadOptions {
    /// How an input, by its number, is read: by its own options, else by the common ones; weight,
    /// limit and reversal are said of single inputs alone. `score_perspective` is the view that is
    /// stated of scores of this input, else of its results, else of all scores, else of all
    /// results. `scores` has what is stated of scores alone: a format that itself says whose view
    /// its scores have must know whether anything was stated of them.
    pub(super) fn settings_of(&self, input: usize) -> InputSettings {
        let own = self.inputs.get(input).copied().unwrap_or_default();
        let perspective = own.perspective.unwrap_or(self.perspective);
        // What is said of one file counts more than what is said of all.
        let own_scores = own.scores.perspective.or(own.perspective);
        let of_scores = own_scores.or(self.scores.perspective);
        InputSettings {
            format: own.format.or(self.format),
            perspective,
            score_perspective: of_scores.unwrap_or(perspective),
            scores: StatedScores {
                perspective: own.scores.perspective.or(self.scores.perspective),
                unit: own.scores.unit.or(self.scores.unit),
                as_results: own.scores.as_results.or(self.scores.as_results),
            },
            weight: own.weight.unwrap_or(1.0),
            limit: own.limit,
            reversed: own.reversed,
        }
    }
}

/// Blocks per thread that are parsed in one wave, and as many that wait
/// meanwhile. Chosen: at the end of a wave threads wait for the last block,
/// which then is an eighth of their work at most.
const WAVE: usize = 8;

/// Reads labelled positions and maps each, on the threads of the current rayon pool, to what the
/// caller keeps.
///
/// Values come in the order of the lines. An error of `map` makes its line a
/// bad line, with the error as the reason.
///
/// # Errors
/// If an input cannot be read to its end or is all bad, and if there are bad lines that `options`
/// do not skip; all mistakes are in one error.
pub fn read<T: Send>(
    inputs: &[Input],
    options: &ReadOptions,
    game: &AnyGame,
    map: impl Fn(Sample) -> Result<T, String> + Sync,
) -> Result<(Vec<T>, ReadReport), ReadError> {
    let mut values = Vec::new();
    let each = |block: &mut Vec<T>, sample| map(sample).map(|value| block.push(value));
    let gather = |block| {
        values.extend(block);
        ControlFlow::Continue(())
    };
    let report = read_blocks(inputs, options, game, Vec::new, each, gather)?;
    Ok((values, report))
}

/// Reads labelled positions block by block, a block being some thousand lines.
///
/// `start` makes what a block's samples are gathered in, `each` adds a sample,
/// both on the threads of the current rayon pool; `gather` gets the blocks in
/// the order of the lines, whatever the number of threads, on the caller's
/// thread, and may break off. One more thread decompresses.
///
/// *Cost*: one pass; memory for 16 blocks of 128 KiB per thread, and for what
/// `start` and `each` make of these.
///
/// # Errors
/// If an input cannot be read to its end, or its first 100,000 lines, games or records are all bad,
/// whatever [`on_bad_line`](ReadOptions::on_bad_line) says, and if there are bad lines (an error of
/// `each` makes one) and it says [`Stop`](OnBadLine::Stop). All inputs are looked at before; but
/// not after `gather` or the observer has broken off, which is [`InputError::Stopped`]. If an input
/// is not what the [`first`](ReadOptions::first) reading found; `gather` has had its blocks by
/// then.
pub fn read_blocks<B: Send>(
    inputs: &[Input],
    options: &ReadOptions,
    game: &AnyGame,
    start: impl Fn() -> B + Sync,
    each: impl Fn(&mut B, Sample) -> Result<(), String> + Sync,
    gather: impl FnMut(B) -> ControlFlow<()>,
) -> Result<ReadReport, ReadError> {
    let one_by_one = |block: &mut B, samples: &mut Vec<_>, found: &mut SampleResults| {
        found.extend(samples.drain(..).map(|sample| each(block, sample)));
    };
    let wanted = WantedLines::all(inputs, options, game);
    // One sample at a time is handed over.
    read_parts(wanted, &RankShare::alone(), 1, start, one_by_one, gather)
}

/// Positions that are mapped on one thread at a time. Chosen: large against the buffers of
/// what traces them.
const MAPPED: usize = 128;

/// Reads some of the positions of this rank once more and maps them: those of these `numbers`,
/// ascending, counted from 0 over all that were parsed, also those refused later, in the order of
/// the inputs. `map` gets some of them at a time, on any thread, each with its place in `numbers`;
/// the values that it returns are put together in the order of `numbers`.
///
/// *Cost*: all is decompressed; where [`first`](ReadOptions::first) has found a position on each
/// line only the lines in question are parsed, else all.
///
/// # Errors
/// If an input cannot be read to its end or is all bad, if there are bad lines that `options` do
/// not skip, or if an input is not what the [`first`](ReadOptions::first) reading found.
pub fn read_numbered<T: Send>(
    inputs: &[Input],
    options: &ReadOptions,
    game: &AnyGame,
    ranks: Ranks,
    numbers: &[usize],
    map: impl Fn(&[(usize, Sample)]) -> Vec<T> + Sync,
) -> Result<(Vec<T>, ReadReport), ReadError> {
    // The lines of the positions in question, if the first reading found one position on each line.
    let first = options.first.as_ref().filter(|_| ranks.is_alone());
    let lines = first.and_then(|first| first.lines_of(numbers));
    let (mut values, mut read, mut place) = (Vec::with_capacity(numbers.len()), 0, 0);
    let each = |block: &mut Vec<_>, samples: &mut Vec<_>, found: &mut SampleResults| {
        found.extend(samples.iter().map(|_| Ok(())));
        block.append(samples);
    };
    let gather = |block: Vec<Sample>| {
        let mut here = Vec::new();
        for sample in block {
            // If only the lines in question are parsed, each sample is the next of `numbers`; files
            // that have changed may give more samples, which are left out. Else the count of
            // samples tells.
            if (numbers.get(place)).is_some_and(|&number| lines.is_some() || number == read) {
                here.push((place, sample));
                place += 1;
            }
            read += 1;
        }
        let parts: Vec<_> = here.chunks(MAPPED).collect();
        let mapped = parallel::map(0..parts.len(), |part| map(parts[part]));
        values.extend(mapped.into_iter().flatten());
        ControlFlow::Continue(())
    };
    // Positions of other ranks have no number here.
    let elsewhere = &|_: &mut _| {};
    let share = RankShare { ranks, elsewhere };
    let wanted = WantedLines {
        lines: lines.as_deref(),
        ..WantedLines::all(inputs, options, game)
    };
    // One sample at a time is handed over.
    let report = read_parts(wanted, &share, 1, Vec::new, each, gather)?;
    Ok((values, report))
}

/// Positions that are handed over together. Chosen: so many that waiting for an evaluator's answer
/// costs little of each.
const BATCH: usize = 1024;

/// The part of a rank in a reading.
pub struct RankShare<'a, B> {
    /// All ranks, each of which reads the positions of some of the games.
    pub ranks: Ranks,
    /// Called with the block for each position that another rank reads, in the order of the input.
    pub elsewhere: &'a (dyn Fn(&mut B) + Sync),
}

impl<B> RankShare<'_, B> {
    /// Returns the share of a process that reads all positions itself.
    pub fn alone() -> Self {
        Self {
            ranks: Ranks::ALONE,
            elsewhere: &|_| {},
        }
    }
}

tuner_base::impl_fmt! { Debug for RankShare<'_, ()> }

/// Reads the positions of some of the games, block by block; all ranks do so, each with other
/// games.
///
/// Samples are handed over in batches, so that what is asked about each can be asked together: some
/// at a time, and never with a bad line between them nor, where one of them has no game, a position
/// of another rank. `each` gets a block and some samples, in their order, and appends for each
/// whether it is a good one, or why not; what it leaves of the samples is dropped. Every rank reads
/// all inputs, and looks at the positions that are its own.
///
/// # Errors
/// If an input cannot be read to its end, if there are bad lines among the positions of this rank
/// that `options` do not skip, or if `gather` or the observer has broken off. The report counts
/// positions of other ranks as good, until [`ReadReport::among`] has joined it with theirs.
pub fn read_batches_among<B: Send>(
    inputs: &[Input],
    options: &ReadOptions,
    game: &AnyGame,
    share: &RankShare<'_, B>,
    start: impl Fn() -> B + Sync,
    each: impl Fn(&mut B, &mut Vec<Sample>, &mut SampleResults) + Sync,
    gather: impl FnMut(B) -> ControlFlow<()>,
) -> Result<ReadReport, ReadError> {
    let wanted = WantedLines::all(inputs, options, game);
    read_parts(wanted, share, BATCH, start, each, gather)
}

/// For each sample of a batch whether it is a good one, or why not.
pub type SampleResults = Vec<Result<(), String>>;

/// The inputs of a reading, and which of their lines are wanted.
#[derive(Clone, Copy)]
pub(super) struct WantedLines<'a> {
    pub(super) inputs: &'a [Input],
    pub(super) options: &'a ReadOptions,
    pub(super) game: &'a AnyGame,
    /// By input the lines that are read, ascending, where the others are counted alone.
    pub(super) lines: Option<&'a [Vec<u64>]>,
}

impl<'a> WantedLines<'a> {
    /// Describes a reading of all lines of the inputs.
    fn all(inputs: &'a [Input], options: &'a ReadOptions, game: &'a AnyGame) -> Self {
        Self {
            inputs,
            options,
            game,
            lines: None,
        }
    }
}

/// Reads the lines that are wanted by the functions of a caller: `start` makes a block, `each` adds
/// up to `batch` samples to it, `gather` takes the blocks in their order. The type of blocks is
/// hidden from [`read_shared`], which is compiled once for all callers.
fn read_parts<B: Send>(
    wanted: WantedLines<'_>,
    share: &RankShare<'_, B>,
    batch: usize,
    start: impl Fn() -> B + Sync,
    each: impl Fn(&mut B, &mut Vec<Sample>, &mut SampleResults) + Sync,
    mut gather: impl FnMut(B) -> ControlFlow<()>,
) -> Result<ReadReport, ReadError> {
    let RankShare { ranks, elsewhere } = *share;
    // Only one block is handed over at a time, on the caller's thread.
    let handed_over = Mutex::new(None);
    let new = || -> Box<dyn BlockContent + '_> {
        Box::new(Content {
            made: start(),
            batch,
            each: &each,
            elsewhere,
            to: &handed_over,
        })
    };
    let mut gather = || {
        // It is there: a block has been handed over just before.
        let made = locked(&handed_over).take();
        made.map_or(ControlFlow::Continue(()), &mut gather)
    };
    read_shared(wanted, ranks, &new, &mut gather)
}

/// What a caller's `each` makes of a block.
struct Content<'a, B, F> {
    made: B,
    /// So many samples `each` gets at once, at most.
    batch: usize,
    each: &'a F,
    /// Notes a position that another rank looks at.
    elsewhere: &'a (dyn Fn(&mut B) + Sync),
    /// Where `made` is put when the block is handed over.
    to: &'a Mutex<Option<B>>,
}

impl<B: Send, F> BlockContent for Content<'_, B, F>
where
    F: Fn(&mut B, &mut Vec<Sample>, &mut SampleResults) + Sync,
{
    /// Returns how many samples at most `each` is given at a time.
    fn batch(&self) -> usize {
        self.batch
    }

    /// Gives samples to the caller's function `each`, with what the caller makes of the block.
    fn add(&mut self, samples: &mut Vec<Sample>, found: &mut SampleResults) {
        (self.each)(&mut self.made, samples, found);
    }

    /// Tells the caller that a position is looked at by another rank.
    fn elsewhere(&mut self) {
        (self.elsewhere)(&mut self.made);
    }

    /// Puts the caller's block where its `gather` takes it from.
    fn hand_over(self: Box<Self>) {
        *locked(self.to) = Some(self.made);
    }
}

/// Reads the inputs, a wave of blocks at a time: while all threads parse one wave, the caller's
/// thread gathers the one before. `start` makes the content of a block; `gather` is called after
/// each block that has been handed over, and may break off. Blocks behind the limit of an input are
/// dropped, and the flags `full` tell the producer, which opens and cuts the inputs, to leave such
/// an input. Standard input named twice is refused.
fn read_shared<'a>(
    wanted: WantedLines<'a>,
    ranks: Ranks,
    start: &'a NewContent<'a>,
    gather: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<ReadReport, ReadError> {
    let (inputs, options) = (wanted.inputs, wanted.options);
    let mut reading = Reading::new(inputs);
    let is_stdin = |input: &&Input| **input == Input::Stdin;
    if inputs.iter().filter(is_stdin).count() > 1 {
        let words = "found - twice, expected standard input at most once; name it once";
        let error = InputError::Refused(words.to_owned());
        // The error is of no single input.
        reading.errors.push((usize::MAX, error));
        return reading.finish(options);
    }
    let parser = Parser {
        wanted,
        start,
        ranks,
    };
    let taken = AtomicU64::new(0);
    let full: Vec<AtomicBool> = inputs.iter().map(|_| AtomicBool::new(false)).collect();
    let wave = WAVE * parallel::threads();
    thread::scope(|scope| {
        let (to, from) = sync_channel(wave);
        let producer = Producer {
            inputs,
            options,
            game: wanted.game,
            taken: &taken,
            full: &full,
            to,
        };
        scope.spawn(|| producer.run());
        let mut parsed: Vec<ParsedBlock<'_>> = Vec::new();
        loop {
            let wanted = reading.wanted(options, &parsed);
            let blocks = reading.receive(&from, wave, &wanted);
            if blocks.is_empty() && parsed.is_empty() {
                break;
            }
            let mut next = Vec::new();
            // What was parsed is gathered while the other threads parse on.
            let gathered = rayon::in_place_scope(|scope| {
                scope.spawn(|_| {
                    let parts = parallel::map(0..blocks.len(), |block| {
                        let block = &blocks[block];
                        let most = wanted[block.input].map(|wanted| wanted.positions);
                        // Whether its last line is truncated is known once the blocks before are
                        // gathered; until then it is taken to be whole (`false`).
                        ParsedPart {
                            most,
                            part: parser.parse(block, most, false),
                        }
                    });
                    next.extend(blocks.into_iter().zip(parts));
                });
                reading.gather(&parser, &full, std::mem::take(&mut parsed), gather)
            });
            let mut flow = match gathered {
                Gathered::All => ControlFlow::Continue(()),
                Gathered::Stopped => ControlFlow::Break(()),
                // The input that is all bad has its error already.
                Gathered::AllBad => break,
            };
            parsed = next;
            if let (Some(observer), ControlFlow::Continue(())) = (&options.observer, flow) {
                flow = observer.tell(ReadProgress {
                    bytes: taken.load(Ordering::Relaxed),
                    positions: reading.report.total().positions,
                    of: None,
                });
            }
            if flow.is_break() {
                reading.errors.push((usize::MAX, InputError::Stopped));
                break;
            }
        }
    });
    reading.finish(options)
}

/// A block with what was made of it.
type ParsedBlock<'a> = (Block, ParsedPart<'a>);

/// A block's content, as far as it was wanted.
struct ParsedPart<'a> {
    /// The most positions that were parsed; `None`: the whole block was.
    most: Option<u64>,
    part: Parsed<'a>,
}

/// The part of an input that is still wanted.
#[derive(Clone, Copy, Debug)]
struct WantedPart {
    /// Positions, besides those of blocks that were parsed.
    positions: u64,
    /// Blocks that hold so many, as far as earlier ones tell; one where there are none.
    blocks: u64,
}

/// How the gathering of some blocks ended.
enum Gathered {
    /// With the last of them.
    All,
    /// The caller broke off.
    Stopped,
    /// An input has only bad lines.
    AllBad,
}

/// Bad lines, games or records without a good one, after which an input is not read on.
/// Chosen: seconds of an evaluator that refuses each.
const ALL_BAD: u64 = 100_000;

/// The state of a reading.
struct Reading {
    report: ReadReport,
    /// With the number of the input, `usize::MAX` where it is of no single one.
    errors: Vec<(usize, InputError)>,
    /// By input, blocks that were gathered.
    gathered: Vec<u64>,
}

impl Reading {
    /// Makes the state of a reading of these inputs before anything is read: empty counts, no
    /// errors.
    fn new(inputs: &[Input]) -> Self {
        let file = |input: &Input| FileReport {
            file: input.name(),
            ..FileReport::default()
        };
        let report = ReadReport {
            files: inputs.iter().map(file).collect(),
            bad_lines: Vec::new(),
        };
        Self {
            report,
            errors: Vec::new(),
            gathered: vec![0; inputs.len()],
        }
    }

    /// Adds blocks that were parsed to the report, in their order, and hands the content of each to
    /// the caller, whose `gather` takes it and may break off. Ends also where an input has many bad
    /// lines and nothing good. Blocks of an input that has as many positions as are wanted are
    /// dropped; the flag of such an input in `full` tells the producer that no more of it is
    /// wanted.
    fn gather<'a>(
        &mut self,
        parser: &Parser<'a>,
        full: &[AtomicBool],
        parsed: Vec<ParsedBlock<'a>>,
        gather: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> Gathered {
        let options = parser.wanted.options;
        for (block, part) in parsed {
            let room = self.room(options, block.input);
            let part = self.as_wanted(parser, &block, part, room);
            // If `room`, how many positions the input may still give, is 0, it had as many as are
            // wanted before this block.
            if room == Some(0) {
                continue;
            }
            let (input, whole) = (block.input, part.counts.positions);
            self.add(part).hand_over();
            if gather().is_break() {
                return Gathered::Stopped;
            }
            if self.is_all_bad(input) {
                return Gathered::AllBad;
            }
            // With this block the input has as many positions as are wanted.
            if room == Some(whole) {
                self.report.files[input].full = true;
                full[input].store(true, Ordering::Relaxed);
            }
        }
        Gathered::All
    }

    /// Returns for each input how many positions and blocks are still wanted; `None` where there is
    /// no limit. `ahead` are the blocks that were parsed and not yet gathered. What is done with a
    /// position may be costly, so no more blocks are parsed ahead than a limit needs: as many as
    /// hold the rest if they have as many positions as those so far.
    fn wanted(&self, options: &ReadOptions, ahead: &[ParsedBlock<'_>]) -> Vec<Option<WantedPart>> {
        let inputs = self.report.files.iter().zip(&self.gathered).enumerate();
        let of_input = |(input, (file, &gathered)): (usize, (&FileReport, &u64))| {
            let ahead = ahead.iter().filter(|(block, _)| block.input == input);
            let (mut positions, mut blocks) = (file.positions, gathered);
            for (_, parsed) in ahead {
                positions += parsed.part.counts.positions;
                blocks += 1;
            }
            let left = options.settings_of(input).limit?.saturating_sub(positions);
            // Before there is a block, the first is taken to hold all that is left, so that one is
            // wanted.
            let each = positions.checked_div(blocks).unwrap_or(left);
            Some(WantedPart {
                positions: left,
                blocks: (left / each.max(1)).max(1),
            })
        };
        inputs.map(of_input).collect()
    }

    /// Returns what a block holds, as far as it is wanted once all blocks before it are gathered.
    /// It was parsed before that was known, up to `most` positions (`None`: all), and is parsed
    /// again in two cases: where `room`, the positions of its input that are still wanted (`None`:
    /// all), ends within or with the block, and where earlier results show that its last line is
    /// truncated, which is then a bad one.
    fn as_wanted<'a>(
        &self,
        parser: &Parser<'a>,
        block: &Block,
        ParsedPart { most, mut part }: ParsedPart<'a>,
        room: Option<u64>,
    ) -> Parsed<'a> {
        let before = self.report.files[block.input].spellings;
        let truncated = part.counts.spellings.are_truncated(before);
        if truncated {
            part = parser.parse(block, most, truncated);
        }
        let positions = part.counts.positions;
        match room {
            // Bad lines behind the last position that is wanted must not count. So a block that
            // ends the input's limit just so is parsed again, unless that was its limit already.
            Some(room) if room < positions || room == positions && most != Some(room) => {
                parser.parse(block, Some(room), truncated)
            }
            _ => part,
        }
    }

    /// Waits for at most `wave` blocks from the producer, the thread that cuts the inputs, and
    /// notes the formats and errors that come between them. Fewer blocks come where the limit of an
    /// input, as `wanted` has it by input, needs no more; at the end of all inputs fewer, then
    /// none.
    fn receive(
        &mut self,
        from: &Receiver<Message>,
        wave: usize,
        wanted: &[Option<WantedPart>],
    ) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::with_capacity(wave);
        let is_enough = |blocks: &[Block]| {
            let Some(input) = blocks.last().map(|block| block.input) else {
                return false;
            };
            let here = blocks.iter().filter(|block| block.input == input).count();
            wanted[input].is_some_and(|wanted| here as u64 >= wanted.blocks)
        };
        while blocks.len() < wave && !is_enough(&blocks) {
            match from.recv() {
                Ok(Message::Block(block)) => blocks.push(block),
                Ok(Message::Format(input, format, ignored_columns)) => {
                    self.report.files[input].format = Some(format);
                    self.report.files[input].ignored_columns = ignored_columns;
                }
                Ok(Message::Error(input, error)) => self.errors.push((input, error)),
                // The producer has ended.
                Err(_) => break,
            }
        }
        blocks
    }

    /// Returns how many more positions of an input, given by its number, are wanted after the
    /// blocks gathered so far; `None` where the input has no limit.
    fn room(&self, options: &ReadOptions, input: usize) -> Option<u64> {
        let limit = options.settings_of(input).limit?;
        Some(limit - self.report.files[input].positions.min(limit))
    }

    /// Tells whether an input has 100,000 bad lines, games or records and nothing good so far, so
    /// that the rest is not worth reading; if so, notes that as its error. An unfinished game is
    /// good in this sense, as its format is right.
    fn is_all_bad(&mut self, input: usize) -> bool {
        let of = &self.report.files[input];
        let is_bad = of.positions == 0 && of.unfinished == 0 && of.rejected >= ALL_BAD;
        if is_bad {
            let words = if of.unusable == of.rejected {
                format!(
                    "the first {} positions can be read, but all are refused, and the rest \
                     was not read; the reasons are below",
                    of.rejected
                )
            } else {
                format!(
                    "the first {} lines, games or records are all bad, and the rest was not \
                     read; is it of another format (--format), or another game (--game)?",
                    of.rejected
                )
            };
            let error = InputError::refused(&of.file, words);
            self.errors.push((input, error));
        }
        is_bad
    }

    /// Adds the counts of a parsed block to those of its input, blocks coming in their order; lists
    /// its bad lines until ten are listed, and returns what the caller made of its samples.
    fn add<'a>(&mut self, part: Parsed<'a>) -> Box<dyn BlockContent + 'a> {
        let file = &mut self.report.files[part.input];
        file.add(&part.counts);
        self.gathered[part.input] += 1;
        let room = LISTED - self.report.bad_lines.len();
        for (line, column, message) in part.bad_lines.into_iter().take(room) {
            let location = Location {
                file: file.file.clone(),
                line,
                column,
            };
            self.report.bad_lines.push(BadLine { location, message });
        }
        part.made
    }

    /// Returns the report, or the error of the reading: inputs that cannot be read, whose results
    /// are coded in another way, or that are not as the first reading found them, and bad lines
    /// that are not to be skipped. Errors of inputs whose limit was reached are dropped.
    fn finish(mut self, options: &ReadOptions) -> Result<ReadReport, ReadError> {
        let files = &self.report.files;
        for (input, file) in (0..).zip(files) {
            if let Some(fault) = &file.other_coding {
                let refused = InputError::refused(&file.file, fault.to_string());
                self.errors.push((input, refused));
            }
        }
        // Errors behind the part that was wanted do not count: whether they were seen depends on
        // chance.
        (self.errors).retain(|(input, _)| !files.get(*input).is_some_and(|file| file.full));
        // After other errors than that an input broke off, not all that was wanted was read, so
        // that it cannot be compared with the first reading.
        let broken = |(_, error): &_| matches!(error, InputError::Broken { .. });
        if let (true, Some(first)) = (self.errors.iter().all(broken), &options.first) {
            let changed = first.compare(&self.report, self.errors.is_empty());
            // An input that has changed and broke off is reported as changed only.
            (self.errors).retain(|(input, _)| changed.iter().all(|(other, _)| input != other));
            self.errors.extend(changed);
        }
        let is_good = self.report.bad_lines.is_empty() || options.on_bad_line == OnBadLine::Skip;
        if self.errors.is_empty() && is_good {
            return Ok(self.report);
        }
        Err(ReadError {
            inputs: self.errors.into_iter().map(|(_, error)| error).collect(),
            report: self.report,
        })
    }
}
