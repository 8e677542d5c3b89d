//! Changes as a unified diff. Where the texts differ is known, so nothing is
//! searched for.

use std::fmt::Write as _;
use std::ops::Range;

use super::changes::{Edit, piece};

/// Lines around a change, as every diff has them.
const CONTEXT: usize = 3;

/// The edits as `diff -u` shows them; nothing for none.
pub(crate) fn unified(name: &str, old: &str, edits: &[Edit]) -> String {
    if edits.is_empty() {
        return String::new();
    }
    let mut starts = vec![0];
    starts.extend(old.match_indices('\n').map(|(at, _)| at + 1));
    if starts.last() == Some(&old.len()) {
        starts.pop();
    }
    let lines = starts.len();
    let line_of = |byte: usize| starts.partition_point(|&start| start <= byte) - 1;
    let start_of = |line: usize| starts.get(line).copied().unwrap_or(old.len());
    // Lines that change, joined where an edit spans several, then hunks.
    let mut changed: Vec<Range<usize>> = Vec::new();
    for edit in edits {
        let (first, last) = (line_of(edit.bytes.start), line_of(edit.bytes.end - 1) + 1);
        match changed.last_mut() {
            Some(before) if first < before.end => before.end = before.end.max(last),
            _ => changed.push(first..last),
        }
    }
    let mut out = format!("--- {name}\n+++ {name}\n");
    let mut shift = 0_isize;
    let mut rest = changed.as_slice();
    while let Some(first) = rest.first() {
        let near = |pair: &[Range<usize>]| pair[1].start <= pair[0].end + 2 * CONTEXT;
        let count = 1 + rest.windows(2).take_while(|pair| near(pair)).count();
        let (hunk, later) = rest.split_at(count);
        rest = later;
        let from = first.start.saturating_sub(CONTEXT);
        let to = (hunk[count - 1].end + CONTEXT).min(lines);
        let mut body = String::new();
        let mut added = 0;
        let mut at = from;
        let text = |lines: Range<usize>| &old[start_of(lines.start)..start_of(lines.end)];
        for lines in hunk {
            added += marked(&mut body, ' ', text(at..lines.start));
            marked(&mut body, '-', text(lines.clone()));
            let bytes = start_of(lines.start)..start_of(lines.end);
            added += marked(&mut body, '+', &piece(old, bytes, edits));
            at = lines.end;
        }
        added += marked(&mut body, ' ', text(at..to));
        let new_from = from as isize + shift + 1;
        let _ = writeln!(out, "@@ -{},{} +{new_from},{added} @@", from + 1, to - from);
        out += &body;
        shift += added as isize - (to - from) as isize;
    }
    out
}

/// Writes lines behind a mark; returns how many.
fn marked(out: &mut String, mark: char, text: &str) -> usize {
    let mut count = 0;
    for line in text.split_inclusive('\n') {
        out.push(mark);
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
        count += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test may stop at the first surprise

    use super::*;
    use crate::edit::apply;

    fn edits(old: &str, pieces: &[(&str, &str)]) -> Vec<Edit> {
        let edit = |(from, to): &(&str, &str)| {
            let start = old.find(from).unwrap();
            Edit {
                bytes: start..start + from.len(),
                text: (*to).to_owned(),
            }
        };
        pieces.iter().map(edit).collect()
    }

    #[test]
    fn hunks_have_context_and_numbers() {
        let lines: Vec<String> = (1..=20).map(|n| format!("line {n};\r\n")).collect();
        let old = lines.concat();
        let edits = edits(&old, &[("2;", "zwei;"), ("3;\r\nline 4", "3"), ("20", "é")]);
        let expected = "--- f\n+++ f\n@@ -1,7 +1,6 @@\n line 1;\r\n-line 2;\r\n+line zwei;\r\n\
                        -line 3;\r\n-line 4;\r\n+line 3;\r\n line 5;\r\n line 6;\r\n line 7;\r\n\
                        @@ -17,4 +16,4 @@\n line 17;\r\n line 18;\r\n line 19;\r\n-line 20;\r\n\
                        +line é;\r\n";
        assert_eq!(unified("f", &old, &edits), expected);
        assert_eq!(unified("f", &old, &[]), "");
    }

    #[test]
    fn a_file_without_a_last_newline_says_so() {
        let old = "a\nb 1";
        let edits = edits(old, &[("1", "2")]);
        assert_eq!(apply(old, &edits), "a\nb 2");
        let end = "\\ No newline at end of file\n";
        let expected = format!("--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b 1\n{end}+b 2\n{end}");
        assert_eq!(unified("f", old, &edits), expected);
    }
}
