//! Reads traces block by block, for every pass again.

use std::collections::HashSet;
use std::fmt;
use std::fs::{File, Metadata};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use super::BLOCK;
use super::block::{decoded_steps, fingerprint};
use super::bytes::{at, begins_with, values, values_in};
use super::footer::{MAGIC, Runs, contents, footer};
use super::header::{Header, TraceFileInfo};
use super::index::{IndexedFile, TraceIndex, shares};
use super::places::{Places, Run};
use crate::column::Column;
use crate::distinct::Distinct;
use crate::nonlinear::NonlinearRows;
use crate::shapes::Shapes;
use crate::stream::{GROUP, Stream};
use crate::trace_set::RowData;
use crate::{Blocks, Token, TraceSet};
use tuner_base::{Fingerprint, Ranks};
use tuner_parallel::{self as parallel, locked};

/// Why a file of traces cannot be written or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {words}", path.display())]
pub struct FileError {
    path: PathBuf,
    words: String,
}

impl FileError {
    /// Makes an error about a file; `words` say what is wrong, and follow its name in the message.
    pub(super) fn new(path: &Path, words: &dyn fmt::Display) -> Self {
        Self {
            path: path.to_owned(),
            words: words.to_string(),
        }
    }
}

/// Traces in a file, or in those of an index, read again for every pass.
///
/// *Memory*: nothing of the rows; for each block some hundred bytes, of its
/// rows 8 bytes in 256, and its lists of steps.
#[derive(Debug)]
pub struct TraceFile {
    files: Vec<OpenFile>,
    index: Vec<IndexedFile>,
    /// The blocks of this rank, each with the number of its file.
    blocks: Vec<(usize, Block)>,
    tokens: Vec<Token>,
    failure: Mutex<Option<String>>,
    /// Memory of blocks that are no longer used.
    spare: Mutex<Vec<Vec<[u16; GROUP]>>>,
}

/// A file, and what it says of itself.
#[derive(Debug)]
pub(super) struct OpenFile {
    path: PathBuf,
    file: File,
    /// Length and time of the last change at the time of opening.
    pub(super) state: State,
    pub(super) header: Header,
}

/// Length of a file, and time of its last change.
type State = (u64, Option<SystemTime>);

/// A block that has been read and checked once.
#[derive(Debug, Default)]
struct Block {
    places: Places,
    /// The numbers of the groups where rows 0, 256, 512 … start.
    offsets: Vec<u64>,
    /// The value of a column that has one value in all rows; `None` where values differ.
    outcomes: Option<f64>,
    weights: Option<f64>,
    constants: Option<f64>,
    scores: Option<f64>,
    /// The lists of steps; `None` where all rows are linear.
    shapes: Option<Arc<Shapes>>,
}

/// Fingerprint of a file, 16 hexadecimal digits: of the fingerprints of its blocks in their order,
/// and of the facts in its header.
pub(super) fn whole(blocks: &[String], about: &TraceFileInfo) -> String {
    let mut hash = Fingerprint::new();
    hash.count(blocks.len());
    for block in blocks {
        hash.text(block);
    }
    about.add_to(&mut hash);
    hash.hex()
}

impl OpenFile {
    /// Opens a file and reads its footer; returns it, and where message and body of each block are.
    /// Neither the blocks nor the fingerprint of the header are checked yet.
    pub(super) fn open(path: &Path) -> Result<(Self, Runs), FileError> {
        let error = |words: &dyn fmt::Display| FileError::new(path, words);
        let file = File::open(path).map_err(|e| error(&format!("cannot be opened: {e}")))?;
        let metadata = file.metadata();
        let state = state(&metadata.map_err(|e| error(&format!("cannot be read: {e}")))?);
        let footer = footer(&file, state.0).map_err(|words| error(&words))?;
        let (header, runs) = contents(&footer, state.0).map_err(|words| error(&words))?;
        let path = path.to_owned();
        let open = Self {
            path,
            file,
            state,
            header,
        };
        Ok((open, runs))
    }

    /// Reads the blocks whose numbers are in `part`, each with its distinct entries, and checks
    /// them, and before that the header's fingerprint. Fails if the header says that there is no
    /// position. `runs`: the places of all blocks of the file. The number of rows is compared with
    /// the header only if the part is the whole file.
    fn blocks(
        &self,
        runs: &[(Run, Run)],
        part: Range<usize>,
    ) -> Result<Vec<(Block, Vec<Token>)>, FileError> {
        let error = |words: &dyn fmt::Display| FileError::new(&self.path, words);
        let header = &self.header;
        if header.fingerprint != whole(&header.blocks, &header.about) {
            let words = "its footer is damaged: its fingerprint is another one; trace again";
            return Err(error(&words));
        }
        if header.positions == 0 {
            return Err(error(&"has no position; trace some"));
        }
        // A part that is not within the file counts as empty. The caller has compared the number of
        // blocks with that in the index.
        let runs_of_part = runs.get(part.clone()).unwrap_or_default();
        let checked = parallel::map(0..runs_of_part.len(), |block| {
            let wanted = &header.blocks[part.start + block];
            let (message, body) = runs_of_part[block];
            Block::read(&self.file, message, body, header.slots, wanted)
        });
        let mut blocks = Vec::with_capacity(checked.len());
        for (number, block) in checked.into_iter().enumerate() {
            blocks.push(block.map_err(|words| {
                error(&format!(
                    "block {} of {} is damaged: {words}; trace again",
                    part.start + number,
                    runs.len()
                ))
            })?);
        }
        let rows: usize = blocks.iter().map(|(block, _)| block.places.rows).sum();
        if blocks.len() == runs.len() && rows as u64 != header.positions {
            return Err(error(&format!(
                "has {rows} positions where its footer says {}; trace again",
                header.positions
            )));
        }
        Ok(blocks)
    }

    /// Fails if the file has another length or time of its last change than when it was opened, or
    /// these two cannot be read; `Err` has the words for the user.
    fn unchanged(&self) -> Result<(), String> {
        let now = self.file.metadata();
        if state(&now.map_err(|error| format!("cannot be read: {error}"))?) == self.state {
            Ok(())
        } else {
            Err(
                "has been changed while it was read; if its rows are the same, the same command \
                 with --resume continues, else start again"
                    .to_owned(),
            )
        }
    }
}

impl TraceFile {
    /// Opens a file, or all files of an index, reads it once and checks everything in it.
    ///
    /// *Cost*: a pass over the file on all threads of the current pool.
    ///
    /// # Errors
    /// If a file cannot be read, is truncated or damaged, or has another format.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        Self::open_among(path, Ranks::ALONE)
    }

    /// Opens the files, or some of their blocks, that are for this rank: whole files if their
    /// number is a multiple of the number of ranks, else an equal part of all blocks.
    ///
    /// *Cost*: a pass over these blocks on all threads of the current pool.
    ///
    /// # Errors
    /// If a file cannot be read, is cut off, damaged, of another format, or no file
    /// of traces at all; if the index is damaged, or a file is another one than it was.
    pub fn open_among(path: &Path, ranks: Ranks) -> Result<Self, FileError> {
        let (folder, index) = if TraceIndex::looks_like_one(path) {
            let folder = path.parent().unwrap_or(Path::new(""));
            (Some(folder), TraceIndex::read(path)?.files)
        } else {
            (None, vec![IndexedFile::of(path)?])
        };
        let counts: Vec<u64> = index.iter().map(|file| file.blocks).collect();
        let parts = shares(&counts, ranks.rank(), ranks.size());
        let has_blocks = parts.iter().any(|part| !part.is_empty());
        let (mut files, mut blocks, mut entries) = (Vec::new(), Vec::new(), HashSet::new());
        for (indexed, part) in index.iter().zip(parts) {
            // A file without blocks for this rank is opened only for its header, if no other file
            // is.
            if part.is_empty() && (has_blocks || !files.is_empty()) {
                continue;
            }
            let path = folder.map_or_else(|| path.to_owned(), |folder| folder.join(&indexed.name));
            let (file, runs) = OpenFile::open(&path)?;
            if runs.len() as u64 != indexed.blocks {
                let (found, told) = (runs.len(), indexed.blocks);
                let words = format!("has {found} blocks where its index says {told}; trace again");
                return Err(FileError::new(&path, &words));
            }
            for (block, tokens) in file.blocks(&runs, part)? {
                blocks.push((files.len(), block));
                // Entry 0 of each block is its padding, which counts for nothing.
                entries.extend(tokens.into_iter().skip(1));
            }
            if file.header.fingerprint != indexed.fingerprint {
                let words =
                    "is another file than its index names: it was traced again; trace all again";
                return Err(FileError::new(&path, &words));
            }
            files.push(file);
        }
        // There is at least one file: an index names some, and one was opened for its header.
        let slots = files[0].header.slots;
        if let Some(other) = files.iter().find(|file| file.header.slots != slots) {
            let others = other.header.slots;
            let words = format!("has {others} slots, another file of it {slots}; trace again");
            return Err(FileError::new(path, &words));
        }
        // In a fixed order, behind the token that counts for nothing.
        let mut tokens: Vec<Token> = entries.into_iter().collect();
        tokens.sort_unstable_by_key(|token| (token.slot, token.coefficients));
        tokens.insert(0, Token::default());
        Ok(Self {
            files,
            index,
            blocks,
            tokens,
            failure: Mutex::new(None),
            spare: Mutex::new(Vec::new()),
        })
    }

    /// Tells whether a file begins as an Arrow file, or as an index of some; false if it cannot be
    /// read, which the caller notices once it opens the file.
    pub fn looks_like_one(path: &Path) -> bool {
        begins_with(path, MAGIC) || TraceIndex::looks_like_one(path)
    }

    /// Returns for each file of this rank its path, and what its writer knew: the engine, the data,
    /// and so on.
    pub fn abouts(&self) -> impl Iterator<Item = (&Path, &TraceFileInfo)> {
        let files = self.files.iter();
        files.map(|file| (&*file.path, &file.header.about))
    }

    /// Returns what the index says of each file, also of those that other ranks read; of a single
    /// file what its header says.
    pub fn all(&self) -> &[IndexedFile] {
        &self.index
    }

    /// Fingerprint of all rows, also those of other ranks, 16 hexadecimal digits: of a single file
    /// its own, of several one of the list of their fingerprints.
    pub fn fingerprint(&self) -> String {
        if let [one] = &*self.index {
            return one.fingerprint.clone();
        }
        let mut hash = Fingerprint::new();
        hash.count(self.index.len());
        for file in &self.index {
            hash.text(&file.fingerprint);
        }
        hash.hex()
    }

    /// Reads a block of a file again, into the memory of an unused block, if there is any. Fails if
    /// the file has changed since it was opened: then the rows are not those that were checked. The
    /// file is looked at before the reading and after it.
    fn reload(&self, file: &OpenFile, block: &Block) -> Result<TraceSet, String> {
        file.unchanged()?;
        let memory = locked(&self.spare).pop().unwrap_or_default();
        let set = block.columns(&file.file, file.header.slots, memory)?;
        // What has been read now is what was checked when the file was opened.
        file.unchanged()?;
        Ok(set)
    }
}

impl Blocks for TraceFile {
    /// Returns the number of slots, which is the same in all files; at least one is open.
    fn slots(&self) -> usize {
        self.files[0].header.slots
    }

    fn rows(&self) -> usize {
        self.blocks.iter().map(|(_, block)| block.places.rows).sum()
    }

    fn count(&self) -> usize {
        self.blocks.len()
    }

    fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// Reads a block; `None` if that fails. The first failure is kept, with the name of its file:
    /// `failure` returns it.
    fn load(&self, block: usize) -> Option<TraceSet> {
        let (file, block) = self.blocks.get(block)?;
        let file = &self.files[*file];
        let set = self.reload(file, block).map_err(|words| {
            let failure = &mut *locked(&self.failure);
            failure.get_or_insert_with(|| format!("{}: {words}", file.path.display()));
        });
        set.ok()
    }

    /// Keeps the memory of the block's groups for blocks to be read, of at most as many blocks as
    /// there are threads; a block that is still shared is only dropped.
    fn done(&self, block: TraceSet) {
        let mut spare = locked(&self.spare);
        if spare.len() < parallel::threads()
            && let Some(data) = Arc::into_inner(block.data)
        {
            spare.push(data.stream.into_narrow());
        }
    }

    fn failure(&self) -> Option<String> {
        locked(&self.failure).clone()
    }
}

impl Block {
    /// Reads a block for the first time, and checks all of it; returns it with its distinct
    /// entries. `message`, `body`: their places in the file; `slots`: the number of slots of the
    /// rows; `wanted`: the fingerprint that it must have. `Err`: what is wrong, in words that
    /// follow the block's number.
    fn read(
        file: &File,
        message: Run,
        body: Run,
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
            let rows = places.rows;
            return Err(format!("it has {rows} rows; expected at most {BLOCK}"));
        }
        let mut block = Self {
            places,
            ..Self::default()
        };
        let steps: Vec<u32> = values(file, places.steps)?;
        if !steps.is_empty() {
            let shapes = decoded_steps(&steps).ok_or("its lists of steps are none")?;
            if shapes.len() == 0 || !shapes.packed(0).is_empty() {
                return Err("its first list of steps is not that of linear rows".to_owned());
            }
            block.shapes = Some(Arc::new(shapes));
        }
        let set = block.columns(file, slots, Vec::new())?;
        if fingerprint(&set, &steps) != wanted {
            return Err("its fingerprint is another one".to_owned());
        }
        block.offsets = set.check()?;
        // A column that has one value in all rows is not read again.
        let same = |column: &Column| {
            let first = if set.is_empty() { 0.0 } else { column.get(0) };
            let mut bits = (0..set.len()).map(|row| column.get(row).to_bits());
            bits.all(|bits| bits == first.to_bits()).then_some(first)
        };
        block.outcomes = same(&set.outcomes);
        block.weights = same(&set.weights);
        block.constants = same(&set.data.constants);
        block.scores = same(&set.data.search_scores);
        Ok((block, set.tokens().to_vec()))
    }

    /// Reads the rows of the block as a set, without any check. A column that is known to have one
    /// value in all rows is not read. `slots`: the number of slots of the rows; `memory`: where the
    /// segments of the rows are put, in groups of four numbers; its content is lost.
    fn columns(
        &self,
        file: &File,
        slots: usize,
        memory: Vec<[u16; GROUP]>,
    ) -> Result<TraceSet, String> {
        let places = &self.places;
        let slot: Vec<u32> = values(file, places.slots)?;
        let coefficients: Vec<[i16; 2]> = values(file, places.coefficients)?;
        let tokens = slot.into_iter().zip(coefficients);
        let tokens = tokens.map(|(slot, coefficients)| Token { slot, coefficients });
        // `known`: the one value that the column has in all rows.
        let numbers = |known: Option<f64>, place| match known {
            Some(value) => Ok(Column::Uniform(value)),
            None => values(file, place).map(Column::Wide),
        };
        let groups = values_in(file, places.codes, memory)?;
        let data = RowData {
            tokens: Distinct::restored(tokens.collect()),
            stream: Stream::restored(groups, self.offsets.clone(), places.rows),
            factors: Distinct::restored(values(file, places.factors)?),
            games: values(file, places.games)?,
            constants: numbers(self.constants, places.constants)?,
            search_scores: match self.scores {
                Some(value) => Column::Uniform(value),
                None => Column::Wide(self.scores(file)?),
            },
            nonlinear: match &self.shapes {
                Some(shapes) => self.nonlinear(file, shapes)?,
                None => NonlinearRows::default(),
            },
            ..RowData::new(slots)
        };
        Ok(TraceSet {
            data: Arc::new(data),
            outcomes: numbers(self.outcomes, places.outcomes)?,
            weights: numbers(self.weights, places.weights)?,
        })
    }

    /// Reads for each row the number of its list of steps, of those in `shapes`, and the constants
    /// of its steps. Fails if the first row's constants do not start at 0, or the last row's do not
    /// end where the column of constants ends.
    fn nonlinear(&self, file: &File, shapes: &Arc<Shapes>) -> Result<NonlinearRows, String> {
        let places = &self.places;
        let [starts, constants] = places.step_constants;
        let starts: Vec<i32> = values(file, starts)?;
        let ends = [starts.first(), starts.last()].map(|end| end.copied().unwrap_or(0));
        if ends != [0, constants.count as i32] {
            return Err("its constants are not those of its rows".to_owned());
        }
        let starts = starts.iter().take(places.rows);
        let starts = starts.map(|&start| u64::from(start.cast_unsigned()));
        Ok(NonlinearRows {
            shapes: Arc::clone(shapes),
            rows: values(file, places.shapes)?,
            starts: starts.collect(),
            constants: values(file, constants)?,
        })
    }

    /// Reads the search score of each row, in centipawns; NaN where it has none, as its validity
    /// bit is 0. Without validity bits every row has one.
    fn scores(&self, file: &File) -> Result<Vec<f64>, String> {
        let (scores, bits_at) = self.places.scores;
        let scores: Vec<i32> = values(file, scores)?;
        let mut bits = Vec::new();
        if let Some(run) = bits_at {
            bits.resize(run.bytes, 0_u8);
            at(file, run.offset, &mut bits)?;
        }
        let has = |row: usize| (bits.get(row / 8)).is_none_or(|byte| byte >> (row % 8) & 1 == 1);
        let scores = scores.into_iter().enumerate();
        let scores = scores.map(|(row, score)| if has(row) { f64::from(score) } else { f64::NAN });
        Ok(scores.collect())
    }
}

/// Returns the length and the time of the last change of a file; the time is `None` where the
/// system does not tell it.
fn state(metadata: &Metadata) -> State {
    (metadata.len(), metadata.modified().ok())
}
