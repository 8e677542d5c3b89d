//! Entries of tables.

use syn::{Expr, UnOp};

use crate::number::Number;
use crate::syntax::{bare, path_names};

/// An entry of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Literals, so many weights.
    Weights(usize),
    /// The value of another const, or of one of its entries, perhaps negated.
    Same(OtherEntry),
    /// Something else, such as a call.
    Other,
}

/// Another const, or one of its entries, that an entry of a table is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherEntry {
    /// The name of the const; for a const of a type `S::NULL`.
    pub name: String,
    /// The indices behind the name; empty without.
    pub indices: Vec<usize>,
    /// Whether a minus sign is before it.
    pub negative: bool,
}

impl OtherEntry {
    /// The value of the entry that is this other const, or an entry of it, perhaps negated.
    /// `value`: that of the other const's entry.
    pub fn value(&self, value: f64) -> f64 {
        if self.negative { -value } else { value }
    }
}

/// Where the weights are in a table in which some entries are other consts: the number of weights
/// per entry, and for each weight its number among the numbers of all entries, row-major. `None` if
/// no entry is another const, or entries have different numbers of weights or are something else.
pub(crate) fn places(entries: &[Entry]) -> Option<(usize, Vec<usize>)> {
    let is_const = |entry: &Entry| matches!(entry, Entry::Same(_));
    let lanes = lanes(entries).filter(|_| entries.iter().any(is_const))?;
    let own = entries.iter().enumerate();
    let own = own.filter(|(_, entry)| matches!(entry, Entry::Weights(_)));
    let places = own.flat_map(|(index, _)| index * lanes..(index + 1) * lanes);
    Some((lanes, places.collect()))
}

/// The number of weights per entry, if all entries that are weights have equally many and all
/// others are other consts. `None` if that is not so, or no entry is of weights.
pub(crate) fn lanes(entries: &[Entry]) -> Option<usize> {
    let mut lanes = None;
    for entry in entries {
        match (entry, lanes) {
            (Entry::Weights(count), None) => lanes = Some(*count),
            (Entry::Weights(count), Some(known)) if *count == known => {}
            (Entry::Same(_), _) => {}
            _ => return None,
        }
    }
    lanes
}

/// The name by which a const is known: `A` of `params::A`, `S::NULL` of `value::S::NULL`; `None` if
/// it has generic arguments.
fn const_name(path: &syn::Path) -> Option<String> {
    let is_plain = path.segments.last()?.arguments.is_none();
    let is_type = |name: &str| name.starts_with(char::is_uppercase);
    let name = match &path_names(path)[..] {
        [.., owner, last] if is_type(owner) => format!("{owner}::{last}"),
        names => names.last()?.clone(),
    };
    is_plain.then_some(name)
}

/// The entry that an expression without weights is: another const where it is `A`, `params::A`,
/// `A[3][1]` or `-A`, else `Entry::Other`. `negative`: whether an odd number of minus signs is
/// before the expression.
pub(crate) fn same(expr: &Expr, negative: bool) -> Entry {
    match bare(expr) {
        Expr::Reference(e) => same(&e.expr, negative),
        Expr::Unary(e) if matches!(e.op, UnOp::Neg(_)) => same(&e.expr, !negative),
        Expr::Path(path) => match const_name(&path.path) {
            Some(name) => Entry::Same(OtherEntry {
                name,
                indices: Vec::new(),
                negative,
            }),
            None => Entry::Other,
        },
        Expr::Index(e) => match (same(&e.expr, negative), Number::of(&e.index)) {
            (mut entry, Some(Number::Int(index))) if index >= 0 => {
                if let Entry::Same(other) = &mut entry {
                    other.indices.push(index as usize);
                }
                entry
            }
            _ => Entry::Other,
        },
        _ => Entry::Other,
    }
}
