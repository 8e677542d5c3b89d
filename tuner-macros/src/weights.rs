//! Weights in the twin: each leaf of an initialiser becomes a handle.

use quote::quote;
use syn::Expr;
use tuner_source::{Leaves, Part, each_part};

use crate::diag::Mistake;
use crate::refuse;

/// What the twin cannot do yet with an initialiser.
pub(crate) fn mistakes(leaves: &Leaves) -> Vec<Mistake> {
    let derived = leaves.derived.iter().map(|&at| (at, refuse::ARITHMETIC));
    let lengths = leaves.lengths.iter().map(|&at| (at, refuse::LENGTH));
    let all = derived.chain(lengths);
    all.map(|(at, message)| Mistake::new(at, message)).collect()
}

/// Replaces each leaf by the handle of its weight; the first is number `first`.
pub(crate) fn plant(expr: &mut Expr, first: u32) {
    let mut number = first;
    each_part(expr, &mut |part, kind| {
        let value = part.clone();
        if let Ok(handle) = syn::parse2(quote!(::tuner_core::trace::Tr::weight(#value, #number))) {
            *part = handle;
        }
        // A derived part is refused; it is planted all the same, so that the
        // twin's other items see the right type.
        if matches!(kind, Part::Leaf(_)) {
            number += 1;
        }
    });
}
