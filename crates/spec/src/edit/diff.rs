//! Changes as a unified diff. Where the texts differ is known, so nothing is
//! searched for.

use std::fmt::Write as _;
use std::ops::Range;

use super::changes::{Edit, piece};

/// Lines around a change, as every diff has them.
const CONTEXT: usize = 3;

/// How a line changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineChange {
    /// It stays.
    Kept,
    /// It is in the old text alone.
    Removed,
    /// It is in the new text alone.
    Added,
}

/// The lines of two texts, with their ends, as `diff -u` shows them; nothing where all stay.
pub fn unified_diff([old, new]: [&str; 2], lines: &[(LineChange, &str)]) -> String {
    use LineChange::{Added, Kept, Removed};
    let changed: Vec<usize> = (0..lines.len())
        .filter(|&line| lines[line].0 != Kept)
        .collect();
    let mut out = String::new();
    if !changed.is_empty() {
        out = format!("--- {old}\n+++ {new}\n");
    }
    let is_near = |a: &usize, b: &usize| b - a <= 2 * CONTEXT + 1;
    for hunk in changed.chunk_by(is_near) {
        let from = hunk[0].saturating_sub(CONTEXT);
        let to = (hunk[hunk.len() - 1] + 1 + CONTEXT).min(lines.len());
        let range = |of_other: LineChange| {
            let count = |lines: &[(LineChange, &str)]| {
                lines
                    .iter()
                    .filter(|(change, _)| *change != of_other)
                    .count()
            };
            let (before, here) = (count(&lines[..from]), count(&lines[from..to]));
            // An empty range is named by the line before it.
            format!("{},{here}", before + usize::from(here > 0))
        };
        // A string takes what is written into it.
        let _ = writeln!(out, "@@ -{} +{} @@", range(Added), range(Removed));
        for (change, line) in &lines[from..to] {
            out.push([' ', '-', '+'][*change as usize]);
            out.push_str(line);
            if !line.ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    out
}

/// The edits as `diff -u` shows them; nothing for none.
pub(crate) fn unified(name: &str, old: &str, edits: &[Edit]) -> String {
    let mut starts = vec![0];
    starts.extend(old.match_indices('\n').map(|(at, _)| at + 1));
    let line_of = |byte: usize| starts.partition_point(|&start| start <= byte) - 1;
    let start_of = |line: usize| starts.get(line).copied().unwrap_or(old.len());
    // Bytes of the lines that change, joined where an edit spans several.
    let mut changed: Vec<Range<usize>> = Vec::new();
    for edit in edits {
        let first = start_of(line_of(edit.bytes.start));
        let last = start_of(line_of(edit.bytes.end - 1) + 1);
        match changed.last_mut() {
            Some(before) if first < before.end => before.end = before.end.max(last),
            _ => changed.push(first..last),
        }
    }
    let news: Vec<String> = (changed.iter())
        .map(|bytes| piece(old, bytes.clone(), edits))
        .collect();
    let mut lines = Vec::new();
    let mut add = |change, text| {
        let text: &str = text;
        lines.extend(text.split_inclusive('\n').map(|line| (change, line)));
    };
    let mut at = 0;
    for (bytes, new) in changed.iter().zip(&news) {
        add(LineChange::Kept, &old[at..bytes.start]);
        add(LineChange::Removed, &old[bytes.clone()]);
        add(LineChange::Added, new);
        at = bytes.end;
    }
    add(LineChange::Kept, &old[at..]);
    unified_diff([name, name], &lines)
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
