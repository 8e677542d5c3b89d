//! Weights in the twin: each leaf of an initialiser becomes a handle.

use proc_macro2::Literal;
use syn::{Expr, ExprCall, ExprLit, Lit, parse_quote};
use tuner_source::{Leaves, Part, each_part};

use crate::diag::Mistake;
use crate::refuse;

/// What the twin cannot do yet with an initialiser.
pub(crate) fn mistakes(leaves: &Leaves) -> Vec<Mistake> {
    let lengths = leaves.lengths.iter();
    lengths
        .map(|&at| Mistake::new(at, refuse::LENGTH))
        .collect()
}

/// Replaces each leaf by the handle of its weight; the first is number `first`.
pub(crate) fn plant(expr: &mut Expr, first: u32) {
    let handle: ExprCall = parse_quote!(::tuner_core::trace::Tr::weight());
    let mut number = first;
    each_part(expr, &mut |part, kind| {
        // The literals of a derived part are constants.
        if kind == Part::Derived {
            return;
        }
        let mut handle = handle.clone();
        handle.args.push(part.clone());
        handle.args.push(literal(number));
        *part = Expr::Call(handle);
        number += 1;
    });
}

pub(crate) fn literal(number: u32) -> Expr {
    let token = Literal::u32_suffixed(number);
    Expr::Lit(ExprLit {
        attrs: Vec::new(),
        lit: Lit::new(token),
    })
}
