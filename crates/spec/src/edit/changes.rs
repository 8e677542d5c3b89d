//! Pieces of a text that are replaced.

use std::ops::Range;

/// One replaced piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    /// The bytes of the old text.
    pub(crate) bytes: Range<usize>,
    /// The new text there.
    pub(crate) text: String,
}

/// The text with the edits made; they are in order and do not overlap.
pub(crate) fn apply(old: &str, edits: &[Edit]) -> String {
    piece(old, 0..old.len(), edits)
}

/// The new text of some bytes; no edit crosses their borders.
pub(super) fn piece(old: &str, bytes: Range<usize>, edits: &[Edit]) -> String {
    let mut new = String::with_capacity(bytes.len());
    let mut at = bytes.start;
    for edit in edits {
        if edit.bytes.start >= bytes.start && edit.bytes.end <= bytes.end {
            new.push_str(&old[at..edit.bytes.start]);
            new.push_str(&edit.text);
            at = edit.bytes.end;
        }
    }
    new.push_str(&old[at..bytes.end]);
    new
}
