//! Writes traces as they come.

use std::fmt;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use arrow_ipc::writer::FileWriter;

use super::block::{batch, encoded_steps, fingerprint};
use super::header::{Header, TraceFileInfo};
use super::read::{FileError, whole};
use super::{BLOCK, KEY, VERSION, schema};
use crate::TraceSet;
use tuner_base::AtomicFile;

/// Most distinct entries of a set whose codes have 16 bits.
const MOST_TOKENS: usize = 1 << 16;

/// A file of traces that is being written.
///
/// It is an [`AtomicFile`]: a run that is killed leaves no file that looks like
/// one.
pub struct TraceWriter {
    path: PathBuf,
    slots: usize,
    /// Most rows of a block.
    most: usize,
    /// `None` once it is closed, or after a failure.
    writer: Option<FileWriter<BufWriter<AtomicFile>>>,
    waiting: TraceSet,
    positions: u64,
    blocks: Vec<String>,
}

tuner_base::impl_fmt! { Debug for TraceWriter }

impl TraceWriter {
    /// Begins a file for rows over `slots` slots.
    ///
    /// # Errors
    /// If the file cannot be created.
    ///
    /// # Panics
    /// If `slots` is above [`TraceSet::MOST_SLOTS`].
    pub fn create(path: &Path, slots: usize) -> Result<Self, FileError> {
        if path.is_dir() {
            let words = "is a folder; name a file that is to be written";
            return Err(FileError::new(path, &words));
        }
        let error = |error: &dyn fmt::Display| FileError::new(path, error);
        let file =
            AtomicFile::create(path).map_err(|e| error(&format!("cannot be created: {e}")))?;
        let writer = FileWriter::try_new_buffered(file, &schema())
            .map_err(|e| error(&format!("cannot be written: {e}")));
        Ok(Self {
            path: path.to_owned(),
            writer: Some(writer?),
            slots,
            most: BLOCK,
            waiting: TraceSet::new(slots),
            positions: 0,
            blocks: Vec::new(),
        })
    }

    /// Makes blocks of at most `rows` rows, from 1 to 262,144, which is the default: with smaller
    /// blocks passes take less memory, and a little more time.
    #[must_use]
    pub fn with_block_rows(mut self, rows: usize) -> Self {
        self.most = rows.clamp(1, BLOCK);
        self
    }

    /// Appends the rows of a set. They wait in memory until a block is full, or could have more
    /// different entries than numbers of 16 bits can name; within a block they get another order.
    ///
    /// # Errors
    /// If the file cannot be written: the disk is full, say. Then it is removed,
    /// and nothing more can be appended.
    ///
    /// # Panics
    /// If the set has another number of slots.
    pub fn append(&mut self, set: &TraceSet) -> Result<(), FileError> {
        // A set with more rows than a block is appended in parts.
        if set.len() > self.most {
            let most = self.most;
            let starts = (0..set.len()).step_by(most);
            let mut parts = starts.map(|start| start..(start + most).min(set.len()));
            return parts.try_for_each(|rows| self.append(&set.part(rows)));
        }
        let rows = self.waiting.len() + set.len();
        let tokens = self.waiting.tokens().len() + set.tokens().len();
        if rows > self.most || tokens > MOST_TOKENS {
            self.flush()?;
        }
        self.waiting.append(set);
        Ok(())
    }

    /// Writes the rows that wait in memory as a block; no row waits afterwards.
    fn flush(&mut self) -> Result<(), FileError> {
        let set = std::mem::replace(&mut self.waiting, TraceSet::new(self.slots));
        self.block(set)
    }

    /// Writes a set as one block, or as several where its different entries are more than numbers
    /// of 16 bits can name; an empty set is not written. The rows are first sorted so that those
    /// that are read alike become neighbours.
    fn block(&mut self, mut set: TraceSet) -> Result<(), FileError> {
        if set.is_empty() {
            return Ok(());
        }
        set.finish();
        if set.narrow().is_none() {
            return self.halves(&set);
        }
        let steps = encoded_steps(&set);
        let fingerprint = fingerprint(&set, &steps);
        let written = batch(&set, steps).map_err(|error| error.to_string());
        let written = written.and_then(|batch| {
            let writer = self.writer.as_mut().ok_or("an earlier block was lost")?;
            writer.write(&batch).map_err(|error| error.to_string())
        });
        match written {
            Ok(()) => {
                self.positions += set.len() as u64;
                self.blocks.push(fingerprint);
                Ok(())
            }
            Err(words) => Err(self.fail(&words)),
        }
    }

    /// Writes a set with more distinct entries than numbers of 16 bits can name as two or more
    /// blocks of parts of its rows. Fails where one row alone has so many.
    fn halves(&mut self, set: &TraceSet) -> Result<(), FileError> {
        if set.len() < 2 {
            let words = format!("a position has more than {MOST_TOKENS} different entries");
            return Err(self.fail(&words));
        }
        let half = set.len() / 2;
        self.block(set.part(0..half))?;
        self.block(set.part(half..set.len()))
    }

    /// Removes the unfinished file, so that nothing more is written; returns the error that the
    /// file cannot be written, with `words` as the reason.
    fn fail(&mut self, words: &str) -> FileError {
        self.writer = None;
        FileError::new(&self.path, &format!("cannot be written: {words}"))
    }

    /// Writes the rows that wait in memory and the footer, and moves the file to its place; returns
    /// the file's fingerprint, 16 hexadecimal digits. `about`: what is known of engine, spec and
    /// data.
    ///
    /// # Errors
    /// If it cannot be written, or not be moved.
    pub fn finish(mut self, about: TraceFileInfo) -> Result<String, FileError> {
        self.flush()?;
        let blocks = std::mem::take(&mut self.blocks);
        let header = Header {
            format: VERSION,
            fingerprint: whole(&blocks, &about),
            tuner: env!("CARGO_PKG_VERSION").to_owned(),
            slots: self.slots,
            positions: self.positions,
            blocks,
            about,
        };
        match self.close(&header) {
            Ok(()) => Ok(header.fingerprint),
            Err(words) => Err(self.fail(&words)),
        }
    }

    /// Writes the footer with this header, and moves the file to its place once it is on the disk.
    /// `Err`: what failed, in words that follow "cannot be written".
    fn close(&mut self, header: &Header) -> Result<(), String> {
        let text = serde_json::to_string(header).map_err(|error| error.to_string())?;
        let mut writer = self.writer.take().ok_or("an earlier block was lost")?;
        writer.write_metadata(KEY, text);
        let buffer = writer.into_inner().map_err(|error| error.to_string())?;
        let mut file = buffer.into_inner().map_err(|error| error.to_string())?;
        file.sync().map_err(|error| error.to_string())?;
        file.finish()
            .map_err(|error| format!("cannot be moved to {}: {error}", self.path.display()))
    }
}
