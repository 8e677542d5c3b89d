//! Columns of numbers stay columns.

use std::ops::Range;

/// Whether columns of a table are aligned, so that its numbers
/// grow to the left, into the spaces before them.
pub(crate) fn is_aligned(text: &str, starts: impl Iterator<Item = usize>) -> bool {
    let mut after = [None::<usize>; 2];
    let mut differ = false;
    for start in starts {
        let (gap, before) = gap(text, start);
        let class = match before {
            Some('(' | '[') => 0,
            Some(',') => 1,
            _ => continue,
        };
        differ |= gap > 1 || after[class].is_some_and(|other| other != gap);
        after[class] = Some(gap);
    }
    differ
}

/// How many spaces are before a place, and what before them.
fn gap(text: &str, at: usize) -> (usize, Option<char>) {
    let bare = text[..at].trim_end_matches(' ');
    (at - bare.len(), bare.chars().next_back())
}

/// Keeps the end of the number in its column: takes spaces before it, or adds some.
pub(crate) fn align(text: &str, bytes: &mut Range<usize>, new: &mut String) {
    let old_width = text[bytes.clone()].chars().count();
    let width = new.chars().count();
    if width < old_width {
        new.insert_str(0, &" ".repeat(old_width - width));
        return;
    }
    let (gap, before) = gap(text, bytes.start);
    let free = if matches!(before, Some('(' | '[')) {
        gap
    } else {
        gap.saturating_sub(1)
    };
    bytes.start -= free.min(width - old_width);
}
