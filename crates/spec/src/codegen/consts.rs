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
    /// Appends to `text` the const of a parameter in Rust, with its doc comment.
    pub(super) fn rust_const(&self, parameter: &Parameter, text: &mut String) {
        text.push('\n');
        text.push_str(&rust_doc(parameter, ""));
        let kind = self.kind(parameter);
        let head = format!("pub const {}: {kind} = ", parameter.name());
        self.value(parameter, &head, text);
    }

    /// Appends to `text` the Rust code of a struct with a field for each parameter, and of the
    /// const of this struct, called `name`, which has the weights.
    pub(super) fn rust_struct(&self, name: &str, text: &mut String) {
        let kind = struct_name(name);
        let (mut fields, mut values) = (String::new(), String::new());
        for parameter in self.spec.layout().parameters() {
            let field = field_name(name, parameter);
            fields.push_str(&rust_doc(parameter, "    "));
            let _ = writeln!(fields, "    pub {field}: {},", self.kind(parameter));
            // The value is written as that of a const, and made that of a field: without the
            // attribute before it and the `;` behind it, four columns further in.
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

    /// Returns the type of a parameter in Rust, such as `[[S; 64]; 6]`.
    fn kind(&self, parameter: &Parameter) -> String {
        let output = self.spec.output();
        let entry = self.entry(parameter, output.integer.name(), output.float.name());
        let dims = parameter.dims.iter().rev();
        dims.fold(entry.to_owned(), |inner, dim| {
            format!("[{inner}; {}]", dim.len())
        })
    }

    /// Returns the name of the type of the entries of a parameter: the pair type if it is tapered,
    /// else `float` if its weights are floats, or `integer`.
    pub(super) fn entry<'t>(&'t self, of: &Parameter, integer: &'t str, float: &'t str) -> &'t str {
        match of.phases {
            Phases::Untapered if of.step.is_float => float,
            Phases::Untapered => integer,
            Phases::Tapered => &self.spec.output().pair,
        }
    }

    /// Appends to `text` a declaration of a parameter: `head`, such as `pub const A: i32 = `, and
    /// its value; in one line if that fits, else as a table. Standard errors, if they are known,
    /// are comments in it.
    pub(super) fn value(&self, parameter: &Parameter, head: &str, text: &mut String) {
        let pair = &self.spec.output().pair;
        // rustfmt would break the rows of a table.
        let (in_front, brackets) = match self.language {
            Language::Rust => (SKIP, ['[', ']']),
            _ => ("", ['{', '}']),
        };
        let (dims, lanes) = (&parameter.dims, parameter.phases.count());
        let errors = self.provenance.errors_of(parameter);
        let errors = errors::texts(errors, parameter, pair.len());
        let values = parameter.texts(&self.values[parameter.weight_range()]);
        // In one line: cells are not padded, so their widths are 0.
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
        // As a table: cells are padded so that columns line up.
        let cells = cells(&values, lanes, around, widths(&values, lanes));
        text.push_str(in_front);
        text.push_str(head);
        let layout = TableLayout {
            brackets,
            indent: "    ",
            is_code: true,
        };
        // 0: no list is around the value.
        layout.emit(dims, &cells, &errors, 0, text);
        text.push_str(";\n");
    }
}

/// Returns the doc comment of a parameter in Rust, with `indent` before each line.
fn rust_doc(parameter: &Parameter, indent: &str) -> String {
    let line = |line: String| format!("{}\n", format!("{indent}/// {line}").trim_end());
    doc(parameter).into_iter().map(line).collect()
}

/// Most entries that are written with their names; those of boards are rows of numbers.
const NAMED: usize = 32;

/// Returns the lines of the doc comment of a parameter: its doc text, then what its indices mean,
/// dimension by dimension. Of more than [`NAMED`] (32) names only the first two and the last.
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

/// Returns a value, a number or lists in lists, in one line; `None` where rustfmt would break an
/// array that long. `cells`: the texts of its entries, row-major.
fn short(dims: &[Dim], cells: &[String], brackets: Brackets) -> Option<String> {
    let Some((dim, rest)) = dims.split_first() else {
        return cells.first().cloned();
    };
    // An entry has three characters at least: one of content, a comma and a blank.
    if cells.len() > ARRAY / 3 + 1 {
        return None;
    }
    let parts = cells.chunks(cells.len() / dim.len());
    let parts: Option<Vec<String>> = parts.map(|part| short(rest, part, brackets)).collect();
    let value = joined(&parts?, brackets);
    (value.len() <= ARRAY).then_some(value)
}

/// Returns a list of cells in one line: in brackets, with commas between.
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
    /// Tells whether a list with the entries `cells` is written in one line; only an innermost list
    /// can be. In code it is, if it is within another list and fits into a line of 100 columns; in
    /// JSON it is, if it is not longer than a row. `dims`: its own dimensions; `depth`: the number
    /// of lists around it.
    fn is_row(&self, dims: &[Dim], cells: &[String], depth: usize) -> bool {
        // Each cell with comma and blank.
        let length = cells.iter().map(|cell| cell.len() + 2).sum::<usize>();
        match dims {
            [_] if self.is_code => depth > 0 && 4 * depth + length < LINE,
            [dim] => dim.len() <= columns(dim.len()),
            _ => false,
        }
    }

    /// Appends a value, lists in lists with the dimensions `dims`, over several lines of `text`.
    /// The first line is begun by the caller, and the last one is not ended.
    ///
    /// `cells`: its entries, row-major; `errors`: as many texts of standard errors, or an empty
    /// list; `depth`: the number of lists around it. In code names of indices are comments: above
    /// each inner list, and behind each entry of an innermost list. An innermost list with more
    /// than [`NAMED`] (32) entries, a board, has rows of numbers, and its errors in rows of
    /// comments below.
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
        // `part`: the cells of one line, or of one inner list.
        for (index, part) in cells.chunks(length).enumerate() {
            let errors = errors.chunks(length).nth(index).unwrap_or_default();
            let name = names.map(|names| &*names[index]);
            if is_innermost {
                text.extend([&*indent, &part.join(", ")]);
            } else {
                // An inner list, below a comment with its name. If it is written in one line, its
                // errors are a comment above it; else it writes them itself.
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

/// Returns how many entries of a list of `length` entries are written in a row: as many as the side
/// of a square board of 4 by 4 to 16 by 16, if the list is one, else eight.
fn columns(length: usize) -> usize {
    let side = length.isqrt();
    if (4..=16).contains(&side) && side * side == length {
        side
    } else {
        8
    }
}
