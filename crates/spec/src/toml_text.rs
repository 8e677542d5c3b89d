//! TOML syntax: parses a text, or says where it is broken.

use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::diagnostic::{Mistakes, SpecErrors};
use super::read::{Read, Value};

/// Reads a value from the text of a TOML file, and passes it to `check`, which adds mistakes to the
/// list that it gets, or returns what the file means. If there is any mistake, of syntax, types or
/// meaning, all of them are the error. `file`: its name, for messages.
pub(super) fn read<T: Read, R>(
    file: &Path,
    text: &str,
    check: impl FnOnce(T, &Mistakes) -> Option<R>,
) -> Result<R, SpecErrors> {
    let mistakes = Mistakes::default();
    let root = parse(text, &mistakes).map(DeValue::Table);
    let raw = root.and_then(|root| T::read(&Value::root(&root, &mistakes)));
    let checked = raw.and_then(|raw| check(raw, &mistakes));
    (checked.filter(|_| mistakes.is_empty())).ok_or_else(|| mistakes.into_errors(file, text))
}

/// Returns the table that a text in TOML is; `None`, after noting mistakes, if it is not TOML.
///
/// After an unclosed bracket the parser takes the rest of the file for a part
/// of the list and finds something wrong in every line. So a broken text is
/// parsed again section by section, and only the first mistake of each counts.
fn parse<'a>(text: &'a str, mistakes: &Mistakes) -> Option<DeTable<'a>> {
    let (root, errors) = DeTable::parse_recoverable(text);
    if errors.is_empty() {
        return Some(root.into_inner());
    }
    // Notes an error in a part of the text that begins at byte `start`.
    let note = |error: &toml::de::Error, start: usize| {
        let span = error.span().unwrap_or(0..0);
        let found = format!("this is no TOML ({})", error.message());
        let cure = "correct the line or the one before it";
        let place = mistakes.at(start + span.start..start + span.end);
        place.note(found, "TOML 1.1", cure);
    };
    for (start, section) in sections(text) {
        let (_, errors) = DeTable::parse_recoverable(section);
        if let Some(error) = errors.first() {
            note(error, start);
        }
    }
    if mistakes.is_empty() {
        // Each section is right by itself, so they do not fit together: a table is there twice, for
        // instance.
        for error in &errors {
            // 0: the bytes of the error count from the start of the whole text.
            note(error, 0);
        }
    }
    None
}

/// Cuts a text in TOML into sections: before each line that looks like `[name]` or `[[name]]`, or
/// before the comments right above such a line. Returns each section with the byte at which it
/// begins; the first begins at 0.
pub(super) fn sections(text: &str) -> Vec<(usize, &str)> {
    let mut cuts = vec![0];
    // `above`: where the next line begins, or the comments right above it; `place`: the end of the
    // line.
    let mut above = 0;
    let mut place = 0;
    for line in text.split_inclusive('\n') {
        place += line.len();
        let is_header = is_header(line);
        // At byte 0 the first section begins in any case.
        if is_header && above > 0 {
            cuts.push(above);
        }
        if is_header || !line.starts_with('#') {
            above = place;
        }
    }
    let ends = cuts[1..].iter().copied().chain([text.len()]);
    let sections = cuts.iter().zip(ends);
    sections
        .map(|(&from, to)| (from, &text[from..to]))
        .collect()
}

/// Tells whether a line looks like the head of a section, `[name]` or `[[name]]`, perhaps with a
/// comment behind it. A line of a list of values may be in brackets too, but does not begin with a
/// letter.
fn is_header(line: &str) -> bool {
    let bare = line.split('#').next().unwrap_or(line).trim_end();
    let inside = bare.strip_prefix("[[");
    let inside = inside.and_then(|rest| rest.strip_suffix("]]"));
    let inside = inside.or_else(|| bare.strip_prefix('[')?.strip_suffix(']'));
    inside.is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c))
    })
}
