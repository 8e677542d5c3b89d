//! The blocks of an Arrow file, checked before anything slices them.
//!
//! The library asserts where a buffer ends behind its message, and allocates what a
//! compressed buffer says of itself. So lengths and offsets are checked here first;
//! what it asserts beyond that is caught.

use std::fs::File;
use std::io::Read as _;
use std::ops::ControlFlow;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::FileDecoder;
use arrow_ipc::{Block, MessageHeader, root_as_footer};
use arrow_schema::{ArrowError, SchemaRef};
use tuner_base::caught;
use tuner_data::Input;

use super::columns::{self, Columns};
use super::keys::Keys;
use super::message::check;
use super::parts::{Part, RowSink};
use super::{ImportError, Source, TracePlace};
use crate::file::{BytesByPlace, arrow_footer, at, extent};

/// Rows of a batch that are converted to plain numbers at a time: a batch may be the whole file,
/// and plain numbers take several times its memory.
const PART: usize = 4096;

/// An Arrow file of rows, whose footer and columns were checked.
pub(super) struct ArrowSource {
    file: Box<dyn BytesByPlace + Send + Sync>,
    length: u64,
    schema: SchemaRef,
    /// The numbers of the columns that are read.
    projection: Vec<usize>,
    version: arrow_ipc::MetadataVersion,
    dictionaries: Vec<Block>,
    batches: Vec<Block>,
    keys: Keys,
    /// Whether only the column of features is read.
    features_alone: bool,
    decoder: Option<FileDecoder>,
    /// The number of the next batch.
    number: usize,
    /// The batch read last, and how many of its rows are in parts already.
    batch: Option<(RecordBatch, usize)>,
    /// The number in the file of the first row of `batch`.
    first: u64,
}

tuner_base::impl_fmt! { Debug for ArrowSource }

impl ArrowSource {
    /// Reads the footer, and checks that all columns are there with their types. `None` if anything
    /// is wrong, which is reported.
    pub(super) fn open(input: &Input, problems: &mut ImportError) -> Option<Self> {
        let found = Self::footer(input).map_err(|words| problems.file(words));
        let (mut source, has_key) = found.ok()?;
        // With a column `codes` and the key `tuner` the file is one for `fit` of an engine's
        // program.
        if source.schema.field_with_name("codes").is_ok() && has_key {
            problems.file(
                "is a file that `trace` of an engine's program wrote; `fit` of that program reads it",
            );
            return None;
        }
        // The keys `tuner.…` are in the metadata of the schema.
        let pairs = source.schema.metadata().iter();
        let mut pairs: Vec<(&str, &str)> = pairs.map(|(k, v)| (&**k, &**v)).collect();
        pairs.sort_unstable();
        // `false`: this is no text, which alone may have the key `tuner.first`.
        source.keys = Keys::read(pairs.into_iter(), false, problems);
        columns::check(&source.schema, problems);
        source.projection = columns::projection(&source.schema);
        (problems.count == 0).then_some(source)
    }

    /// Opens the file and returns the source that its footer describes, and whether the footer's
    /// metadata has the key `tuner`, as files that `trace` of an engine writes. The source has
    /// neither keys nor a choice of columns yet. `Err`: what is wrong, in words that follow the
    /// file's name.
    fn footer(input: &Input) -> Result<(Self, bool), String> {
        let unopened = |error: std::io::Error| format!("cannot be opened: {error}");
        let unread = |error: std::io::Error| format!("cannot be read: {error}");
        // Whether the file begins as Arrow files do, and so is not compressed.
        let is_plain = |mut file: File| {
            let mut mark = [0; 4];
            file.read_exact(&mut mark).is_ok() && &mark == b"ARRO"
        };
        let (file, length): (Box<dyn BytesByPlace + Send + Sync>, u64) = match input {
            Input::File(path)
                if path.is_file() && is_plain(File::open(path).map_err(unopened)?) =>
            {
                let file = File::open(path).map_err(unopened)?;
                let length = file.metadata().map_err(unread)?.len();
                (Box::new(file), length)
            }
            // Blocks are found by the footer, which is at the end: all of it goes into memory.
            input => {
                let mut bytes = Vec::new();
                let read = input.plain().map_err(unopened)?.read_to_end(&mut bytes);
                let length = read.map_err(unread)? as u64;
                (Box::new(bytes), length)
            }
        };
        let footer = arrow_footer(&*file, length)?.ok_or(
            "is no complete Arrow IPC file; it may be cut off; expected the file format with its \
             footer, write it again",
        )?;
        let damaged = |what: &dyn std::fmt::Display| {
            format!("has a damaged footer ({what}); write the file again")
        };
        let footer = root_as_footer(&footer).map_err(|error| damaged(&error))?;
        let schema = footer.schema().ok_or_else(|| damaged(&"no schema"))?;
        if !schema.endianness().equals_to_target_endianness() {
            return Err("has numbers of the other endianness; write it on this machine".to_owned());
        }
        let schema = caught(|| try_fb_to_schema(schema)).map_err(|panic| damaged(&panic.words))?;
        let schema = schema.map_err(|error| damaged(&error))?;
        let metadata = footer.custom_metadata().into_iter().flatten();
        let mut keys = metadata.filter_map(|pair| pair.key());
        let traced = keys.any(|key| key == "tuner");
        let dictionaries = footer.dictionaries().into_iter().flatten();
        let batches = footer.recordBatches().into_iter().flatten();
        let source = Self {
            file,
            length,
            schema: Arc::new(schema),
            projection: Vec::new(),
            version: footer.version(),
            dictionaries: dictionaries.copied().collect(),
            batches: batches.copied().collect(),
            keys: Keys::default(),
            features_alone: false,
            decoder: None,
            number: 0,
            batch: None,
            first: 0,
        };
        Ok((source, traced))
    }

    /// Returns a decoder of batches that has read all dictionaries, to which batches refer; `None`
    /// where a dictionary cannot be read, which is reported.
    fn begun(&self, problems: &mut ImportError) -> Option<FileDecoder> {
        let mut projection = self.projection.clone();
        // Only the column of features is read where it is asked which of them occur.
        if self.features_alone {
            projection.retain(|&column| self.schema.field(column).name() == "feature");
        }
        let mut decoder =
            FileDecoder::new(Arc::clone(&self.schema), self.version).with_projection(projection);
        for (number, block) in self.dictionaries.iter().enumerate() {
            let read = (self.block(block, MessageHeader::DictionaryBatch))
                .and_then(|bytes| decoded(|| decoder.read_dictionary(block, &bytes)));
            if let Err(words) = read {
                unread(problems, "dictionary", number, &words);
                return None;
            }
        }
        Some(decoder)
    }

    /// Reads the message and the body of a block, and checks the lengths and offsets that the
    /// message says of the body. `header`: the kind of message that it must be. `Err`: what is
    /// wrong, in the words of a part of a sentence.
    fn block(&self, block: &Block, header: MessageHeader) -> Result<Buffer, String> {
        let (message, body) = extent(block, self.length).ok_or("it is not within the file")?;
        let mut buffer = vec![0; message.bytes + body.bytes];
        at(&*self.file, message.offset, &mut buffer)?;
        check(&buffer, message.bytes, header, &self.schema)?;
        Ok(Buffer::from_vec(buffer))
    }
}

/// Runs the library's decoder. `Err`: the words of its error, or of its panic, as it may panic on a
/// damaged block.
fn decoded<T>(decode: impl FnOnce() -> Result<T, ArrowError>) -> Result<T, String> {
    let read = caught(decode).map_err(|panic| panic.words)?;
    read.map_err(|error| error.to_string())
}

impl Source for ArrowSource {
    fn keys(&self) -> &Keys {
        &self.keys
    }

    fn has(&self, column: &str) -> bool {
        self.schema.index_of(column).is_ok()
    }

    /// Returns the next rows, up to `PART` (4096) of one batch, as a part; `None` behind the last
    /// batch, or where a batch or a dictionary cannot be read, which is reported.
    fn next(&mut self, problems: &mut ImportError) -> Option<Box<dyn Part>> {
        // A failure below leaves no decoder, as nothing more is read.
        let decoder = self.decoder.take().or_else(|| self.begun(problems))?;
        loop {
            // The next rows of the batch read last; behind them the next batch is read.
            if let Some((batch, start)) = self.batch.take() {
                if start < batch.num_rows() {
                    let rows = PART.min(batch.num_rows() - start);
                    let part = ColumnPart {
                        batch: batch.slice(start, rows),
                        first: self.first + start as u64,
                    };
                    self.batch = Some((batch, start + rows));
                    self.decoder = Some(decoder);
                    return Some(Box::new(part));
                }
                self.first += batch.num_rows() as u64;
            }
            let block = self.batches.get(self.number)?;
            let read = self.block(block, MessageHeader::RecordBatch);
            let read = read.and_then(|bytes| decoded(|| decoder.read_record_batch(block, &bytes)));
            match read.and_then(|batch| batch.ok_or_else(|| "it holds nothing".to_owned())) {
                Ok(batch) => self.batch = Some((batch, 0)),
                Err(words) => {
                    unread(problems, "batch", self.number, &words);
                    return None;
                }
            }
            self.number += 1;
        }
    }

    fn features_alone(&mut self) {
        self.features_alone = true;
    }

    /// Begins again at the first batch, with all columns; dictionaries are read anew.
    fn restart(&mut self, _: &mut ImportError) {
        self.features_alone = false;
        (self.number, self.first, self.batch, self.decoder) = (0, 0, None, None);
    }
}

/// Reports that a batch or a dictionary cannot be read. `what`: "batch" or "dictionary"; `number`:
/// which one, from 0; `words`: why.
fn unread(problems: &mut ImportError, what: &str, number: usize, words: &str) {
    problems.file(format!(
        "{what} {number} cannot be read ({words}); the file is cut off or damaged, write it again"
    ));
}

/// Rows of a batch, and the number of the first.
struct ColumnPart {
    batch: RecordBatch,
    first: u64,
}

impl Part for ColumnPart {
    /// Hands over all rows of the part. If a value is null that must not be, or the library panics
    /// on the columns, no row is handed over, and that is reported.
    fn rows(&self, problems: &mut ImportError, each: &mut RowSink<'_>) -> ControlFlow<()> {
        let Self { batch, first } = self;
        match caught(|| Columns::of(batch, *first, problems)) {
            Ok(Some(columns)) => {
                for row in 0..batch.num_rows() {
                    let place = TracePlace::Row(first + row as u64);
                    each(&columns.row(row, place), problems);
                }
            }
            Ok(None) => {}
            Err(panic) => {
                let words = format!("rows from {first} are damaged ({})", panic.words);
                problems.file(words);
            }
        }
        ControlFlow::Continue(())
    }
}
