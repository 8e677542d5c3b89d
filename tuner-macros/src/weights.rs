//! The literal leaves of an initialiser: each is a weight.

use quote::quote;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, Lit, Token, UnOp};

use crate::diag::{Extent, Mistake};
use crate::refuse;

/// What an initialiser holds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Leaves {
    /// Lengths of the arrays around an entry, outermost first.
    pub(crate) dims: Vec<usize>,
    /// The literals in source order.
    pub(crate) values: Vec<f64>,
    /// Constructors that hold literals, with their places.
    pub(crate) constructors: Vec<(String, Extent)>,
    /// Macros that hold literals.
    pub(crate) macros: Vec<String>,
    pub(crate) mistakes: Vec<Mistake>,
}

impl Leaves {
    pub(crate) fn of(expr: &Expr) -> Self {
        let mut expr = expr.clone();
        expand_repeats(&mut expr);
        let mut leaves = Self {
            dims: dims(&expr),
            ..Self::default()
        };
        each(&mut expr, &mut leaves, &mut |_, _| {});
        leaves
    }

    /// Literals in an entry.
    pub(crate) fn lanes(&self) -> usize {
        let entries: usize = self.dims.iter().product();
        if entries == 0 {
            1
        } else {
            self.values.len().div_ceil(entries).max(1)
        }
    }
}

/// Replaces each literal by the handle of its weight; the first is number `first`.
pub(crate) fn plant(expr: &mut Expr, first: u32) {
    expand_repeats(expr);
    let mut number = first;
    each(expr, &mut Leaves::default(), &mut |leaf, _| {
        let literal = leaf.clone();
        if let Ok(handle) = syn::parse2(quote!(::tuner_core::trace::Tr::weight(#literal, #number)))
        {
            *leaf = handle;
        }
        number += 1;
    });
}

/// Calls `f` on each literal, in source order.
fn each(expr: &mut Expr, leaves: &mut Leaves, f: &mut impl FnMut(&mut Expr, f64)) {
    if let Some(value) = literal(expr) {
        leaves.values.push(value);
        f(expr, value);
        return;
    }
    match expr {
        Expr::Array(e) => e.elems.iter_mut().for_each(|e| each(e, leaves, f)),
        Expr::Tuple(e) => e.elems.iter_mut().for_each(|e| each(e, leaves, f)),
        Expr::Paren(e) => each(&mut e.expr, leaves, f),
        Expr::Group(e) => each(&mut e.expr, leaves, f),
        Expr::Reference(e) => each(&mut e.expr, leaves, f),
        Expr::Call(e) => {
            let before = leaves.values.len();
            e.args.iter_mut().for_each(|e| each(e, leaves, f));
            if leaves.values.len() > before
                && let Expr::Path(path) = &*e.func
            {
                leaves
                    .constructors
                    .push((constructor(&path.path), Extent::of(path)));
            }
        }
        Expr::Struct(e) => {
            let before = leaves.values.len();
            e.fields
                .iter_mut()
                .for_each(|field| each(&mut field.expr, leaves, f));
            if leaves.values.len() > before {
                leaves
                    .constructors
                    .push((constructor(&e.path), Extent::of(&e.path)));
            }
        }
        Expr::Macro(e) => {
            let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
            if let Ok(mut args) = e.mac.parse_body_with(parser) {
                leaves
                    .macros
                    .extend(e.mac.path.segments.last().map(|s| s.ident.to_string()));
                args.iter_mut().for_each(|e| each(e, leaves, f));
                e.mac.tokens = quote!(#args);
            }
        }
        // Planted all the same: the twin's other items see the right type.
        Expr::Binary(e) if has_literal(&e.left) || has_literal(&e.right) => {
            leaves
                .mistakes
                .push(Mistake::new(Extent::of(e), refuse::ARITHMETIC));
            f(expr, 0.0);
        }
        Expr::Repeat(e) if has_literal(&e.expr) => {
            leaves
                .mistakes
                .push(Mistake::new(Extent::of(&e.len), refuse::LENGTH));
            each(&mut e.expr, leaves, f);
        }
        _ => {}
    }
}

fn has_literal(expr: &Expr) -> bool {
    let mut expr = expr.clone();
    let mut found = Leaves::default();
    each(&mut expr, &mut found, &mut |_, _| {});
    !found.values.is_empty()
}

/// `Score::new` and `Score` both name the type.
fn constructor(path: &syn::Path) -> String {
    let names: Vec<_> = path.segments.iter().map(|s| s.ident.to_string()).collect();
    names
        .iter()
        .rev()
        .find(|n| n.starts_with(char::is_uppercase))
        .or(names.last())
        .cloned()
        .unwrap_or_default()
}

/// The value of a literal, of its negative, and of either under a cast.
fn literal(expr: &Expr) -> Option<f64> {
    match expr {
        Expr::Lit(ExprLit {
            lit: Lit::Int(i), ..
        }) => i.base10_parse().ok(),
        Expr::Lit(ExprLit {
            lit: Lit::Float(x), ..
        }) => x.base10_parse().ok(),
        Expr::Unary(e) if matches!(e.op, UnOp::Neg(_)) => literal(&e.expr).map(|v| -v),
        Expr::Paren(e) => literal(&e.expr),
        Expr::Group(e) => literal(&e.expr),
        Expr::Cast(e) => literal(&e.expr),
        _ => None,
    }
}

/// `[x; 3]` is three entries, each a weight of its own.
fn expand_repeats(expr: &mut Expr) {
    match expr {
        Expr::Repeat(e) => {
            expand_repeats(&mut e.expr);
            let len = literal(&e.len).filter(|&n| n.fract() == 0.0 && (0.0..=65536.0).contains(&n));
            if let Some(len) = len
                && has_literal(&e.expr)
            {
                let copies = std::iter::repeat_n(&e.expr, len as usize);
                if let Ok(array) = syn::parse2(quote!([#(#copies),*])) {
                    *expr = array;
                }
            }
        }
        Expr::Array(e) => e.elems.iter_mut().for_each(expand_repeats),
        Expr::Tuple(e) => e.elems.iter_mut().for_each(expand_repeats),
        Expr::Paren(e) => expand_repeats(&mut e.expr),
        Expr::Group(e) => expand_repeats(&mut e.expr),
        Expr::Reference(e) => expand_repeats(&mut e.expr),
        Expr::Call(e) => e.args.iter_mut().for_each(expand_repeats),
        Expr::Struct(e) => e
            .fields
            .iter_mut()
            .for_each(|f| expand_repeats(&mut f.expr)),
        _ => {}
    }
}

fn dims(expr: &Expr) -> Vec<usize> {
    match expr {
        Expr::Array(e) => {
            let mut all = vec![e.elems.len()];
            all.extend(e.elems.first().map(dims).unwrap_or_default());
            all
        }
        Expr::Paren(e) => dims(&e.expr),
        Expr::Group(e) => dims(&e.expr),
        Expr::Reference(e) => dims(&e.expr),
        _ => Vec::new(),
    }
}
