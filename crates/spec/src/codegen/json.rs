//! The weights as JSON: one object, tables laid out in rows.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Emission;
use super::consts::TableLayout;
use crate::edit::cells;
use crate::{Dim, Phases};

/// The version of the object.
const VERSION: u32 = 1;

/// Nested lists, of which the innermost are in rows.
const LAYOUT: TableLayout = TableLayout {
    brackets: ['[', ']'],
    indent: "  ",
    is_code: false,
};

impl Emission<'_> {
    /// Returns the weights as the text of a JSON object: version, name and unit of the spec, where
    /// the weights are from, then the parameters by name, each with doc text, indices, phases and
    /// values.
    pub(super) fn json(&self) -> String {
        let spec = self.spec;
        let mut text = String::from("{\n");
        // Results of writing are passed over: writing into a string cannot fail.
        for (key, value) in [
            ("version", VERSION.into()),
            ("generator", self.title.as_str().into()),
            ("name", spec.name().into()),
            ("hash", spec.hash().into()),
            ("unit", spec.unit().into()),
            ("provenance", json!(self.facts)),
        ] {
            let _ = writeln!(text, "  {}: {},", harmless(&key.into()), harmless(&value));
        }
        text.push_str("  \"parameters\": {");
        for (number, parameter) in spec.layout().parameters().iter().enumerate() {
            text.push_str(if number == 0 { "\n" } else { ",\n" });
            let indices = parameter.dims.iter().map(index);
            let phases = match parameter.phases {
                Phases::Untapered => &[],
                Phases::Tapered => &Phases::NAMES[..],
            };
            let _ = writeln!(text, "    {}: {{", harmless(&json!(parameter.name())));
            for (key, value) in [
                ("doc", parameter.doc.join("\n").into()),
                ("indices", Value::Array(indices.collect())),
                ("phases", json!(phases)),
            ] {
                let _ = writeln!(text, "      \"{key}\": {},", harmless(&value));
            }
            text.push_str("      \"values\": ");
            let values = parameter.texts(&self.values[parameter.weight_range()]);
            // An entry has a number for each phase, or one number if it is untapered. The values
            // are indented by 3 levels, as they are in three objects; there are no errors.
            let cells = cells(&values, phases.len().max(1), ["[", "]"], [0, 0]);
            LAYOUT.emit(&parameter.dims, &cells, &[], 3, &mut text);
            text.push_str("\n    }");
        }
        text.push_str("\n  }\n}\n");
        text
    }
}

/// Returns a dimension as JSON: the list of names of its indices, or their number if they have no
/// names.
fn index(dim: &Dim) -> Value {
    match dim.names() {
        Some(names) => json!(names),
        None => dim.len().into(),
    }
}

/// Returns the text of a JSON value that can also be in a script of an HTML page: characters that
/// could end the script are escaped, as `\u003c`.
fn harmless(value: &Value) -> String {
    let mut text = String::new();
    for c in value.to_string().chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(text, "\\u{:04x}", u32::from(c));
            }
            c => text.push(c),
        }
    }
    text
}
