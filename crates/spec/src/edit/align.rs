//! Columns of numbers stay columns.

use std::ops::Range;

/// Whether columns of a table are aligned, so that its numbers
/// grow to the left, into the spaces before them; `starts` are where the numbers begin.
///
/// They are if there is more than one space before a number, or not as many before all that
/// follow a bracket, or before all that follow a comma.
pub(crate) fn is_aligned(text: &str, starts: impl Iterator<Item = usize>) -> bool {
    // The last gap behind a bracket, and behind a comma.
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

/// How many spaces are right before a place, and the character before them; `None` at the start of
/// the text.
fn gap(text: &str, at: usize) -> (usize, Option<char>) {
    let bare = text[..at].trim_end_matches(' ');
    (at - bare.len(), bare.chars().next_back())
}

/// Keeps the end of the number in its column: widens `bytes`, where the number is, to the left over
/// spaces that a longer one takes, or puts spaces in front of a shorter one. A space behind a
/// comma stays.
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
