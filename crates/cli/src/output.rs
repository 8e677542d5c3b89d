//! Standard output, for data, and standard error, for words.
//!
//! Not here, nor elsewhere in this layer: `println!` and `eprintln!`, which
//! panic where nobody reads or a disk is full.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Failure;
use super::ranks::Launch;
use tuner_base::{Written, write_if_changed};
use tuner_report::is_acted_on;

/// Says a line on standard error; that nobody can hear it stops nothing.
macro_rules! say {
    ($($words:tt)*) => {
        $crate::output::words(format_args!($($words)*))
    };
}

/// Prints a line. It does not panic when the reader closes the pipe.
pub(super) fn line(text: &str) -> Result<(), Failure> {
    print(format_args!("{}\n", visible(text)))
}

/// Prints the text of a file, or a page with colours, as it is.
pub(super) fn raw(text: &str) -> Result<(), Failure> {
    print(format_args!("{text}"))
}

/// Prints lines.
pub(super) fn text(text: &str) -> Result<(), Failure> {
    print(format_args!("{}", visible(text)))
}

/// Finds out whether a file can be written, before the work that it is about; a
/// file that is there stays as it is.
pub(super) fn writable(path: &Path, option: &str) -> Result<(), Failure> {
    if Launch::is_silent() {
        return Ok(());
    }
    let is_new = !path.exists();
    let opened = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(path);
    opened.map_err(|error| {
        format!(
            "{option} {}: {error}; name a file that can be written",
            path.display()
        )
    })?;
    if is_new {
        // It was made a moment ago, and is empty.
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}

/// Writes a file unless it would not change, and says so; `-` is standard output.
pub(super) fn file(path: &Path, text: &str, cure: &str) -> Result<(), Failure> {
    if path == Path::new("-") {
        return raw(text);
    }
    if Launch::is_silent() {
        return Ok(());
    }
    let name = path.display();
    let written = write_if_changed(path, text).map_err(|error| format!("{name}: {error}{cure}"))?;
    let what = match written {
        Written::Changed => "written",
        Written::Unchanged => "unchanged",
    };
    say!("{name}: {what}");
    Ok(())
}

fn print(text: fmt::Arguments<'_>) -> Result<(), Failure> {
    if Launch::is_silent() {
        return Ok(());
    }
    let mut output = io::stdout().lock();
    output
        .write_fmt(text)
        .and_then(|()| output.flush())
        .map_err(|error| format!("standard output: {error}").into())
}

pub(super) fn words(words: fmt::Arguments<'_>) {
    if !Launch::is_silent() {
        words_of_any_rank(words);
    }
}

/// Says some lines.
pub(super) fn say_all(lines: impl IntoIterator<Item = impl fmt::Display>) {
    lines.into_iter().for_each(|line| say!("{line}"));
}

/// Says what others than the first rank say as well.
pub(super) fn words_of_any_rank(words: fmt::Arguments<'_>) {
    *said_last() = Some(Instant::now());
    // Where could one say that nothing can be said?
    let _ = writeln!(io::stderr().lock(), "{}", visible(&words.to_string()));
}

/// When words were said last.
fn said_last() -> std::sync::MutexGuard<'static, Option<Instant>> {
    static LAST: Mutex<Option<Instant>> = Mutex::new(None);
    LAST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells whether nothing was said for so long, since `begun` at least.
pub(super) fn was_silent_for(time: Duration, begun: Instant) -> bool {
    let last = said_last().map_or(begun, |last| last.max(begun));
    last.elapsed() >= time
}

/// Escapes the characters that a terminal acts on, but for breaks of lines and tabs: names of
/// files, columns and engines are not ours, and must not move the cursor, or colour what follows.
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

/// Finds out whether a name can be said in a command.
///
/// # Errors
/// If it is not UTF-8.
pub(crate) fn is_utf8(path: &Path) -> Result<(), Failure> {
    if path.to_str().is_some() {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "{}: is not UTF-8, and other commands are told this name; rename it",
        path.display()
    )))
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn names_cannot_move_the_cursor() {
        let hostile = "\u{1b}[2Jdata\r\u{9b}31m\u{202e}.tsv:\t3\n";
        let shown = visible(hostile);
        assert_eq!(shown, "\\u{1b}[2Jdata\\r\\u{9b}31m\\u{202e}.tsv:\t3\n");
        let plain = "Zürich ♞ 象.tsv:\t3\n";
        assert_eq!(visible(plain), plain);
    }
}
