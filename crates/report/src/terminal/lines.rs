//! Lines of a width that none exceeds.

use anstyle::Style;

use super::TerminalStyles;
use crate::text::{clean, columns, shorten};

/// Lines of a width that none exceeds.
#[derive(Debug)]
pub(crate) struct Lines {
    pub width: usize,
    pub styles: TerminalStyles,
    /// By line: its start, which has no style, its end, and the style of the end.
    written: Vec<(String, String, Style)>,
}

/// Widths between which lines are laid out; others count as the nearest.
const WIDTHS: (usize, usize) = (60, 200);

impl Lines {
    /// Begins with no lines. `width`: how wide lines may be, in columns; it is brought within 60 to
    /// 200.
    pub(crate) fn new(width: usize, styles: TerminalStyles) -> Self {
        Self {
            width: width.clamp(WIDTHS.0, WIDTHS.1),
            styles,
            written: Vec::new(),
        }
    }

    /// How many lines there are.
    pub(crate) fn count(&self) -> usize {
        self.written.len()
    }

    /// Moves the lines of `other` behind the lines of this one.
    pub(crate) fn append(&mut self, mut other: Self) {
        self.written.append(&mut other.written);
    }

    /// Adds a line in a style, cut at the width.
    pub(crate) fn cut(&mut self, line: &str, style: Style) {
        self.with_end("", line, style);
    }

    /// Adds a line above a list, in the style of headings, cut at the width.
    pub(crate) fn heading(&mut self, line: &str) {
        self.cut(line, self.styles.heading);
    }

    /// Adds a line of a start in no style and an end that has one, both cut at the width.
    pub(crate) fn with_end(&mut self, start: &str, end: &str, style: Style) {
        let start = shorten(start, self.width);
        let end = shorten(end, self.width - columns(&start).min(self.width));
        self.written.push((start, end, style));
    }

    /// Adds `line` behind `before`, beyond the width if it is longer: a command that is pasted must
    /// not be cut.
    pub(crate) fn whole(&mut self, before: &str, line: &str, style: Style) {
        let line = format!("{before}{}", clean(line));
        self.written.push((String::new(), line, style));
    }

    /// Adds a sentence, in as many lines as it takes. The first begins with `before`, the others
    /// with as many blanks, and two more where `before` is blank. A word that is longer than a line
    /// has one of its own, in which it is cut.
    pub(crate) fn wrapped(&mut self, before: &str, sentence: &str, style: Style) {
        // What continues a sentence is set off from one that begins.
        let indent = if before.trim().is_empty() { 2 } else { 0 };
        let blanks = " ".repeat(columns(before) + indent);
        let mut line = before.to_owned();
        // Whether the line has no word yet.
        let mut is_empty = true;
        for word in sentence.split_whitespace() {
            let taken = columns(&line) + usize::from(!is_empty);
            let room = self.width.saturating_sub(taken);
            if columns(word) > room && !is_empty {
                self.cut(&line, style);
                line.clone_from(&blanks);
                is_empty = true;
            }
            if !is_empty {
                line.push(' ');
            }
            line.push_str(word);
            is_empty = false;
        }
        self.cut(&line, style);
    }

    /// Returns the first `most` lines as text, each with a line feed and without blanks at its end.
    pub(crate) fn end(self, most: usize) -> String {
        let mut text = String::new();
        for (start, end, style) in self.written.into_iter().take(most) {
            if end.trim_end().is_empty() {
                text.push_str(start.trim_end());
            } else {
                let end = end.trim_end();
                text.extend([format!("{start}{style}{end}{style:#}")]);
            }
            text.push('\n');
        }
        text
    }
}

/// Returns a bar of a number, not negative, in blocks: as long as `room` columns where it is
/// `most`, to an eighth of a column. One of more than that ends with `›`. Nothing where `most` is
/// not above 0, or a number is not finite.
pub(crate) fn bar(value: f64, most: f64, room: usize) -> String {
    const PARTS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    if most <= 0.0 || !value.is_finite() || !most.is_finite() {
        return String::new();
    }
    let eighths = ((value / most).clamp(0.0, 1.0) * 8.0 * room as f64).round() as usize;
    if value > most && room > 0 {
        return format!("{}›", "█".repeat(room - 1));
    }
    let mut bar = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        bar.push(PARTS[eighths % 8]);
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_wider() {
        let mut lines = Lines::new(60, TerminalStyles::default());
        lines.width = 12;
        lines.wrapped("  ", "one two three abcdefghijklmnopqrst", Style::new());
        lines.with_end("0123456789", "0123456789", Style::new());
        lines.with_end("0123456789012345", "0123456789", Style::new());
        let text = lines.end(9);
        let expected = [
            "  one two",
            "    three",
            "    abcdefg…",
            "01234567890…",
            "01234567890…",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
        assert!(text.lines().all(|line| columns(line) <= 12), "{text}");
    }

    #[test]
    fn a_command_is_whole() {
        let mut lines = Lines::new(60, TerminalStyles::default());
        let command = format!("tuner fit{}", " data.tsv".repeat(200));
        lines.whole("next: ", &format!("{command}\u{7}"), Style::new());
        assert_eq!(lines.end(1), format!("next: {command}\u{fffd}\n"));
    }

    #[test]
    fn bars_are_as_long_as_their_numbers() {
        assert_eq!(bar(1.0, 1.0, 4), "████");
        assert_eq!(bar(0.5, 1.0, 3), "█▌");
        assert_eq!(bar(0.0, 1.0, 3), "");
        assert_eq!(bar(9.0, 1.0, 3), "██›");
        assert_eq!(bar(1.0, 0.0, 3), "");
        assert_eq!(bar(f64::NAN, 1.0, 3), "");
    }
}
