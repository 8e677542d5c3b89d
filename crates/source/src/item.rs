//! Items and expressions: names, places, attributes.

use std::collections::HashSet;

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Attribute, Block, Expr, Field, FnArg, Ident, ImplItem, ImplItemFn, Item, ItemImpl, PatType,
    Signature, Type, TypeParamBound, Visibility,
};

use crate::syntax::{bare, is_among, last_name};

/// A line and a column of a file, as spans count them.
pub type TokenLocation = (usize, usize);

/// Where a token starts: the line from 1, the column from 0.
pub fn location(span: Span) -> TokenLocation {
    let start = span.start();
    (start.line, start.column)
}

/// The last name of a type, also behind a reference; for `dyn Trait` the trait's. `None` for
/// arrays, tuples and the like.
pub fn type_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(t) => t.path.segments.last().map(|s| s.ident.to_string()),
        Type::Reference(t) => type_name(&t.elem),
        Type::Paren(t) => type_name(&t.elem),
        Type::Group(t) => type_name(&t.elem),
        Type::TraitObject(t) => t.bounds.iter().find_map(of_trait),
        Type::ImplTrait(t) => t.bounds.iter().find_map(of_trait),
        _ => None,
    }
}

/// The last name of the trait of a bound; `None` for a lifetime.
fn of_trait(bound: &TypeParamBound) -> Option<String> {
    match bound {
        TypeParamBound::Trait(bound) => Some(last_name(&bound.path)),
        _ => None,
    }
}

/// The name of a field; of one without a name `number`, its place in the struct from 0, as text.
pub fn field_name(number: usize, field: &Field) -> String {
    let name = field.ident.as_ref().map(ToString::to_string);
    name.unwrap_or_else(|| number.to_string())
}

/// The attributes, visibility and name of an item that has a name and may be in a twin, a traced
/// version of its module; `None` for another item.
fn head(item: &Item) -> Option<(&[Attribute], &Visibility, &Ident)> {
    match item {
        Item::Const(i) => Some((&i.attrs, &i.vis, &i.ident)),
        Item::Fn(i) => Some((&i.attrs, &i.vis, &i.sig.ident)),
        Item::Static(i) => Some((&i.attrs, &i.vis, &i.ident)),
        Item::Struct(i) => Some((&i.attrs, &i.vis, &i.ident)),
        Item::Type(i) => Some((&i.attrs, &i.vis, &i.ident)),
        _ => None,
    }
}

/// The attributes of an item of a kind that may be in a twin, a traced version of its module; else
/// empty.
pub fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Impl(i) => &i.attrs,
        Item::Macro(i) => &i.attrs,
        Item::Mod(i) => &i.attrs,
        item => head(item).map_or(&[], |(attrs, ..)| attrs),
    }
}

/// The name of an item of a kind that may be in a twin, a traced version of its module; `None` for
/// impl blocks, macros and other kinds.
pub fn name_of(item: &Item) -> Option<String> {
    head(item).map(|(_, _, ident)| ident.to_string())
}

/// The name that an item takes in its module, annotated or not, and who sees it; `None` of impl
/// blocks, macros, modules and imports.
pub(crate) fn declared(item: &Item) -> Option<(&Ident, &Visibility)> {
    match item {
        Item::Enum(i) => Some((&i.ident, &i.vis)),
        Item::Trait(i) => Some((&i.ident, &i.vis)),
        Item::Union(i) => Some((&i.ident, &i.vis)),
        item => head(item).map(|(_, vis, ident)| (ident, vis)),
    }
}

/// The location of an item: of its name, of `impl`, or of a macro's path; line and column 0 for a
/// kind that cannot be in a twin, a traced version of its module.
pub fn location_of(item: &Item) -> TokenLocation {
    // Not by `Spanned`, which would mix the file's tokens with the compiler's.
    let span = match item {
        Item::Impl(i) => Some(i.impl_token.span),
        Item::Macro(i) => i.mac.path.segments.first().map(|first| first.ident.span()),
        Item::Mod(i) => Some(i.ident.span()),
        item => head(item).map(|(_, _, ident)| ident.span()),
    };
    span.map_or((0, 0), location)
}

/// The name, the type and the initialiser of a const or static; `None` of any other item.
pub fn table(item: &Item) -> Option<(&Ident, &Type, &Expr)> {
    match item {
        Item::Const(i) => Some((&i.ident, &i.ty, &i.expr)),
        Item::Static(i) => Some((&i.ident, &i.ty, &i.expr)),
        _ => None,
    }
}

/// The functions of an impl block, with and without `self`.
pub fn methods(block: &ItemImpl) -> impl Iterator<Item = &ImplItemFn> {
    block.items.iter().filter_map(|member| match member {
        ImplItem::Fn(f) => Some(f),
        _ => None,
    })
}

/// The function that an item is, or the methods of an impl block, each with signature and body;
/// empty for another item.
pub fn functions(item: &Item) -> Vec<(&Signature, &Block)> {
    match item {
        Item::Fn(f) => vec![(&f.sig, &*f.block)],
        Item::Impl(block) => methods(block).map(|f| (&f.sig, &f.block)).collect(),
        _ => Vec::new(),
    }
}

/// A function's arguments but `self`, each as pattern and type.
pub fn typed<'s>(inputs: impl IntoIterator<Item = &'s FnArg>) -> impl Iterator<Item = &'s PatType> {
    inputs.into_iter().filter_map(|arg| match arg {
        FnArg::Typed(arg) => Some(arg),
        FnArg::Receiver(_) => None,
    })
}

/// Traits of operators and conversions.
const OPERATORS: &str = "Add AddAssign BitAnd BitOr BitXor Default Deref DerefMut Div \
    DivAssign From FromStr Index IndexMut Into IntoIterator Mul MulAssign Neg Not Rem Shl Shr \
    ShrAssign Sub SubAssign Sum";

/// Tells whether an impl block is of a trait that structs in a twin, a traced version, have as
/// well: an operator, a conversion, an iteration.
pub fn is_operator(block: &ItemImpl) -> bool {
    let name = block.trait_.as_ref().map(|(path, _)| last_name(path));
    name.is_some_and(|name| is_among(OPERATORS, &name))
}

/// The identifiers among the tokens of something, also in groups.
pub fn names_of(tokens: &impl ToTokens) -> HashSet<String> {
    let mut found = HashSet::new();
    identifiers(tokens.to_token_stream(), &mut found);
    found
}

/// Adds the identifiers of a token stream, also in groups, to `found`.
pub fn identifiers(tokens: TokenStream, found: &mut impl Extend<String>) {
    each_token(tokens, &mut |token| {
        if let TokenTree::Ident(ident) = token {
            found.extend([ident.to_string()]);
        }
    });
}

/// Calls `f` on each token in order; for a group on the tokens in it, not on the group itself.
pub fn each_token(tokens: TokenStream, f: &mut dyn FnMut(&TokenTree)) {
    for token in tokens {
        match &token {
            TokenTree::Group(group) => each_token(group.stream(), f),
            token => f(token),
        }
    }
}

/// Adds the token that follows each `fn` in the rules of a macro: the name of a function, or `$`
/// where the macro's call gives the name.
pub(crate) fn named_functions(tokens: TokenStream, found: &mut HashSet<String>) {
    let mut after = false;
    for token in tokens {
        match &token {
            TokenTree::Group(group) => named_functions(group.stream(), found),
            token if after => drop(found.insert(token.to_string())),
            _ => {}
        }
        after = matches!(&token, TokenTree::Ident(ident) if ident == "fn");
    }
}

/// Tells whether an expression is a literal number, or arithmetic on nothing but such literals.
pub fn is_literal(expr: &Expr) -> bool {
    match bare(expr) {
        Expr::Lit(e) => matches!(e.lit, syn::Lit::Int(_) | syn::Lit::Float(_)),
        Expr::Unary(e) => matches!(e.op, syn::UnOp::Neg(_)) && is_literal(&e.expr),
        Expr::Binary(e) => is_literal(&e.left) && is_literal(&e.right),
        _ => false,
    }
}

/// Tells whether an expression is the integer literal 0, with whatever suffix.
pub fn is_zero(expr: &Expr) -> bool {
    matches!(expr, Expr::Lit(e) if matches!(&e.lit, syn::Lit::Int(i) if i.base10_digits() == "0"))
}
