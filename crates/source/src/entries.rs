//! What the entries of a table are.

use syn::{Expr, UnOp};

use crate::leaves::Leaves;
use crate::number::Number;
use crate::syntax::bare;

/// What an entry of a table is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// So many weights.
    Weights(usize),
    /// The value of another const, or of one of its entries, perhaps negated.
    Same {
        /// The const.
        name: String,
        /// The indices behind it.
        indices: Vec<usize>,
        /// Whether a minus sign is before it.
        negative: bool,
    },
    /// Anything else.
    Other,
}

/// Adds the entries, `depth` arrays below.
pub(crate) fn entries(expr: &Expr, depth: usize, found: &mut Vec<Entry>) {
    match bare(expr) {
        Expr::Reference(e) => entries(&e.expr, depth, found),
        Expr::Array(e) if depth > 0 => {
            e.elems.iter().for_each(|e| entries(e, depth - 1, found));
        }
        Expr::Call(e) if depth > 0 && e.args.len() == 1 => {
            e.args.iter().for_each(|e| entries(e, depth, found));
        }
        Expr::Struct(e) if depth > 0 && e.fields.len() == 1 => {
            e.fields.iter().for_each(|f| entries(&f.expr, depth, found));
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

/// `A`, `params::A`, `A[3][1]`, `-A`.
fn same(expr: &Expr, negative: bool) -> Entry {
    match bare(expr) {
        Expr::Unary(e) if matches!(e.op, UnOp::Neg(_)) => same(&e.expr, !negative),
        Expr::Path(path) => match path.path.segments.last() {
            Some(last) if last.arguments.is_none() => Entry::Same {
                name: last.ident.to_string(),
                indices: Vec::new(),
                negative,
            },
            _ => Entry::Other,
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
