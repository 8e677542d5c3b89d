//! Lines of text, in which games and settings go from one process to another.
//!
//! A line is a key and a value behind one space; what is one line of settings is keys and
//! values by turns, with one space between each. Where a text stands as a value it is as
//! [`tuner_base::escaped_line`] or, in one line of settings, [`tuner_base::escaped_word`]
//! writes it, so every text is read as it was.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tuner_base::escaped_line;

/// Says that a value is not what it should be.
pub(crate) fn unexpected(found: &str, expected: &str) -> String {
    format!("found {}, expected {expected}", tuner_base::quote(found))
}

/// Reads a number, digits and perhaps a minus.
pub(crate) fn number<T: FromStr>(text: &str) -> Result<T, String> {
    let plain = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'-');
    let number = text.parse().ok().filter(|_| plain);
    number.ok_or_else(|| unexpected(text, "a number"))
}

/// Writes a value, or `none`.
pub(crate) fn or_none<T: Display>(value: Option<T>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| value.to_string())
}

/// Reads what [`or_none`] wrote of a number.
pub(crate) fn number_or_none<T: FromStr>(text: &str) -> Result<Option<T>, String> {
    match text {
        "none" => Ok(None),
        text => number(text).map(Some),
    }
}

/// Writes `yes` or `no`.
pub(crate) const fn yes(value: bool) -> &'static str {
    if value { "yes" } else { "no" }
}

/// Reads `yes` or `no`.
pub(crate) fn is_yes(text: &str) -> Result<bool, String> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err(unexpected(text, "yes or no")),
    }
}

/// Reads a time in nanoseconds, as [`Duration::as_nanos`] is written.
pub(crate) fn nanoseconds(text: &str) -> Result<Duration, String> {
    const SECOND: u128 = 1_000_000_000;
    let nanos: u128 = number(text)?;
    let seconds = u64::try_from(nanos / SECOND);
    let seconds = seconds.map_err(|_| unexpected(text, "a time in nanoseconds"))?;
    Ok(Duration::new(seconds, (nanos % SECOND) as u32))
}

/// Returns a text for as long as the process lives. Texts are kept once each, so this is
/// for what has few values, as reasons of a game's end.
pub(crate) fn lasting(text: String) -> &'static str {
    static TEXTS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = texts.get(text.as_str()) {
        return known;
    }
    let new = String::leak(text);
    texts.insert(new);
    new
}

/// Lines on their way out.
#[derive(Debug, Default)]
pub(crate) struct Lines(String);

impl Lines {
    /// Adds a line; `value` has no line ends.
    pub(crate) fn add(&mut self, key: &str, value: impl Display) {
        use std::fmt::Write as _;
        // Writing to a text cannot fail.
        let _ = writeln!(self.0, "{key} {value}");
    }

    /// Adds a line with a text.
    pub(crate) fn add_text(&mut self, key: &str, text: &str) {
        self.add(key, escaped_line(text));
    }

    /// All lines.
    pub(crate) fn into_text(self) -> String {
        self.0
    }
}

/// Lines that are read one after the other.
#[derive(Clone, Debug)]
pub(crate) struct LineReader<'t> {
    rest: &'t str,
    line: usize,
}

impl<'t> LineReader<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self {
            rest: text,
            line: 1,
        }
    }

    /// Takes the value of the next line if it has this key.
    pub(crate) fn take_if(&mut self, key: &str) -> Option<&'t str> {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        let (found, value) = line.split_once(' ').unwrap_or((line, ""));
        if found != key {
            return None;
        }
        (self.rest, self.line) = (rest, self.line + 1);
        Some(value)
    }

    /// Takes the value of the next line, which must have this key.
    pub(crate) fn take(&mut self, key: &str) -> Result<&'t str, String> {
        self.take_if(key).ok_or_else(|| {
            let found = self.rest.split('\n').next().unwrap_or_default();
            self.placed(&unexpected(
                found,
                &format!("a line that begins with {key}"),
            ))
        })
    }

    /// Takes the next line and reads its value.
    pub(crate) fn read<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(&'t str) -> Result<T, String>,
    ) -> Result<T, String> {
        let here = self.clone();
        read(self.take(key)?).map_err(|words| here.placed(&format!("{key}: {words}")))
    }

    /// Takes the next line and reads its value, if it has this key.
    pub(crate) fn read_if<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(&'t str) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        let here = self.clone();
        let value = self.take_if(key).map(read).transpose();
        value.map_err(|words| here.placed(&format!("{key}: {words}")))
    }

    /// Makes sure that nothing follows.
    pub(crate) fn finish(self) -> Result<(), String> {
        if self.rest.is_empty() {
            return Ok(());
        }
        let found = self.rest.split('\n').next().unwrap_or_default();
        Err(self.placed(&unexpected(found, "the end")))
    }

    fn placed(&self, words: &str) -> String {
        format!("line {}: {words}", self.line)
    }
}

/// Keys and values of one line, which are taken by their keys.
#[derive(Debug)]
pub(crate) struct WordReader<'t>(Vec<(&'t str, &'t str)>);

impl<'t> WordReader<'t> {
    /// Cuts a line.
    pub(crate) fn new(line: &'t str) -> Result<Self, String> {
        let words: Vec<&str> = line.trim_end_matches(['\n', '\r']).split(' ').collect();
        let (pairs, rest) = words.as_chunks();
        if let [key, ..] = rest {
            return Err(unexpected(key, "a key and a value"));
        }
        Ok(Self(
            pairs.iter().map(|&[key, value]| (key, value)).collect(),
        ))
    }

    /// Reads the value of a key, which must be there.
    pub(crate) fn read<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(&'t str) -> Result<T, String>,
    ) -> Result<T, String> {
        let place = self.0.iter().position(|(found, _)| *found == key);
        let place = place.ok_or_else(|| format!("found no {key}"))?;
        let (_, value) = self.0.remove(place);
        read(value).map_err(|words| format!("{key}: {words}"))
    }

    /// Makes sure that there was nothing else.
    pub(crate) fn finish(self) -> Result<(), String> {
        match self.0.first() {
            None => Ok(()),
            Some((key, _)) => Err(unexpected(key, "the end of the line")),
        }
    }
}
