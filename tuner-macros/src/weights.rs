//! Weights in the twin: each leaf of an initialiser becomes a handle.

use quote::quote;
use syn::Expr;
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
    let mut number = first;
    each_part(expr, &mut |part, kind| {
        // The literals of a derived part are constants.
        if kind == Part::Derived {
            return;
        }
        let value = part.clone();
        if let Ok(handle) = syn::parse2(quote!(::tuner_core::trace::Tr::weight(#value, #number))) {
            *part = handle;
        }
        number += 1;
    });
}
