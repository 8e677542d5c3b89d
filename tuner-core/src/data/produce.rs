//! The one thread that opens, decompresses and cuts.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;

use super::blocks::Blocks;
use super::compression::{Refusal, decompressed};
use super::format::{Cut, Format};
use super::recognise::recognise;
use super::{Input, InputError};
use crate::error::Location;

/// Whole lines on their way to a worker.
#[derive(Debug)]
pub(super) struct Block {
    /// Which of the inputs.
    pub(super) input: usize,
    /// The number of the first line, counted from 1.
    pub(super) first_line: u64,
    pub(super) bytes: Vec<u8>,
    /// How to cut the lines; none as long as all were blank.
    pub(super) cut: Option<Cut>,
    /// Whether the first line that is not blank is a header.
    pub(super) header: bool,
}

/// What the thread sends.
#[derive(Debug)]
pub(super) enum Message {
    Block(Block),
    /// The format of an input is known.
    Format {
        input: usize,
        format: Format,
        ignored_columns: Vec<String>,
    },
    /// An input cannot be read, or not to its end.
    Error(InputError),
}

/// The receiver has gone, so there is no one to read for.
struct Gone;

/// Reads all inputs one after the other.
#[derive(Debug)]
pub(super) struct Producer<'a> {
    pub(super) inputs: &'a [Input],
    pub(super) format: Option<Format>,
    /// The name of the game's notation.
    pub(super) notation: &'static str,
    /// Bytes taken from the inputs, compressed as they stand.
    pub(super) taken: &'a AtomicU64,
    pub(super) to: SyncSender<Message>,
}

impl Producer<'_> {
    pub(super) fn run(self) {
        for input in 0..self.inputs.len() {
            if self.input(input).is_err() {
                return;
            }
        }
    }

    fn send(&self, message: Message) -> Result<(), Gone> {
        self.to.send(message).map_err(|_| Gone)
    }

    fn input(&self, input: usize) -> Result<(), Gone> {
        let file = self.inputs[input].name();
        let raw = match self.inputs[input].open() {
            Ok(raw) => Counted {
                raw,
                taken: self.taken,
            },
            Err(source) => return self.send(Message::Error(InputError::Open { file, source })),
        };
        match decompressed(raw) {
            Ok(reader) => self.blocks(input, file, reader),
            Err(Refusal::Kind(kind)) => self.send(Message::Error(InputError::Kind { file, kind })),
            Err(Refusal::Io(source)) => {
                let (lines, bytes) = (0, 0);
                self.send(Message::Error(InputError::Broken {
                    file,
                    lines,
                    bytes,
                    source,
                }))
            }
        }
    }

    fn blocks(&self, input: usize, file: PathBuf, reader: impl Read) -> Result<(), Gone> {
        let mut blocks = Blocks::new(reader);
        let mut cut = None;
        let mut broken = None;
        let mut first_line = 1;
        loop {
            let mut lines = match blocks.next() {
                Ok(Some(lines)) => lines,
                Ok(None) => break,
                // The next call returns the whole lines before the error.
                Err(error) => {
                    broken = Some(error);
                    continue;
                }
            };
            if first_line == 1 {
                drop_byte_order_mark(&mut lines.bytes);
            }
            let mut header = false;
            if cut.is_none() && !lines.bytes.trim_ascii().is_empty() {
                match self.recognise(input, &file, first_line, &lines.bytes)? {
                    Some(recognised) => cut = Some(recognised),
                    None => return Ok(()),
                }
                header = cut.is_some_and(Cut::has_header);
            }
            let (bytes, count) = (lines.bytes, lines.count);
            self.send(Message::Block(Block {
                input,
                first_line,
                bytes,
                cut,
                header,
            }))?;
            first_line += count;
        }
        broken.map_or(Ok(()), |source| {
            let (lines, bytes) = (first_line - 1, blocks.read);
            self.send(Message::Error(InputError::Broken {
                file,
                lines,
                bytes,
                source,
            }))
        })
    }

    /// Recognises the format, or reports that it cannot.
    fn recognise(
        &self,
        input: usize,
        file: &Path,
        first_line: u64,
        bytes: &[u8],
    ) -> Result<Option<Cut>, Gone> {
        let text = String::from_utf8_lossy(bytes);
        let blank = text
            .lines()
            .take_while(|line| line.trim_ascii().is_empty())
            .count() as u64;
        let location = Location {
            file: file.to_path_buf(),
            line: first_line + blank,
            column: 1,
        };
        match recognise(&location, &text, self.format, self.notation) {
            Ok(found) => {
                let (format, ignored_columns) = (found.cut.format(), found.ignored_columns);
                self.send(Message::Format {
                    input,
                    format,
                    ignored_columns,
                })?;
                Ok(Some(found.cut))
            }
            Err(error) => self.send(Message::Error(error)).map(|()| None),
        }
    }
}

fn drop_byte_order_mark(bytes: &mut Vec<u8>) {
    const MARK: &[u8] = "\u{feff}".as_bytes();
    if bytes.starts_with(MARK) {
        bytes.drain(..MARK.len());
    }
}

/// Counts the bytes that pass.
#[derive(Debug)]
struct Counted<'a, R> {
    raw: R,
    taken: &'a AtomicU64,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let got = self.raw.read(to)?;
        self.taken.fetch_add(got as u64, Ordering::Relaxed);
        Ok(got)
    }
}
