//! Several files of traces as one: what several ranks have traced, each some of the games;
//! which of their blocks are for which rank.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::bytes::begins_with;
use super::read::{FileError, OpenFile};
use tuner_base::write_atomically;

/// The first bytes of an index, and the version of its format.
const START: &str = "{\"traces_index\":";
const VERSION: u32 = 1;

/// The files that belong together.
///
/// A text file of JSON: `traces_index`, the version, and `files`, of each its name, relative
/// to the folder of the index, and what is known of it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TraceIndex {
    traces_index: u32,
    pub(super) files: Vec<IndexedFile>,
}

/// A file of an index.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct IndexedFile {
    /// Its name, in the folder of the index.
    pub name: String,
    /// Number of its positions.
    pub positions: u64,
    /// Number of its positions that came with the id of their game.
    pub with_game: u64,
    /// Number of its blocks.
    pub blocks: u64,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its fingerprint, 16 hexadecimal digits.
    pub fingerprint: String,
}

impl IndexedFile {
    /// Reads what a file of traces says of itself, without its rows.
    ///
    /// # Errors
    /// If it cannot be read, or is not a file of traces of this format.
    pub fn of(path: &Path) -> Result<Self, FileError> {
        // `state`: the length of the file and the time of its last change.
        let (OpenFile { state, header, .. }, _) = OpenFile::open(path)?;
        let name = path.file_name().unwrap_or_default();
        Ok(Self {
            name: name.to_string_lossy().into_owned(),
            positions: header.positions,
            with_game: header.about.with_game,
            blocks: header.blocks.len() as u64,
            bytes: state.0,
            fingerprint: header.fingerprint,
        })
    }
}

impl TraceIndex {
    /// Makes an index of files that are in the folder of the index, in their order.
    pub fn new(files: Vec<IndexedFile>) -> Self {
        Self {
            traces_index: VERSION,
            files,
        }
    }

    /// Writes the index as a text file of JSON, atomically.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let text = serde_json::to_string(self)?;
        write_atomically(path, &(text + "\n"))
    }

    /// Tells whether a file begins as an index does; false if it is not a plain file, or cannot be
    /// read, which the caller notices once it reads the file.
    pub(super) fn looks_like_one(path: &Path) -> bool {
        begins_with(path, START.as_bytes())
    }

    /// Reads an index from its file; refuses a version that this program does not know, and an
    /// index that names no file.
    pub(super) fn read(path: &Path) -> Result<Self, FileError> {
        let error = |words: String| FileError::new(path, &words);
        let text = fs::read_to_string(path).map_err(|e| error(format!("cannot be read: {e}")))?;
        let found: Self = serde_json::from_str(&text)
            .map_err(|e| error(format!("is damaged: {e}; trace again")))?;
        if found.traces_index != VERSION {
            return Err(error(format!(
                "is an index of version {}, expected {VERSION}; trace again",
                found.traces_index
            )));
        }
        if found.files.is_empty() {
            return Err(error("names no file; trace again".to_owned()));
        }
        Ok(found)
    }
}

/// Returns, for each file, the range of its blocks that are for rank number `rank` of `size`; empty
/// where it reads nothing there. `blocks`: how many each file has. If the number of files is a
/// multiple of `size`, each rank has whole files, else an equal part of all blocks in order.
pub(super) fn shares(blocks: &[u64], rank: usize, size: usize) -> Vec<Range<usize>> {
    // Where the part of a rank begins, of `count` files or blocks.
    let bound =
        |rank: usize, count: u64| (u128::from(count) * rank as u128 / size as u128) as usize;
    if blocks.len().is_multiple_of(size) {
        let files = bound(rank, blocks.len() as u64)..bound(rank + 1, blocks.len() as u64);
        let part = |(file, &count)| {
            let is_here = files.contains(&file);
            let end = if is_here { count as usize } else { 0 };
            0..end
        };
        return blocks.iter().enumerate().map(part).collect();
    }
    // A damaged index may have any numbers, so sums saturate.
    let total = blocks.iter().copied().fold(0, u64::saturating_add);
    let (begin, end) = (bound(rank, total), bound(rank + 1, total));
    let mut first = 0_usize;
    let part = |&count: &u64| {
        let count = count as usize;
        let end_of_file = first.saturating_add(count);
        // Where block number `at`, counted over all files, is among those of this file: 0 if it is
        // in front of them, `count` if it is behind them.
        let within = |at: usize| at.clamp(first, end_of_file) - first;
        let part = within(begin)..within(end);
        first = end_of_file;
        part
    };
    blocks.iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::shares;

    #[test]
    fn every_block_is_of_one_rank() {
        for blocks in [&[3][..], &[3, 4], &[2, 2, 2, 2], &[1, 0, 7], &[5, 5, 5]] {
            for size in 1..=6 {
                let all: Vec<_> = (0..size).map(|rank| shares(blocks, rank, size)).collect();
                for (file, &count) in blocks.iter().enumerate() {
                    let mut next = 0;
                    for of_rank in all.iter().filter(|of_rank| !of_rank[file].is_empty()) {
                        assert_eq!(of_rank[file].start, next, "{blocks:?} {size}");
                        next = of_rank[file].end;
                    }
                    assert_eq!(next as u64, count, "{blocks:?} {size}");
                }
            }
        }
        assert_eq!(shares(&[9, 1], 1, 2), [0..0, 0..1]);
    }
}
