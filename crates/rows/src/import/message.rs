//! What the message of a block says of its body, checked.
//!
//! Not here: what the values of the buffers are; the library checks offsets of lists
//! and texts, and returns errors.

use arrow_data::{BufferSpec, layout};
use arrow_ipc::{MessageHeader, root_as_message};
use arrow_schema::{DataType, Schema};

/// Most rows of a batch, and most values of a list.
const MOST_VALUES: i64 = i32::MAX as i64;

/// Most bytes of a buffer once it is decompressed. Chosen: nobody who reads batch by batch has
/// batches of that size.
const LARGEST_BUFFER: i64 = 1 << 32;

/// Checks all lengths and offsets that a message says of its body. `block`: the message, of
/// `message` bytes, and the body behind it; `header`: the kind of message that is expected. `Err`:
/// what is wrong, for a message to the user.
pub(super) fn check(
    block: &[u8],
    message: usize,
    header: MessageHeader,
    schema: &Schema,
) -> Result<(), String> {
    let damaged = |what: &str| Err(what.to_owned());
    let (Some(head), body) = (block.get(..message), &block[message.min(block.len())..]) else {
        return damaged("it has no message");
    };
    // A marker and a length, or, of old files, a length.
    let skipped = if head.starts_with(&[0xff; 4]) { 8 } else { 4 };
    let Some(head) = head.get(skipped..) else {
        return damaged("its message is too short");
    };
    let Ok(message) = root_as_message(head) else {
        return damaged("its message is no message");
    };
    if message.header_type() != header {
        return damaged("its message is of another kind");
    }
    let batch = if header == MessageHeader::DictionaryBatch {
        let batch = message.header_as_dictionary_batch();
        batch.and_then(|batch| batch.data())
    } else {
        message.header_as_record_batch()
    };
    let Some(batch) = batch else {
        return damaged("its message has no batch");
    };
    let few = |count: i64| (0..=MOST_VALUES).contains(&count);
    let nodes = batch.nodes().into_iter().flatten();
    let mut nodes = nodes.map(|node| (node.length(), node.null_count()));
    if !few(batch.length()) || !nodes.all(|(length, nulls)| few(length) && few(nulls)) {
        return damaged("it says an impossible number of values");
    }
    let widths = if header == MessageHeader::DictionaryBatch {
        dictionary_widths(schema)
    } else {
        let mut widths = Vec::new();
        // Behind a column of unknown type nothing is known of the buffers.
        let mut types = schema.fields().iter().map(|field| field.data_type());
        let _ = types.all(|data_type| add_widths(data_type, &mut widths));
        widths
    };
    // Buffers behind those may have any length.
    let widths = widths.into_iter().chain(std::iter::repeat(1));
    let compressed = batch.compression().is_some();
    // Each buffer must be within the body and be of whole numbers.
    for (buffer, width) in batch.buffers().into_iter().flatten().zip(widths) {
        // A negative number becomes one beyond every body.
        let offset = usize::try_from(buffer.offset()).unwrap_or(usize::MAX);
        let length = usize::try_from(buffer.length()).unwrap_or(usize::MAX);
        let end = offset.checked_add(length);
        let Some(bytes) = end.and_then(|end| body.get(offset..end)) else {
            return damaged("a buffer is outside of it");
        };
        let length = if compressed && !bytes.is_empty() {
            decompressed(bytes)?
        } else {
            length as i64
        };
        if length % width != 0 {
            return damaged("a buffer ends within a number");
        }
    }
    let mut counts = batch.variadicBufferCounts().into_iter().flatten();
    if !counts.all(few) {
        return damaged("it says an impossible number of buffers");
    }
    Ok(())
}

/// Returns how many bytes a buffer of a compressed batch has once it is decompressed, which its
/// first 8 bytes say: the size or, of one that is not compressed, −1. `Err`: what is wrong, where
/// it has not so many bytes, or the size is another negative one or above `LARGEST_BUFFER` (4 GiB).
fn decompressed(bytes: &[u8]) -> Result<i64, String> {
    let Some(Ok(size)) = bytes.get(..8).map(<[u8; 8]>::try_from) else {
        return Err("a compressed buffer is too short".to_owned());
    };
    match i64::from_le_bytes(size) {
        -1 => Ok(bytes.len() as i64 - 8), // not compressed, as that would gain nothing
        size @ 0..=LARGEST_BUFFER => Ok(size),
        _ => Err("a compressed buffer says an impossible size".to_owned()),
    }
}

/// Appends for each buffer that an Arrow type has the number of bytes of one of its values, which
/// the buffer's length must be a multiple of, or 1 where it may have any length. Returns false
/// where these are not all of its buffers, as the type is not known here or has any number of them:
/// then nothing is known of the buffers that follow.
fn add_widths(data_type: &DataType, widths: &mut Vec<i64>) -> bool {
    let layout = match data_type {
        DataType::Union(..)
        | DataType::RunEndEncoded(..)
        | DataType::ListView(_)
        | DataType::LargeListView(_) => return false,
        // Validity bits, and values, whose length is not checked.
        DataType::FixedSizeBinary(_) => {
            widths.extend([1, 1]);
            return true;
        }
        known => layout(known),
    };
    widths.extend(layout.can_contain_null_mask.then_some(1));
    widths.extend(layout.buffers.iter().map(|buffer| match buffer {
        BufferSpec::FixedWidth { byte_width, .. } => *byte_width as i64,
        _ => 1,
    }));
    match data_type {
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => add_widths(field.data_type(), widths),
        DataType::Struct(fields) => {
            (fields.iter()).all(|field| add_widths(field.data_type(), widths))
        }
        _ => !layout.variadic,
    }
}

/// The bytes of one value in each buffer of a dictionary's values, where the schema has one
/// dictionary; empty where it has several, as it is not known which of them a message is of.
fn dictionary_widths(schema: &Schema) -> Vec<i64> {
    let types = schema.fields().iter().map(|field| field.data_type());
    let mut values = types.filter_map(|data_type| match data_type {
        DataType::Dictionary(_, values) => Some(values),
        _ => None,
    });
    let mut widths = Vec::new();
    if let (Some(values), None) = (values.next(), values.next()) {
        add_widths(values, &mut widths);
    }
    widths
}
