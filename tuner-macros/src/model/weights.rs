//! The numbers of weights: each leaf of an initialiser becomes a handle.

use proc_macro2::Literal;
use quote::format_ident;
use syn::{Expr, ExprCall, ExprLit, Lit, parse_quote};
use tuner_source::each_weight;

/// What is put into the handle of a weight.
#[derive(Clone, Copy)]
pub(crate) enum Handles {
    /// The weight's value and its number; the number of the first weight is given.
    Numbered(u32),
    /// A hole for both, which [`restore`](super::restore) fills.
    Holes,
}

/// Begins the name of a hole; its number follows.
pub(super) const HOLE: &str = "__tuner_hole_";

/// Replaces each literal of `expr` that is a weight by a handle, `Tr::weight(…)`. The handle gets
/// the weight's value and its number in the crate, or a hole, `__tuner_hole_0`, where both are
/// filled in later; numbers and holes count up in source order.
pub(super) fn plant(expr: &mut Expr, handles: Handles) {
    let handle: ExprCall = parse_quote!(::tuner_core::trace::Tr::weight());
    let mut count = 0;
    each_weight(expr, &mut |part| {
        let mut handle = handle.clone();
        match handles {
            Handles::Numbered(first) => {
                handle.args.push(part.clone());
                handle.args.push(literal(first + count));
            }
            Handles::Holes => {
                let hole = format_ident!("{HOLE}{count}");
                handle.args.push(parse_quote!(#hole));
            }
        }
        *part = Expr::Call(handle);
        count += 1;
    });
}

/// The number of a weight as a literal expression, `12u32`.
pub(crate) fn literal(number: u32) -> Expr {
    let token = Literal::u32_suffixed(number);
    let (attrs, lit) = (Vec::new(), Lit::new(token));
    Expr::Lit(ExprLit { attrs, lit })
}
