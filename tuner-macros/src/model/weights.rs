//! The numbers of weights: each leaf of an initialiser becomes a handle.

use proc_macro2::Literal;
use syn::{Expr, ExprCall, ExprLit, Lit, parse_quote};
use tuner_source::{InitialiserPart, each_part};

/// Replaces each leaf by the handle of its weight; the first is number `first`.
pub(super) fn plant(expr: &mut Expr, first: u32) {
    let handle: ExprCall = parse_quote!(::tuner_core::trace::Tr::weight());
    let mut number = first;
    each_part(expr, &mut |part, kind| {
        // The literals of a derived part are constants.
        if kind == InitialiserPart::Derived {
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
