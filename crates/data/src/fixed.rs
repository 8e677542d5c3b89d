//! Formats of which every unit is a position in so many bytes: what
//! [`Records`](crate::Records) asks, but for reading one.

use crate::units;
use crate::{EventSink, Fault, LabelledPosition, RecordEvent, RecordPlace, in_bytes};

/// Records at the beginning of an input that decide whether it is of a format.
const SAMPLED: usize = 64;

/// Makes the `Records` of a format of its name, the bytes of a record, and the function that reads
/// one (a `ReadRecord`).
#[macro_export]
macro_rules! fixed_records {
    ($name:literal, $size:literal, $read:path) => {
        $crate::Records {
            name: $name,
            pattern: concat!($size, " bytes a position"),
            unit: $crate::RecordUnit::Records,
            takes_stated: false,
            recognises: |first, _| $crate::fixed::fits(first, $read),
            cut: |bytes| $crate::units::cut(bytes, $crate::fixed::end::<$size>),
            count: |bytes| $crate::units::count(bytes, $crate::fixed::end::<$size>),
            parse: &|bytes, _, to| {
                let expected = concat!("records of ", $size, " bytes");
                $crate::fixed::parse(bytes, $read, expected, to);
            },
        }
    };
}

/// Reads a record; one whose score is beyond that of a mate has none.
pub type ReadRecord<P, const SIZE: usize> = fn(&[u8; SIZE]) -> Result<LabelledPosition<P>, Fault>;

/// Tells whether an input that begins with the bytes `first` consists of records of `SIZE` bytes
/// that `read` can read. Of the first 64 records nine in ten must be good, so that some may be
/// damaged; files of other kinds have hardly a good one.
pub fn fits<P, const SIZE: usize>(first: &[u8], read: ReadRecord<P, SIZE>) -> bool {
    let records = first.as_chunks::<SIZE>().0;
    let sampled = &records[..records.len().min(SAMPLED)];
    let good = sampled.iter().filter(|bytes| read(bytes).is_ok()).count();
    good > 0 && good * 10 >= sampled.len() * 9
}

/// Returns where the first record ends, of which each has `SIZE` bytes; `None` if there are fewer.
pub fn end<const SIZE: usize>(bytes: &[u8]) -> Option<usize> {
    (bytes.len() >= SIZE).then_some(SIZE)
}

/// Reads records of `SIZE` bytes one after the other by `read`, and tells `to` of each: its
/// position, or why it is bad. A position without a score had one beyond that of a mate, so that it
/// was not read: that is told as well. `expected` says in words what whole records are.
pub fn parse<P, const SIZE: usize>(
    bytes: &[u8],
    read: ReadRecord<P, SIZE>,
    expected: &'static str,
    to: EventSink<'_, P>,
) {
    units::parse(bytes, end::<SIZE>, expected, to, |unit, line, to| {
        let place = RecordPlace::new(line, 1);
        match unit.first_chunk().map(read) {
            Some(Ok(labelled)) => {
                let is_beyond = labelled.search_score.is_none();
                to(RecordEvent::Position(place, labelled));
                to(RecordEvent::Unit);
                if is_beyond {
                    to(RecordEvent::Unread(place, 1, in_bytes::BEYOND_MATE.into()));
                }
            }
            Some(Err(fault)) => to(RecordEvent::Rejected(place, fault)),
            // Not reached: each unit has `SIZE` bytes, as `end` cuts it.
            None => {}
        }
    });
}
