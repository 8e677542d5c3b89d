//! The footer of a file: where the blocks are, and where they come from.

use std::fmt;
use std::fs::File;

use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::{Block, root_as_footer};

use super::bytes::{BytesByPlace, at};
use super::header::Header;
use super::places::Run;
use super::{KEY, VERSION, schema};
use crate::TraceSet;

/// The bytes that files begin and end with.
pub(super) const MAGIC: &[u8; 6] = b"ARROW1";

/// Reads the bytes of the footer of an Arrow file of `length` bytes. `None` if it has none: it is
/// too short, does not end with `ARROW1` ([`MAGIC`]), or names a footer longer than the file. `Err`
/// says why it cannot be read.
pub(crate) fn arrow_footer(
    file: &dyn BytesByPlace,
    length: u64,
) -> Result<Option<Vec<u8>>, String> {
    // Bytes behind the footer: its length, 4 bytes, and the magic.
    const END: u64 = 4 + MAGIC.len() as u64;
    let Some(most) = length.checked_sub(MAGIC.len() as u64 + END) else {
        return Ok(None);
    };
    let mut end = [0; END as usize];
    at(file, length - END, &mut end)?;
    let bytes = arrow_ipc::reader::read_footer_length(end).ok();
    let Some(bytes) = bytes.filter(|&bytes| bytes as u64 <= most) else {
        return Ok(None);
    };
    let mut footer = vec![0; bytes];
    at(file, length - END - bytes as u64, &mut footer)?;
    Ok(Some(footer))
}

/// Returns where the message and the body of a block are in a file of `length` bytes; `None` if the
/// file ends before, as a damaged footer may say.
pub(crate) fn extent(block: &Block, length: u64) -> Option<(Run, Run)> {
    let offset = u64::try_from(block.offset()).ok()?;
    let message = usize::try_from(block.metaDataLength()).ok()?;
    let body = usize::try_from(block.bodyLength()).ok()?;
    let start = offset.checked_add(message as u64)?;
    if start.checked_add(body as u64)? > length {
        return None;
    }
    let run = |offset, bytes| Run { offset, bytes };
    Some((run(offset, message), run(start, body)))
}

/// Reads the bytes of the footer of a file of traces of `length` bytes. `Err`: what is wrong, in
/// words that follow the file's name.
pub(super) fn footer(file: &File, length: u64) -> Result<Vec<u8>, String> {
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
    arrow_footer(file, length)?.ok_or_else(|| {
        format!("is cut off after {length} bytes: it has no footer; copy it again or trace again")
    })
}

/// For each block, the places of its message and of its body in the file.
pub(super) type Runs = Vec<(Run, Run)>;

/// Reads from the bytes of a footer the header, and where message and body of each block are.
/// `length`: bytes of the file, in which all blocks must be. `Err`: what is wrong, in words that
/// follow the file's name; the format's version is looked at before all else. Fingerprints are not
/// compared here.
pub(super) fn contents(footer: &[u8], length: u64) -> Result<(Header, Runs), String> {
    let damaged = |what: &dyn fmt::Display| format!("its footer is damaged: {what}; trace again");
    let footer = root_as_footer(footer).map_err(|error| damaged(&error))?;
    // The header is the text of the key `tuner`.
    let pairs = footer.custom_metadata().into_iter().flatten();
    let mut own = pairs.filter(|pair| pair.key() == Some(KEY));
    let text = own.find_map(|pair| pair.value());
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
    // The columns must be those of the format.
    let found = footer.schema().map(try_fb_to_schema).transpose();
    let found = found.map_err(|error| damaged(&error))?;
    if found.is_none_or(|found| found.fields() != schema().fields()) {
        return Err(damaged(&"its columns are not those of traces"));
    }
    if header.slots > TraceSet::MOST_SLOTS {
        return Err(damaged(&format!("{} slots", header.slots)));
    }
    // Each block must be within the file, and have a fingerprint.
    let mut runs = Runs::new();
    for block in footer.recordBatches().into_iter().flatten() {
        runs.push(extent(block, length).ok_or_else(|| damaged(&"a block is nowhere"))?);
    }
    if runs.len() != header.blocks.len() {
        let (found, told) = (runs.len(), header.blocks.len());
        return Err(damaged(&format!("{found} blocks and {told} fingerprints")));
    }
    Ok((header, runs))
}
