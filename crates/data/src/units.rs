//! Formats of bytes in which a unit, a game say, tells where it ends.

use crate::in_bytes::truncated;
use crate::{EventSink, RecordEvent, RecordPlace};

/// Finds where the first unit ends; `None` if it is not whole.
pub type UnitEnd = fn(&[u8]) -> Option<usize>;

/// Cuts bytes into units (games or records), of which `end` finds where the first ends; tells of
/// each whether it is whole, which the last one may not be.
pub fn units(bytes: &[u8], end: UnitEnd) -> impl Iterator<Item = (&[u8], bool)> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let end = end(rest);
        let (unit, after) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
        rest = after;
        (!unit.is_empty()).then_some((unit, end.is_some()))
    })
}

/// Returns where the last whole unit (game or record) ends, by `end`, which finds the end of the
/// first one in some bytes; `None` if no unit is whole.
pub fn cut(bytes: &[u8], end: UnitEnd) -> Option<usize> {
    let whole = units(bytes, end).filter(|(_, whole)| *whole);
    let end = whole.map(|(unit, _)| unit.len()).sum();
    (end > 0).then_some(end)
}

/// Counts units (games or records), the last of which may be not whole. `end` finds where the first
/// one in some bytes ends.
pub fn count(bytes: &[u8], end: UnitEnd) -> u64 {
    units(bytes, end).count() as u64
}

/// Calls `each` with each whole unit (game or record), its number, counted from 0, and `to`. A unit
/// at the end that is not whole is told to `to` as rejected; `expected` says in words what whole
/// ones are. `end` finds where the first unit in some bytes ends.
pub fn parse<P>(
    bytes: &[u8],
    end: UnitEnd,
    expected: &'static str,
    to: EventSink<'_, P>,
    mut each: impl FnMut(&[u8], u64, EventSink<'_, P>),
) {
    for (line, (unit, whole)) in (0..).zip(units(bytes, end)) {
        if whole {
            each(unit, line, to);
        } else {
            let fault = truncated(unit.len(), expected);
            to(RecordEvent::Rejected(RecordPlace::new(line, 1), fault));
        }
    }
}
