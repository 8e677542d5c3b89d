//! Weights that a body names where it uses them: `weight!(TEMPO: 10)`.

use proc_macro2::Ident;
use syn::parse::ParseStream;
use syn::visit::{self, Visit};
use syn::{Expr, Item, ItemConst, Lit, Macro, Token, parse_quote};

use crate::syntax::{bare, is_ours, listed};

/// The name and the value of a call of `weight!`; `None` of any other macro, and if the input is
/// not `NAME: value`.
pub fn inline_weight(mac: &Macro) -> Option<(Ident, Expr)> {
    let parser = |input: ParseStream<'_>| {
        let name: Ident = input.parse()?;
        input.parse::<Token![:]>()?;
        let value: Expr = input.parse()?;
        input.parse::<Option<Token![,]>>()?;
        Ok((name, value))
    };
    let found = is_ours(&mac.path, "weight").then(|| mac.parse_body_with(parser));
    found?.ok()
}

/// The consts that the inline weights, `weight!(NAME: value)`, in the bodies of a function or an
/// impl block could be, in source order; empty of any other item.
pub fn inline_weights(item: &Item) -> Vec<ItemConst> {
    let mut found = InlineWeights(Vec::new());
    if matches!(item, Item::Fn(_) | Item::Impl(_)) {
        found.visit_item(item);
    }
    found.0
}

/// The consts of the inline weights that were visited.
struct InlineWeights(Vec<ItemConst>);

impl<'a> Visit<'a> for InlineWeights {
    /// Adds the const of a `weight!(NAME: value)`, unless its value is not a literal number; in the
    /// arguments of another macro it looks for such calls.
    fn visit_macro(&mut self, mac: &'a Macro) {
        if let Some((name, value)) = inline_weight(mac) {
            if let Some(ty) = type_of(&value) {
                self.0.push(parse_quote!(const #name: #ty = #value;));
            }
            return;
        }
        if let Some(args) = listed(mac) {
            let mut inner = InlineWeights(Vec::new());
            args.iter().for_each(|arg| inner.visit_expr(arg));
            self.0.append(&mut inner.0);
        }
        visit::visit_macro(self, mac);
    }
}

/// The type of a number, perhaps negated: its suffix, or what Rust takes without one, `i32` or
/// `f64`. `None` if the expression is not a literal number.
fn type_of(value: &Expr) -> Option<Ident> {
    match bare(value) {
        Expr::Lit(lit) => {
            let (suffix, other, span) = match &lit.lit {
                Lit::Int(lit) => (lit.suffix(), "i32", lit.span()),
                Lit::Float(lit) => (lit.suffix(), "f64", lit.span()),
                _ => return None,
            };
            let name = if suffix.is_empty() { other } else { suffix };
            Some(Ident::new(name, span))
        }
        Expr::Unary(e) if matches!(e.op, syn::UnOp::Neg(_)) => type_of(&e.expr),
        _ => None,
    }
}
