//! Items and expressions: names, places, attributes.

use std::collections::HashSet;

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Expr, Item, ItemImpl, Type};

use super::arguments::Mode;

pub(crate) use tuner_source::has_attribute;

/// A line and a column of a file, as spans count them.
pub(crate) type Location = (usize, usize);

pub(crate) fn location(span: Span) -> Location {
    let start = span.start();
    (start.line, start.column)
}

pub(crate) fn type_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(t) => t.path.segments.last().map(|s| s.ident.to_string()),
        Type::Reference(t) => type_name(&t.elem),
        Type::Paren(t) => type_name(&t.elem),
        Type::Group(t) => type_name(&t.elem),
        _ => None,
    }
}

pub(crate) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(i) => &i.attrs,
        Item::Fn(i) => &i.attrs,
        Item::Impl(i) => &i.attrs,
        Item::Macro(i) => &i.attrs,
        Item::Mod(i) => &i.attrs,
        Item::Static(i) => &i.attrs,
        Item::Struct(i) => &i.attrs,
        Item::Type(i) => &i.attrs,
        _ => &[],
    }
}

pub(crate) fn name_of(item: &Item) -> Option<String> {
    match item {
        Item::Const(i) => Some(i.ident.to_string()),
        Item::Fn(i) => Some(i.sig.ident.to_string()),
        Item::Static(i) => Some(i.ident.to_string()),
        Item::Struct(i) => Some(i.ident.to_string()),
        Item::Type(i) => Some(i.ident.to_string()),
        _ => None,
    }
}

/// The name that an item takes in its module, traced or not.
pub(crate) fn declared_name(item: &Item) -> Option<String> {
    match item {
        Item::Enum(i) => Some(i.ident.to_string()),
        Item::Trait(i) => Some(i.ident.to_string()),
        Item::Union(i) => Some(i.ident.to_string()),
        item => name_of(item),
    }
}

/// The location of an item: of its name, or of `impl`.
pub(crate) fn location_of(item: &Item) -> Location {
    // No `Spanned` here: it would mix the file's tokens with the compiler's.
    location(match item {
        Item::Const(i) => i.ident.span(),
        Item::Fn(i) => i.sig.ident.span(),
        Item::Impl(i) => i.impl_token.span,
        Item::Macro(i) => match i.mac.path.segments.first() {
            Some(first) => first.ident.span(),
            None => return (0, 0),
        },
        Item::Mod(i) => i.ident.span(),
        Item::Static(i) => i.ident.span(),
        Item::Struct(i) => i.ident.span(),
        Item::Type(i) => i.ident.span(),
        _ => return (0, 0),
    })
}

/// The traits whose impls the twin copies for its own structs.
const OPERATORS: [&str; 20] = [
    "Add",
    "AddAssign",
    "Default",
    "Deref",
    "DerefMut",
    "Div",
    "DivAssign",
    "From",
    "Index",
    "IndexMut",
    "Into",
    "Mul",
    "MulAssign",
    "Neg",
    "Shl",
    "Shr",
    "ShrAssign",
    "Sub",
    "SubAssign",
    "Sum",
];

/// The operator that an impl block implements.
pub(crate) fn operator(block: &ItemImpl) -> Option<String> {
    let name = block.trait_.as_ref()?.0.segments.last()?.ident.to_string();
    OPERATORS.contains(&name.as_str()).then_some(name)
}

/// What `#[tunable]` or `#[tunable(nonlinear)]` says, also inside `cfg_attr`.
pub(crate) fn mode(attrs: &[Attribute]) -> Mode {
    let says = |attr: &Attribute| {
        let mut text = attr.meta.to_token_stream().to_string();
        text.retain(|c| !c.is_whitespace());
        text.contains("tunable(nonlinear)")
    };
    if attrs.iter().any(says) {
        Mode::Nonlinear
    } else {
        Mode::Linear
    }
}

/// The identifiers of some tokens.
pub(crate) fn names_of(tokens: &impl ToTokens) -> HashSet<String> {
    let mut found = HashSet::new();
    identifiers(tokens.to_token_stream(), &mut found);
    found
}

/// Adds the identifiers of a token stream to `found`.
pub(crate) fn identifiers(tokens: TokenStream, found: &mut HashSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => drop(found.insert(ident.to_string())),
            TokenTree::Group(group) => identifiers(group.stream(), found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Whether an expression is a literal, or arithmetic on nothing but literals.
pub(crate) fn is_literal(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(e) => matches!(e.lit, syn::Lit::Int(_) | syn::Lit::Float(_)),
        Expr::Unary(e) => matches!(e.op, syn::UnOp::Neg(_)) && is_literal(&e.expr),
        Expr::Paren(e) => is_literal(&e.expr),
        Expr::Group(e) => is_literal(&e.expr),
        Expr::Binary(e) => is_literal(&e.left) && is_literal(&e.right),
        _ => false,
    }
}

/// Whether an expression is the integer 0.
pub(crate) fn is_zero(expr: &Expr) -> bool {
    matches!(expr, Expr::Lit(e) if matches!(&e.lit, syn::Lit::Int(i) if i.base10_digits() == "0"))
}

/// The names of a path, without arguments.
pub(crate) fn path_names(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|s| s.ident.to_string()).collect()
}

/// The last name of a path.
pub(crate) fn last_name(path: &syn::Path) -> String {
    let last = path.segments.last();
    last.map(|s| s.ident.to_string()).unwrap_or_default()
}
