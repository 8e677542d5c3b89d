//! The imported spec as text, in the layout of one that a person writes.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use tuner_source::Holds;

use super::import::Declaration;
use crate::doc_lines;
use crate::edit::{quoted, table};

/// Numbers beyond this do not fit `i32`, the default type.
const LARGEST_I32: f64 = (1_u64 << 31) as f64;

/// Returns the text of an imported spec called `name`. `files`: the sources that it is from, for a
/// comment; `taken`: the consts that become parameters; `left_out`: lines on other consts, which
/// become comments.
pub(super) fn write(
    name: &str,
    files: &[String],
    taken: &[Declaration<'_>],
    left_out: &[String],
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
    out + &sections(taken.iter())
}

/// Returns the sections `[[parameter]]` of consts that become parameters, and behind them sections
/// `[[tie]]` for entries that equal other entries.
pub(super) fn sections<'a>(taken: impl Iterator<Item = &'a Declaration<'a>> + Clone) -> String {
    let mut out: String = taken.clone().map(parameter).collect();
    for (entry, to, factor) in taken.flat_map(|t| &t.ties) {
        let (entry, to) = (quoted(entry), quoted(to));
        let _ = writeln!(out, "\n[[tie]]\nentry = {entry}\nto = {to}");
        if *factor != 1 {
            let _ = writeln!(out, "factor = {factor}");
        }
    }
    out
}

/// Returns the lines of the section `[output]` for consts that become parameters: the keys whose
/// values are not the defaults. Empty if all are.
fn output(taken: &[Declaration<'_>]) -> String {
    let mut out = String::new();
    // The pair type is `S` by default, and no const may have its name.
    if taken.iter().any(|t| t.found.name == "S") && taken.iter().any(|t| t.lanes == 2) {
        out += "pair = \"Score\"\n";
    }
    // The types of numbers in the source, such as `i16`, where a const has one; else `i32`.
    let primitives = taken.iter().map(|t| match &t.found.holds {
        Holds::Numbers(names) if names.len() == 1 => names[0].as_str(),
        _ => "i32",
    });
    let primitives: BTreeSet<&str> = primitives.collect();
    let whole = |t: &&Declaration<'_>| t.decimals.is_none();
    let values = || taken.iter().filter(whole).flat_map(|t| &t.values);
    let is_large = |v: &f64| *v >= LARGEST_I32 || *v < -LARGEST_I32;
    // The integer type is that of the source if all consts have the same one, wider if values are
    // too large for 32 bits, and else the default, `i32`.
    let mut only = primitives.iter().copied().filter(|_| primitives.len() == 1);
    let integer = if values().any(is_large) {
        Some("i64")
    } else {
        only.find(|name| ["i8", "i16", "i64"].contains(name))
    };
    if let Some(integer) = integer {
        let _ = writeln!(out, "integer = \"{integer}\"");
    }
    if primitives.contains("f32") && !primitives.contains("f64") {
        out += "float = \"f32\"\n";
    }
    out
}

/// Returns the section `[[parameter]]` of a const: a comment on where it is declared, its name, doc
/// text, shape, phases, step and frozen entries, as far as it has them, and its values.
fn parameter(taken: &Declaration<'_>) -> String {
    let found = taken.found;
    // Of the place `FILE:LINE:COLUMN` file and line are written.
    let line = taken.place.rsplit_once(':').map_or("", |(line, _)| line);
    let field = found.is_field().then(|| format!(" {}", found.path));
    let mut out = format!(
        "\n[[parameter]]\n# {}{}\nname = {}\n",
        one_line(line),
        one_line(&field.unwrap_or_default()),
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
    if taken.decimals.is_some() {
        let _ = writeln!(out, "step = {}", taken.text(taken.step()));
    }
    if !taken.fixed.is_empty() {
        let fixed: Vec<String> = taken.fixed.iter().map(|path| quoted(path)).collect();
        let _ = writeln!(out, "frozen = [{}]", fixed.join(", "));
    }
    out += "initial = ";
    let texts = taken.values.iter().map(|&value| taken.text(value));
    let texts: Vec<String> = texts.collect();
    // 0: no list is around the values, so that the outermost brackets are not indented.
    table(&found.dims, &texts, taken.lanes, 0, &mut out);
    out + "\n"
}

/// Returns a text with each control character, line breaks among them, replaced by U+FFFD, so that
/// it can be in a comment of one line.
pub(super) fn one_line(text: &str) -> String {
    let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    text.chars().map(visible).collect()
}
