//! Values and strings as TOML, in the layout of a spec that a person writes.

use std::fmt::Write as _;

/// Longest line of values, in characters. Chosen; nothing depends on it.
const WIDTH: usize = 96;

/// Nested lists of numbers, as they are written; the innermost ones break into lines of equal length where
/// their own length is that of a board.
pub(crate) fn table(dims: &[usize], entries: &[&[String]], depth: usize, out: &mut String) {
    let indent = "    ".repeat(depth);
    let Some((&len, inner)) = dims.split_first() else {
        out.extend(entries.first().map(|entry| cell(entry, [0, 0])));
        return;
    };
    if !inner.is_empty() {
        out.push_str("[\n");
        for entries in entries.chunks(entries.len() / len) {
            let _ = write!(out, "{indent}    ");
            table(inner, entries, depth + 1, out);
            out.push_str(",\n");
        }
        let _ = write!(out, "{indent}]");
        return;
    }
    let cells = entries.iter().map(|entry| cell(entry, [0, 0]));
    let line = cells.collect::<Vec<_>>().join(", ");
    if line.len() + indent.len() <= WIDTH {
        let _ = write!(out, "[{line}]");
        return;
    }
    let width = |lane: usize| {
        let numbers = entries.iter().filter_map(|entry| entry.get(lane));
        numbers.map(String::len).max().unwrap_or(0)
    };
    let widths = [width(0), width(1)];
    let row = match len {
        64 => 8,
        81 => 9,
        _ => (WIDTH / (widths[0] + widths[1] + 4)).max(1),
    };
    out.push_str("[\n");
    for entries in entries.chunks(row) {
        let cells = entries.iter().map(|entry| cell(entry, widths));
        let line = cells.collect::<Vec<_>>().join(", ");
        let _ = writeln!(out, "{indent}    {line},");
    }
    let _ = write!(out, "{indent}]");
}

/// `5` or `[5, 6]`, each number right-aligned.
fn cell(entry: &[String], [first, second]: [usize; 2]) -> String {
    match entry {
        [mg, eg] => format!("[{mg:>first$}, {eg:>second$}]"),
        [one] => format!("{one:>first$}"),
        _ => String::new(),
    }
}

/// A TOML string.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
