//! Values and strings as TOML, in the layout of a spec that a person writes.

use std::fmt::Write as _;

/// Longest line of values, in characters. Chosen; nothing depends on it.
const WIDTH: usize = 96;

/// Appends numbers to the text `to` as lists in lists, in TOML. `dims`: the lengths of the lists,
/// the outermost first; `texts`: the numbers, row-major; `lanes`: numbers per entry, in a list of
/// their own if 2; `depth`: the number of lists around. An innermost list that is too long for a
/// line of [`WIDTH`] (96) characters breaks into rows; one of 64 or 81 entries, a board, into its
/// ranks.
pub(crate) fn table(dims: &[usize], texts: &[String], lanes: usize, depth: usize, to: &mut String) {
    let indent = "    ".repeat(depth);
    let in_one_line = || cells(texts, lanes, ["[", "]"], [0, 0]).join(", ");
    // A single entry, without a list.
    let Some((&len, inner)) = dims.split_first() else {
        to.push_str(&in_one_line());
        return;
    };
    // A list of lists: each in lines of its own.
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
    // Entries in a row. Four characters of each are brackets, comma and blank.
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

/// Returns the text of each entry of a table of numbers, in order. `texts`: the numbers; `lanes`:
/// numbers per entry, 1 or 2. A number is padded on the left to the width of its place in the
/// entry, `first` or `second`; a pair is put between `open` and `close`, with a comma.
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

/// Returns the width of the widest number at each of the two places in an entry. `lanes`: numbers
/// per entry, 1 or 2; with 1 the second width is 0.
pub(crate) fn widths(texts: &[String], lanes: usize) -> [usize; 2] {
    let mut widths = [0; 2];
    for (index, text) in texts.iter().enumerate() {
        let width = &mut widths[index % lanes];
        *width = text.len().max(*width);
    }
    widths
}

/// Returns a text as a string of TOML, in quotes and with escapes.
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
