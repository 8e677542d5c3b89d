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

/// Reads labelled positions and maps each to what the caller keeps.
///
/// Runs on the current rayon thread pool and one more thread that decompresses.
/// Values come in the order of the lines whatever the number of threads. An
/// error of `map` makes its line a bad line, with the error as the reason.
///
/// *Cost*: one pass; beside the values, memory for 16 blocks of 128 KiB per
/// thread.
///
/// # Errors
/// If an input cannot be read to its end, whatever
/// [`on_bad_line`](ReadOptions::on_bad_line) says, and if there are bad lines
/// and it says [`Stop`](OnBadLine::Stop). All inputs are looked at before.
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
        map: &map,
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
        loop {
            let blocks = reading.receive(&from, wave);
            if blocks.is_empty() {
                break;
            }
            let parsed: Vec<Parsed<T>> =
                blocks.par_iter().map(|block| parser.parse(block)).collect();
            for part in parsed {
                reading.add(part);
            }
            if let Some(observer) = &options.observer {
                let (bytes, positions) = (taken.load(Ordering::Relaxed), reading.values.len());
                observer.tell(Progress {
                    bytes,
                    positions: positions as u64,
                });
            }
        }
    });
    reading.finish(options.on_bad_line)
}

/// What has been gathered so far.
struct Reading<T> {
    values: Vec<T>,
    report: ReadReport,
    errors: Vec<InputError>,
}

impl<T> Reading<T> {
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
            values: Vec::new(),
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

    fn add(&mut self, part: Parsed<T>) {
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
        self.values.extend(part.values);
    }

    fn finish(self, on_bad_line: OnBadLine) -> Result<(Vec<T>, ReadReport), ReadError> {
        let stop = on_bad_line == OnBadLine::Stop && !self.report.bad_lines.is_empty();
        if self.errors.is_empty() && !stop {
            Ok((self.values, self.report))
        } else {
            Err(ReadError {
                inputs: self.errors,
                report: self.report,
            })
        }
    }
}
