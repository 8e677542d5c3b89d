//! A spec as a page for people.

use std::fmt::Write as _;

use super::edit::table;
use super::layout::Layout;
use super::parameter::{Dim, Parameter, Phases};
use super::spec::Spec;

/// Writes a spec as Markdown: a table of its parameters, then each with its doc and its
/// values, boards as boards.
///
/// Texts of a spec hold no markup that a page would act on but that of Markdown itself;
/// bars, which would end a cell, are escaped.
pub fn markdown(spec: &Spec) -> String {
    let layout = spec.layout();
    let frozen = layout.weight_ids().filter(|&w| layout.frozen(w)).count();
    let mut text = format!(
        "# The weights of `{}`\n\n{} parameters, {} weights in {}, {frozen} of them frozen, {} tied. Values: {}.\n\n",
        spec.name(),
        layout.parameters().len(),
        layout.weights(),
        cell(spec.unit()),
        layout.ties().len(),
        cell(spec.values().unwrap_or("initial ones, not fitted")),
    );
    text += "| parameter | shape | phases | group | bounds | prior | what it is |\n";
    text += "|---|---|---|---|---|---|---|\n";
    for parameter in layout.parameters() {
        let (low, high) = parameter.bounds();
        let bounds = low.is_finite().then(|| format!("{low} to {high}"));
        let prior = parameter.prior.map(|deviation| deviation.to_string());
        let phases = match parameter.phases {
            Phases::Untapered => "",
            Phases::Tapered => "mg, eg",
        };
        // Writing into a string cannot fail.
        let _ = writeln!(
            text,
            "| `{}` | {} | {phases} | {} | {} | {} | {} |",
            parameter.name(),
            parameter.shape(),
            cell(parameter.group.as_deref().unwrap_or_default()),
            bounds.unwrap_or_default(),
            prior.unwrap_or_default(),
            cell(parameter.doc.first().map_or("", String::as_str)),
        );
    }
    for parameter in layout.parameters() {
        section(layout, parameter, &mut text);
    }
    text
}

/// Appends to `text`, a page in Markdown, the section on one parameter: its doc, which of its
/// weights are frozen, the names of its indices, and its initial values as a table.
fn section(layout: &Layout, parameter: &Parameter, text: &mut String) {
    let _ = write!(text, "\n## `{}`\n\n", parameter.name());
    for line in &parameter.doc {
        let _ = writeln!(text, "{line}");
    }
    let frozen = parameter.weights().filter(|&weight| layout.frozen(weight));
    let frozen: Vec<String> = frozen.map(|weight| layout.name(weight)).collect();
    if frozen.len() == parameter.weights().len() {
        text.push_str("\nFrozen.\n");
    } else if !frozen.is_empty() {
        let _ = writeln!(text, "\nFrozen: `{}`.", frozen.join("`, `"));
    }
    for names in parameter.dims.iter().filter_map(|dim| dim.names.as_ref()) {
        let _ = writeln!(text, "\n{}: `{}`.", names.list, names.names.join("`, `"));
    }
    let values = parameter.texts(&layout.initial_counts()[parameter.weight_range()]);
    let dims: Vec<usize> = parameter.dims.iter().map(Dim::len).collect();
    text.push_str("\n```text\n");
    // 0: no list is around the values, so that the outermost brackets are not indented.
    table(&dims, &values, parameter.phases.count(), 0, text);
    text.push_str("\n```\n");
}

/// Returns a text for a cell of a table in Markdown: its bars are escaped, as a bar ends a cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test may stop at the first surprise

    use std::path::Path;

    use super::*;

    #[test]
    fn a_page_has_every_parameter_with_its_values() {
        let text = "version = 1\nname = \"demo\"\nvalues = \"by hand | eye\"\n[[parameter]]\n\
                    name = \"ROOK\"\ndoc = \"A rook.\\n\\nMore.\"\nphases = [\"mg\", \"eg\"]\n\
                    initial = [480, 520]\nbounds = [0, 900]\nfrozen = [\"mg\"]\n[[parameter]]\n\
                    name = \"SQUARES\"\nshape = [64]\ninitial = 7\nprior = 12\n[[parameter]]\n\
                    name = \"PIECE\"\nshape = [\"role\"]\ninitial = [1, 3]\n[names]\n\
                    role = [\"pawn\", \"knight\"]\n";
        let spec = Spec::parse(Path::new("demo.toml"), text).unwrap();
        let page = markdown(&spec);
        for part in [
            "# The weights of `demo`\n\n3 parameters, 68 weights in centipawn, 1 of them frozen",
            "Values: by hand \\| eye.",
            "| `ROOK` |  | mg, eg |  | 0 to 900 |  | A rook. |",
            "| `SQUARES` | 64 |  |  |  | 12 |  |",
            "## `PIECE`\n\n\nrole: `pawn`, `knight`.\n\n```text\n",
            "## `ROOK`\n\nA rook.\n\nMore.\n\nFrozen: `ROOK.mg`.\n\n```text\n[480, 520]\n```",
        ] {
            assert!(page.contains(part), "{part}\n{page}");
        }
    }
}
