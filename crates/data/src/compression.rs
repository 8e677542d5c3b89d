//! Plain, gzip, zstd and xz, told apart by the first bytes.

use std::io::{self, Cursor, Read};

use flate2::read::MultiGzDecoder;
use lzma_rust2::XzReader;

/// Why an input cannot be decompressed at all.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    /// A known kind of file that is no text: its name.
    #[error("found {0}; expected text, plain, gzip or zstd")]
    Kind(&'static str),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Memory that a file may ask of the xz decoder, in KiB. Chosen: `xz -9` wants
/// 65 MiB.
const XZ_MEMORY: u32 = 256 * 1024;

/// Longest of the marks below.
const MARK: u64 = 6;

/// The text of a small file in memory, decompressed.
///
/// # Errors
/// In words: a kind of file that is no text, damaged, or no UTF-8.
pub fn text_of(bytes: &[u8]) -> Result<String, String> {
    let mut reader = decompressed(bytes).map_err(|refusal| refusal.to_string())?;
    let mut text = String::new();
    let read = reader.read_to_string(&mut text);
    read.map(|_| text).map_err(|error| error.to_string())
}

/// Looks at the first bytes and returns a reader of the plain text.
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
        // A frame, or a skippable one (RFC 8878, section 3.1).
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
            return Ok(Box::new(zstd::stream::read::Decoder::new(whole(mark))?));
        }
        [0xfd, b'7', b'z', b'X', b'Z', 0] => {
            let xz = XzReader::new_mem_limit(io::BufReader::new(whole(mark)), true, XZ_MEMORY);
            return Ok(Box::new(xz));
        }
        [b'B', b'Z', b'h', b'1'..=b'9', b'1', b'A'] => "bzip2",
        [b'P', b'K', 3, 4, ..] => "zip",
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "UTF-16",
        _ => return Ok(Box::new(whole(mark))),
    };
    Err(Refusal::Kind(kind))
}
