//! One const per parameter, tables laid out in rows, in Rust, C and C++.

use std::fmt::Write as _;

use super::errors;
use super::language::field_name;
use super::{Emission, Language};
use crate::edit::{cells, widths};
use crate::spec::struct_name;
use crate::{Dim, Parameter, Phases};

/// Longest line, and longest array in one line, that rustfmt leaves alone: the defaults of its
/// options `max_width` and `array_width`.
const LINE: usize = 100;
const ARRAY: usize = 60;

const SKIP: &str = "#[rustfmt::skip]\n";

/// The brackets of an array.
pub(super) type Brackets = [char; 2];

impl Emission<'_> {
    /// Appends the const of a parameter in Rust, with its doc comment.
    pub(super) fn rust_const(&self, parameter: &Parameter, text: &mut String) {
        text.push('\n');
        text.push_str(&rust_doc(parameter, ""));
        let kind = self.kind(parameter);
        let head = format!("pub const {}: {kind} = ", parameter.name());
        self.value(parameter, &head, text);
    }

    /// Appends a struct with a field for each parameter, and the const of it, called `name`.
    pub(super) fn rust_struct(&self, name: &str, text: &mut String) {
        let kind = struct_name(name);
        let (mut fields, mut values) = (String::new(), String::new());
        for parameter in self.spec.layout().parameters() {
            let field = field_name(name, parameter);
            fields.push_str(&rust_doc(parameter, "    "));
            let _ = writeln!(fields, "    pub {field}: {},", self.kind(parameter));
            let mut value = String::new();
            self.value(parameter, &format!("{field}: "), &mut value);
            let value = value.strip_prefix(SKIP).unwrap_or(&value);
            let value = value.trim_end_matches(";\n").replace('\n', "\n    ");
            let _ = writeln!(values, "    {value},");
        }
        let _ = write!(
            text,
            "\n/// The weights.\npub struct {kind} {{\n{fields}}}\n\n/// The values of \
             all.\n{SKIP}pub const {name}: {kind} = {kind} {{\n{values}}};\n"
        );
    }

    /// The type of a parameter in Rust.
    fn kind(&self, parameter: &Parameter) -> String {
        let output = self.spec.output();
        let entry = self.entry(parameter, output.integer.name(), output.float.name());
        let dims = parameter.dims.iter().rev();
        dims.fold(entry.to_owned(), |inner, dim| {
            format!("[{inner}; {}]", dim.len())
        })
    }

    /// The type of the entries of a parameter: the pair if it is tapered, else the name `integer`
    /// or `float`.
    pub(super) fn entry<'t>(&'t self, of: &Parameter, integer: &'t str, float: &'t str) -> &'t str {
        match of.phases {
            Phases::Untapered if of.step.is_float => float,
            Phases::Untapered => integer,
            Phases::Tapered => &self.spec.output().pair,
        }
    }

    /// Appends the value of a parameter behind the `head` of its declaration: in that line if it
    /// fits there, else as a table, with the standard errors, if there are any, as comments.
    pub(super) fn value(&self, parameter: &Parameter, head: &str, text: &mut String) {
        let pair = &self.spec.output().pair;
        let (in_front, brackets) = match self.language {
            Language::Rust => (SKIP, ['[', ']']),
            _ => ("", ['{', '}']),
        };
        let (dims, lanes) = (&parameter.dims, parameter.phases.count());
        let errors = self.provenance.errors_of(parameter);
        let errors = errors::texts(errors, parameter, pair.len());
        let values = parameter.texts(&self.values[parameter.weight_range()]);
        let open = format!("{pair}(");
        let around = [&*open, ")"];
        if let Some(value) = short(dims, &cells(&values, lanes, around, [0, 0]), brackets)
            && head.len() + value.len() < LINE
        {
            // In a line above the value, as rustfmt would break a line that gets too long.
            if !errors.is_empty() {
                let _ = writeln!(text, "// {}", errors::line(&errors));
            }
            let _ = writeln!(text, "{head}{value};");
            return;
        }
        let cells = cells(&values, lanes, around, widths(&values, lanes));
        text.push_str(in_front);
        text.push_str(head);
        let layout = TableLayout {
            brackets,
            indent: "    ",
            is_code: true,
        };
        layout.emit(dims, &cells, &errors, 0, text);
        text.push_str(";\n");
    }
}

/// The doc comment of a parameter in Rust.
fn rust_doc(parameter: &Parameter, indent: &str) -> String {
    let line = |line: String| format!("{}\n", format!("{indent}/// {line}").trim_end());
    doc(parameter).into_iter().map(line).collect()
}

/// Most entries that are written with their names; those of boards are rows of numbers.
const NAMED: usize = 32;

/// The doc text, then what the indices mean.
pub(super) fn doc(parameter: &Parameter) -> Vec<String> {
    let mut lines = parameter.doc.clone();
    if lines.iter().all(String::is_empty) {
        lines = vec!["Not described in the spec.".to_owned()];
    }
    let dims = parameter.dims.iter();
    let indices: Vec<String> = dims
        .map(|dim| match (dim.list(), dim.names()) {
            (Some(list), Some([first, second, .., last])) if dim.len() > NAMED => {
                format!("{list} ({first}, {second}, …, {last})")
            }
            (Some(list), Some(names)) => format!("{list} ({})", names.join(", ")),
            _ => format!("0 to {}", dim.len() - 1),
        })
        .collect();
    if !indices.is_empty() {
        lines.push(String::new());
        lines.push(format!("Indexed by {}.", indices.join(", then ")));
    }
    lines
}

/// The whole value in one line; `None` where rustfmt would break it. `cells`: the texts of its
/// entries, row-major.
fn short(dims: &[Dim], cells: &[String], brackets: Brackets) -> Option<String> {
    let Some((dim, rest)) = dims.split_first() else {
        return cells.first().cloned();
    };
    // Two characters of punctuation and one of content are the least per entry.
    if cells.len() > ARRAY / 3 + 1 {
        return None;
    }
    let parts = cells.chunks(cells.len() / dim.len());
    let parts: Option<Vec<String>> = parts.map(|part| short(rest, part, brackets)).collect();
    let value = joined(&parts?, brackets);
    (value.len() <= ARRAY).then_some(value)
}

/// A row in one line.
fn joined(cells: &[String], [open, close]: Brackets) -> String {
    format!("{open}{}{close}", cells.join(", "))
}

/// How tables are laid out over several lines.
pub(super) struct TableLayout {
    pub(super) brackets: Brackets,
    pub(super) indent: &'static str,
    /// Whether there are comments, and a comma behind the last entry.
    pub(super) is_code: bool,
}

impl TableLayout {
    /// Tells whether a list of these `cells` is written in one line. In code it is an innermost
    /// list, within at least one other list (`depth` of them), that fits into a line; in other
    /// text, an innermost list not longer than a row.
    fn is_row(&self, dims: &[Dim], cells: &[String], depth: usize) -> bool {
        let length = cells.iter().map(|cell| cell.len() + 2).sum::<usize>();
        match dims {
            [_] if self.is_code => depth > 0 && 4 * depth + length < LINE,
            [dim] => dim.len() <= columns(dim.len()),
            _ => false,
        }
    }

    /// Appends a value over several lines; the first one is begun, the last one not ended.
    ///
    /// `cells` are its entries, row-major, with as many `errors`, or none at all; `depth` counts the
    /// lists around it. Names of indices are comments: above each inner list, behind each entry of
    /// an innermost one. A board, whose entries are too many for that, has its errors below it.
    pub(super) fn emit(
        &self,
        dims: &[Dim],
        cells: &[String],
        errors: &[String],
        depth: usize,
        text: &mut String,
    ) {
        let Some((dim, rest)) = dims.split_first() else {
            text.push_str(&cells[0]);
            return;
        };
        if self.is_row(dims, cells, depth) {
            text.push_str(&joined(cells, self.brackets));
            return;
        }
        let indent = format!("\n{}", self.indent.repeat(depth + 1));
        let is_innermost = rest.is_empty();
        let is_named = self.is_code && !(is_innermost && dim.len() > NAMED);
        let names = dim.names().filter(|_| is_named);
        // How many cells make a line, or an inner list.
        let length = match names {
            _ if !is_innermost => cells.len() / dim.len(),
            Some(_) => 1,
            None => columns(dim.len()),
        };
        text.push(self.brackets[0]);
        let last = cells.len().div_ceil(length) - 1;
        for (index, part) in cells.chunks(length).enumerate() {
            let errors = errors.chunks(length).nth(index).unwrap_or_default();
            let name = names.map(|names| &*names[index]);
            if is_innermost {
                text.extend([&*indent, &part.join(", ")]);
            } else {
                if let Some(name) = name {
                    text.extend([&*indent, "// ", name]);
                }
                if self.is_row(rest, part, depth + 1) && !errors.is_empty() {
                    text.extend([&*indent, "// ", &errors::line(errors)]);
                }
                text.push_str(&indent);
                self.emit(rest, part, errors, depth + 1, text);
            }
            if self.is_code || index < last {
                text.push(',');
            }
            if let Some(name) = name.filter(|_| is_innermost) {
                text.extend([" // ", name]);
                if !errors.is_empty() {
                    text.extend([" ", &errors::line(errors)]);
                }
            }
        }
        // Errors of a board are rows of comments below it: among its numbers they would hide them.
        let board = errors.chunks(length);
        let board = board.filter(|_| is_innermost && names.is_none());
        for (number, row) in board.enumerate() {
            let sign = if number == 0 { "// ± " } else { "//   " };
            text.extend([&*indent, sign, &row.join(", ")]);
        }
        text.push_str(&indent[..indent.len() - self.indent.len()]);
        text.push(self.brackets[1]);
    }
}

/// Entries per row of a list of this length: the side of a square board of 4 by 4 to 16 by 16, else
/// eight.
fn columns(length: usize) -> usize {
    let side = length.isqrt();
    if (4..=16).contains(&side) && side * side == length {
        side
    } else {
        8
    }
}
