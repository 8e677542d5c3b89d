//! Reads several inputs: one thread cuts, all threads parse, order is kept.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use rayon::prelude::*;

use super::parse::{Parsed, Parser};
use super::produce::{Block, Message, Producer};
use super::report::LISTED;
use super::{
    BadLine, FileReport, Format, Input, InputError, Observer, PositionNotation, Progress,
    ReadError, ReadReport, Sample,
};
use crate::error::Location;
use crate::outcome::Perspective;

/// What to do about lines that are no labelled positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnBadLine {
    /// Read to the end, report them, fail.
    #[default]
    Stop,
    /// Count them, report them, go on without them.
    Skip,
}

/// How to read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The format of all inputs; by default each is recognised by its first
    /// lines.
    pub format: Option<Format>,
    /// Whose view results *and* search scores have in the inputs; by default
    /// the first player's. Samples always have the first player's.
    pub perspective: Perspective,
    /// What to do about bad lines; by default fail.
    pub on_bad_line: OnBadLine,
    /// Who is told how far the reading got.
    pub observer: Option<Observer>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            perspective: Perspective::FirstPlayer,
            on_bad_line: OnBadLine::default(),
            observer: None,
        }
    }
}

/// Blocks per thread that are parsed in one wave, and as many that wait
/// meanwhile. Chosen: at the end of a wave threads wait for the last block,
/// which then is an eighth of their work at most.
const WAVE: usize = 8;

/// Reads labelled positions and maps each to what the caller keeps; see
/// [`read_blocks`] for threads, cost and errors.
///
/// Values come in the order of the lines. An error of `map` makes its line a
/// bad line, with the error as the reason.
///
/// # Errors
/// As [`read_blocks`].
pub fn read<N, T, F>(
    inputs: &[Input],
    options: &ReadOptions,
    notation: &N,
    map: F,
) -> Result<(Vec<T>, ReadReport), ReadError>
where
    N: PositionNotation,
    T: Send,
    F: Fn(Sample<N::Position>) -> Result<T, String> + Sync,
{
    let mut values = Vec::new();
    let each = |block: &mut Vec<T>, sample| map(sample).map(|value| block.push(value));
    let gather = |block| values.extend(block);
    let report = read_blocks(inputs, options, notation, Vec::new, each, gather)?;
    Ok((values, report))
}

/// Reads labelled positions block by block, a block being some thousand lines.
///
/// `start` makes what a block's samples are gathered in, `each` adds a sample,
/// both on the threads of the current rayon pool; `gather` gets the blocks in
/// the order of the lines, whatever the number of threads, on the caller's
/// thread. One more thread decompresses.
///
/// *Cost*: one pass; memory for 16 blocks of 128 KiB per thread, and for what
/// `start` and `each` make of these.
///
/// # Errors
/// If an input cannot be read to its end, whatever
/// [`on_bad_line`](ReadOptions::on_bad_line) says, and if there are bad lines
/// (an error of `each` makes one) and it says [`Stop`](OnBadLine::Stop). All
/// inputs are looked at before.
pub fn read_blocks<N, B, I, F>(
    inputs: &[Input],
    options: &ReadOptions,
    notation: &N,
    start: I,
    each: F,
    mut gather: impl FnMut(B),
) -> Result<ReadReport, ReadError>
where
    N: PositionNotation,
    B: Send,
    I: Fn() -> B + Sync,
    F: Fn(&mut B, Sample<N::Position>) -> Result<(), String> + Sync,
{
    let mut reading = Reading::new(inputs);
    if inputs
        .iter()
        .filter(|&input| *input == Input::Stdin)
        .count()
        > 1
    {
        reading.errors.push(InputError::StdinTwice);
        return reading.finish(options.on_bad_line);
    }
    let parser = Parser {
        notation,
        start: &start,
        each: &each,
        perspective: options.perspective,
    };
    let taken = AtomicU64::new(0);
    let wave = WAVE * rayon::current_num_threads();
    thread::scope(|scope| {
        let (to, from) = sync_channel(wave);
        let producer = Producer {
            inputs,
            format: options.format,
            notation: N::NAME,
            taken: &taken,
            to,
        };
        scope.spawn(|| producer.run());
        let mut parsed: Vec<Parsed<B>> = Vec::new();
        loop {
            let blocks = reading.receive(&from, wave);
            if blocks.is_empty() && parsed.is_empty() {
                break;
            }
            let mut next = Vec::new();
            // What was parsed is gathered while the other threads parse on.
            rayon::in_place_scope(|scope| {
                scope.spawn(|_| {
                    let parts = blocks.par_iter().map(|block| parser.parse(block));
                    parts.collect_into_vec(&mut next);
                });
                for part in parsed.drain(..) {
                    gather(reading.add(part));
                }
            });
            parsed = next;
            if let Some(observer) = &options.observer {
                let positions = reading.report.total().positions;
                let bytes = taken.load(Ordering::Relaxed);
                if observer.tell(Progress { bytes, positions }).is_break() {
                    reading.errors.push(InputError::Stopped);
                    break;
                }
            }
        }
    });
    reading.finish(options.on_bad_line)
}

/// What has been found so far.
struct Reading {
    report: ReadReport,
    errors: Vec<InputError>,
}

impl Reading {
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
        }
    }

    /// Waits for a wave of blocks; fewer come only at the end.
    fn receive(&mut self, from: &Receiver<Message>, wave: usize) -> Vec<Block> {
        let mut blocks = Vec::with_capacity(wave);
        while blocks.len() < wave {
            match from.recv() {
                Ok(Message::Block(block)) => blocks.push(block),
                Ok(Message::Format {
                    input,
                    format,
                    ignored_columns,
                }) => {
                    self.report.files[input].format = Some(format);
                    self.report.files[input].ignored_columns = ignored_columns;
                }
                Ok(Message::Error(error)) => self.errors.push(error),
                // The producer has ended.
                Err(_) => break,
            }
        }
        blocks
    }

    /// Counts a block and returns what the caller made of it.
    fn add<B>(&mut self, part: Parsed<B>) -> B {
        let file = &mut self.report.files[part.input];
        file.add(&part.counts);
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

    fn finish(self, on_bad_line: OnBadLine) -> Result<ReadReport, ReadError> {
        let stop = on_bad_line == OnBadLine::Stop && !self.report.bad_lines.is_empty();
        if self.errors.is_empty() && !stop {
            Ok(self.report)
        } else {
            Err(ReadError {
                inputs: self.errors,
                report: self.report,
            })
        }
    }
}
