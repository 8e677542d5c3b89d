//! Entries of tables.

use syn::{Expr, UnOp};

use crate::leaves::{Leaves, expand_repeats, unwrapped};
use crate::number::Number;
use crate::syntax::{bare, path_names};

/// An entry of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// So many weights.
    Weights(usize),
    /// The value of another const, or of one of its entries, perhaps negated.
    Same {
        /// The const; `S::NULL` if it is a type's own.
        name: String,
        /// The indices behind it.
        indices: Vec<usize>,
        /// Whether a minus sign is before it.
        negative: bool,
    },
    /// Anything else.
    Other,
}

/// Most entries of a `[S::NULL; N]`. Chosen: more than any table has.
const LARGEST: i128 = 1 << 20;

/// Adds the entries, `depth` arrays below.
pub(crate) fn entries(expr: &Expr, depth: usize, found: &mut Vec<Entry>) {
    let expr = if depth > 0 { unwrapped(expr) } else { expr };
    match bare(expr) {
        Expr::Reference(e) => entries(&e.expr, depth, found),
        Expr::Array(e) if depth > 0 => {
            e.elems.iter().for_each(|e| entries(e, depth - 1, found));
        }
        // `[S::NULL; 3]`; with weights in it, it is written out.
        Expr::Repeat(e) if depth > 0 => {
            let mut one = Vec::new();
            entries(&e.expr, depth - 1, &mut one);
            match Number::of(&e.len) {
                Some(Number::Int(len)) if (0..=LARGEST).contains(&(len * one.len() as i128)) => {
                    found.extend(std::iter::repeat_n(one, len as usize).flatten());
                }
                _ => found.push(Entry::Other),
            }
        }
        // Rows of another shape than the first.
        _ if depth > 0 => found.push(Entry::Other),
        expr => {
            let leaves = Leaves::of(expr);
            let entry = match leaves.leaves.len() {
                0 => same(expr, false),
                _ if !leaves.dims.is_empty() => Entry::Other,
                weights => Entry::Weights(weights),
            };
            found.push(entry);
        }
    }
}

/// Where the weights of a table are whose entries are weights and other consts: how
/// many an entry has, and the place of each among the numbers of all entries.
/// `None` if no entry is another const, or the entries are not a table.
pub(crate) fn places(expr: &Expr, depth: usize) -> Option<(usize, Vec<usize>)> {
    if !names_a_const(expr, depth) {
        return None;
    }
    let mut expr = expr.clone();
    expand_repeats(&mut expr);
    let mut found = Vec::new();
    entries(&expr, depth, &mut found);
    let lanes = lanes(&found)?;
    let own = found.iter().enumerate();
    let own = own.filter(|(_, entry)| matches!(entry, Entry::Weights(_)));
    let places = own.flat_map(|(index, _)| index * lanes..(index + 1) * lanes);
    Some((lanes, places.collect()))
}

/// Weights in an entry, if all entries that hold any hold equally many.
pub(crate) fn lanes(entries: &[Entry]) -> Option<usize> {
    let mut lanes = None;
    for entry in entries {
        match (entry, lanes) {
            (Entry::Weights(count), None) => lanes = Some(*count),
            (Entry::Weights(count), Some(known)) if *count == known => {}
            (Entry::Same { .. }, _) => {}
            _ => return None,
        }
    }
    lanes
}

/// Whether an entry is another const; a cheap look before the real one.
fn names_a_const(expr: &Expr, depth: usize) -> bool {
    match bare(expr) {
        Expr::Reference(e) => names_a_const(&e.expr, depth),
        Expr::Array(e) if depth > 0 => e.elems.iter().any(|e| names_a_const(e, depth - 1)),
        Expr::Repeat(e) if depth > 0 => names_a_const(&e.expr, depth - 1),
        Expr::Call(e) if depth > 0 => e.args.iter().any(|e| names_a_const(e, depth)),
        Expr::Struct(e) if depth > 0 => e.fields.iter().any(|f| names_a_const(&f.expr, depth)),
        Expr::Unary(e) => names_a_const(&e.expr, depth),
        Expr::Path(_) | Expr::Index(_) => true,
        _ => false,
    }
}

/// `A` of `params::A`, `S::NULL` of `value::S::NULL`.
fn const_name(path: &syn::Path) -> Option<String> {
    let is_plain = path.segments.last()?.arguments.is_none();
    let is_type = |name: &str| name.starts_with(char::is_uppercase);
    let name = match &path_names(path)[..] {
        [.., owner, last] if is_type(owner) => format!("{owner}::{last}"),
        names => names.last()?.clone(),
    };
    is_plain.then_some(name)
}

/// `A`, `params::A`, `A[3][1]`, `-A`.
fn same(expr: &Expr, negative: bool) -> Entry {
    match bare(expr) {
        Expr::Unary(e) if matches!(e.op, UnOp::Neg(_)) => same(&e.expr, !negative),
        Expr::Path(path) => match const_name(&path.path) {
            Some(name) => Entry::Same {
                name,
                indices: Vec::new(),
                negative,
            },
            None => Entry::Other,
        },
        Expr::Index(e) => match (same(&e.expr, negative), Number::of(&e.index)) {
            (mut entry, Some(Number::Int(index))) if index >= 0 => {
                if let Entry::Same { indices, .. } = &mut entry {
                    indices.push(index as usize);
                }
                entry
            }
            _ => Entry::Other,
        },
        _ => Entry::Other,
    }
}
