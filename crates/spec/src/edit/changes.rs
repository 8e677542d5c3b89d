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

/// Returns the text `old` with all edits made. `edits` must be in the order of their bytes, and
/// must not overlap.
pub(crate) fn apply(old: &str, edits: &[Edit]) -> String {
    let (mut new, mut at) = (String::with_capacity(old.len()), 0);
    for edit in edits {
        new += &old[at..edit.bytes.start];
        new += &edit.text;
        at = edit.bytes.end;
    }
    new + &old[at..]
}
