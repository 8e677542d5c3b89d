//! Formats of which every unit is a position in so many bytes: what
//! [`Records`](crate::Records) asks, but for reading one.

use crate::in_bytes::truncated;
use crate::{EventSink, Fault, LabelledPosition, RecordEvent, RecordPlace};

/// Records that decide whether an input is of a format.
const SAMPLED: usize = 64;

/// The format of a name whose records, of so many bytes, a function reads.
#[macro_export]
macro_rules! fixed_records {
    ($name:literal, $size:literal, $read:path) => {
        $crate::Records {
            name: $name,
            pattern: concat!($size, " bytes a position"),
            unit: $crate::RecordUnit::Records,
            recognises: |first, _| $crate::fixed::fits(first, $read),
            cut: $crate::fixed::cut::<$size>,
            count: $crate::fixed::count::<$size>,
            parse: &|bytes, to| {
                let expected = concat!("records of ", $size, " bytes");
                $crate::fixed::parse(bytes, $read, expected, to);
            },
        }
    };
}

/// Reads a record.
pub type ReadRecord<P, const SIZE: usize> = fn(&[u8; SIZE]) -> Result<LabelledPosition<P>, Fault>;

/// Tells whether an input begins with such records: one in ten may be damaged; other
/// files have hardly a good one.
pub fn fits<P, const SIZE: usize>(first: &[u8], read: ReadRecord<P, SIZE>) -> bool {
    let records = first.as_chunks::<SIZE>().0;
    let sampled = &records[..records.len().min(SAMPLED)];
    let good = sampled.iter().filter(|bytes| read(bytes).is_ok()).count();
    good > 0 && good * 10 >= sampled.len() * 9
}

/// Finds where the last whole record ends.
pub fn cut<const SIZE: usize>(bytes: &[u8]) -> Option<usize> {
    let end = bytes.len() / SIZE * SIZE;
    (end > 0).then_some(end)
}

/// Counts records, the last perhaps not whole.
pub fn count<const SIZE: usize>(bytes: &[u8]) -> u64 {
    bytes.len().div_ceil(SIZE) as u64
}

/// Reads records; `expected` are whole ones, in words.
pub fn parse<P, const SIZE: usize>(
    bytes: &[u8],
    read: ReadRecord<P, SIZE>,
    expected: &'static str,
    to: EventSink<'_, P>,
) {
    let (records, rest) = bytes.as_chunks::<SIZE>();
    for (line, bytes) in (0..).zip(records) {
        let place = RecordPlace::new(line, 1);
        match read(bytes) {
            Ok(labelled) => {
                to(RecordEvent::Position(place, labelled));
                to(RecordEvent::Unit);
            }
            Err(fault) => to(RecordEvent::Rejected(place, fault)),
        }
    }
    if !rest.is_empty() {
        let place = RecordPlace::new(records.len() as u64, 1);
        to(RecordEvent::Rejected(
            place,
            truncated(rest.len(), expected),
        ));
    }
}
