//! Mistakes of a spec: collected while reading, shown with their line.

use std::cell::RefCell;
use std::fmt::Display;
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;

use tuner_base::{Location, is_hidden};

/// How many mistakes are written out; the rest is counted.
/// Chosen; nothing depends on it.
const SHOWN: usize = 100;
/// Characters shown of a line, around the mistake. Chosen: a terminal's width.
const WINDOW: usize = 96;

/// One mistake in a spec: where, what, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Where the mistake starts.
    pub location: Location,
    /// What was found, what was expected and what to do, with `; ` between.
    pub message: String,
    /// The line, or the part of it around the mistake, with control characters replaced.
    excerpt: String,
    /// The characters of `excerpt` that the caret marks.
    caret: Range<usize>,
}

tuner_base::impl_fmt! { Display for Mistake, |self, f| {
    let number = self.location.line.to_string();
    let gutter = " ".repeat(number.len());
    let indent = " ".repeat(self.caret.start);
    let caret = "^".repeat(self.caret.len().max(1));
    writeln!(f, "{}: {}", self.location, self.message)?;
    writeln!(f, " {number} | {}", self.excerpt)?;
    write!(f, " {gutter} | {indent}{caret}")
} }

/// Every mistake of one spec, in the order of the file; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecErrors {
    /// The mistakes, in the order of the file.
    pub mistakes: Vec<Mistake>,
}

impl SpecErrors {
    /// Makes the only mistake of a file that could not be read: `reason` is why.
    pub(super) fn unreadable(file: &Path, reason: &dyn Display) -> Self {
        let mistakes = Mistakes::default();
        let found = format!("the file cannot be read ({reason})");
        let expected = "a readable file";
        let place = mistakes.at(0..0);
        place.note(found, expected, "check the name and the permissions");
        mistakes.into_errors(file, "")
    }
}

tuner_base::impl_fmt! { Display for SpecErrors, |self, f| {
    let shown = self.mistakes.iter().take(SHOWN).map(Mistake::to_string);
    f.write_str(&shown.collect::<Vec<_>>().join("\n"))?;
    if self.mistakes.len() > SHOWN {
        write!(f, "\n… and {} more mistakes", self.mistakes.len() - SHOWN)?;
    }
    Ok(())
} }

impl std::error::Error for SpecErrors {}

/// Collects mistakes by byte range; their lines are looked up once, at the end. Clones share one
/// list.
#[derive(Clone, Debug, Default)]
pub(super) struct Mistakes {
    noted: Rc<RefCell<Noted>>,
}

/// Byte ranges in the text, each with the message about it.
type Noted = Vec<(Range<usize>, String)>;

/// A place in a text, which notes what is wrong there.
#[derive(Clone, Debug, Default)]
pub(super) struct TextPlace {
    pub(super) bytes: Range<usize>,
    pub(super) mistakes: Mistakes,
}

impl TextPlace {
    /// Adds a mistake at this place to the list of all mistakes: what was found, what was expected,
    /// and what to do.
    pub(super) fn note(&self, found: impl Display, expected: impl Display, cure: impl Display) {
        let message = format!("{found}; expected {expected}; {cure}");
        let noted = (self.bytes.clone(), message);
        self.mistakes.noted.borrow_mut().push(noted);
    }

    /// Adds a mistake at this place to the list of all mistakes: what was found, what was expected,
    /// and what to do. Always returns `None`, as the result of a caller that reads a value.
    pub(super) fn refuse<T>(
        &self,
        found: impl Display,
        expected: impl Display,
        cure: impl Display,
    ) -> Option<T> {
        self.note(found, expected, cure);
        None
    }
}

impl Mistakes {
    /// Returns the place of some bytes of the text, whose mistakes are added to this list.
    pub(super) fn at(&self, bytes: Range<usize>) -> TextPlace {
        let mistakes = self.clone();
        TextPlace { bytes, mistakes }
    }

    /// Tells whether no mistake was noted so far.
    pub(super) fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Returns how many mistakes were noted so far: a caller compares two such numbers, to see
    /// whether a step noted some.
    pub(super) fn count(&self) -> usize {
        self.noted.borrow().len()
    }

    /// Runs `step` and returns its result; `None` also if a mistake was added to the list
    /// meanwhile.
    pub(super) fn unless_noted<T>(&self, step: impl FnOnce() -> Option<T>) -> Option<T> {
        let before = self.count();
        step().filter(|_| self.count() == before)
    }

    /// Returns all mistakes, each once, sorted by their places, with the lines of `text` that they
    /// are in. `file`: the name of the text, for messages.
    pub(super) fn into_errors(self, file: &Path, text: &str) -> SpecErrors {
        let mut noted = self.noted.take();
        noted.sort_by(|(a, x), (b, y)| (a.start, a.end, x).cmp(&(b.start, b.end, y)));
        noted.dedup();
        let source = Source::new(file, text);
        let mistakes = noted.into_iter();
        let mistakes = mistakes.map(|(span, message)| source.mistake(&span, message));
        let mistakes = mistakes.collect();
        SpecErrors { mistakes }
    }
}

/// A text with the places where its lines start.
struct Source<'a> {
    file: &'a Path,
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Source<'a> {
    /// Finds where the lines of a text start. `file`: its name, for messages.
    fn new(file: &'a Path, text: &'a str) -> Self {
        let after_newline = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(after_newline).collect();
        Self { file, text, starts }
    }

    /// Makes a mistake at the bytes `span` of the text, with the line that they begin in and the
    /// columns of this line that are marked. Bytes outside the text are moved into it.
    fn mistake(&self, span: &Range<usize>, message: String) -> Mistake {
        let from = self.text.floor_char_boundary(span.start);
        let to = self.text.floor_char_boundary(span.end.max(span.start));
        // The last line that starts at `from` or before, and its text without its end.
        let line = self.starts.partition_point(|&start| start <= from) - 1;
        let start = self.starts[line];
        let rest = &self.text[start..];
        let content = rest.split('\n').next().unwrap_or(rest);
        let content = content.strip_suffix('\r').unwrap_or(content);
        let column = self.text[start..from].chars().count();
        // A mistake of several lines is marked up to the end of the first.
        let end = to.min(start + content.len());
        let width = self.text.get(from..end).map_or(0, |s| s.chars().count());
        let (excerpt, caret) = window(content, column, width);
        let location = Location {
            file: self.file.to_path_buf(),
            line: line as u64 + 1,
            column: column as u64 + 1,
        };
        Mistake {
            location,
            message,
            excerpt,
            caret,
        }
    }
}

/// Cuts a long line to the part around a mistake, at most [`WINDOW`] (96) characters, and replaces
/// each character that a terminal would act on by another one.
///
/// The mistake has `width` characters, from character `column` on, counted from 0. Returns the part
/// of the line, and the characters in it that a caret is to mark.
fn window(line: &str, column: usize, width: usize) -> (String, Range<usize>) {
    let length = line.chars().count();
    // The first character that is shown: a third of the part is before the mistake.
    let first = if length <= WINDOW {
        0
    } else {
        column.saturating_sub(WINDOW / 3)
    };
    let shown = |c| match c {
        '\t' => ' ',
        c if is_hidden(c) => '\u{fffd}',
        c => c,
    };
    let window = line.chars().skip(first).take(WINDOW);
    let mut excerpt: String = window.map(shown).collect();
    let mut caret = column - first..(column - first + width).min(WINDOW);
    if first > 0 {
        excerpt.insert_str(0, "… ");
        caret = caret.start + 2..caret.end + 2;
    }
    if length > first + WINDOW {
        excerpt.push_str(" …");
    }
    (excerpt.trim_end().to_owned(), caret)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_around_the_mistake_and_stays_harmless() {
        let text = format!("a = \"{}\u{1b}[2J\" # x", "é".repeat(200));
        let mistakes = Mistakes::default();
        let at = text.find('\u{1b}').unwrap_or(0);
        mistakes.at(at..at + 4).note("x", "y", "z");
        let errors = mistakes.into_errors(Path::new("f"), &text);
        let shown = errors.to_string();
        assert!(shown.starts_with("f:1:206: x; expected y; z\n 1 | … é"));
        assert!(!shown.contains('\u{1b}'));
        let lines: Vec<&str> = shown.lines().collect();
        let caret = lines[2].chars().position(|c| c == '^');
        assert_eq!(caret, lines[1].chars().position(|c| c == '\u{fffd}'));
    }

    #[test]
    fn places_outside_the_text_do_not_panic() {
        for (start, end) in [(0, 0), (5, 9), (3, 2), (1, 2)] {
            let mistakes = Mistakes::default();
            mistakes.at(Range { start, end }).note("x", "y", "z");
            let errors = mistakes.into_errors(Path::new("f"), "é\n");
            assert_eq!(errors.mistakes.len(), 1);
        }
    }
}
