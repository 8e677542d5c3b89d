//! Texts of users in messages.

use std::path::Path;

/// Returns a text in quotation marks, control characters escaped, cut after 40
/// characters.
pub fn quote(text: &str) -> String {
    const SHOWN: usize = 40;
    let shown: String = text.chars().take(SHOWN).collect();
    let dots = if shown.len() < text.len() { "…" } else { "" };
    // Quotation marks within the text need no escape for a reader.
    let shown = shown.escape_debug().to_string().replace("\\\"", "\"");
    format!("\"{shown}{dots}\"")
}

/// Tells whether a character would not be seen as itself: control characters, and the format
/// characters that reorder or hide text.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// Returns a command as a shell reads it: its words, quoted where needed, with blanks between them.
/// A word with a NUL byte, which no shell can read, leaves all words without quotes.
pub fn shell_words<S: AsRef<str>>(words: &[S]) -> String {
    let words = || words.iter().map(AsRef::as_ref);
    let quoted = shlex::try_join(words());
    quoted.unwrap_or_else(|_| words().collect::<Vec<_>>().join(" "))
}

/// Returns the name of a file as a word of a command, quoted where a shell needs it. `./` in front
/// of a name that begins with `-` keeps it from being read as an option; `-` alone stays. Bytes
/// that are not UTF-8 are lost.
pub fn shell_word(path: &Path) -> String {
    let name = path.display().to_string();
    shell_words(&[if name.starts_with('-') && name != "-" {
        format!("./{name}")
    } else {
        name
    }])
}

#[cfg(test)]
mod tests {
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
}
