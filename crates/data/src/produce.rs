//! The one thread that opens, decompresses and cuts.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;

use super::blocks::{Blocks, Bytes, count_lines};
use super::compression::{Refusal, decompressed, is_window};
use super::format::{Cut, Format};
use super::input::Changed;
use super::read::{InputSettings, ReadOptions};
use super::recognise::recognise;
use super::{AnyGame, AnyPosition, Input, InputError, Records, lines};
use crate::{Perspective, RecordEvent, StatedScores};
use tuner_base::Location;

/// Whole lines or units on their way to a worker.
#[derive(Debug)]
pub(super) struct Block {
    /// Which of the inputs.
    pub(super) input: usize,
    /// The number of the first line or unit, counted from 1.
    pub(super) first: u64,
    pub(super) bytes: Bytes,
    pub(super) kind: Kind,
}

/// The content of a block.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Lines {
        /// How to cut the lines; `None` as long as all were blank.
        cut: Option<Cut>,
        /// Whether the first line that is not blank is a header.
        header: bool,
    },
    /// Units of one of the game's formats of records, by the number of the format among these.
    Records(usize),
}

/// A message of the thread.
#[derive(Debug)]
pub(super) enum Message {
    Block(Block),
    /// The format of an input is known, and the columns that nobody reads.
    Format(usize, Format, Vec<String>),
    /// An input cannot be read, or not to its end.
    Error(usize, InputError),
}

/// Bytes of an input by which it is told whether it is text.
const TEXT: usize = 4_096;

/// Text has no zeros, and fewer control characters than one in so many bytes; of what is
/// compressed every tenth is one.
const CONTROL: usize = 20;

/// The receiver has gone, so there is no one to read for.
struct Gone;

/// Reads all inputs one after the other.
pub(super) struct Producer<'a> {
    pub(super) inputs: &'a [Input],
    pub(super) options: &'a ReadOptions,
    pub(super) game: &'a AnyGame,
    /// Bytes taken from the inputs, compressed as they stand.
    pub(super) taken: &'a AtomicU64,
    /// By input, whether nothing more of it is wanted.
    pub(super) full: &'a [AtomicBool],
    pub(super) to: SyncSender<Message>,
}

/// One input, opened.
struct Open<R> {
    input: usize,
    file: PathBuf,
    settings: InputSettings,
    blocks: Blocks<R>,
}

impl Producer<'_> {
    /// Reads all inputs one after the other and sends what is in them; ends early if the receiver
    /// is gone.
    pub(super) fn run(self) {
        for input in 0..self.inputs.len() {
            if self.input(input).is_err() {
                return;
            }
        }
    }

    /// Sends a message; waits while the receiver has enough. An error says that there is no
    /// receiver any more, so that nothing is to be read on.
    fn send(&self, message: Message) -> Result<(), Gone> {
        self.to.send(message).map_err(|_| Gone)
    }

    /// Sends the error of an input, given by its number; the result is an error only if there is no
    /// receiver any more.
    fn fail(&self, input: usize, error: InputError) -> Result<(), Gone> {
        self.send(Message::Error(input, error))
    }

    /// Opens an input, by its number, decompresses it and reads it. What is wrong with it is
    /// reported to the receiver; an error says that there is no receiver.
    fn input(&self, input: usize) -> Result<(), Gone> {
        let file = self.inputs[input].name();
        let raw = match self.inputs[input].open() {
            Ok(raw) => Counted {
                raw,
                taken: self.taken,
            },
            Err(source) => return self.fail(input, InputError::unopened(&file, &source)),
        };
        match decompressed(raw) {
            Ok(reader) => self.opened(Open {
                input,
                file,
                settings: self.options.settings_of(input),
                blocks: Blocks::new(reader),
            }),
            Err(Refusal::Kind(kind)) => self.fail(input, of_kind(&file, kind)),
            // It broke off within its first bytes: neither lines nor bytes were read.
            Err(Refusal::Io(source)) => self.broken(input, file, 0, 0, source),
        }
    }

    /// Returns the number, among the game's formats of records, of the first for which `is_it` is
    /// true.
    fn format(&self, is_it: impl Fn(&Records<AnyPosition>) -> bool) -> Option<usize> {
        let mut formats = self.game.records().iter();
        formats.position(|format| is_it(format))
    }

    /// Finds out what a file is by its first bytes, and reads it as that: a tar archive is refused,
    /// records of a format that is stated or recognised, else lines if it is text. Other bytes are
    /// read as the format that the file is named after if at least half of its first records are of
    /// it, and refused if not.
    fn opened<R: Read>(&self, mut open: Open<R>) -> Result<(), Gone> {
        let (first, whole) = open.blocks.peek();
        // A byte order mark at the beginning is removed.
        let mark = first.len() - lines::without_bom(first).len();
        first.drain(..mark);
        // The header of a tar archive has this word at byte 257 (POSIX.1-1988). Asked first, as the
        // text of its members may be taken for that of a format.
        if first.get(257..262) == Some(b"ustar") {
            return self.fail(open.input, of_kind(&open.file, "tar"));
        }
        let found = match open.settings.format {
            Some(Format::Records(name)) => self.format(|format| format.name == name),
            Some(_) => None,
            None => self.format(|format| (format.recognises)(first, whole)),
        };
        if let Some(number) = found {
            return self.as_records(open, number);
        }
        // Text has no zero among its first bytes, and at most one control character in 20.
        let is_control = |byte: &u8| matches!(byte, 0..=8 | 0x0e..=0x19 | 0x1b..=0x1f);
        let begin = &first[..first.len().min(TEXT)];
        let control = begin.iter().filter(|byte| is_control(byte)).count();
        if !begin.contains(&0) && control * CONTROL <= begin.len() {
            return self.lines(open);
        }
        let Some(number) = self.named(&open.file) else {
            return self.fail(open.input, of_kind(&open.file, "binary"));
        };
        let (good, all) = self.sampled(first, whole, number);
        if good * 2 >= all && good > 0 {
            return self.as_records(open, number);
        }
        let name = self.game.records()[number].name;
        let kind = format!("binary, of which {good} of the first {all} records are {name}");
        self.fail(open.input, of_kind(&open.file, &kind))
    }

    /// Returns the number, among the game's formats of records, of the one whose name the file's
    /// name ends with, `.gz`, `.xz` and `.zst` left out of account: `games.pgn.zst` is of the
    /// format `pgn`. `None` where there is no such format.
    fn named(&self, file: &Path) -> Option<usize> {
        let name = file.file_name()?.to_str()?.to_ascii_lowercase();
        let compressed = [".gz", ".xz", ".zst"].iter();
        let name = compressed.fold(&*name, |name, end| name.strip_suffix(end).unwrap_or(name));
        let (_, end) = name.rsplit_once('.')?;
        self.format(|format| format.name == end)
    }

    /// Returns how many of the records that an input begins with can be read as those of the game's
    /// format `number`, and how many records there are. `first` are the first bytes of the input;
    /// `whole`: they are all of it, so that the last record is looked at even if it is truncated.
    fn sampled(&self, first: &[u8], whole: bool, number: usize) -> (u64, u64) {
        let records = self.game.records()[number];
        // Without a whole record all bytes are looked at.
        let end = if whole { None } else { (records.cut)(first) };
        let (mut good, mut bad) = (0, 0);
        let first = &first[..end.unwrap_or(first.len())];
        (records.parse)(first, StatedScores::default(), &mut |event| match event {
            RecordEvent::Unit | RecordEvent::Unfinished => good += 1,
            RecordEvent::Rejected(..) => bad += 1,
            _ => {}
        });
        (good, good + bad)
    }

    /// Reads a file as records of the game's format `number`. The file is refused instead if the
    /// options say what the format itself decides: that results are the side to move's, or, unless
    /// the format takes it as stated, the view or the unit of scores.
    fn as_records<R: Read>(&self, open: Open<R>, number: usize) -> Result<(), Gone> {
        let format = Format::Records(self.game.records()[number].name);
        self.send(Message::Format(open.input, format, Vec::new()))?;
        let scores = open.settings.scores;
        let turned = |perspective| perspective == Perspective::SideToMove;
        let words = if turned(open.settings.perspective) {
            "whose view results have; leave --perspective out, or give this file \
             :perspective=first-player"
        } else if self.game.records()[number].takes_stated {
            return self.records(open, number);
        } else if scores.perspective.is_some_and(turned) {
            "whose view scores have; leave --score-perspective out, or give this file \
             :score-perspective=first-player"
        } else if scores.unit.is_some() {
            "what unit scores have; leave --score-unit out"
        } else {
            return self.records(open, number);
        };
        let words = format!("{format} says itself {words}");
        self.fail(open.input, InputError::refused(&open.file, words))
    }

    /// Sends a file block by block, cut into whole units (games or records) by the game's format
    /// `number`, until its end or until no more of it is wanted.
    fn records<R: Read>(&self, mut open: Open<R>, number: usize) -> Result<(), Gone> {
        let records = self.game.records()[number];
        let mut first = 1;
        let kind = Kind::Records(number);
        while let Some(bytes) = open.blocks.units(&records.cut) {
            let count = (records.count)(&bytes);
            if !self.block(open.input, first, bytes, kind)? {
                return Ok(());
            }
            first += count;
        }
        self.end(open, first - 1)
    }

    /// Sends the lines of a file block by block, until its end or until no more of it is wanted.
    /// The first block that is not all blank tells their format; a table begins there with its
    /// header.
    fn lines<R: Read>(&self, mut open: Open<R>) -> Result<(), Gone> {
        let mut cut = None;
        let mut first = 1;
        while let Some(bytes) = open.blocks.lines() {
            let mut header = false;
            if cut.is_none() && !bytes.trim_ascii().is_empty() {
                match self.recognise(&open, first, &bytes)? {
                    Some(recognised) => cut = Some(recognised),
                    None => return Ok(()),
                }
                header = matches!(cut, Some(Cut::Table(_)));
            }
            let count = count_lines(&bytes);
            if !self.block(open.input, first, bytes, Kind::Lines { cut, header })? {
                return Ok(());
            }
            first += count;
        }
        self.end(open, first - 1)
    }

    /// Sends a block of an input, whose first line or unit has the number `first`, counted from 1.
    /// Returns whether more of the input is wanted.
    fn block(&self, input: usize, first: u64, bytes: Bytes, kind: Kind) -> Result<bool, Gone> {
        self.send(Message::Block(Block {
            input,
            first,
            bytes,
            kind,
        }))?;
        Ok(!self.full[input].load(Ordering::Relaxed))
    }

    /// Ends an input of which `whole` lines or units were sent; if the input broke off, that is
    /// reported to the receiver.
    fn end<R: Read>(&self, mut open: Open<R>, whole: u64) -> Result<(), Gone> {
        let Some(source) = open.blocks.broken() else {
            return Ok(());
        };
        self.broken(open.input, open.file, whole, open.blocks.read, source)
    }

    /// Reports to the receiver that an input ended with the error `source`, after so many `whole`
    /// lines or units and so many `bytes`: as truncated or damaged, unless its decompressor needs
    /// too much memory or the file was changed while it was read.
    fn broken(
        &self,
        input: usize,
        file: PathBuf,
        whole: u64,
        bytes: u64,
        source: io::Error,
    ) -> Result<(), Gone> {
        let error = if is_window(&source) {
            let words = format!(
                "too little memory to decompress it: {source}; it was compressed with a large \
                 window: decompress it first (`zstd -d --long=31`, `xz -d`), where there is more \
                 memory"
            );
            InputError::refused(&file, words)
        } else if matches!(source.get_ref(), Some(inner) if inner.is::<Changed>()) {
            InputError::refused(&file, source)
        } else {
            InputError::Broken {
                file,
                whole,
                bytes,
                source,
            }
        };
        self.fail(input, error)
    }

    /// Recognises the format of lines by the first ones that are not blank, and tells it to the
    /// receiver; `None` where that is not possible, which is reported as the error of the input.
    /// `first_line` is the number of the first line of `bytes`.
    fn recognise<R>(
        &self,
        open: &Open<R>,
        first_line: u64,
        bytes: &[u8],
    ) -> Result<Option<Cut>, Gone> {
        let text = String::from_utf8_lossy(bytes);
        let blank = text.lines().take_while(|line| line.trim_ascii().is_empty());
        let location = Location {
            file: open.file.clone(),
            line: first_line + blank.count() as u64,
            column: 1,
        };
        match recognise(&location, &text, open.settings.format, self.game) {
            Ok((cut, ignored)) => {
                self.send(Message::Format(open.input, cut.format(), ignored))?;
                Ok(Some(cut))
            }
            Err(words) => {
                let error = InputError::Refused(words);
                self.fail(open.input, error).map(|()| None)
            }
        }
    }
}

/// Makes the error of a file of a kind that is not read, such as `tar`; of a binary one it adds
/// that its format may be named.
fn of_kind(file: &Path, kind: &str) -> InputError {
    let mut words = format!(
        "found data of the kind {kind}, expected one file of positions or games, plain or \
         compressed with gzip, zstd or xz; unpack or convert it first"
    );
    if kind.starts_with("binary") {
        words += ", or name its format, FILE:format=NAME, if it is damaged";
    }
    InputError::refused(file, words)
}

/// A reader that adds the number of bytes that it reads to `taken`.
#[derive(Debug)]
struct Counted<'a, R> {
    raw: R,
    taken: &'a AtomicU64,
}

impl<R: Read> Read for Counted<'_, R> {
    /// Reads, and adds the number of bytes to the counter `taken`, which all inputs share.
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let got = self.raw.read(to)?;
        self.taken.fetch_add(got as u64, Ordering::Relaxed);
        Ok(got)
    }
}
