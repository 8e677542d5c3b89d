//! Columns of numbers stay columns.

use std::ops::Range;

/// Tells whether the numbers of a table in a text are aligned in columns, so that a longer number
/// should take spaces before it. `starts`: the bytes where the numbers begin, ascending.
///
/// They are aligned if some number has more than one space before it, or if not all numbers behind
/// brackets, or not all behind commas, have equally many spaces before them.
pub(crate) fn is_aligned(text: &str, starts: impl Iterator<Item = usize>) -> bool {
    // The number of spaces behind the bracket seen last, and behind the comma seen last.
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

/// Returns the number of spaces right before the byte `at` of a text, and the character before
/// these spaces; `None` in its place if the text begins with them.
fn gap(text: &str, at: usize) -> (usize, Option<char>) {
    let bare = text[..at].trim_end_matches(' ');
    (at - bare.len(), bare.chars().next_back())
}

/// Changes an edit that replaces a number, so that the number keeps its right end in its column.
/// `bytes`: the old number in `text`; `new`: the new number. A shorter number gets spaces in front;
/// a longer one also replaces spaces before the old one, by which `bytes` grows to the left. One
/// space behind a comma stays.
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
