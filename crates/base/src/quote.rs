//! Texts of users in messages.

use std::path::Path;

/// Returns a text in quotation marks, control characters escaped, cut after 40
/// characters.
pub fn quote(text: &str) -> String {
    const SHOWN: usize = 40;
    let shown: String = text.chars().take(SHOWN).collect();
    let dots = if shown.len() < text.len() { "…" } else { "" };
    format!(
        "\"{}{dots}\"",
        shown.escape_debug().to_string().replace("\\\"", "\"")
    )
}

/// Returns the words of a command as a shell takes them. What no shell can take, a NUL byte,
/// stays as it is.
pub fn shell_words<S: AsRef<str>>(words: &[S]) -> String {
    let words = || words.iter().map(AsRef::as_ref);
    let quoted = shlex::try_join(words());
    quoted.unwrap_or_else(|_| words().collect::<Vec<_>>().join(" "))
}

/// Returns a name as a word of a command. One that begins as an option does is written so
/// that it is none; what is not UTF-8 in it is lost.
pub fn shell_word(path: &Path) -> String {
    let name = path.display().to_string();
    shell_words(&[if name.starts_with('-') && name != "-" {
        format!("./{name}")
    } else {
        name
    }])
}

/// Writes a text as the end of a line: a backslash becomes `\\`, a tab `\t`, the end of a line
/// `\n`, a carriage return `\r`; all else stands for itself.
pub fn escaped_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => line.push_str("\\\\"),
            '\t' => line.push_str("\\t"),
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            c => line.push(c),
        }
    }
    line
}

/// Writes a text as one word of a line: as [`escaped_line`], with `\s` for a space, and `\e` for a
/// text without characters.
pub fn escaped_word(text: &str) -> String {
    if text.is_empty() {
        return "\\e".to_owned();
    }
    escaped_line(text).replace(' ', "\\s")
}

/// Reads what [`escaped_line`] or [`escaped_word`] wrote.
///
/// # Errors
/// If a backslash is followed by something else: what was found and what was expected.
pub fn unescaped(text: &str) -> Result<String, String> {
    let mut found = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            found.push(c);
            continue;
        }
        match chars.next() {
            Some('\\') => found.push('\\'),
            Some('s') => found.push(' '),
            Some('t') => found.push('\t'),
            Some('n') => found.push('\n'),
            Some('r') => found.push('\r'),
            Some('e') => {}
            Some(other) => {
                let other = other.escape_debug();
                return Err(format!(
                    "found \\{other}, expected \\\\, \\s, \\t, \\n, \\r or \\e"
                ));
            }
            None => return Err("found a backslash at the end of a text".to_owned()),
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn commands_can_be_pasted() {
        let words = ["fit", "a b.tsv", "--out=it's"];
        let said = shell_words(&words);
        assert_eq!(
            shlex::split(&said),
            Some(words.map(str::to_owned).to_vec()),
            "{said}"
        );
        assert!(said.starts_with("fit "), "{said}");
        assert_eq!(shell_word(Path::new("-o x")), "'./-o x'");
        assert_eq!(shell_word(Path::new("-")), "-");
    }

    proptest! {
        #[test]
        fn any_text_is_the_end_of_a_line_and_a_word(text in any::<String>()) {
            let (line, word) = (escaped_line(&text), escaped_word(&text));
            prop_assert!(!line.contains(['\n', '\r', '\t']));
            prop_assert!(!word.is_empty() && !word.contains([' ', '\n', '\r', '\t']));
            prop_assert_eq!(unescaped(&line), Ok(text.clone()));
            prop_assert_eq!(unescaped(&word), Ok(text));
        }
    }

    #[test]
    fn other_escapes_are_refused() {
        for (text, said) in [("a\\x", "found \\x"), ("a\\", "at the end")] {
            let found = unescaped(text);
            assert!(
                matches!(&found, Err(words) if words.contains(said)),
                "{found:?}"
            );
        }
    }
}
