//! What text from a spec may look like, and how it is quoted in messages.
//!
//! A spec may come from anywhere and its text ends in generated code and in
//! documentation built from it, so everything here refuses rather than repairs.

use std::fmt::Write as _;

use tuner_base::is_hidden;

/// Longest name of anything. Chosen; nothing depends on it.
const NAME_LENGTH: usize = 100;

/// Words that Rust does not take as a name (Rust reference, "Keywords",
/// edition 2024: strict and reserved).
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "Self", "static", "struct", "super", "trait", "true", "try", "type",
    "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield", "_",
];

/// Tells whether `word` can be a name in Rust: ASCII letters, digits and `_`, no digit first, at
/// most [`NAME_LENGTH`] (100) characters, and no keyword.
pub(super) fn is_identifier(word: &str) -> bool {
    is_word(word) && !KEYWORDS.contains(&word)
}

/// Tells whether `word` has ASCII letters, digits and `_` only, no digit first, and at most
/// [`NAME_LENGTH`] (100) characters; keywords of Rust are words too.
pub(super) fn is_word(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && word.len() <= NAME_LENGTH
}

/// Tells whether `word` can be the name of a const: `[A-Z][A-Z0-9_]*`, at most 100 characters.
pub(crate) fn is_const_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase())
        && word
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
        && word.len() <= NAME_LENGTH
}

/// Tells whether `word` can be the name of a type: `[A-Z][A-Za-z0-9]*`, at most 100 characters, and
/// no keyword of Rust.
pub(super) fn is_type_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase())
        && word.chars().all(|c| c.is_ascii_alphanumeric())
        && is_identifier(word)
}

/// Fails if a text has hidden characters, such as line breaks and other control characters; the
/// error names the first one.
pub(super) fn refuse_line(text: &str) -> Result<(), String> {
    match text.chars().find(|&c| is_hidden(c)) {
        Some(c) => Err(format!("the character U+{:04X}", u32::from(c))),
        None => Ok(()),
    }
}

/// Splits a doc text into lines, each of which can follow `///` in generated code.
///
/// White space is collapsed: to rustdoc four spaces are a code block, and a
/// code block is a test that `cargo test` runs. For the same reason fences are
/// refused, and tags because rustdoc passes HTML through.
///
/// # Errors
///
/// What was found that may not be there.
pub(crate) fn doc_lines(text: &str) -> Result<Vec<String>, String> {
    let lines: Vec<&str> = text.trim_matches('\n').split('\n').collect();
    let mut safe = Vec::with_capacity(lines.len());
    for line in lines {
        refuse_line(line)?;
        if line.contains("```") || line.contains("~~~") {
            return Err("a code fence".to_owned());
        }
        // `<` is the beginning of a tag if one of these characters follows it.
        let opens_tag = |next: char| next.is_ascii_alphabetic() || "/!?".contains(next);
        let mut tags = line.match_indices('<');
        if tags.any(|(at, _)| line[at + 1..].starts_with(opens_tag)) {
            return Err("an HTML tag".to_owned());
        }
        safe.push(line.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    Ok(safe)
}

/// Returns a text from a file in backquotes, for a message: control characters are escaped, and
/// after 60 characters it is cut off.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("`");
    for c in text.chars().take(60) {
        if c == '`' || c == '"' || c == '\'' {
            out.push(c);
        } else {
            let _ = write!(out, "{}", c.escape_debug());
        }
    }
    if text.chars().nth(60).is_some() {
        out.push('…');
    }
    out.push('`');
    out
}

/// Most words that a list in a message holds: all keys of a parameter.
const LISTED: usize = 16;

/// Returns a list of words for a message: `` `a`, `b` or `c` ``. Of more than [`LISTED`] (16) words
/// only the first are written, and how many more there are.
pub(super) fn listed<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.into_iter().map(quoted).collect();
    match words.as_slice() {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [first @ .., last] if first.len() < LISTED => format!("{} or {last}", first.join(", ")),
        many => format!(
            "{} or one of {} more",
            many[..LISTED].join(", "),
            many.len() - LISTED
        ),
    }
}

/// Returns a cure for a word that is not in `known`: a question whether a known word was meant, or
/// else `fallback`. It asks for the nearest known word that begins with `word`; or, if there is no
/// such word, for the nearest of all, if at most a third as many letters differ as that one has.
pub(super) fn did_you_mean<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
    fallback: &str,
) -> String {
    // An empty word is the beginning of all words, which tells nothing.
    let is_other = |known: &str| word.is_empty() || !known.starts_with(word);
    let known = known.into_iter();
    // `false` is less than `true`: words that begin with `word` come before all others.
    let nearest = known.map(|known| (is_other(known), distance(word, known), known));
    match nearest.min() {
        Some((is_other, far, known)) if !is_other || far <= known.len() / 3 => {
            format!("did you mean {}?", quoted(known))
        }
        _ => fallback.to_owned(),
    }
}

/// Returns the Levenshtein distance of two words, how many letters are to be changed, added or
/// taken out, without regard to ASCII case. Only the first [`NAME_LENGTH`] (100) characters count.
fn distance(a: &str, b: &str) -> usize {
    let [a, b] = [a, b].map(|word| {
        let first: String = word.chars().take(NAME_LENGTH).collect();
        first.to_ascii_lowercase()
    });
    strsim::levenshtein(&a, &b)
}

/// Tells whether a name fits a pattern in which `*` is any text, also an empty one. The parts of
/// the pattern between two stars are looked for from the left, each at its first place behind the
/// part before it.
pub fn fits(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(pieces.next().unwrap_or_default()) else {
        return false;
    };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, between)) = pieces.split_last() else {
        return rest.is_empty();
    };
    for piece in between {
        let Some(at) = rest.find(piece) else {
            return false;
        };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_other_text() {
        for good in ["PST", "A1_B", "X"] {
            assert!(is_const_name(good), "{good}");
        }
        for bad in [
            "",
            "pst",
            "_A",
            "1A",
            "A B",
            "A;",
            "Ä",
            "A\n",
            &"A".repeat(101),
        ] {
            assert!(!is_const_name(bad), "{bad}");
        }
        assert!(is_type_name("S") && is_type_name("Score2"));
        for bad in ["Self", "s", "A_B", "A<T>", "A::B"] {
            assert!(!is_type_name(bad), "{bad}");
        }
        for bad in ["fn", "gen", "_", "a-b", "a.b", ""] {
            assert!(!is_identifier(bad), "{bad}");
        }
    }

    #[test]
    fn doc_text_cannot_hold_a_doctest_or_a_hidden_character() {
        let lines = doc_lines("*/ fn evil() {}\n\n>      indented\t").map_err(|_| ());
        assert!(lines.is_err(), "a tab is a control character");
        let lines = doc_lines("*/ fn evil() {}\n\n>      indented");
        let wanted = ["*/ fn evil() {}", "", "> indented"];
        assert_eq!(lines, Ok(wanted.map(str::to_owned).to_vec()));
        for bad in [
            "a\rb",
            "```\nfn f() {}\n```",
            "~~~",
            "\u{202e}",
            "<script>",
            "a\u{2028}b",
        ] {
            assert!(doc_lines(bad).is_err(), "{bad:?}");
        }
        assert!(doc_lines("rank < 4 <= 5").is_ok());
    }

    #[test]
    fn the_nearest_word_is_offered_only_when_near() {
        let known = ["initial", "doc", "phases"];
        assert_eq!(
            did_you_mean("intial", known, "no"),
            "did you mean `initial`?"
        );
        assert_eq!(did_you_mean("colour", known, "no"), "no");
        let tables = ["PSQ", "PSQT_MG", "TEMPO_MG", "TEMPI"];
        for (word, meant) in [("PSQT", "PSQT_MG"), ("TEMPO", "TEMPO_MG")] {
            let cure = format!("did you mean `{meant}`?");
            assert_eq!(did_you_mean(word, tables, "no"), cure);
        }
    }

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, name) in [
            ("A", "A"),
            ("*", ""),
            ("PST_*", "PST_MG"),
            ("*_MG", "PST_MG"),
            ("P*_*G", "PST_MG"),
            ("*S*T*", "PST"),
            ("Pawn*", "PawnMg"),
        ] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("A", "AB"),
            ("PST_*", "PST"),
            ("*_MG", "PST_EG"),
            ("A*A", "A"),
            ("*X*", "PST"),
            ("*M", "PawnMg"),
        ] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
