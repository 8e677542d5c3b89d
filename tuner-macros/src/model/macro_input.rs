//! What the macro calls of a body hold, by their names: expressions, patterns,
//! or nothing that the twin has.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::visit::Visit;
use syn::visit_mut::VisitMut;
use syn::{Expr, Macro, Pat, Token};
use tuner_source::{inline_weight, is_side_effect, listed};

use super::{is_ours, last_name};

/// Macros that make text.
const FORMATTING: [&str; 4] = ["format", "format_args", "write", "writeln"];

/// Macros after which nothing is computed.
const DIVERGING: [&str; 4] = ["panic", "unreachable", "todo", "unimplemented"];

/// What a macro call is, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MacroKind {
    /// `freeze!(score)`.
    Freeze,
    /// `interpolated!(TABLE, score)`.
    Interpolated,
    /// `weight!(NAME: value)`.
    Weight,
    /// `untraced!(…)`.
    Untraced,
    /// A panic.
    Diverging,
    /// An assertion or a print: the twin leaves it out.
    SideEffect,
    /// `matches!(value, pattern…)`.
    Matches,
    /// Text made of values.
    Text,
    /// Expressions, with commas between them.
    List,
    /// `vec![element; count]`.
    Repeat,
    /// Tokens that rustc refuses.
    Invalid,
    /// Tokens of which the macro knows nothing.
    Unread,
}

/// What a macro call holds.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) kind: MacroKind,
    /// Its expressions, but for the value of `weight!`.
    pub(crate) exprs: Punctuated<Expr, Token![,]>,
    /// The pattern of `matches!`, and what follows it.
    pub(crate) pattern: Option<(Pat, TokenStream)>,
    /// The name and the value in `weight!`; `None` if something else is in the parentheses.
    pub(crate) weight: Option<(Ident, Expr)>,
}

impl Input {
    /// Reads what a macro call holds: its kind, mostly by the macro's name, and the expressions or
    /// the pattern that a call of this kind has.
    pub(crate) fn of(mac: &Macro) -> Self {
        let is_ours = |name| is_ours(&mac.path, name);
        // By name, most special first; an unknown macro is taken by the form of its input, and so
        // are `freeze!` and `interpolated!` with an input that is not theirs.
        let name = last_name(&mac.path);
        let one = |expr: Expr| [expr].into_iter().collect();
        let none = |kind| (kind, Punctuated::new());
        let mut pattern = None;
        let (kind, exprs) = if is_ours("freeze")
            && let Ok(frozen) = mac.parse_body::<Expr>()
        {
            (MacroKind::Freeze, one(frozen))
        } else if is_ours("interpolated")
            && let Ok(parts) = mac.parse_body_with(table_and_index)
        {
            (MacroKind::Interpolated, parts)
        } else if is_ours("weight") {
            none(MacroKind::Weight)
        } else if is_ours("untraced") {
            none(MacroKind::Untraced)
        } else if diverges(mac) {
            none(MacroKind::Diverging)
        } else if name == "matches" {
            match mac.parse_body_with(value_and_pattern) {
                Ok((value, rest)) => {
                    pattern = Some(rest);
                    (MacroKind::Matches, one(value))
                }
                Err(_) => none(MacroKind::Invalid),
            }
        } else if is_side_effect(&name) {
            none(MacroKind::SideEffect)
        } else if FORMATTING.contains(&name.as_str()) {
            none(MacroKind::Text)
        } else if let Some(list) = listed(mac) {
            (MacroKind::List, list)
        } else if let Ok(parts) = mac.parse_body_with(element_and_count) {
            (MacroKind::Repeat, parts)
        } else {
            none(MacroKind::Unread)
        };
        Self {
            kind,
            exprs,
            pattern,
            weight: inline_weight(mac),
        }
    }

    /// Visits the expressions of the call, and then the pattern of a `matches!`.
    pub(crate) fn visit<'a>(&'a self, visitor: &mut impl Visit<'a>) {
        self.exprs.iter().for_each(|expr| visitor.visit_expr(expr));
        if let Some((pattern, _)) = &self.pattern {
            visitor.visit_pat(pattern);
        }
    }

    /// Visits the expressions of the call, and then the pattern of a `matches!`, to change them.
    pub(crate) fn visit_mut(&mut self, visitor: &mut impl VisitMut) {
        let exprs = self.exprs.iter_mut();
        exprs.for_each(|expr| visitor.visit_expr_mut(expr));
        if let Some((pattern, _)) = &mut self.pattern {
            visitor.visit_pat_mut(pattern);
        }
    }
}

/// Visits the expressions in the input of a macro call, to change them, if the input is a list of
/// expressions. The tokens are only replaced if something changed.
pub(super) fn visit_list(visitor: &mut impl VisitMut, mac: &mut Macro) {
    if let Some(mut args) = listed(mac) {
        let before = args.clone();
        args.iter_mut().for_each(|arg| visitor.visit_expr_mut(arg));
        if args != before {
            mac.tokens = args.into_token_stream();
        }
    }
}

/// Tells whether a macro call is a panic, `panic!`, `unreachable!`, `todo!` or `unimplemented!`,
/// after which nothing is computed.
pub(crate) fn diverges(mac: &Macro) -> bool {
    DIVERGING.contains(&last_name(&mac.path).as_str())
}

/// Reads the input of `interpolated!`: `TABLE, score`, with a comma at the end or not.
fn table_and_index(input: ParseStream<'_>) -> syn::Result<Punctuated<Expr, Token![,]>> {
    let table: Expr = input.parse()?;
    input.parse::<Token![,]>()?;
    let index = input.parse()?;
    input.parse::<Option<Token![,]>>()?;
    Ok([table, index].into_iter().collect())
}

/// Reads the input of `matches!`: `value, pattern`, and what follows the pattern, a guard or a
/// comma.
fn value_and_pattern(input: ParseStream<'_>) -> syn::Result<(Expr, (Pat, TokenStream))> {
    let value = input.parse()?;
    input.parse::<Token![,]>()?;
    let pattern = Pat::parse_multi_with_leading_vert(input)?;
    Ok((value, (pattern, input.parse()?)))
}

/// Reads the input of a `vec!` that repeats: `element; count`.
fn element_and_count(input: ParseStream<'_>) -> syn::Result<Punctuated<Expr, Token![,]>> {
    let element: Expr = input.parse()?;
    input.parse::<Token![;]>()?;
    Ok([element, input.parse()?].into_iter().collect())
}
