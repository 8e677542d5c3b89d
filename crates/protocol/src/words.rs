//! Texts as single words of a line.

/// Writes a text as one word: blanks and line ends become `\s`, `\t`, `\n`, `\r`, a
/// backslash `\\`; a text of no characters becomes `\e`.
pub fn escaped(text: &str) -> String {
    if text.is_empty() {
        return "\\e".to_owned();
    }
    let mut word = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => word.push_str("\\\\"),
            ' ' => word.push_str("\\s"),
            '\t' => word.push_str("\\t"),
            '\n' => word.push_str("\\n"),
            '\r' => word.push_str("\\r"),
            c => word.push(c),
        }
    }
    word
}

/// Reads what [`escaped`] wrote. `None` if a backslash is followed by something else.
pub fn unescaped(word: &str) -> Option<String> {
    let mut text = String::with_capacity(word.len());
    let mut chars = word.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        match chars.next()? {
            '\\' => text.push('\\'),
            's' => text.push(' '),
            't' => text.push('\t'),
            'n' => text.push('\n'),
            'r' => text.push('\r'),
            'e' => {}
            _ => return None,
        }
    }
    Some(text)
}

/// Reads a number, or says what was found.
pub(crate) fn number<T: std::str::FromStr>(word: Option<&str>, what: &str) -> Result<T, String> {
    let word = word.ok_or_else(|| format!("found the end of the line, expected {what}"))?;
    word.parse()
        .map_err(|_| format!("found {word:?}, expected {what}"))
}

/// Reads a number that is finite, or says what was found.
pub(crate) fn finite(word: Option<&str>, what: &str) -> Result<f64, String> {
    let value: f64 = number(word, what)?;
    if value.is_finite() {
        Ok(value)
    } else {
        Err(format!("found {value}, expected {what}"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_text_is_one_word(text in any::<String>()) {
            let word = escaped(&text);
            prop_assert!(!word.is_empty() && !word.contains([' ', '\n', '\r', '\t']));
            prop_assert_eq!(unescaped(&word), Some(text));
        }
    }

    #[test]
    fn other_escapes_are_refused() {
        assert_eq!(unescaped("a\\x"), None);
        assert_eq!(unescaped("a\\"), None);
    }
}
