//! Texts in lines of words, as processes write them to each other.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::sync::{Mutex, PoisonError};

use crate::quote;

/// Characters that are written as a backslash and a letter: those that would end a line,
/// then those that would end a word.
const ESCAPES: [(char, char); 5] = [
    ('\\', '\\'),
    ('\n', 'n'),
    ('\r', 'r'),
    (' ', 's'),
    ('\t', 't'),
];

/// Writes a text as the rest of a line: a backslash becomes `\\`, a line feed `\n`, a carriage
/// return `\r`.
pub fn escaped_line(text: &str) -> String {
    escaped(text, &ESCAPES[..3])
}

/// Writes a text as one word of a line: a backslash becomes `\\`, a line feed `\n`, a carriage
/// return `\r`, a space `\s`, a tab `\t`, and an empty text `\e`.
pub fn escaped_word(text: &str) -> String {
    if text.is_empty() {
        return "\\e".to_owned();
    }
    escaped(text, &ESCAPES)
}

/// Writes a text in which each character that `escapes` lists becomes a backslash and the letter
/// that stands next to it in the list.
fn escaped(text: &str, escapes: &[(char, char)]) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        match escapes.iter().find(|(plain, _)| *plain == c) {
            Some((_, letter)) => line.extend(['\\', *letter]),
            None => line.push(c),
        }
    }
    line
}

/// Reads a text that [`escaped_line`] or [`escaped_word`] wrote, in which a backslash and a letter
/// stand for a character: `\\`, `\n`, `\r`, `\s` (a space), `\t`, and `\e` for no character, as an
/// empty text would be no word.
///
/// # Errors
/// If a backslash is the last character, or an unknown letter follows it.
pub fn unescaped(line: &str) -> Result<String, String> {
    let mut text = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        let letter = chars.next();
        let letter = letter.ok_or("found a backslash at the end of a text")?;
        match ESCAPES.iter().find(|(_, known)| *known == letter) {
            Some((plain, _)) => text.push(*plain),
            None if letter == 'e' => {}
            None => {
                let letter = letter.escape_debug();
                return Err(format!(
                    "found \\{letter}, expected \\\\, \\n, \\r, \\s, \\t or \\e"
                ));
            }
        }
    }
    Ok(text)
}

/// Returns the message that a text is not what it should be: `found "TEXT", expected WHAT`.
pub fn unexpected(found: &str, expected: &str) -> String {
    format!("found {}, expected {expected}", quote(found))
}

/// Returns a copy of a text that lasts until the process ends. Equal texts share one copy, so this
/// is for texts of which there are few: places in a source, reasons of a game's end.
pub fn interned(text: &str) -> &'static str {
    static TEXTS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = texts.get(text) {
        return known;
    }
    let new: &'static str = String::leak(text.to_owned());
    texts.insert(new);
    new
}

/// Returns a count with what is counted: `1 weight`, `2 weights`.
pub fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// Returns the texts that things are shown as, with `between` between each two.
pub fn joined(things: impl IntoIterator<Item = impl Display>, between: &str) -> String {
    let shown = things.into_iter().map(|thing| thing.to_string());
    shown.collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_text_is_read_as_it_was(text in any::<String>(), more in "[ \\t\n\r\\\\e]{0,4}") {
            let text = text + &more;
            let word = escaped_word(&text);
            prop_assert!(!word.is_empty() && !word.contains([' ', '\n', '\r', '\t']));
            prop_assert_eq!(unescaped(&word), Ok(text.clone()));
            let line = escaped_line(&text);
            prop_assert!(!line.contains(['\n', '\r']));
            prop_assert_eq!(unescaped(&line), Ok(text));
        }
    }

    #[test]
    fn other_escapes_are_refused() {
        assert!(unescaped("a\\x").is_err());
        assert!(unescaped("a\\").is_err());
    }
}
