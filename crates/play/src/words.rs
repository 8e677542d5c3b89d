//! The text form of games and settings, in which they go from one process to another.
//!
//! All of them are keys and values: settings in one line, by turns with one space between each;
//! games a line each. What a type's keys are says [`fields`] once, for writing and reading.
//! A value is escaped as `tuner_base::words` does it, so every text is read as it was.

use std::collections::VecDeque;
use std::str::FromStr;
use std::time::Duration;

use tuner_base::{escaped_line, escaped_word, unescaped, unexpected};
use tuner_game::Outcome;

/// A value as a text: a limit is `nodes:800`, `depth:8` or `time:NANOSECONDS`, a rule its numbers
/// with colons between, and `none` stands for no value.
pub trait Word: Sized {
    /// Writes the value.
    fn word(&self) -> String;

    /// Reads what [`word`](Self::word) wrote.
    ///
    /// # Errors
    /// If the text is not such a word; the message says what was found and what was expected.
    fn of_word(text: &str) -> Result<Self, String>;
}

/// Values as keys and words.
pub(crate) trait Fields: Sized {
    /// Adds the value to `to`, each of its fields as a key and a word.
    fn put(&self, to: &mut FieldWriter);

    /// Reads the value from the keys and words at the front of `from`, and takes them away; the
    /// error says what was found and what was expected.
    fn take(from: &mut FieldReader<'_>) -> Result<Self, String>;
}

/// Says which keys the fields of a type have, in their order; one without a key has keys of its
/// own, one behind `if` is of an option and may be missing.
macro_rules! fields {
    ($type:ty { $($field:ident $($key:literal)? $(if $optional:literal)?,)+ }) => {
        impl $crate::words::Fields for $type {
            /// Adds the listed fields in their order: one with a key as a word, one without a key
            /// as its own fields.
            fn put(&self, to: &mut $crate::words::FieldWriter) {
                $(fields!(@put to, &self.$field, $($key)? $(if $optional)?);)+
            }

            /// Takes the listed fields in their order: one with a key as a word, one without a key
            /// as its own fields.
            fn take(from: &mut $crate::words::FieldReader<'_>) -> Result<Self, String> {
                Ok(Self { $($field: fields!(@take from, $($key)? $(if $optional)?),)+ })
            }
        }
    };
    (@put $to:ident, $value:expr, if $key:literal) => { $to.word_if($key, $value.as_ref()) };
    (@put $to:ident, $value:expr, $key:literal) => { $to.word($key, $value) };
    (@put $to:ident, $value:expr,) => { $crate::words::Fields::put($value, $to) };
    (@take $from:ident, if $key:literal) => { $from.word_if($key)? };
    (@take $from:ident, $key:literal) => { $from.word($key)? };
    (@take $from:ident,) => { $crate::words::Fields::take($from)? };
}

/// Says which fields are one value, with a separator between each; the last may hold more of it.
macro_rules! joined {
    ($separator:literal $type:ident { $($field:ident),+ } $expected:literal) => {
        impl $crate::words::Word for $type {
            /// Writes the listed fields with the separator between.
            fn word(&self) -> String {
                [$($crate::words::Word::word(&self.$field)),+].join($separator)
            }

            /// Reads the listed fields, which the separator is between; the last may hold more of
            /// it. Fails, with what was expected, if there are fewer.
            fn of_word(text: &str) -> Result<Self, String> {
                let [$($field),+] = $crate::words::parts(text, $separator, $expected)?;
                Ok(Self { $($field: $crate::words::Word::of_word($field)?),+ })
            }
        }
    };
}

/// Cuts a value into `N` parts at its separators; the last part may hold further separators.
/// `expected`: what the message on fewer parts says was expected.
pub(crate) fn parts<'t, const N: usize>(
    text: &'t str,
    separator: &str,
    expected: &str,
) -> Result<[&'t str; N], String> {
    let parts: Vec<&str> = text.splitn(N, separator).collect();
    parts.try_into().map_err(|_| unexpected(text, expected))
}

pub(crate) use {fields, joined};

/// Reads a number that is written as digits, perhaps behind a minus. Other forms that `parse` would
/// take, such as `+1`, are refused, as numbers are never written so.
fn number<T: FromStr>(text: &str) -> Result<T, String> {
    let is_plain = |byte: u8| byte.is_ascii_digit() || byte == b'-';
    let number = text.parse().ok().filter(|_| text.bytes().all(is_plain));
    number.ok_or_else(|| unexpected(text, "a number"))
}

macro_rules! numbers {
    ($($type:ty),+) => {
        $(impl Word for $type {
            /// Writes the number as digits, a negative one behind a minus.
            fn word(&self) -> String {
                self.to_string()
            }

            /// Reads a number that is written as digits, perhaps behind a minus.
            fn of_word(text: &str) -> Result<Self, String> {
                number(text)
            }
        })+
    };
}

numbers!(i32, u32, u64, usize);

impl Word for bool {
    /// Writes `yes` or `no`.
    fn word(&self) -> String {
        if *self { "yes" } else { "no" }.to_owned()
    }

    /// Reads `yes` or `no`.
    fn of_word(text: &str) -> Result<Self, String> {
        match text {
            "yes" => Ok(true),
            "no" => Ok(false),
            _ => Err(unexpected(text, "yes or no")),
        }
    }
}

impl<T: Word> Word for Option<T> {
    /// Writes the value, or `none`.
    fn word(&self) -> String {
        self.as_ref().map_or_else(|| "none".to_owned(), Word::word)
    }

    /// Reads a value, or `none`.
    fn of_word(text: &str) -> Result<Self, String> {
        match text {
            "none" => Ok(None),
            text => T::of_word(text).map(Some),
        }
    }
}

impl Word for String {
    /// Writes the text as it is; a value is escaped where it is put behind its key.
    fn word(&self) -> String {
        self.clone()
    }

    /// Reads a text as it is, without escapes.
    fn of_word(text: &str) -> Result<Self, String> {
        Ok(text.to_owned())
    }
}

/// In nanoseconds.
impl Word for Duration {
    /// Writes the time in nanoseconds.
    fn word(&self) -> String {
        self.as_nanos().to_string()
    }

    /// Reads a time in nanoseconds.
    fn of_word(text: &str) -> Result<Self, String> {
        const SECOND: u128 = 1_000_000_000;
        let nanos: u128 = number(text)?;
        let seconds = u64::try_from(nanos / SECOND);
        let seconds = seconds.map_err(|_| unexpected(text, "a time in nanoseconds"))?;
        Ok(Self::new(seconds, (nanos % SECOND) as u32))
    }
}

impl Word for Outcome {
    /// Writes the result for the first player: `1-0`, `1/2-1/2` or `0-1`.
    fn word(&self) -> String {
        self.to_string()
    }

    /// Reads the result for the first player: `1-0`, `1/2-1/2` or `0-1`.
    fn of_word(text: &str) -> Result<Self, String> {
        (text.parse()).map_err(|()| unexpected(text, "1-0, 1/2-1/2 or 0-1"))
    }
}

/// Keys and values on their way out.
#[derive(Debug, Default)]
pub(crate) struct FieldWriter(Vec<(&'static str, String)>);

impl FieldWriter {
    /// Adds a key and its value.
    pub(crate) fn word(&mut self, key: &'static str, value: &impl Word) {
        self.0.push((key, value.word()));
    }

    /// Adds a key and its value, if there is one.
    pub(crate) fn word_if(&mut self, key: &'static str, value: Option<&impl Word>) {
        if let Some(value) = value {
            self.word(key, value);
        }
    }

    /// Returns the keys and values as one line, without its end: each key, then its escaped value,
    /// with single spaces between all of them.
    pub(crate) fn into_line(self) -> String {
        let pairs = self.0.iter();
        let words = pairs.map(|(key, value)| format!("{key} {}", escaped_word(value)));
        words.collect::<Vec<_>>().join(" ")
    }

    /// Returns the keys and values as lines: a line for each key, with its escaped value behind a
    /// space.
    pub(crate) fn into_lines(self) -> String {
        let mut lines = String::new();
        for (key, value) in &self.0 {
            lines.extend([key, " ", &escaped_line(value), "\n"]);
        }
        lines
    }
}

/// Keys and values that are read: those of a line by their keys, lines one after the other.
#[derive(Debug)]
pub(crate) struct FieldReader<'t> {
    fields: VecDeque<(&'t str, &'t str)>,
    /// Number of the next line, where there are lines.
    line: Option<usize>,
    /// The text of a book, beside the settings.
    pub(crate) book: Option<&'t str>,
}

impl<'t> FieldReader<'t> {
    /// Cuts a line into keys and values, which come by turns with spaces between. `book`: the text
    /// of the book that belongs to the settings; fails if a key has no value.
    pub(crate) fn of_line(line: &'t str, book: Option<&'t str>) -> Result<Self, String> {
        let words: Vec<&str> = line.trim_end_matches(['\n', '\r']).split(' ').collect();
        let (pairs, rest) = words.as_chunks();
        if let [key, ..] = rest {
            return Err(unexpected(key, "a key and a value"));
        }
        let fields = pairs.iter().map(|&[key, value]| (key, value)).collect();
        let line = None;
        Ok(Self { fields, line, book })
    }

    /// Cuts a text into lines, each of a key and, behind a space, a value; without a space the
    /// value is empty.
    pub(crate) fn of_lines(text: &'t str) -> Self {
        let lines = text.split_terminator('\n');
        let fields = lines.map(|line| line.split_once(' ').unwrap_or((line, "")));
        let (fields, line, book) = (fields.collect(), Some(1), None);
        Self { fields, line, book }
    }

    /// Takes out a key and reads its value. Of settings in one line the key may be anywhere; of a
    /// text of several lines it must be that of the next line. Fails if it is not there.
    pub(crate) fn word<T: Word>(&mut self, key: &str) -> Result<T, String> {
        self.word_if(key)?.ok_or_else(|| match self.line {
            None => format!("found no {key}"),
            Some(_) => self.next_is_not(&format!("a line that begins with {key}")),
        })
    }

    /// Takes out a key and reads its value; `None` if the key is not there. Of settings in one line
    /// the key may be anywhere; of a text of several lines only the next line is looked at.
    pub(crate) fn word_if<T: Word>(&mut self, key: &str) -> Result<Option<T>, String> {
        let place = self.fields.iter().position(|(found, _)| *found == key);
        let place = place.filter(|&place| place == 0 || self.line.is_none());
        let Some((_, value)) = place.and_then(|place| self.fields.remove(place)) else {
            return Ok(None);
        };
        let read = unescaped(value).and_then(|text| T::of_word(&text));
        let read = read.map_err(|words| self.placed(&format!("{key}: {words}")))?;
        self.line = self.line.map(|line| line + 1);
        Ok(Some(read))
    }

    /// Takes out a key whose value must be `value`; fails if it is another one. If the text has
    /// several lines, the key must be the one of the line that is read next.
    pub(crate) fn marker(&mut self, key: &str, value: &str) -> Result<(), String> {
        let here = self.placed("");
        let found: String = self.word(key)?;
        if found == value {
            return Ok(());
        }
        Err(format!("{here}{key}: {}", unexpected(&found, value)))
    }

    /// Reads the one value that all keys belong to; fails if keys are left, and names the first of
    /// them.
    pub(crate) fn whole<T: Fields>(mut self) -> Result<T, String> {
        let read = T::take(&mut self)?;
        let end = self.line.map_or("the end of the line", |_| "the end");
        let is_over = self.fields.is_empty();
        is_over.then_some(read).ok_or_else(|| self.next_is_not(end))
    }

    /// Returns the message that the next key, which it names, is not what is `expected`.
    fn next_is_not(&self, expected: &str) -> String {
        let next = self.fields.front().map_or("", |(key, _)| key);
        self.placed(&unexpected(next, expected))
    }

    /// Returns `words` as a message, with the number of the next line in front if the text has
    /// several lines.
    fn placed(&self, words: &str) -> String {
        match self.line {
            None => words.to_owned(),
            Some(line) => format!("line {line}: {words}"),
        }
    }
}
