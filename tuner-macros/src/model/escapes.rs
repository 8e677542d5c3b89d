//! What the author says that the twin does differently: `#[untraced]` and
//! `untraced!` take statements out of it, `traced_as!` gives a value another
//! source. `freeze!` needs to know what a score is, so it is inferred.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::ParseStream;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Block, Expr, Item, Macro, Stmt, Token};

use super::macro_input::visit_list;
use super::{is_ours, names_of};

/// The macros that bodies may name; the attribute needs none in production.
pub(super) const NAMES: [&str; 5] = ["freeze", "interpolated", "traced_as", "untraced", "weight"];

/// Tells whether the items have `extern crate self as tuner_core`. Such a crate can be built
/// without `tuner_core`, and has macros of its own named `freeze!`, `weight!` and so on for that.
pub(super) fn takes_our_name(items: &[Item]) -> bool {
    items.iter().any(|item| match item {
        Item::ExternCrate(item) => {
            let name = item.rename.as_ref().map(|(_, name)| name);
            item.ident == "self" && name.is_some_and(|name| name == "tuner_core")
        }
        _ => false,
    })
}

/// The tokens of an item for production: without the attributes `#[untraced]` on statements, which
/// the compiler does not know. `None` if the item has no such word.
pub(crate) fn production(item: &Item) -> Option<TokenStream> {
    names_of(item).contains("untraced").then(|| {
        let mut item = item.clone();
        clean(&mut item);
        item.to_token_stream()
    })
}

/// Takes the attributes `#[untraced]` off an item's statements, which stay.
pub(crate) fn clean(item: &mut Item) {
    RemoveEscapes.visit_item_mut(item);
}

/// Rewrites bodies by what the author says of the twin.
pub(super) struct ApplyEscapes;

impl VisitMut for ApplyEscapes {
    /// Takes out the statements that the author leaves out of the twin: those with `#[untraced]`,
    /// and those in `untraced! { … }`.
    fn visit_block_mut(&mut self, block: &mut Block) {
        block.stmts.retain_mut(|stmt| {
            let is_call = |mac: &Macro| is_ours(&mac.path, "untraced");
            match stmt {
                Stmt::Macro(stmt) if is_call(&stmt.mac) => return false,
                Stmt::Expr(Expr::Macro(call), Some(_)) if is_call(&call.mac) => return false,
                _ => {}
            }
            !attributes(stmt).is_some_and(|attrs| attrs.iter().any(is_untraced))
        });
        visit_mut::visit_block_mut(self, block);
    }

    /// Replaces `traced_as!(value => other)` by `other`.
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::Macro(call) = expr
            && let Some(other) = other_source(&call.mac)
        {
            *expr = other;
        }
        visit_mut::visit_expr_mut(self, expr);
    }

    /// Replaces the statement `traced_as!(value => other)` by `other`; syn does not parse a macro
    /// call that is a statement as an expression.
    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        if let Stmt::Macro(call) = stmt
            && let Some(other) = other_source(&call.mac)
        {
            *stmt = Stmt::Expr(other, call.semi_token);
        }
        visit_mut::visit_stmt_mut(self, stmt);
    }

    /// Visits the arguments of a macro call, if its input is a list of expressions.
    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        visit_list(self, mac);
    }
}

/// What the twin computes at `traced_as!(value => other)`: `other`, in parentheses; `None` of any
/// other macro, and where the input has another form, which rustc refuses.
fn other_source(mac: &Macro) -> Option<Expr> {
    let parser = |input: ParseStream<'_>| {
        input.parse::<Expr>()?;
        input.parse::<Token![=>]>()?;
        let other: Expr = input.parse()?;
        input.parse::<Option<Token![,]>>()?;
        Ok(other)
    };
    let other = is_ours(&mac.path, "traced_as").then(|| mac.parse_body_with(parser))?;
    // The parentheses keep it one expression wherever it is put.
    other.ok().map(|other| syn::parse_quote!((#other)))
}

/// Removes the attributes about the twin from statements.
struct RemoveEscapes;

impl VisitMut for RemoveEscapes {
    /// Takes `#[untraced]` off a statement and off those inside it.
    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        if let Some(attrs) = attributes(stmt) {
            attrs.retain(|attr| !is_untraced(attr));
        }
        visit_mut::visit_stmt_mut(self, stmt);
    }
}

/// Tells whether an attribute is `#[untraced]` or `#[tuner_core::untraced]`.
fn is_untraced(attr: &Attribute) -> bool {
    is_ours(attr.path(), "untraced")
}

/// The attributes of a statement, mutable; `None` for an item, and for an expression that can have
/// none.
pub(crate) fn attributes(stmt: &mut Stmt) -> Option<&mut Vec<Attribute>> {
    Some(match stmt {
        Stmt::Local(local) => &mut local.attrs,
        Stmt::Macro(call) => &mut call.attrs,
        Stmt::Item(_) => return None,
        Stmt::Expr(expr, _) => match expr {
            Expr::Assign(e) => &mut e.attrs,
            Expr::Binary(e) => &mut e.attrs,
            Expr::Block(e) => &mut e.attrs,
            Expr::Call(e) => &mut e.attrs,
            Expr::ForLoop(e) => &mut e.attrs,
            Expr::If(e) => &mut e.attrs,
            Expr::Loop(e) => &mut e.attrs,
            Expr::Macro(e) => &mut e.attrs,
            Expr::Match(e) => &mut e.attrs,
            Expr::MethodCall(e) => &mut e.attrs,
            Expr::Return(e) => &mut e.attrs,
            Expr::Unsafe(e) => &mut e.attrs,
            Expr::While(e) => &mut e.attrs,
            _ => return None,
        },
    })
}
