//! Values and strings as TOML, in the layout of a spec that a person writes.

use std::fmt::Write as _;

/// Longest line of values, in characters. Chosen; nothing depends on it.
const WIDTH: usize = 96;

/// Appends nested lists of numbers. `texts`: the numbers, row-major; `lanes`: numbers per entry, in
/// one more list if 2; `depth`: the lists around it. Innermost lists that are too long for a line
/// break into rows, those of a board into its ranks.
pub(crate) fn table(dims: &[usize], texts: &[String], lanes: usize, depth: usize, to: &mut String) {
    let indent = "    ".repeat(depth);
    let in_one_line = || cells(texts, lanes, ["[", "]"], [0, 0]).join(", ");
    let Some((&len, inner)) = dims.split_first() else {
        to.push_str(&in_one_line());
        return;
    };
    if !inner.is_empty() {
        to.push_str("[\n");
        for texts in texts.chunks(texts.len() / len) {
            let _ = write!(to, "{indent}    ");
            table(inner, texts, lanes, depth + 1, to);
            to.push_str(",\n");
        }
        let _ = write!(to, "{indent}]");
        return;
    }
    let line = in_one_line();
    if line.len() + indent.len() <= WIDTH {
        let _ = write!(to, "[{line}]");
        return;
    }
    let widths = widths(texts, lanes);
    let row = match len {
        64 => 8,
        81 => 9,
        _ => (WIDTH / (widths[0] + widths[1] + 4)).max(1),
    };
    to.push_str("[\n");
    for entries in cells(texts, lanes, ["[", "]"], widths).chunks(row) {
        let _ = writeln!(to, "{indent}    {},", entries.join(", "));
    }
    let _ = write!(to, "{indent}]");
}

/// The entries of a table of numbers, in order. `lanes`: numbers per entry, 1 or 2; each number is
/// padded to the width of its lane, and a pair is within `open` and `close`.
pub(crate) fn cells(
    texts: &[String],
    lanes: usize,
    [open, close]: [&str; 2],
    [first, second]: [usize; 2],
) -> Vec<String> {
    let cell = |entry: &[String]| match entry {
        [mg, eg] => format!("{open}{mg:>first$}, {eg:>second$}{close}"),
        entry => format!("{:>first$}", entry.concat()),
    };
    texts.chunks(lanes).map(cell).collect()
}

/// The width of the widest number in each lane, the place of a number within its entry.
pub(crate) fn widths(texts: &[String], lanes: usize) -> [usize; 2] {
    let mut widths = [0; 2];
    for (index, text) in texts.iter().enumerate() {
        let width = &mut widths[index % lanes];
        *width = text.len().max(*width);
    }
    widths
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
