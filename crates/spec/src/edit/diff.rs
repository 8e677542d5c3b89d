//! Changes as a unified diff.

use similar::TextDiff;

/// Returns the lines of two texts that differ, and lines around them, as `diff -u` shows them; an
/// empty text if the texts are equal. `names`: the file names of the old and of the new text, for
/// the head; those that do not begin with `/` or `.` get `a/` and `b/` before them, which `git
/// apply` and `patch -p1` take off.
pub fn unified_diff(names: [&str; 2], old: &str, new: &str) -> String {
    let diff = TextDiff::from_lines(old, new);
    let mut shown = diff.unified_diff();
    let [old, new] = [("a/", names[0]), ("b/", names[1])].map(|(side, name)| {
        let side = if name.starts_with(['/', '.']) {
            ""
        } else {
            side
        };
        format!("{side}{name}")
    });
    shown.header(&old, &new).to_string()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test may stop at the first surprise

    use super::*;
    use crate::edit::{Edit, apply};

    fn unified(name: &str, old: &str, edits: &[Edit]) -> String {
        unified_diff([name, name], old, &apply(old, edits))
    }

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
        let expected = "--- a/f\n+++ b/f\n@@ -1,7 +1,6 @@\n line 1;\r\n-line 2;\r\n+line zwei;\r\n\
                        \x20line 3;\r\n-line 4;\r\n line 5;\r\n line 6;\r\n line 7;\r\n\
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
        let expected = format!("--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b 1\n{end}+b 2\n{end}");
        assert_eq!(unified("f", old, &edits), expected);
    }
}
