//! Standard output, for data, and standard error, for words.
//!
//! Not here, nor elsewhere in this layer: `println!` and `eprintln!`, which
//! panic where nobody reads or a disk is full.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, IsTerminal as _, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use console::Term;
use serde::Serialize;

use crate::launch::Launch;
use tuner_base::write_if_changed;
use tuner_jobs::JobResult as Result;
use tuner_report::{TerminalStyles, is_acted_on};

/// Says a line on standard error; that nobody can hear it stops nothing.
macro_rules! say {
    ($($words:tt)*) => {
        $crate::output::words(format_args!($($words)*))
    };
}

/// Prints a line to standard output; characters that a terminal acts on are escaped. A reader that
/// closes the pipe is not a failure once it has read something.
pub(crate) fn line(text: &str) -> Result<()> {
    print(format_args!("{}\n", visible(text)))
}

/// Prints a text to standard output as it is, nothing escaped: that of a file, or a page with
/// colours.
pub(crate) fn raw(text: &str) -> Result<()> {
    print(format_args!("{text}"))
}

/// Prints lines, each with its end, to standard output; characters that a terminal acts on are
/// escaped.
pub(crate) fn text(text: &str) -> Result<()> {
    print(format_args!("{}", visible(text)))
}

/// Prints a value to standard output as one line of JSON.
pub(crate) fn json(value: &impl Serialize) -> Result<()> {
    line(&serde_json::to_string(value)?)
}

/// Writes a file unless it would not change, and tells the user; `-` is standard output. `cure`:
/// what the message of an error ends with, or empty. Of several processes the first one writes.
pub(crate) fn file(path: &Path, text: &str, cure: &str) -> Result<()> {
    if path == Path::new("-") {
        return raw(text);
    }
    if Launch::is_silent() {
        return Ok(());
    }
    let name = path.display();
    let written = write_if_changed(path, text).map_err(|error| format!("{name}: {error}{cure}"))?;
    say!("{name}: {written}");
    Ok(())
}

/// Columns where nobody says how many there are.
const WIDTH: usize = 100;

/// Standard output or standard error, with its columns and the styles for it.
pub(crate) struct Screen {
    pub width: usize,
    pub styles: TerminalStyles,
    is_error: bool,
}

impl Screen {
    /// Returns standard output as a screen; with colours only on a terminal, and not where
    /// `NO_COLOR` is set.
    pub(crate) fn output() -> Self {
        let is_plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let styles = if is_plain || !io::stdout().is_terminal() {
            TerminalStyles::default()
        } else {
            TerminalStyles::coloured()
        };
        Self {
            width: width(&Term::stdout()),
            styles,
            is_error: false,
        }
    }

    /// Returns standard error as a screen without styles, for commands whose standard output has
    /// something else, as with `--json`.
    pub(crate) fn error() -> Self {
        Self {
            width: width(&Term::stderr()),
            styles: TerminalStyles::default(),
            is_error: true,
        }
    }

    /// Prints lines, each with its end, that have the styles of this screen already.
    pub(crate) fn print(&self, lines: &str) -> Result<()> {
        if self.is_error {
            say!("{}", lines.trim_end());
            return Ok(());
        }
        raw(lines)
    }
}

/// Returns the number of columns of a terminal; where the output is something else, the number in
/// the environment's `COLUMNS`, or `WIDTH` (100).
fn width(terminal: &Term) -> usize {
    let shell = || std::env::var("COLUMNS").ok()?.parse().ok();
    let columns = terminal.size_checked().map(|(_, columns)| columns.into());
    columns.or_else(shell).unwrap_or(WIDTH)
}

/// Whether something was printed, so that somebody read.
static IS_READ: AtomicBool = AtomicBool::new(false);

/// Writes all of a text to standard output, on the first of several processes; fails with the
/// reason where it cannot, unless the reader has gone after it had read something.
fn print(text: fmt::Arguments<'_>) -> Result<()> {
    if Launch::is_silent() {
        return Ok(());
    }
    let mut output = io::stdout().lock();
    let text = text.to_string();
    let mut rest = text.as_bytes();
    let mut written = Ok(());
    while written.is_ok() && !rest.is_empty() {
        written = match output.write(rest) {
            Ok(0) => Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => {
                rest = &rest[count..];
                // More was written than is kept between two processes, so the reader took some of
                // it.
                if !rest.is_empty() {
                    IS_READ.store(true, Ordering::Relaxed);
                }
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(error) => Err(error),
        };
    }
    if let Err(error) = written.and_then(|()| output.flush()) {
        // A reader such as `| head` may close the pipe when it has enough.
        let is_done = error.kind() == io::ErrorKind::BrokenPipe && IS_READ.load(Ordering::Relaxed);
        if !is_done {
            return Err(format!("standard output: {error}").into());
        }
    }
    IS_READ.store(true, Ordering::Relaxed);
    Ok(())
}

/// Says words on standard error, on the first of several processes alone.
pub(crate) fn words(words: fmt::Arguments<'_>) {
    if !Launch::is_silent() {
        words_of_any_rank(words);
    }
}

/// Says some lines on standard error, on the first of several processes alone.
pub(crate) fn say_all(lines: impl IntoIterator<Item = impl fmt::Display>) {
    lines.into_iter().for_each(|line| say!("{line}"));
}

/// Says words on standard error, whichever of several processes this is.
pub(crate) fn words_of_any_rank(words: fmt::Arguments<'_>) {
    *said_last() = Some(Instant::now());
    // A failure to write to standard error can be told nowhere.
    let _ = writeln!(io::stderr().lock(), "{}", visible(&words.to_string()));
}

/// Says a line of a compiler on standard error, on the first of several processes alone. Its
/// colours stay, as a compiler writes them for terminals alone.
pub(crate) fn built(line: &str) {
    if !Launch::is_silent() {
        // A failure to write to standard error can be told nowhere.
        let _ = writeln!(io::stderr().lock(), "{}", with_colours(line));
    }
}

/// Escapes the characters that a terminal acts on, but for sequences of colour: `ESC [ 1 ; 31 m`,
/// numbers between `ESC [` and `m`. Any other sequence has its `ESC` escaped.
fn with_colours(text: &str) -> String {
    // Each part but the first is behind an `ESC [`. Of a sequence of colour, `rest` is its numbers
    // with the `m`, and the text behind; otherwise all is text.
    let mut parts = text.split("\u{1b}[");
    let mut shown: String = parts.next().map(visible).unwrap_or_default().into();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_digit() && c != ';');
        let (start, rest) = match end.filter(|&end| part[end..].starts_with('m')) {
            Some(end) => ("\u{1b}[", part.split_at(end + 1)),
            None => ("\\u{1b}[", ("", part)),
        };
        shown.extend([start, rest.0, &visible(rest.1)]);
    }
    shown
}

/// Returns the time when words were last said on standard error, locked; `None` before the first.
fn said_last() -> std::sync::MutexGuard<'static, Option<Instant>> {
    static LAST: Mutex<Option<Instant>> = Mutex::new(None);
    LAST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells whether no words were said on standard error for `time`, and `begun` is at least as long
/// ago.
pub(crate) fn was_silent_for(time: Duration, begun: Instant) -> bool {
    let last = said_last().map_or(begun, |last| last.max(begun));
    last.elapsed() >= time
}

/// Escapes the characters that a terminal acts on, but for breaks of lines and tabs. Names of
/// files, columns and engines come from others, and must not move the cursor, or colour what
/// follows.
fn visible(text: &str) -> Cow<'_, str> {
    let is_hidden = |c: char| is_acted_on(c) && !matches!(c, '\n' | '\t');
    if !text.contains(is_hidden) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown.into()
}

#[cfg(test)]
mod tests {
    use super::{visible, with_colours};

    #[test]
    fn names_cannot_move_the_cursor() {
        let hostile = "\u{1b}[2Jdata\r\u{9b}31m\u{202e}.tsv:\t3\n";
        let shown = visible(hostile);
        assert_eq!(shown, "\\u{1b}[2Jdata\\r\\u{9b}31m\\u{202e}.tsv:\t3\n");
        let coloured = "\u{1b}[1;31merror\u{1b}[0m: \u{1b}[2J\u{7}";
        let shown = with_colours(coloured);
        assert_eq!(shown, "\u{1b}[1;31merror\u{1b}[0m: \\u{1b}[2J\\u{7}");
        let plain = "Zürich ♞ 象.tsv:\t3\n";
        assert_eq!(visible(plain), plain);
    }
}
