//! Reads traces block by block, for every pass again.

use std::collections::HashSet;
use std::fmt;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::root_as_footer;
use rayon::prelude::*;

use super::block::fingerprint;
use super::header::{About, Header};
use super::places::{Places, Run, Values};
use super::{BLOCK, KEY, VERSION, schema};
use crate::trace::expression::Step;
use crate::trace::rows::plain::{Numbers, Plain, PlainCurved};
use crate::trace::rows::{Blocks, Token, TraceSet};

/// What files begin and end with.
const MAGIC: &[u8; 6] = b"ARROW1";

/// Why a file of traces cannot be written or read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    path: PathBuf,
    words: String,
}

impl FileError {
    pub(super) fn new(path: &Path, words: &dyn fmt::Display) -> Self {
        Self {
            path: path.to_owned(),
            words: words.to_string(),
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.words)
    }
}

impl std::error::Error for FileError {}

/// Traces in a file, read again for every pass.
///
/// *Memory*: nothing of the rows; for each block some hundred bytes, of its
/// rows 8 bytes in 256, and its lists of steps.
#[derive(Debug)]
pub struct TraceFile {
    path: PathBuf,
    file: File,
    /// Length and time of the last change when it was opened.
    state: (u64, Option<SystemTime>),
    header: Header,
    blocks: Vec<Block>,
    tokens: Vec<Token>,
    rows: usize,
    failure: Mutex<Option<String>>,
}

/// A block that has been read and checked once.
#[derive(Debug)]
struct Block {
    places: Places,
    /// Where its rows 0, 256, 512 … start.
    offsets: Vec<u64>,
    /// The columns that are the same in all rows.
    outcomes: Option<f64>,
    weights: Option<f64>,
    constants: Option<f64>,
    scores: Option<f64>,
    /// Lists of steps; none where all rows are linear.
    shapes: Option<Vec<Arc<[Step]>>>,
}

/// Fingerprint of a file by those of its blocks.
pub(super) fn whole(blocks: &[String]) -> String {
    let bytes = blocks.iter().flat_map(|block| block.bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

impl TraceFile {
    /// Opens a file, reads it once and checks everything in it.
    ///
    /// *Cost*: a pass over the file on all threads of the current pool.
    ///
    /// # Errors
    /// If it cannot be read, is cut off, damaged, of another format, or no file
    /// of traces at all.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let error = |words: &dyn fmt::Display| FileError::new(path, words);
        let file = File::open(path).map_err(|e| error(&format!("cannot be opened: {e}")))?;
        let unread = |e: io::Error| error(&format!("cannot be read: {e}"));
        let state = state(&file.metadata().map_err(unread)?);
        let footer = footer(&file, state.0).map_err(|words| error(&words))?;
        let (header, runs) = contents(&footer, state.0).map_err(|words| error(&words))?;
        let checked: Vec<Result<(Block, Vec<Token>), String>> = runs
            .par_iter()
            .zip(&header.blocks)
            .map(|(&run, wanted)| Block::read(&file, run, header.slots, wanted))
            .collect();
        let mut blocks = Vec::with_capacity(checked.len());
        let mut tokens = HashSet::new();
        for (number, block) in checked.into_iter().enumerate() {
            let damaged = |words: &String| {
                error(&format!(
                    "block {number} of {} is damaged: {words}; trace again",
                    runs.len()
                ))
            };
            let (block, of_block) = block.map_err(|words| damaged(&words))?;
            blocks.push(block);
            tokens.extend(of_block.into_iter().skip(1));
        }
        let rows = blocks.iter().map(|block| block.places.rows).sum();
        if rows as u64 != header.positions {
            return Err(error(&format!(
                "has {rows} positions where its footer says {}; trace again",
                header.positions
            )));
        }
        let mut tokens: Vec<Token> = tokens.into_iter().collect();
        tokens.sort_unstable_by_key(|token| (token.slot, token.coefficients));
        tokens.insert(0, Token::default());
        Ok(Self {
            path: path.to_owned(),
            file,
            state,
            header,
            blocks,
            tokens,
            rows,
            failure: Mutex::new(None),
        })
    }

    /// Tells whether a file begins as Arrow files do; false if it cannot be
    /// read, which opening it will tell.
    pub fn looks_like_one(path: &Path) -> bool {
        let mut start = [0; MAGIC.len()];
        let read =
            File::open(path).and_then(|mut file| io::Read::read_exact(&mut file, &mut start));
        read.is_ok() && &start == MAGIC
    }

    /// What its writer knew.
    pub fn about(&self) -> &About {
        &self.header.about
    }

    /// Fingerprint of all rows, 16 hexadecimal digits.
    pub fn fingerprint(&self) -> String {
        whole(&self.header.blocks)
    }

    /// Its length in bytes.
    pub fn bytes(&self) -> u64 {
        self.state.0
    }

    /// Reads a block again.
    fn reload(&self, number: usize) -> Result<TraceSet, String> {
        let unread = |error: io::Error| format!("cannot be read: {error}");
        if state(&self.file.metadata().map_err(unread)?) != self.state {
            return Err("has been changed while it was read; start again".to_owned());
        }
        let block = &self.blocks[number];
        let plain = block.columns(&self.file, self.header.slots)?;
        Ok(TraceSet::of_plain(plain, block.offsets.clone()))
    }
}

impl Blocks for TraceFile {
    fn slots(&self) -> usize {
        self.header.slots
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn count(&self) -> usize {
        self.blocks.len()
    }

    fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    fn load(&self, block: usize) -> Option<TraceSet> {
        match self.reload(block) {
            Ok(set) => Some(set),
            Err(words) => {
                let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
                failure.get_or_insert_with(|| format!("{}: {words}", self.path.display()));
                None
            }
        }
    }

    fn failure(&self) -> Option<String> {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.clone()
    }
}

impl Block {
    /// Reads a block for the first time, and checks all of it. `wanted`: its
    /// fingerprint.
    fn read(
        file: &File,
        (message, body): (Run, Run),
        slots: usize,
        wanted: &str,
    ) -> Result<(Self, Vec<Token>), String> {
        let mut bytes = vec![0; message.bytes];
        at(file, message.offset, &mut bytes)?;
        // Older writers leave out the four bytes in front of the length.
        let skip = if bytes.starts_with(&[0xff; 4]) { 8 } else { 4 };
        let places = bytes.get(skip..).and_then(|bytes| Places::of(bytes, body));
        let places = places.ok_or("its columns are not those of traces")?;
        if places.rows > BLOCK {
            return Err(format!(
                "it has {} rows; expected at most {BLOCK}",
                places.rows
            ));
        }
        let mut block = Self {
            places,
            offsets: Vec::new(),
            outcomes: None,
            weights: None,
            constants: None,
            scores: None,
            shapes: None,
        };
        let mut text = vec![0; places.text.bytes];
        at(file, places.text.offset, &mut text)?;
        let text = String::from_utf8(text).map_err(|_| "its lists of steps are no text")?;
        if !text.is_empty() {
            let shapes: Vec<Arc<[Step]>> = serde_json::from_str::<Vec<Vec<Step>>>(&text)
                .map_err(|error| format!("its lists of steps: {error}"))?
                .into_iter()
                .map(Arc::from)
                .collect();
            if shapes.first().is_none_or(|first| !first.is_empty()) {
                return Err("its first list of steps is not that of linear rows".to_owned());
            }
            block.shapes = Some(shapes);
        }
        let plain = block.columns(file, slots)?;
        if fingerprint(&plain, &text) != wanted {
            return Err("its fingerprint is another one".to_owned());
        }
        block.offsets = plain.check().map_err(|error| error.to_string())?;
        let same = |numbers: Numbers| match numbers.shortened() {
            Numbers::All(value) => Some(value),
            Numbers::Each(_) => None,
        };
        block.outcomes = same(plain.outcomes);
        block.weights = same(plain.weights);
        block.constants = same(plain.constants);
        block.scores = same(plain.search_scores);
        Ok((block, plain.tokens))
    }

    /// Reads the columns; those that are known to be the same in all rows are
    /// not read.
    fn columns(&self, file: &File, slots: usize) -> Result<Plain, String> {
        let places = &self.places;
        let slot: Vec<u32> = values(file, places.slots)?;
        let coefficients: Vec<[i16; 2]> = pairs(file, places.coefficients)?;
        let tokens = slot.into_iter().zip(coefficients);
        let curved = match &self.shapes {
            Some(shapes) => Some(self.curved(file, shapes)?),
            None => None,
        };
        let numbers = |known: Option<f64>, place| match known {
            Some(value) => Ok(Numbers::All(value)),
            None => values(file, place).map(Numbers::Each),
        };
        Ok(Plain {
            slots,
            groups: groups(file, places.codes)?,
            tokens: tokens
                .map(|(slot, coefficients)| Token { slot, coefficients })
                .collect(),
            factors: pairs(file, places.factors)?,
            games: values(file, places.games)?,
            outcomes: numbers(self.outcomes, places.outcomes)?,
            weights: numbers(self.weights, places.weights)?,
            constants: numbers(self.constants, places.constants)?,
            search_scores: match self.scores {
                Some(value) => Numbers::All(value),
                None => Numbers::Each(self.scores(file)?),
            },
            curved,
        })
    }

    /// Reads what is not linear.
    fn curved(&self, file: &File, shapes: &[Arc<[Step]>]) -> Result<PlainCurved, String> {
        let places = &self.places;
        let starts: Vec<i32> = values(file, places.starts)?;
        let ends = [starts.first(), starts.last()].map(|end| end.copied().unwrap_or(0));
        if ends != [0, places.step_constants.count as i32] {
            return Err("its constants are not those of its rows".to_owned());
        }
        let starts = starts.iter().take(places.rows);
        Ok(PlainCurved {
            shapes: shapes.to_vec(),
            rows: values(file, places.shapes)?,
            starts: starts
                .map(|&start| u64::from(start.cast_unsigned()))
                .collect(),
            constants: values(file, places.step_constants)?,
        })
    }

    /// Reads search scores; NaN where there is none.
    fn scores(&self, file: &File) -> Result<Vec<f64>, String> {
        let scores: Vec<i32> = values(file, self.places.scores)?;
        let mut bits = Vec::new();
        if let Some(run) = self.places.has_score {
            bits.resize(run.bytes, 0_u8);
            at(file, run.offset, &mut bits)?;
        }
        let has = |row: usize| {
            bits.get(row / 8)
                .is_none_or(|byte| byte >> (row % 8) & 1 == 1)
        };
        let scores = scores.into_iter().enumerate();
        Ok(scores
            .map(|(row, score)| if has(row) { f64::from(score) } else { f64::NAN })
            .collect())
    }
}

/// Reads groups of codes, straight to where they stay.
fn groups(file: &File, place: Values) -> Result<Vec<[u16; 4]>, String> {
    let mut groups = vec![[0; 4]; place.count / 4];
    at(
        file,
        place.run.offset,
        bytemuck::cast_slice_mut(&mut groups),
    )?;
    Ok(groups)
}

/// Reads numbers.
fn values<T: bytemuck::Pod>(file: &File, place: Values) -> Result<Vec<T>, String> {
    let mut values = vec![T::zeroed(); place.count];
    at(
        file,
        place.run.offset,
        bytemuck::cast_slice_mut(&mut values),
    )?;
    Ok(values)
}

/// Reads pairs of numbers.
fn pairs<T: bytemuck::Pod>(file: &File, place: Values) -> Result<Vec<[T; 2]>, String> {
    let mut pairs = vec![[T::zeroed(); 2]; place.count / 2];
    at(file, place.run.offset, bytemuck::cast_slice_mut(&mut pairs))?;
    Ok(pairs)
}

/// Reads bytes at a place, whatever other threads read.
fn at(file: &File, offset: u64, to: &mut [u8]) -> Result<(), String> {
    read_exact_at(file, offset, to).map_err(|error| format!("cannot be read: {error}"))
}

#[cfg(unix)]
fn read_exact_at(file: &File, offset: u64, to: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, to, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut offset: u64, mut to: &mut [u8]) -> io::Result<()> {
    while !to.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, to, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                to = &mut to[read..];
                offset += read as u64;
            }
        }
    }
    Ok(())
}

/// What tells that a file has been changed.
fn state(metadata: &Metadata) -> (u64, Option<SystemTime>) {
    (metadata.len(), metadata.modified().ok())
}

/// Reads the footer of a file of so many bytes.
fn footer(file: &File, length: u64) -> Result<Vec<u8>, String> {
    const END: u64 = 4 + MAGIC.len() as u64;
    if cfg!(target_endian = "big") {
        return Err("cannot be read on this processor, whose numbers are big-endian".to_owned());
    }
    let start = MAGIC.len() as u64;
    let mut magic = *MAGIC;
    if length >= start {
        at(file, 0, &mut magic)?;
    }
    if length < start || &magic != MAGIC {
        return Err(
            "is no file of traces; expected one that `trace DATA -o FILE.arrow` of this engine \
             wrote"
                .to_owned(),
        );
    }
    let cut = || {
        format!("is cut off after {length} bytes: it has no footer; copy it again or trace again")
    };
    if length < start + END {
        return Err(cut());
    }
    let mut end = [0; END as usize];
    at(file, length - END, &mut end)?;
    let bytes = arrow_ipc::reader::read_footer_length(end).map_err(|_| cut())?;
    if bytes as u64 > length - END - start {
        return Err(cut());
    }
    let mut footer = vec![0; bytes];
    at(file, length - END - bytes as u64, &mut footer)?;
    Ok(footer)
}

/// Message and body of each block.
type Runs = Vec<(Run, Run)>;

/// Reads what a footer says.
fn contents(footer: &[u8], length: u64) -> Result<(Header, Runs), String> {
    let damaged = |what: &dyn fmt::Display| format!("its footer is damaged: {what}; trace again");
    let footer = root_as_footer(footer).map_err(|error| damaged(&error))?;
    let pairs = footer.custom_metadata().into_iter().flatten();
    let text = pairs
        .filter(|pair| pair.key() == Some(KEY))
        .find_map(|pair| pair.value());
    let text = text.ok_or(
        "is an Arrow file, but none that `trace DATA -o FILE.arrow` wrote; traces made elsewhere \
         are for `tuner fit`",
    )?;
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| damaged(&error))?;
    if value["format"] != VERSION {
        return Err(format!(
            "has format {} of tuner {}, this is tuner {} and reads format {VERSION}; trace again",
            value["format"],
            value["tuner"],
            env!("CARGO_PKG_VERSION")
        ));
    }
    let header: Header = serde_json::from_value(value).map_err(|error| damaged(&error))?;
    let found = footer.schema().map(try_fb_to_schema).transpose();
    let found = found.map_err(|error| damaged(&error))?;
    if found.is_none_or(|found| found.fields() != schema().fields()) {
        return Err(damaged(&"its columns are not those of traces"));
    }
    if header.slots > TraceSet::MOST_SLOTS {
        return Err(damaged(&format!("{} slots", header.slots)));
    }
    let mut runs = Runs::new();
    for block in footer.recordBatches().into_iter().flatten() {
        let run = || {
            let offset = u64::try_from(block.offset()).ok()?;
            let message = usize::try_from(block.metaDataLength()).ok()?;
            let body = usize::try_from(block.bodyLength()).ok()?;
            let start = offset.checked_add(message as u64)?;
            if start.checked_add(body as u64)? > length {
                return None;
            }
            let message = Run {
                offset,
                bytes: message,
            };
            let body = Run {
                offset: start,
                bytes: body,
            };
            Some((message, body))
        };
        runs.push(run().ok_or_else(|| damaged(&"a block is nowhere"))?);
    }
    if runs.len() != header.blocks.len() {
        let words = format!(
            "{} blocks and {} fingerprints",
            runs.len(),
            header.blocks.len()
        );
        return Err(damaged(&words));
    }
    Ok((header, runs))
}
