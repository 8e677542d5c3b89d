//! The imported spec as text, in the layout of one that a person writes.

use std::fmt::Write as _;

use tuner_source::Holds;

use super::import::Declaration;
use crate::doc_lines;

/// Longest line of values, in characters. Chosen; nothing depends on it.
const WIDTH: usize = 96;

/// Numbers beyond this do not fit `i32`, the default type.
const LARGEST_I32: u64 = 1 << 31;

/// The spec of what was taken; `left_out` become comments.
pub(super) fn write(
    name: &str,
    files: &[String],
    taken: &[Declaration<'_>],
    left_out: &[&String],
) -> String {
    let mut out = format!("# Imported from {}.\n", files.join(", "));
    for words in left_out {
        let _ = writeln!(out, "# {}", one_line(words));
    }
    let _ = writeln!(out, "\nversion = 1\nname = {}", quoted(name));
    let output = output(taken);
    if !output.is_empty() {
        let _ = write!(out, "\n[output]\n{output}");
    }
    for one in taken {
        out += &parameter(one);
    }
    for (entry, to, factor) in taken.iter().flat_map(|t| &t.ties) {
        let _ = writeln!(
            out,
            "\n[[tie]]\nentry = {}\nto = {}",
            quoted(entry),
            quoted(to)
        );
        if *factor != 1 {
            let _ = writeln!(out, "factor = {factor}");
        }
    }
    out
}

/// The keys of `[output]` that differ from what holds without them.
fn output(taken: &[Declaration<'_>]) -> String {
    let mut out = String::new();
    // The pair type and a const cannot both be `S`.
    if taken.iter().any(|t| t.found.name == "S") && taken.iter().any(|t| t.lanes == 2) {
        out += "pair = \"Score\"\n";
    }
    let primitives = taken.iter().map(|t| match &t.found.holds {
        Holds::Numbers(names) if names.len() == 1 => names[0].as_str(),
        _ => "i32",
    });
    let mut primitives: Vec<&str> = primitives.collect();
    primitives.sort_unstable();
    primitives.dedup();
    let values = || taken.iter().flat_map(|t| &t.values);
    let is_large = |v: &i64| *v >= LARGEST_I32 as i64 || *v < -(LARGEST_I32 as i64);
    let integer = match primitives.as_slice() {
        _ if values().any(is_large) => Some("i64"),
        ["i16"] => Some("i16"),
        ["i8"] => Some("i8"),
        ["i64"] => Some("i64"),
        _ => None,
    };
    if let Some(integer) = integer {
        let _ = writeln!(out, "integer = \"{integer}\"");
    }
    out
}

fn parameter(taken: &Declaration<'_>) -> String {
    let found = taken.found;
    let line = taken.place.rsplit_once(':').map_or("", |(line, _)| line);
    let path = if found.is_field() {
        format!(" {}", found.path)
    } else {
        String::new()
    };
    let mut out = format!(
        "\n[[parameter]]\n# {}{}\nname = {}\n",
        one_line(line),
        one_line(&path),
        quoted(&found.name)
    );
    let doc = found.doc.replace(['\t', '\r'], " ");
    match doc_lines(&doc) {
        Ok(lines) => {
            let text = lines.join("\n").trim().to_owned();
            if !text.is_empty() {
                let _ = writeln!(out, "doc = {}", quoted(&text));
            }
        }
        Err(what) => {
            let _ = writeln!(out, "# its doc comment holds {what}, and is left out");
        }
    }
    if !found.dims.is_empty() {
        let dims: Vec<String> = found.dims.iter().map(ToString::to_string).collect();
        let _ = writeln!(out, "shape = [{}]", dims.join(", "));
    }
    if taken.lanes == 2 {
        out += "phases = [\"mg\", \"eg\"]\n";
    }
    out += "initial = ";
    let entries: Vec<&[i64]> = taken.values.chunks(taken.lanes).collect();
    table(&found.dims, &entries, 0, &mut out);
    out.push('\n');
    out
}

/// Nested lists; the innermost ones break into lines of equal length where
/// their own length is that of a board.
fn table(dims: &[usize], entries: &[&[i64]], depth: usize, out: &mut String) {
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
        numbers.map(|n| n.to_string().len()).max().unwrap_or(0)
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
fn cell(entry: &[i64], [first, second]: [usize; 2]) -> String {
    match entry {
        [mg, eg] => format!("[{mg:>first$}, {eg:>second$}]"),
        [one] => format!("{one:>first$}"),
        _ => String::new(),
    }
}

/// A TOML string.
fn quoted(text: &str) -> String {
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

/// Text that stays in its comment.
fn one_line(text: &str) -> String {
    let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    text.chars().map(visible).collect()
}
