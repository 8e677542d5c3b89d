//! Columns of numbers stay columns.

use std::ops::Range;

/// Tells whether the columns of a table are aligned. A longer number then grows to the left, into
/// the spaces before it. `starts`: the bytes where its numbers begin.
///
/// They are aligned if some number has more than one space before it, or if the numbers of spaces
/// behind brackets, or behind commas, are not all equal.
pub(crate) fn is_aligned(text: &str, starts: impl Iterator<Item = usize>) -> bool {
    // The number of spaces behind the last bracket, and behind the last comma.
    let mut last = [None::<usize>; 2];
    let mut is_aligned = false;
    for start in starts {
        let (gap, before) = gap(text, start);
        let last = match before {
            Some('(' | '[') => &mut last[0],
            Some(',') => &mut last[1],
            _ => continue,
        };
        is_aligned |= gap > 1 || last.is_some_and(|other| other != gap);
        *last = Some(gap);
    }
    is_aligned
}

/// The number of spaces right before the byte `at`, and the character before them; `None` at the
/// start of the text.
fn gap(text: &str, at: usize) -> (usize, Option<char>) {
    let bare = text[..at].trim_end_matches(' ');
    (at - bare.len(), bare.chars().next_back())
}

/// Keeps the end of the number in its column: a longer number takes spaces to its left, by which
/// `bytes`, its place in the text, is widened; a shorter one gets spaces in front. One space behind
/// a comma stays.
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
