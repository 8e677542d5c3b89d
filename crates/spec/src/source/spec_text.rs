//! The imported spec as text, in the layout of one that a person writes.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use tuner_source::Holds;

use super::import::Declaration;
use crate::doc_lines;
use crate::edit::{quoted, table};

/// Numbers beyond this do not fit `i32`, the default type.
const LARGEST_I32: f64 = (1_u64 << 31) as f64;

/// The text of the spec of what was taken. `left_out`: lines that become comments.
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

/// The sections of parameters, and of their ties.
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

/// The keys of `[output]` whose values are not the defaults.
fn output(taken: &[Declaration<'_>]) -> String {
    let mut out = String::new();
    // The pair type is `S` by default, and no const may have its name.
    if taken.iter().any(|t| t.found.name == "S") && taken.iter().any(|t| t.lanes == 2) {
        out += "pair = \"Score\"\n";
    }
    let primitives = taken.iter().map(|t| match &t.found.holds {
        Holds::Numbers(names) if names.len() == 1 => names[0].as_str(),
        _ => "i32",
    });
    let primitives: BTreeSet<&str> = primitives.collect();
    let whole = |t: &&Declaration<'_>| t.decimals.is_none();
    let values = || taken.iter().filter(whole).flat_map(|t| &t.values);
    let is_large = |v: &f64| *v >= LARGEST_I32 || *v < -LARGEST_I32;
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

/// The section of a parameter, with where it was declared.
fn parameter(taken: &Declaration<'_>) -> String {
    let found = taken.found;
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
    table(&found.dims, &texts, taken.lanes, 0, &mut out);
    out + "\n"
}

/// The text without line breaks and other control characters: it stays in its comment.
pub(super) fn one_line(text: &str) -> String {
    let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    text.chars().map(visible).collect()
}
