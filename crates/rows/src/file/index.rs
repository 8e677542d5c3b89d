//! Several files of traces as one: what several ranks have traced, each some of the games.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::TraceFileInfo;
use super::bytes::begins_with;
use super::read::{FileError, TraceFile, header, sorted_tokens};
use crate::{Blocks, Token, TraceSet};
use tuner_base::{Fingerprint, Ranks, write_atomically};

/// How an index begins, with its version.
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
    files: Vec<IndexedFile>,
}

/// A file of an index.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct IndexedFile {
    /// Its name, in the folder of the index.
    pub name: String,
    /// Its positions.
    pub positions: u64,
    /// Those that came with the id of their game.
    pub with_game: u64,
    /// Its blocks.
    pub blocks: u64,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its fingerprint, 16 hexadecimal digits.
    pub fingerprint: String,
}

impl IndexedFile {
    /// Looks at a file of traces, but for its rows.
    ///
    /// # Errors
    /// If it is none.
    pub fn of(path: &Path) -> Result<Self, FileError> {
        let (header, bytes) = header(path)?;
        let name = path.file_name().unwrap_or_default();
        Ok(Self {
            name: name.to_string_lossy().into_owned(),
            positions: header.positions,
            with_game: header.about.with_game,
            blocks: header.blocks.len() as u64,
            bytes,
            fingerprint: header.fingerprint,
        })
    }
}

impl TraceIndex {
    /// Makes one of files in its own folder, in their order.
    pub fn new(files: Vec<IndexedFile>) -> Self {
        Self {
            traces_index: VERSION,
            files,
        }
    }

    /// Writes it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let text = serde_json::to_string(self)?;
        write_atomically(path, &(text + "\n"))
    }

    /// Tells whether a file begins as an index; false if it cannot be read, which reading
    /// it will tell.
    pub fn looks_like_one(path: &Path) -> bool {
        begins_with(path, START.as_bytes())
    }

    fn read(path: &Path) -> Result<Self, FileError> {
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

/// Files of traces, or those of their blocks that one of some ranks has.
#[derive(Debug)]
pub struct TraceFiles {
    files: Vec<TraceFile>,
    index: Vec<IndexedFile>,
    tokens: Vec<Token>,
}

impl TraceFiles {
    /// Opens a file of traces, or all of an index, as far as they are for this rank: files
    /// as a whole where there are as many for each rank, else as many blocks.
    ///
    /// *Cost*: a pass over these blocks on all threads of the current pool.
    ///
    /// # Errors
    /// As [`TraceFile::open`]; if the index is damaged, or a file is another one than it was.
    pub fn open(path: &Path, ranks: Ranks) -> Result<Self, FileError> {
        let (folder, index) = if TraceIndex::looks_like_one(path) {
            let folder = path.parent().unwrap_or(Path::new(""));
            (Some(folder), TraceIndex::read(path)?.files)
        } else {
            (None, vec![IndexedFile::of(path)?])
        };
        let counts: Vec<u64> = index.iter().map(|file| file.blocks).collect();
        let parts = shares(&counts, ranks.rank(), ranks.size());
        let mut files = Vec::new();
        for (indexed, part) in index.iter().zip(&parts) {
            if part.is_empty() {
                continue;
            }
            files.push(open(folder, path, indexed, part.clone())?);
        }
        // What all files say of themselves is needed where no block is for this rank.
        if files.is_empty() {
            files.push(open(folder, path, &index[0], 0..0)?);
        }
        let slots = files[0].slots();
        if let Some(other) = files.iter().find(|file| file.slots() != slots) {
            let words = format!(
                "has {} slots, another file of it {slots}; trace again",
                other.slots()
            );
            return Err(FileError::new(path, &words));
        }
        let all = files.iter().flat_map(|file| &file.tokens()[1..]);
        let tokens = sorted_tokens(all.copied().collect());
        Ok(Self {
            files,
            index,
            tokens,
        })
    }

    /// What the writers of the files of this rank knew.
    pub fn abouts(&self) -> impl Iterator<Item = (&Path, &TraceFileInfo)> {
        self.files.iter().map(|file| (file.path(), file.about()))
    }

    /// All files, those of other ranks as well.
    pub fn all(&self) -> &[IndexedFile] {
        &self.index
    }

    /// Fingerprint of all rows, 16 hexadecimal digits.
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

    /// The file of a block, and its number there.
    fn place(&self, block: usize) -> Option<(&TraceFile, usize)> {
        let mut number = block;
        for file in &self.files {
            if number < file.count() {
                return Some((file, number));
            }
            number -= file.count();
        }
        None
    }
}

fn open(
    folder: Option<&Path>,
    path: &Path,
    indexed: &IndexedFile,
    part: Range<usize>,
) -> Result<TraceFile, FileError> {
    let path = folder.map_or_else(|| PathBuf::from(path), |folder| folder.join(&indexed.name));
    let file = TraceFile::open_part(&path, Some(part))?;
    if file.fingerprint() == indexed.fingerprint {
        return Ok(file);
    }
    let words = "is another file than its index names: it was traced again; trace all again";
    Err(FileError::new(&path, &words))
}

/// The blocks of each file that are for a rank, of so many ranks.
fn shares(blocks: &[u64], rank: usize, size: usize) -> Vec<Range<usize>> {
    let bound = |rank: usize, count: u64| count as usize * rank / size;
    if blocks.len().is_multiple_of(size) {
        let files = bound(rank, blocks.len() as u64)..bound(rank + 1, blocks.len() as u64);
        let part = |(file, &count)| {
            if files.contains(&file) {
                0..count as usize
            } else {
                0..0
            }
        };
        return blocks.iter().enumerate().map(part).collect();
    }
    let total: u64 = blocks.iter().sum();
    let (begin, end) = (bound(rank, total), bound(rank + 1, total));
    let mut first = 0;
    let part = |&count: &u64| {
        let count = count as usize;
        let within = |at: usize| at.clamp(first, first + count) - first;
        let part = within(begin)..within(end);
        first += count;
        part
    };
    blocks.iter().map(part).collect()
}

impl Blocks for TraceFiles {
    fn slots(&self) -> usize {
        self.files[0].slots()
    }

    fn rows(&self) -> usize {
        self.files.iter().map(Blocks::rows).sum()
    }

    fn count(&self) -> usize {
        self.files.iter().map(Blocks::count).sum()
    }

    fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    fn load(&self, block: usize) -> Option<TraceSet> {
        let (file, number) = self.place(block)?;
        file.load(number)
    }

    fn done(&self, block: TraceSet) {
        // Whose memory it is makes no difference.
        self.files[0].done(block);
    }

    fn failure(&self) -> Option<String> {
        self.files.iter().find_map(Blocks::failure)
    }
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
