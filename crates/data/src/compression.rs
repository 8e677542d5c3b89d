//! Plain, gzip, zstd and xz, told apart by the first bytes.

use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use super::Input;
use super::blocks::{Blocks, count_lines};
use flate2::read::MultiGzDecoder;
#[cfg(feature = "xz")]
use tuner_base::available_memory;

/// Why an input cannot be decompressed at all.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    /// A known kind of file that is not text: its name.
    #[error("found {0}; expected text, plain, gzip or zstd")]
    Kind(&'static str),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Largest window that a zstd file may have, as a power of two: that of `zstd --long=31`, the
/// largest that there is.
const WINDOW: u32 = 31;

/// One byte in so many of the memory that is left is the most that the xz decoder may take; it
/// would end the program where there is too little. Chosen.
#[cfg(feature = "xz")]
const XZ_PART: u64 = 2;

/// Bytes of a block of lines. Chosen: each is numbered anew where it joins the others.
const LINES: usize = 1 << 20;

/// Bytes of the longest mark by which a kind of file is recognised.
const MARK: u64 = 6;

/// The text of a small file in memory, decompressed.
///
/// # Errors
/// In words: the file is of a kind that is not text, is damaged, or is not UTF-8.
pub fn text_of(bytes: &[u8]) -> Result<String, String> {
    let mut reader = decompressed(bytes).map_err(|refusal| refusal.to_string())?;
    let mut text = String::new();
    let read = reader.read_to_string(&mut text);
    read.map(|_| text).map_err(|error| error.to_string())
}

/// Tells whether an error of a decompressor is that there was too little memory, which says nothing
/// against the data. Large windows of zstd and xz need much.
pub(super) fn is_window(error: &io::Error) -> bool {
    // zstd has its own errors, and only words for them (zstd 1.5, `ERR_getErrorString`).
    let words = error.to_string();
    error.kind() == io::ErrorKind::OutOfMemory
        || words.contains("too much memory")
        || words.contains("not enough memory")
}

/// Opens a file of text, plain or compressed, to be read line by line.
///
/// # Errors
/// If it cannot be opened, or is of a kind that is not text.
pub fn open_text(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let reader = plain(Input::File(path.to_owned()).open()?)?;
    Ok(Box::new(BufReader::new(reader)))
}

/// Returns a reader of the plain bytes of an input, plain or compressed; a file of another kind is
/// an error.
fn plain<'a>(raw: impl Read + Send + 'a) -> io::Result<Box<dyn Read + Send + 'a>> {
    decompressed(raw).map_err(|refusal| match refusal {
        Refusal::Io(error) => error,
        kind @ Refusal::Kind(_) => io::Error::new(io::ErrorKind::InvalidData, kind),
    })
}

impl Input {
    /// Opens the input, plain or compressed, and returns a reader of its bytes as they are without
    /// compression.
    ///
    /// # Errors
    /// If it cannot be opened, or is of a kind that is not read.
    pub fn plain(&self) -> io::Result<Box<dyn Read + Send>> {
        plain(self.open()?)
    }

    /// Tells whether the input, without compression, begins with `start`. Standard input is only
    /// looked at: its bytes stay to be read. Of any other pipe they would be lost, so the answer is
    /// `false`, as it is for what cannot be read.
    pub fn begins_with(&self, start: &[u8]) -> bool {
        let is_read = match self {
            // The bytes are only looked at, and stay in the buffer of standard input.
            Self::Stdin => io::stdin().lock().fill_buf().map(|bytes| {
                let begun = plain(bytes);
                begun.is_ok_and(|reader| begins(reader, start))
            }),
            Self::File(path) if !path.is_file() => return false,
            Self::File(_) | Self::Embedded { .. } => {
                self.plain().map(|reader| begins(reader, start))
            }
        };
        is_read.unwrap_or(false)
    }
}

/// Tells whether the first bytes that a reader gives are `start`; false also if it cannot be read.
fn begins(mut reader: impl Read, start: &[u8]) -> bool {
    let mut found = vec![0; start.len()];
    reader.read_exact(&mut found).is_ok() && found == start
}

/// Whole lines, with the number of the first, counted from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineBlock {
    /// The number of the first line.
    pub first: u64,
    /// The lines with their ends.
    pub bytes: Vec<u8>,
}

/// Blocks of whole lines, about a megabyte each, of what is read.
pub struct LineBlocks {
    blocks: Blocks<Box<dyn Read + Send>>,
    /// The number of the next line, from 1.
    next: u64,
}

tuner_base::impl_fmt! { Debug for LineBlocks }

impl LineBlocks {
    /// Cuts what a reader gives into blocks of whole lines, about a megabyte each. A line of more
    /// than `longest` bytes is cut shortly behind these.
    pub fn new(reader: Box<dyn Read + Send>, longest: usize) -> Self {
        let blocks = Blocks::of_sizes(reader, [LINES, longest]);
        Self { blocks, next: 1 }
    }

    /// Returns why reading ended before the end of the input, once there are no more blocks; `None`
    /// if it did not, or if this was asked before.
    pub fn broken(&mut self) -> Option<io::Error> {
        self.blocks.broken()
    }
}

impl Iterator for LineBlocks {
    type Item = LineBlock;

    fn next(&mut self) -> Option<LineBlock> {
        let (first, bytes) = (self.next, self.blocks.lines()?);
        self.next += count_lines(&bytes);
        Some(LineBlock { first, bytes })
    }
}

/// Looks at the first bytes and returns a reader of the plain text. Other compressed files,
/// archives and UTF-16 are refused, by their names.
///
/// A file of several gzip members, zstd frames or xz streams, as `cat a.gz b.gz` makes it,
/// is read to its end. The end of compressed data is verified: a file cut off
/// gives an error, not a short text.
pub(super) fn decompressed<'a>(
    mut raw: impl Read + Send + 'a,
) -> Result<Box<dyn Read + Send + 'a>, Refusal> {
    let mut mark = Vec::new();
    raw.by_ref().take(MARK).read_to_end(&mut mark)?;
    let whole = |mark: Vec<u8>| Cursor::new(mark).chain(raw);
    let kind = match mark.as_slice() {
        [0x1f, 0x8b, ..] => {
            let buffered = io::BufReader::new(whole(mark));
            return Ok(Box::new(MultiGzDecoder::new(buffered)));
        }
        // A zstd frame, or a skippable one (RFC 8878, section 3.1).
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
            let mut zstd = zstd::stream::read::Decoder::new(whole(mark))?;
            zstd.window_log_max(WINDOW)?;
            return Ok(Box::new(zstd));
        }
        #[cfg(feature = "xz")]
        [0xfd, b'7', b'z', b'X', b'Z', 0] => return Ok(xz(whole(mark))),
        #[cfg(not(feature = "xz"))]
        [0xfd, b'7', b'z', b'X', b'Z', 0] => {
            "xz (`xz -d` makes it plain; a program built with `--features xz` reads it)"
        }
        [b'B', b'Z', b'h', b'1'..=b'9', b'1', b'A'] => "bzip2",
        [b'P', b'K', 3, 4, ..] => "zip",
        [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c] => "7z",
        [0x04, 0x22, 0x4d, 0x18, ..] => "lz4",
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "UTF-16 (`iconv -f UTF-16 -t UTF-8` makes it plain)",
        _ => return Ok(Box::new(whole(mark))),
    };
    Err(Refusal::Kind(kind))
}

/// Returns a reader of what is compressed by xz, which takes at most half of the memory that is
/// left.
#[cfg(feature = "xz")]
fn xz<'a>(raw: impl Read + Send + 'a) -> Box<dyn Read + Send + 'a> {
    let left = available_memory().map(|bytes| bytes / 1024 / XZ_PART);
    let most = left.and_then(|left| u32::try_from(left).ok());
    // Where the memory is not known, or has more KiB than 32 bits hold, there is hardly a limit.
    let most = most.unwrap_or(u32::MAX);
    let raw = BufReader::new(raw);
    // The limit is in KiB; `true`: several streams one after the other are read.
    Box::new(lzma_rust2::XzReader::new_mem_limit(raw, true, most))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    const TEXT: &[u8] = b"one [1.0]\ntwo [0.5]\n";

    /// As `zstd --long=28` writes it: `zstd -d` refuses that without the option.
    fn wide() -> Vec<u8> {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(28).unwrap();
        encoder.long_distance_matching(true).unwrap();
        io::Write::write_all(&mut encoder, TEXT).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn files_with_large_windows_are_read() {
        let (bytes, mut text) = (wide(), Vec::new());
        let mut reader = decompressed(&bytes[..]).map_err(|refusal| refusal.to_string());
        reader.as_mut().unwrap().read_to_end(&mut text).unwrap();
        assert_eq!(text, TEXT);
    }

    #[test]
    fn too_little_memory_is_no_damage() {
        let read = |reader: &mut dyn Read| reader.read_to_end(&mut Vec::new()).unwrap_err();
        let bytes = wide();
        let mut zstd = zstd::stream::read::Decoder::new(&bytes[..]).unwrap();
        zstd.window_log_max(20).unwrap();
        let error = read(&mut zstd);
        assert!(is_window(&error), "{error:?}");

        let options = lzma_rust2::XzOptions::with_preset(6);
        let mut xz = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
        io::Write::write_all(&mut xz, TEXT).unwrap();
        let bytes = xz.finish().unwrap();
        let error = read(&mut lzma_rust2::XzReader::new_mem_limit(
            &bytes[..],
            true,
            1024,
        ));
        assert!(is_window(&error), "{error:?}");

        let cut = zstd::encode_all(TEXT, 1).unwrap();
        let error = read(&mut zstd::stream::read::Decoder::new(&cut[..cut.len() - 3]).unwrap());
        assert!(!is_window(&error), "{error:?}");
    }
}
